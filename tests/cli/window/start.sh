# Without a display the program makes a figure instead of the window, or ends with a line and status 1.
set -eu
program=$1
top=$(cd "$(dirname "$0")/../../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
unset DISPLAY WAYLAND_DISPLAY

fail() {
    echo "$*" >&2
    exit 1
}

env XDG_CACHE_HOME="$folder/cache" "$program" >out 2>err || fail "status $?"
[ "$(cat out)" = "$folder/cache/maskscope/lesson-1.png" ] || fail "printed: $(cat out)"
[ "$(wc -l <err)" -eq 1 ] && grep -q '^maskscope: ' err || fail "says: $(cat err)"
"$program" export lesson:one-row/1 --out lesson.png
cmp lesson.png cache/maskscope/lesson-1.png

env -u XDG_CACHE_HOME HOME="$folder/home" "$program" >out 2>err || fail "status $?"
[ "$(cat out)" = "$folder/home/.cache/maskscope/lesson-1.png" ] || fail "printed: $(cat out)"

# refuses STATUS ARGUMENT...: checks that one line says why
refuses() {
    wanted=$1
    shift
    status=0
    "$program" "$@" >out 2>err || status=$?
    [ "$status" -eq "$wanted" ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] ||
        fail "$*: status $status, expected $wanted: $(cat err)"
}
refuses 1 "$top/assets/scenes/cross.json"
# Without any font nothing can be drawn.
mkdir fonts
echo "<fontconfig><dir>$folder/fonts</dir><cachedir>$folder/fonts</cachedir></fontconfig>" >fonts.conf
for words in "" lesson:heads "export lesson:heads --out x.png" \
    "worksheet lesson:heads --out x.pdf"; do
    (export FONTCONFIG_FILE="$folder/fonts.conf"; refuses 1 $words)
    grep -q 'no font found. Install fonts-inter or fonts-dejavu-core' err ||
        fail "says: $(cat err)"
done
[ ! -e x.png ] && [ ! -e x.pdf ] || fail "a figure without fonts"
refuses 1 lesson:additive-or-multiplicative/2
# The input is checked before the fonts and the display.
refuses 2 missing.json
refuses 2 lesson:additive-or-multiplicative/99
refuses 2 lesson:none

# The lessons are where MASKSCOPE_ASSETS says.
mkdir -p assets/lessons
sed 's/"name": "additive-or-multiplicative"/"name": "mine"/' \
    "$top/assets/lessons/additive-or-multiplicative.json" >assets/lessons/mine.json
env MASKSCOPE_ASSETS="$folder/assets" "$program" lessons >out
[ "$(cut -f 1 out)" = mine ] || fail "lessons: $(cat out)"
MASKSCOPE_ASSETS=$folder/nowhere
export MASKSCOPE_ASSETS
refuses 1 lessons
refuses 1
