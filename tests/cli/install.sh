# An installed program works wherever it is moved, without the tree that it was built from. Its desktop
# files are valid, and cpack makes a Debian package that lintian accepts.
set -eu
program=$(realpath "$1")
build=$(dirname "$program")
system=$(cd "$(dirname "$0")/../../assets/system" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export LIBGL_ALWAYS_SOFTWARE=1 XDG_STATE_HOME="$folder/state" XDG_CACHE_HOME="$folder/cache"
unset DISPLAY WAYLAND_DISPLAY MASKSCOPE_ASSETS MESA_GL_VERSION_OVERRIDE

fail() {
    echo "install.sh: $*" >&2
    exit 1
}

cmake --install "$build" --prefix "$folder/first" >log || fail "$(cat log)"
mv first moved
installed=$folder/moved/bin/maskscope
share=$folder/moved/share
"$installed" lessons >lessons
"$program" lessons | cmp - lessons
"$installed" export lesson:one-row --out moved.png
"$program" export lesson:one-row --out built.png
cmp built.png moved.png
"$installed" compute lesson:one-row --out cpu
"$installed" compute lesson:one-row --out gpu --backend gpu
grep -q '"backend": "gpu"' gpu/variant-0/summary.json
"$installed" describe "$share/maskscope/scenes/transformer-heads.json" >described
ln -s "$installed" link
./link lessons | cmp - lessons

# The core of live pages is installed with it, if it was built.
if [ -e "$build/web/core.wasm.gz" ]; then
    "$installed" export lesson:one-row --out moved.html --live
    "$program" export lesson:one-row --out built.html --live
    cmp built.html moved.html
fi

# misses PART ARGUMENT...: checks that without this part the installed program fails, instead of taking
# the part from the source tree
misses() {
    part=$1
    shift
    mv "$share/maskscope/$part" aside
    status=0
    "$installed" "$@" >out 2>err || status=$?
    [ "$status" -ne 0 ] || fail "without its $part, \"maskscope $*\" uses others"
    mv aside "$share/maskscope/$part"
}
misses lessons lessons
[ ! -e moved.html ] || misses web export lesson:one-row --out none.html --live
misses lessons export lesson:one-row --out none.png
misses shaders compute lesson:one-row --out none --backend gpu

desktop-file-validate "$share/applications/maskscope.desktop" >out 2>&1 || fail "$(cat out)"
[ ! -s out ] || fail "$(cat out)"
appstreamcli validate-tree --no-net moved >out 2>&1 || fail "$(cat out)"
man --warnings -l "$share/man/man1/maskscope.1.gz" >man 2>err
[ ! -s err ] || fail "$(cat err)"
version=$("$installed" --version | cut -d ' ' -f 2)
grep -q "<release version=\"$version\"" "$share"/metainfo/*.xml || fail "metainfo: the version"
rsvg-convert -w 48 "$share/icons/hicolor/scalable/apps/maskscope.svg" >icon.png

# Scenes and lessons are recognized by their contents, and by an extension of their own.
mkdir -p mime/packages empty
cp /usr/share/mime/packages/freedesktop.org.xml "$share/mime/packages/maskscope.xml" mime/packages
update-mime-database mime >log 2>&1 || fail "$(cat log)"
mv mime empty
is_of_type() {
    type=$(env XDG_DATA_HOME="$folder/empty" XDG_DATA_DIRS="$folder/empty" \
        gio info -a standard::content-type "$1" | sed -n 's/^ *standard::content-type: //p')
    [ "$type" = "$2" ] || fail "$1 is taken for $type"
}
ours=application/x-maskscope+json
cp "$share/maskscope/scenes/cross.json" scene
cp "$share/maskscope/lessons/one-row.json" lesson
cp scene scene.maskscope.json
printf '{"title": "A", "maskscope": 1}' >late
is_of_type scene $ours
is_of_type lesson $ours
is_of_type late $ours
is_of_type scene.maskscope.json $ours
printf '{"a": "what a maskscope shows"}' >mention
is_of_type mention text/plain
cp scene scene.json
is_of_type scene.json application/json

# gzip, because xz takes seconds
cpack --config "$build/CPackConfig.cmake" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip -B "$folder/package" \
    >log 2>&1 || fail "$(cat log)"
package=package/maskscope_${version}_$(dpkg --print-architecture).deb
lintian --fail-on error,warning --allow-root "$package" >out 2>&1 || fail "$(cat out)"
dpkg-deb -c "$package" | sed 's/^[^.]*\././; s/ ->.*//' | grep -v '/$' | sort >packed
(cd moved && find . -type f | sed 's/^\./.\/usr/' | sort) | diff - packed >&2
for needed in fonts-inter fonts-dejavu-core libgl1 libegl1 libglfw3 libpangocairo-1.0-0; do
    dpkg-deb -f "$package" Depends | tr -d ' ' | tr ',' '\n' | grep -q "^$needed" ||
        fail "the package does not depend on $needed"
done

# For other systems (cpack -G TXZ) the program finds libraries and fonts beside itself.
cmake --install "$build" --prefix "$folder/other" >log || fail "$(cat log)"
cmake --install "$build" --prefix "$folder/other" --component portable >log || fail "$(cat log)"
mv other elsewhere
portable=$folder/elsewhere/bin/maskscope
LD_TRACE_LOADED_OBJECTS=1 "$portable" | sed -n 's/.* => \([^ ]*\) .*/\1/p' >loaded
grep -v "^$folder" loaded | sed 's/.*\///; s/\.so.*//' >foreign
drivers='^(libc|libm|libdl|libpthread|librt|libresolv|libgcc_s|libstdc\+\+|libz|libexpat|libbsd|libmd|libxcb|libX.*)$'
! grep -vE "$drivers" foreign || fail "they are not beside the program"
grep -q "^$folder.*/libpango" loaded || fail "it does not find the libraries beside it"
for font in elsewhere/share/maskscope/fonts/*; do echo "$font"; done | grep -q Inter-Regular ||
    fail "its fonts are not beside it"
[ -s elsewhere/share/doc/maskscope/licences/fonts-inter ] || fail "a licence is missing"
printf '<fontconfig><cachedir>%s/fonts</cachedir></fontconfig>' "$folder" >no-fonts.conf
FONTCONFIG_FILE=$folder/no-fonts.conf "$portable" export lesson:one-row/2 --out elsewhere.png
"$program" export lesson:one-row/2 --out here.png
cmp here.png elsewhere.png
