# Sourced by app/run.sh and tests/run.sh: installs missing Debian packages, and says so.
# Each line of a list names a package, and a way to see without dpkg whether it is installed. The
# Debian package of Maskscope also takes its dependencies other than libraries, and its
# recommendations, from these lists (app/install.cmake).

run_packages='
fonts-inter font:Inter
fonts-dejavu-core font:DejaVuSans
libgl1 library:libGL.so.1
libegl1 library:libEGL.so.1
libgl1-mesa-dri library:libEGL_mesa.so.0
'
recommended_packages='
fonts-noto-core font:NotoSans-Regular
fonts-noto-cjk font:NotoSansCJK
fonts-noto-color-emoji font:NotoColorEmoji
'
build_packages='
g++ command:g++
cmake command:cmake
ninja-build command:ninja
pkgconf command:pkg-config
libimgui-dev header:imgui/imgui.h
libglfw3-dev module:glfw3
libepoxy-dev module:epoxy
libegl-dev module:egl
libx11-dev module:x11
libxcb1-dev module:xcb
libfreetype-dev module:freetype2
libpng-dev module:libpng
libzip-dev module:libzip
libhwy-dev module:libhwy
libcairo2-dev module:cairo
libpango1.0-dev module:pangocairo
libglib2.0-dev module:gio-2.0
libeigen3-dev module:eigen3
nlohmann-json3-dev header:nlohmann/json.hpp
libfmt-dev header:fmt/core.h
libcli11-dev header:CLI/CLI.hpp
'
test_packages='
libgtest-dev header:gtest/gtest.h
libbenchmark-dev header:benchmark/benchmark.h
xvfb command:Xvfb
xauth command:xauth
xdotool command:xdotool
xclip command:xclip
x11-apps command:xwd
imagemagick command:convert
clang-format command:clang-format
clang-tidy command:clang-tidy
poppler-utils command:pdftotext
librsvg2-bin command:rsvg-convert
python3 command:python3
dpkg-dev command:dpkg-shlibdeps
lintian command:lintian
man-db command:man
desktop-file-utils command:desktop-file-validate
appstream command:appstreamcli
shared-mime-info command:update-mime-database
libglib2.0-bin command:gio
dbus-daemon command:dbus-daemon
bash-completion file:/usr/share/bash-completion/bash_completion
zsh command:zsh
'

full_packages='
python3-torch file:/usr/lib/python3/dist-packages/torch/__init__.py
chromium command:chromium
firefox-esr command:firefox-esr
webkit2gtk-driver command:WebKitWebDriver
nodejs command:node
clang-22 command:clang++-22
lld-22 command:wasm-ld-22
libc++-22-dev-wasm32 file:/usr/lib/llvm-22/lib/wasm32-wasi/libc++.a
libc++abi-22-dev-wasm32 file:/usr/lib/llvm-22/lib/wasm32-wasi/libc++abi.a
libclang-rt-22-dev-wasm32 file:/usr/lib/llvm-22/lib/clang/22/lib/wasi/libclang_rt.builtins-wasm32.a
wasi-libc file:/usr/lib/wasm32-wasi/libc.a
texlive-luatex command:lualatex
texlive-pictures file:/usr/share/texlive/texmf-dist/tex/latex/pgf/frontendlayer/tikz.sty
'

is_there() {
    case $1 in
        command:*) command -v "${1#*:}" >/dev/null ;;
        module:*) pkg-config --exists "${1#*:}" 2>/dev/null ;;
        header:*) [ -n "$(find /usr/include /usr/local/include -path "*/${1#*:}" 2>/dev/null)" ] ;;
        file:*) [ -e "${1#*:}" ] ;;
        library:*) ldconfig -p 2>/dev/null | grep -q "${1#*:}" ;;
        font:*) [ -n "$(find /usr/share/fonts -name "${1#*:}*" 2>/dev/null)" ] ;;
    esac
}

missing_by_dpkg() {
    names=$(echo "$1" | cut -d' ' -f1)
    # shellcheck disable=SC2086
    installed=$(dpkg-query -W -f='${db:Status-Abbrev}${Package}\n' $names 2>/dev/null |
        sed -n 's/^ii *//p')
    for name in $names; do
        echo "$installed" | grep -qx "$name" || printf '%s ' "$name"
    done
}

missing_by_looking() {
    echo "$1" | while read -r name probe; do
        [ -z "$name" ] || is_there "$probe" || printf '%s ' "$name"
    done
}

# install_missing LIST: installs the missing packages; status 1, with their names, if that fails.
install_missing() {
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        missing=$(missing_by_looking "$1")
        [ -z "$missing" ] && return 0
        echo "maskscope: not a Debian system (no apt-get); please install what these packages" \
            "of Debian 12 hold, then start again: $missing" >&2
        return 1
    fi
    missing=$(missing_by_dpkg "$1")
    [ -z "$missing" ] && return 0
    echo "maskscope: installing $missing" >&2
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            echo "maskscope: neither root nor sudo; please install: $missing" >&2
            return 1
        fi
        as_root=sudo
    fi
    # shellcheck disable=SC2086
    if ! { $as_root apt-get update -qq && $as_root env DEBIAN_FRONTEND=noninteractive apt-get \
        install -y -qq --no-install-recommends $missing >/dev/null; }; then
        echo "maskscope: apt-get could not install: $missing" >&2
        return 1
    fi
}
