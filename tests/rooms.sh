#!/bin/sh
# Checks the modules (maskscope_room in CMakeLists.txt). A file includes only headers of its own module
# and of modules that it USES; a module uses only modules above it; a folder with sources is a module of
# at most 20 files.
# rooms.sh [TOP]: status 1, with a line for each that breaks a rule.
set -eu
cd "${1:-$(dirname "$0")/..}"
rooms=$(tr -s '\n' ' ' <CMakeLists.txt | grep -o 'maskscope_room([^)]*)' |
    sed 's/^[^(]*(//; s/)$//; s/ HOT / /; s/ WASM / /; s/ LINKS .*//; s/ USES / /')
files=$(find core app \( -name '*.h' -o -name '*.cpp' \) ! -path app/main.cpp)
# shellcheck disable=SC2086
echo "$rooms" | awk '
    function refuse(what) { print what; bad = 1 }
    FILENAME == "-" {
        for (k = 2; k <= NF; k++) {
            if (!($k in is_room)) refuse($1 ": uses " $k ", which is not above it")
            uses[$1, $k]
        }
        is_room[$1]
        next
    }
    FNR == 1 {
        room = FILENAME
        sub("/[^/]*$", "", room)
        if (++files[room] == 21) refuse(room ": more than 20 files")
        if (files[room] == 1 && !(room in is_room)) refuse(room ": holds sources, but is no room")
    }
    /^ *# *include *"(core|app|\.\.)\// {
        split($0, part, "\"")
        used = part[2]
        sub("/[^/]*$", "", used)
        if (used != room && !((room, used) in uses))
            refuse(FILENAME ": includes " part[2] ", which " room " does not use")
    }
    END { exit bad }' - $files
