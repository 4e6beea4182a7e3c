#!/bin/sh
# Installs what is missing, builds, and starts Maskscope with the arguments given.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/app/install.sh"
install_missing "$run_packages$build_packages"

build=$top/build
log=$build/build.log
if [ ! -f "$build/build.ninja" ]; then
    echo "maskscope: building, about three minutes the first time" >&2
    mkdir -p "$build"
    cmake -S "$top" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >"$log" 2>&1 ||
        { cat "$log" >&2; rm -f "$build/build.ninja"; exit 1; }
fi
cmake --build "$build" --target maskscope >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
exec "$build/maskscope" "$@"
