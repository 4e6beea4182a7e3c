# A figure contains its scene: it is opened like one, extracted byte for byte, and refused in one line if
# it is damaged or contains none. It also describes in words what it shows.
set -eu
program=$1
top=$(cd "$(dirname "$0")/../.." && pwd)
scenes=$top/assets/scenes
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
XDG_CACHE_HOME=$folder/cache
export XDG_CACHE_HOME

fail() {
    echo "$*" >&2
    exit 1
}

# Saved work can be extracted again: a scene, and a step of a lesson.
for format in png svg pdf; do
    "$program" export "$scenes/cross.json" --out figure.$format
    "$program" extract figure.$format --out $format.json >printed 2>&1
    [ ! -s printed ] || fail "extract $format prints"
    cmp $format.json "$scenes/cross.json"
    "$program" describe figure.$format >described
    "$program" describe "$scenes/cross.json" | cmp - described
    "$program" export figure.$format --out again.png
    "$program" export "$scenes/cross.json" --out expected.png
    cmp again.png expected.png
    "$program" export lesson:heads/2 --out step.$format --bare
    ! "$program" describe step.$format 2>err || fail "step.$format contains a scene"
    [ "$(cat err)" = "maskscope: step.$format: contains no scene" ] || fail "$(cat err)"
done
"$program" export lesson:heads/2 --out step.png
"$program" extract step.png --out step.json
"$program" describe step.json >described
"$program" describe lesson:heads/2 | cmp - described

# Small tensors are in the figure; large ones are only named.
mkdir small large out
python3 - <<'EOF'
import struct
def npy(name, rows, columns):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, %d, %d)}" % (rows, columns)
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack("<f", 0.5) * (rows * columns))
for folder, width in ("small", 4), ("large", 50000):
    for name in "q", "k":
        npy(f"{folder}/{name}.npy", 3, width)
EOF
for size in small large; do
    cat >$size/scene.json <<'EOF'
{
  "maskscope": 1,
  "sequences": [{"queries": ["a", "b", "c"]}],
  "inputs": {"kind": "tensors", "queries": "q.npy", "keys": "k.npy"},
  "variants": [{"name": "A"}]
}
EOF
    "$program" export $size/scene.json --out $size.pdf
done
"$program" describe small.pdf >described
"$program" describe small/scene.json | cmp - described
"$program" extract small.pdf --out out/scene.json
cp out/scene.json extracted.json
cmp out/q.npy small/q.npy
cmp out/k.npy small/k.npy
echo other >out/k.npy
rm out/scene.json
! "$program" extract small.pdf --out out/scene.json 2>err || fail "another k.npy is replaced"
other='already exists with other contents; --force replaces it'
[ "$(cat err)" = "maskscope: out/k.npy: $other" ] || fail "$(cat err)"
[ "$(ls out | tr '\n' ' ')" = "k.npy q.npy " ] || fail "half extracted: $(ls out)"
echo mine >out/scene.json
"$program" extract small.pdf --out out/scene.json --force
cmp out/k.npy small/k.npy
cmp out/scene.json extracted.json
"$program" extract small.pdf --out out/scene.json || fail "identical files are reported as different"
echo mine >out/scene.json
status=0
"$program" extract small.pdf --out out/scene.json 2>err || status=$?
[ $status = 2 ] && [ "$(cat err)" = "maskscope: out/scene.json: $other" ] ||
    fail "status $status: $(cat err)"
[ "$(cat out/scene.json)" = mine ] || fail "a scene that extract did not write is replaced"

# A tensor file is not written through a link below the folder, whatever is there already; the
# folder itself, and FILE, may be links.
mkdir -p outside inside nested/sub
cp small/k.npy small/q.npy nested/sub
sed 's|"\([qk]\).npy"|"sub/\1.npy"|g' small/scene.json >nested/scene.json
"$program" export nested/scene.json --out nested.png
ln -s ../outside inside/sub
for force in '' --force; do
    status=0
    "$program" extract nested.png --out inside/got.json $force 2>err || status=$?
    [ $status = 2 ] && [ "$(cat err)" = "maskscope: inside/sub/k.npy: inside/sub is a symbolic link, which \
is not followed. Choose another folder" ] || fail "status $status: $(cat err)"
    [ -z "$(ls outside)" ] && [ "$(ls -A inside)" = sub ] || fail "written: $(ls outside inside)"
