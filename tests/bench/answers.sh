#!/bin/sh
# answers.sh PROGRAM ANSWERS SECONDS FILE…: measures for each file how soon the window responds during
# random events. ANSWERS is the program of answers.cpp. Some events save the file, so it is opened in a
# copy of its folder.
set -eu
. "$(dirname "$0")/../support/display.sh"
answers=$(realpath "$2")
seconds=$3
shift 3
seed=0
for file; do
    seed=$((seed + 1))
    cp -r "$(dirname "$file")" "$folder/opened"
    start "$folder/opened/$(basename "$file")" 2>/dev/null
    sleep 2
    printf '%s: ' "$(basename "$file")"
    "$answers" "$seconds" "$seed"
    kill -0 "$window" || fail "the window ended in $file"
    kill -9 "$window"
    wait "$window" 2>/dev/null || true
    rm -rf "$folder/maskscope" "$folder/opened"
done
