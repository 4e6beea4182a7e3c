#!/bin/sh
# if_changed.sh PASSED PROGRAM COMMAND…: runs COMMAND, a test that needs PROGRAM, unless it passed
# before and since then neither PROGRAM nor a file that tests read has changed. Then it ends with status
# 77, and CTest says "Skipped". PASSED is a file as old as the start of the last run that passed.
set -eu
passed=$1 program=$2
shift 2
top=$(cd "$(dirname "$0")/.." && pwd)
if [ -e "$passed" ] && [ -z "$(find "$program" "$top/assets" "$top/shaders" "$top/tests/data" \
    "$top/tests/fuzz" "$top/tests/CMakeLists.txt" -newer "$passed")" ]; then
    echo "It passed, and nothing has changed since."
    exit 77
fi
mkdir -p "$(dirname "$passed")"
rm -f "$passed"
touch "$passed.new"
"$@"
mv "$passed.new" "$passed"