done
rm inside/sub
mkdir inside/sub
ln -s ../../outside/q.npy inside/sub/q.npy
! "$program" extract nested.png --out inside/got.json 2>err || fail "a link is replaced"
[ "$(cat err)" = "maskscope: inside/sub/q.npy: $other" ] || fail "$(cat err)"
rm inside/sub/q.npy
ln -s inside linked
ln -s ../outside/scene.json inside/got.json
"$program" extract nested.png --out linked/got.json
grep -q '"sub/k.npy"' outside/scene.json || fail "$(cat outside/scene.json)"
cmp inside/sub/k.npy small/k.npy
rm -r outside inside linked nested
pdfdetach -save 1 -o scene.zip small.pdf
python3 -c 'import zipfile; print(*sorted(zipfile.ZipFile("scene.zip").namelist()))' >names
[ "$(cat names)" = "k.npy q.npy scene.json" ] || fail "attached: $(cat names)"
"$program" extract large.pdf --out named.json 2>err
[ "$(cat err)" = "maskscope: named.json: /inputs/queries: q.npy: No such file or directory; the \
figure only names it" ] || fail "$(cat err)"
cp large.pdf large/figure.pdf # beside what it names
"$program" extract large/figure.pdf --out named.json 2>err
[ "$(cat err)" = "maskscope: named.json: /inputs/queries: q.npy: No such file or directory; the \
figure only names it" ] || fail "$(cat err)"
"$program" extract large/figure.pdf --out large/named.json 2>err
[ ! -s err ] || fail "$(cat err)"
mkdir scratch # used if there is no home; nothing stays here
env -u XDG_CACHE_HOME -u HOME TMPDIR="$folder/scratch" "$program" describe small.pdf >described
"$program" describe small/scene.json | cmp - described
[ -z "$(ls scratch)" ] || fail "left: $(ls scratch)"
[ "$(wc -c <large.pdf)" -lt 300000 ] || fail "large.pdf is $(wc -c <large.pdf) bytes"

# refuses LINE ARGUMENT...: checks that the status is 2, with one line, and that nothing is written
refuses() {
    line=$1
    shift
    status=0
    "$program" "$@" >printed 2>err || status=$?
    if [ "$status" -ne 2 ] || [ "$(cat err)" != "maskscope: $line" ] || [ -s printed ]; then
        cat err >&2
        fail "$*: status $status, expected 2 and: $line"
    fi
    [ ! -e new.json ] || fail "$* writes"
}
head -c 1000 figure.png >cut.png
refuses 'cut.png: is not a valid PNG: it ends too early' extract cut.png --out new.json
head -c $(($(wc -c <figure.pdf) / 2)) figure.pdf >cut.pdf
refuses 'cut.pdf: contains no scene' extract cut.pdf --out new.json
tr 'A-M' 'N-Z' <figure.svg >changed.svg
refuses 'changed.svg: the scene that it contains is damaged' describe changed.svg
refuses 'step.json: not a figure; expected a PNG, SVG or PDF file' extract step.json --out new.json

# The alternative text is the same alone, in the file, and for a screen reader.
"$program" export "$scenes/cross.json" --alt >words
[ "$(wc -l <words)" -eq 1 ] || fail "--alt prints $(wc -l <words) lines"
grep -q 'Variant B, padding alone, mask added before the softmax: every row sums to 1' words ||
    fail "$(cat words)"
"$program" export "$scenes/cross.json" --alt --out both.svg | cmp - words
"$program" export "$scenes/cross.json" --out both.pdf
python3 - <<'EOF' || fail "both.svg, both.pdf and figure.png do not say what --alt prints"
import re
import xml.etree.ElementTree as xml
words = open("words").read().strip()
root = xml.parse("both.svg").getroot()
svg = "{http://www.w3.org/2000/svg}"
assert root.get("role") == "img" and root.get("aria-labelledby") == "title desc"
assert root.find(svg + "desc").text == words
alt = re.search(rb"/Alt <([0-9A-F]+)>", open("both.pdf", "rb").read()).group(1)
assert bytes.fromhex(alt.decode()).decode("utf-16") == words
assert b"iTXtDescription\0\0\0en\0\0" + words.encode() in open("figure.png", "rb").read()
EOF
[ "$(pdfinfo -struct both.pdf 2>&1 | tr -d ' ' | tr '\n' ' ')" = "Document Figure " ] ||
    fail "both.pdf is not tagged: $(pdfinfo -struct both.pdf 2>&1)"
[ -z "$(ls -A | grep '^\.maskscope' || :)" ] || fail "a temporary file stays"
