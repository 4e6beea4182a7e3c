#!/bin/sh
# Whatever ends the program, the last edit is kept: SIGTERM, SIGHUP, SIGABRT at once; SIGKILL soon
# after; a display that goes away. If the program's own files are damaged, they are set aside, and
# it starts. Two windows keep their work apart.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../support/display.sh"
state=$folder/maskscope
cd "$folder"
cat >scene.json <<'EOF'
{"maskscope": 1, "sequences": [{"queries": ["a", "b", "c"]}],
 "inputs": {"kind": "embedding", "seed": 7, "heads": 1, "d_k": 4, "d_v": 4},
 "variants": [{"name": "x", "mask": {"layers": [{"kind": "causal"}]}}]}
EOF

opens() {
    start "$@" 2>said
    await test -f "$state/recent" || fail "it opened nothing: $(cat said)"
}
titled() { xdotool search --name "$1" >/dev/null 2>&1; }
# The second token becomes padding; the title shows that something is unsaved.
edits() {
    for _ in $(seq 20); do
        xdotool key ctrl+Right p
        for _ in $(seq 30); do titled '^•' && return; sleep 0.1; done
    done
    fail "no edit arrives"
}
holds_the_edit() { grep -qs '<pad>' "$state"/unsaved-*.json; }
kept() { ls "$state"/unsaved-*.json 2>/dev/null | wc -l; }
# ends HOW: the kept work is whole, readable by the user only, and is removed afterwards
ends() {
    [ "$(kept)" = 1 ] || fail "$1: $(kept) files of unsaved work; it said $(cat said)"
    holds_the_edit || fail "$1: the edit is not in it"
    for file in "$state"/*; do
        [ "$(stat -c %a "$file")" = 600 ] || fail "$file can be read by others"
    done
    rm -f "$state"/unsaved-*
}

for signal in TERM HUP; do
    opens scene.json
    edits
    kill -$signal $window
    wait $window 2>/dev/null && fail "after SIG$signal its status is 0"
    [ ! -s said ] || fail "SIG$signal: it says $(cat said)"
    ends SIG$signal
done

# SIGABRT, as from an assertion of a library.
opens scene.json
edits
kill -ABRT $window
status=0
wait $window 2>/dev/null || status=$?
[ $status = 1 ] || fail "SIGABRT: status $status"
[ "$(cat said)" = "maskscope: a library ended the program (SIGABRT); unsaved work is kept for \
the next start" ] || fail "SIGABRT: it says $(cat said)"
ends SIGABRT

opens scene.json
edits
await holds_the_edit || fail "no edit is kept for a crash"
kill -9 $window
wait $window 2>/dev/null || true
ends SIGKILL

opens scene.json
edits
python3 "$here/x_requests.py" destroy "$(xdotool search --name Maskscope | head -1)"
wait $window 2>/dev/null && fail "without its window its status is 0"
[ "$(wc -l <said)" = 1 ] || fail "without its window it says $(cat said)"
ends "another program destroyed the window"

opens scene.json
edits
kill -9 $server
wait $window 2>/dev/null && fail "without a display it ends well"
[ "$(wc -l <said)" = 1 ] || fail "without a display it says $(cat said)"
ends "the display is gone"

# --- what is damaged
display
head -c 300 /dev/urandom >"$state/recent"
printf '\0' >>"$state/recent"
head -c 300 /dev/urandom >"$state/course.json"
printf '{"folder": "/", "pa' >"$state/unsaved-0123456789abcdef.json"
rm -f "$state"/*.damaged
touch "$state/.maskscope-1-0" "$state/unsaved-1.lock"
opens scene.json
for file in recent course.json; do
    [ -f "$state/$file.damaged" ] || fail "$file is not set aside"
done
[ ! -e "$state/.maskscope-1-0" ] && [ ! -e "$state/unsaved-1.lock" ] ||
    fail "what a killed run left is there"

# --- two windows: each keeps its own work, and neither takes the other's for work left behind
edits
first=$window
"$program" scene.json 2>said & second=$!
are_two() { [ "$(xdotool search --name Maskscope 2>/dev/null | wc -l)" -ge 2 ]; }
await are_two || fail "no second window came up"
sleep 1
kill -TERM $first $second
wait $first $second 2>/dev/null || true
window=
rm "$state"/unsaved-0123456789abcdef.json
ends "two windows"

# --- a figure is among the recent files, although saving never replaces it
"$program" export scene.json --out figure.png
opens figure.png
newest() { [ "$(head -n 1 "$state/recent")" = "$folder/figure.png" ]; }
await newest || fail "a figure that was opened is not among the recent files: $(cat "$state/recent")"
kill -TERM $window
wait $window 2>/dev/null || true
window=
