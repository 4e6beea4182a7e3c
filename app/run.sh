#!/bin/sh
# Installs missing packages, builds Maskscope, and starts it with these arguments.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/app/install.sh"
install_missing "$run_packages$build_packages"

build=$top/build
if [ ! -f "$build/build.ninja" ]; then
    echo "maskscope: building, three to six minutes the first time" >&2
    said=$(cmake -S "$top" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release 2>&1) ||
        { echo "$said" >&2; rm -f "$build/build.ninja"; exit 1; }
fi
# Show Ninja's progress, [124/310], and nothing if there is nothing to build.
built=$({
    { cmake --build "$build" --target maskscope web 2>&1 && echo yes >&3; } |
        grep --line-buffered -v -e 'no work to do' -e 'Re-checking globbed' >&2
} 3>&1) || true
[ "$built" ] || exit 1
exec "$build/maskscope" "$@"
