#!/bin/sh
# The real program in a real window under Xvfb: it opens, a click on the ringed cell changes the
# picture, Ctrl+Z brings the old one back, and when idle it draws nothing and needs no processor time.
set -eu
. "$(dirname "$0")/../../support/display.sh"
mkdir "$folder/here"

cd "$folder/here"
blank=$(shot)
start lesson:additive-or-multiplicative
await differs_from "$blank"
[ -z "$(ls -A)" ] || fail "it left $(ls -A) in the working directory"

xdotool mousemove 1590 990
before=$(picture)
# Find the ring by its colour, the only orange in the left of the bench.
ring=$(xwd -root -silent | convert xwd:- -crop 320x200+80+400 +repage -fill black \
    -fuzz 4% +opaque '#f0a83c' -fill white -opaque '#f0a83c' -trim -format '%X %Y %w %h' info:)
set -- $ring
x=$((80 + ${1#+} + $3 / 2)) y=$((400 + ${2#+} + $4 / 2))
xdotool mousemove "$x" "$y" click 1 mousemove 1590 990
await differs_from "$before" || fail "a click on the ring at $x $y changed nothing"
xdotool key ctrl+z
await is_again "$before" || fail "Ctrl+Z did not bring the picture back"

picture >/dev/null
idle=$(ticks)
sleep 3
[ $(($(ticks) - idle)) -le 3 ] || fail "idle it used $(($(ticks) - idle)) ticks in 3 s"

# A crash loses nothing: an edit beyond the Try, in the next cell, is in a file a second later.
kept() { ls "$folder"/maskscope/unsaved-*.json >/dev/null 2>&1; }
kept && fail "something is kept though all is saved"
xdotool mousemove "$((x + $3))" "$y" click 1 mousemove 1590 990
await kept || fail "nothing is kept for a crash"
kill -9 $window
wait $window 2>/dev/null || true
window=
grep -q '"open": "lesson:additive-or-multiplicative"' "$folder"/maskscope/course.json ||
    fail "it forgot what was open: $(cat "$folder"/maskscope/course.json)"
grep -q '"scene"' "$folder"/maskscope/unsaved-*.json || fail "the kept work is not a scene"
