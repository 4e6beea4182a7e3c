# rooms.sh prints nothing if every file keeps its rules, and otherwise names the one that breaks a rule.
set -eu
check=$(cd "$(dirname "$0")/.." && pwd)/rooms.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# The source tree that each case changes: b uses a, c uses nothing.
build() {
    rm -rf core app
    mkdir -p core/a core/b app/c
    printf 'maskscope_room(core/a HOT LINKS a::a)\nmaskscope_room(core/b USES\n  core/a LINKS b::b)\n' \
        >CMakeLists.txt
    echo 'maskscope_room(app/c)' >>CMakeLists.txt
    echo '#include "core/b/b.h"' >app/main.cpp
    echo '#include <vector>' >core/a/a.h
    printf '#include "core/a/a.h"\n#include "core/b/b.h"\n' >core/b/b.cpp
    echo 'int c = 0;  // not #include "core/a/a.h"' >app/c/c.cpp
}

# expect TEXT: checks that rooms.sh prints it, with status 1; "" if it must find nothing
expect() {
    wanted=0
    [ -z "$1" ] || wanted=1
    status=0
    printed=$(sh "$check" "$folder") || status=$?
    if [ "$printed" != "$1" ] || [ "$status" -ne "$wanted" ]; then
        echo "rooms.sh: status $status and \"$printed\"; expected \"$1\"" >&2
        exit 1
    fi
    build
}

build
expect ''
echo '#include "core/a/a.h"' >>app/c/c.cpp
expect 'app/c/c.cpp: includes core/a/a.h, which app/c does not use'
echo '#include "../b/b.h"' >>core/a/a.h
expect 'core/a/a.h: includes ../b/b.h, which core/a does not use'
sed -i 's|core/a HOT LINKS a::a|core/a HOT USES core/b|' CMakeLists.txt
expect 'core/a: uses core/b, which is not above it'
mkdir core/b/deep
echo >core/b/deep/d.h
expect 'core/b/deep: holds sources, but is no room'
echo >app/app.cpp
expect 'app: holds sources, but is no room'
for k in $(seq 20); do echo >core/b/$k.h; done
expect 'core/b: more than 20 files'
