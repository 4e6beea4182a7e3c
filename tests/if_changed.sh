#!/bin/sh
# if_changed.sh PASSED PROGRAM COMMAND…: runs COMMAND, a test of PROGRAM. With ONLY_CHANGED=yes in the
# environment, as tests/run.sh sets it, it skips a test that has passed, if neither PROGRAM, nor a file
# that tests read, nor an installed package has changed since: the status is 77, and CTest says
# "Skipped". PASSED is a file whose time is the start of the last such run that passed.
set -eu
passed=$1 program=$2
shift 2
[ "${ONLY_CHANGED:-}" ] || exec "$@"
top=$(cd "$(dirname "$0")/.." && pwd)
if [ -e "$passed" ] && newer=$(find "$program" "$top/assets" "$top/shaders" "$top/tests/data" \
    "$top/tests/fuzz" "$top/tests/CMakeLists.txt" /var/lib/dpkg/status -newer "$passed") &&
    [ ! "$newer" ]; then
    echo "It passed, and nothing has changed since."
    exit 77
fi
mkdir -p "$(dirname "$passed")"
rm -f "$passed"
touch "$passed.new"
"$@"
mv "$passed.new" "$passed"
