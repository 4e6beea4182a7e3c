#!/bin/sh
# busy.sh [TIMES [OPTION…]]: checks that no test depends on how busy the machine is. It runs all of CTest
# (or what OPTION… selects) TIMES times (3), beside two busy processes for each core. Build first, with
# tests/run.sh.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
times=${1:-3}
[ $# = 0 ] || shift
busy=
trap 'kill $busy 2>/dev/null || true' EXIT
for _ in $(seq $((2 * $(nproc)))); do
    while :; do :; done &
    busy="$busy $!"
done
for turn in $(seq "$times"); do
    echo "busy.sh: $turn of $times"
    for build in "$top/build/sanitize" "$top/build"; do
        ctest --test-dir "$build" --output-on-failure -j "$(nproc)" "$@"
    done
done
