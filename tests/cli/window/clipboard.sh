#!/bin/sh
# Under Xvfb a second program pastes what the real window copies. The picture, in both formats, has the
# same bytes as the command line writes, also when they arrive in pieces; the numbers are a table. On
# Wayland, wl-copy is used.
set -eu
top=$(cd "$(dirname "$0")/../../.." && pwd)
. "$top/tests/support/display.sh"
cd "$folder"

begin() {
    start "$@"
    xdotool mousemove 1590 990  # over no cell
}
stop() { kill $window; wait $window 2>/dev/null || true; window=; }
paste() { timeout 60 xclip -selection clipboard -o -t "$1"; }
offered() { paste TARGETS 2>/dev/null | grep -qx "$1"; }
# press KEYS TYPE: repeats until that type can be pasted, because a press before the first frame has no
# effect.
press() {
    for _ in $(seq 120); do
        xdotool key "$1"
        sleep 0.5
        offered "$2" && return
    done
    fail "after $1, $2 is not offered"
}
# same SCENE OPTIONS: checks that the pasted pictures are those that export writes with these options
same() {
    for ending in png svg; do
        "$program" export "$1" --out want.$ending $2
        paste image/$(echo $ending | sed 's/svg/svg+xml/') >got.$ending
        cmp want.$ending got.$ending || fail "pasted $ending of $1 is not what export writes"
    done
}

begin lesson:additive-or-multiplicative
press ctrl+c image/png
for type in image/svg+xml TIMESTAMP MULTIPLE; do offered $type || fail "$type is not offered"; done
same lesson:additive-or-multiplicative/1 ""
paste text/plain 2>/dev/null && fail "a picture was pasted as text"

# Text takes the picture's place, and the other way round.
press ctrl+shift+c UTF8_STRING
offered image/png && fail "the picture is offered beside the numbers"
paste UTF8_STRING >numbers.tsv
awk -F '\t' 'NF != 7 { bad = 1 } END { exit bad || NR != 7 }' numbers.tsv ||
    fail "no table of six tokens: $(cat numbers.tsv)"
"$program" export lesson:additive-or-multiplicative/1 --out numbers.csv --variant 0 --stage weights
awk -F '\t' 'NR > 1 { for (k = 2; k <= NF; k++) print $k }' numbers.tsv >got
awk -F , 'NR > 1 { print $NF }' numbers.csv >want
cmp want got || fail "the numbers are not those of the table"
# A program that asks for the copied content and ends before the answer does no harm.
python3 "$top/tests/cli/window/x_requests.py" ask
press ctrl+c image/png

same lesson:additive-or-multiplicative/1 ""

# The program ends as usual, although something is copied and no clipboard manager keeps it.
xdotool key ctrl+shift+p
sleep 0.5
xdotool type "Quit Maskscope"
sleep 0.5
xdotool key Return
await ended || fail "it does not end"
wait $window || fail "it ended with status $?"

# A large picture is sent in pieces (INCR).
words=$(for k in $(seq 64); do printf '"w%d",' "$k"; done)
tr -d '\n' <"$top/assets/scenes/encoder.json" |
    sed "s/\"queries\": *\[[^]]*\]/\"queries\": [${words%,}]/" >long.json
mkdir -p maskscope
echo '{"dpi": 300}' >maskscope/figures.json
begin long.json
press ctrl+c image/png
same long.json "--dpi 300"
# A program that ends in the middle of a transfer does no harm.
for _ in 1 2 3; do timeout 0.02 xclip -selection clipboard -o -t image/png >/dev/null || true; done
same long.json "--dpi 300"
[ "$(wc -c <got.png)" -gt 262144 ] || fail "$(wc -c <got.png) bytes go in one piece"
stop

# The window pastes what another program holds. It does not wait for a program that offers text and
# then sends nothing.
cp "$top/assets/scenes/encoder.json" pasted.json
begin pasted.json
printf 'from elsewhere' | xclip -selection clipboard -i
for _ in $(seq 120); do
    xdotool key ctrl+Right F2 ctrl+a ctrl+v Return ctrl+s
    sleep 0.5
    grep -q '"from elsewhere"' pasted.json && break
done
grep -q '"from elsewhere"' pasted.json || fail "nothing was pasted"
python3 "$top/tests/cli/window/x_requests.py" hold >held & holder=$!
await test -s held
xdotool key F2 ctrl+v
sleep 0.5
kill $window
await ended || fail "it waits for the owner of the clipboard"
window=
kill $holder

# On Wayland wl-copy takes the picture.
mkdir bin
cat >bin/wl-copy <<END
#!/bin/sh
echo "\$@" >"$folder/asked"
cat >"$folder/taken.new"
mv "$folder/taken.new" "$folder/taken"
END
chmod +x bin/wl-copy
PATH="$folder/bin:$PATH"
export WAYLAND_DISPLAY=none
begin long.json
for _ in $(seq 120); do xdotool key ctrl+c; sleep 0.5; [ -e taken ] && break; done
[ -e taken ] || fail "wl-copy was not asked"
[ "$(cat asked)" = "--type image/png" ] || fail "wl-copy was asked $(cat asked)"
cmp taken want.png || fail "wl-copy took something else"
