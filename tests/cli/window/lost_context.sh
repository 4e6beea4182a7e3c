#!/bin/sh
# The graphics card is reset while the real window is open. The program opens another window, in the same
# place with the same picture and history. If the card is reset a second time within a second, the
# program keeps unsaved work and ends. If a shader does not compile, it prints one line.
set -eu
beside=$(realpath "$(dirname "$1")")/tests
. "$(dirname "$0")/../../support/display.sh"
# While a window closes, a search for windows may fail.
window_id() { xdotool search --name Maskscope 2>/dev/null | tail -1; }
place() { xdotool getwindowgeometry --shell "$1" 2>/dev/null | grep -v -e WINDOW -e SCREEN || true; }
is_another() { now=$(window_id); [ "$now" ] && [ "$now" != "$before" ]; }
kept() { ls "$folder"/maskscope/unsaved-*.json 2>/dev/null | wc -l; }

blank=$(shot)
program=$beside/lost_context
start lesson:additive-or-multiplicative 2>"$folder/said"
await differs_from "$blank"
xdotool mousemove 1590 990
whole=$(picture)
xdotool key ctrl+Right p mousemove 1590 991
await differs_from "$whole" || fail "an edit changed nothing"
edited=$(picture)
for turn in 1 2; do
    sleep 1.1
    before=$(window_id) at=$(place "$(window_id)")
    kill -USR1 $window
    xdotool mousemove 1580 99$turn
    await is_another || fail "the window is the old one"
    await is_again "$edited" || fail "reset $turn: the picture is another"
    [ "$(place "$now")" = "$at" ] || fail "it was at $at, and is at $(place "$now")"
done
xdotool key ctrl+z mousemove 1590 993
await is_again "$whole" || fail "after a reset Ctrl+Z does not bring the picture back"
xdotool key ctrl+y mousemove 1590 994
await is_again "$edited" || fail "after a reset Ctrl+Y does not bring the edit back"
[ ! -s "$folder/said" ] || fail "it says $(cat "$folder/said")"

sleep 1.1
kill -USR2 $window
xdotool mousemove 1590 995
status=0
wait $window || status=$?
window=
[ $status = 1 ] || fail "reset again and again it ends with $status"
[ "$(cat "$folder/said")" = "the graphics card was reset: a second time within a second; unsaved work is kept for the next start" ] ||
    fail "it says $(cat "$folder/said")"
[ "$(kept)" = 1 ] || fail "$(kept) files of unsaved work"
grep -q '<pad>' "$folder"/maskscope/unsaved-*.json || fail "the edit is not in it"

# --- a shader of the window, in a copy of the program
top=$(realpath "$(dirname "$0")/../../..")
mkdir -p "$folder/bin" "$folder/share/maskscope"
cp "$beside/../maskscope" "$folder/bin"
cp -r "$top/shaders" "$folder/share/maskscope"
for part in lessons models scenes help; do cp -r "$top/assets/$part" "$folder/share/maskscope"; done
echo 'no shader' >"$folder/share/maskscope/shaders/heatmap.frag"
status=0
"$folder/bin/maskscope" lesson:heads 2>"$folder/said" || status=$?
[ $status = 1 ] || fail "with a broken shader it ends with $status"
grep -q '^maskscope: the shader .*heatmap.frag does not compile: ' "$folder/said" &&
    [ "$(wc -l <"$folder/said")" = 1 ] || fail "it says $(cat "$folder/said")"
[ "$(kept)" = 1 ] || fail "it removed work that was left behind"
