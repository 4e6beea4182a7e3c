#!/bin/sh
# Installs what is missing, builds, and starts Maskscope with the arguments given.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/app/install.sh"
install_missing "$run_packages$build_packages"

build=$top/build
if [ ! -f "$build/build.ninja" ]; then
    echo "maskscope: building, about four minutes the first time on two cores" >&2
    log=$(mktemp)
    cmake -S "$top" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >"$log" 2>&1 ||
        { cat "$log" >&2; rm -f "$log" "$build/build.ninja"; exit 1; }
    rm -f "$log"
fi
# Ninja's lines say how far it is, [124/310]; where nothing is to be built it says nothing.
built=$({
    { cmake --build "$build" --target maskscope 2>&1 && echo yes >&3; } |
        grep --line-buffered -v -e 'no work to do' -e 'Re-checking globbed' >&2
} 3>&1) || true
[ "$built" ] || exit 1
exec "$build/maskscope" "$@"
