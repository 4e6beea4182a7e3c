# Tests export: figures as PNG, SVG and PDF, and tables as CSV, have the same bytes every time, and
# are never half-written.
set -eu
program=$1
top=$(cd "$(dirname "$0")/../.." && pwd)
scenes=$top/assets/scenes
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
    echo "$*" >&2
    exit 1
}

is_png() {
    [ "$(od -An -t x1 -N 8 "$1" | tr -d ' ')" = 89504e470d0a1a0a ] || fail "$1 is not a PNG"
}

# width FILE: prints the width in pixels
width() {
    od -An -t u1 -j 16 -N 4 "$1" | awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 }'
}

for scene in encoder decoder cross padded-batch; do
    "$program" export "$scenes/$scene.json" --out $scene.png >printed 2>&1
    [ ! -s printed ] || fail "export $scene prints"
    is_png $scene.png
    "$program" export "$scenes/$scene.json" --out=again.png --dpi=150 --theme=light
    cmp $scene.png again.png
done
"$program" export "$scenes/cross.json" --dpi 75 --out small.png
[ $((2 * $(width small.png) - $(width cross.png))) -le 2 ] || fail "75 dpi is not half of 150"

for theme in dark print; do
    "$program" export "$scenes/cross.json" --out $theme.png --theme $theme
    is_png $theme.png
    ! cmp -s $theme.png cross.png || fail "$theme is light"
done

# Single heatmaps: what is left out has its default.
"$program" export "$scenes/cross.json" --out weights.png --stage weights
"$program" export "$scenes/cross.json" --out head.png --head 0
"$program" export "$scenes/cross.json" --out sequence.png --sequence 0
"$program" export "$scenes/cross.json" --out all.png --head all
cmp weights.png head.png
cmp weights.png sequence.png
cmp weights.png all.png
for stage in allowed scores scaled logits softmax weights output sensitivity depends; do
    "$program" export "$scenes/cross.json" --out stage.png --stage $stage --variant 1 --dpi 20
    is_png stage.png
done
"$program" export "$scenes/transformer-heads.json" --out heads.png --variant 1 --head 11 --dpi 20
is_png heads.png
# The output `projected` has one heatmap for all heads.
"$program" export "$top/tests/data/golden/outputs/scene.json" --out output.png --stage output \
    --head all --dpi 20
is_png output.png

# A scene without show is drawn as the window shows it: its four usual stages.
python3 - "$top/tests/data/golden/six-ways/scene.json" >shown.json <<'EOF'
import json, sys
scene = json.load(open(sys.argv[1]))
assert "show" not in scene
print(json.dumps(scene | {"show": {"stages": ["scaled", "logits", "softmax", "weights"]}}))
EOF
"$program" export "$top/tests/data/golden/six-ways/scene.json" --out plain.png --bare
"$program" export shown.json --out shown.png --bare
cmp plain.png shown.png

# A figure is as large as a slide by default; options give its size in millimetres.
# is_sized WIDTH HEIGHT ARGUMENT...: checks the size in pixels at 72 dpi
is_sized() {
    wanted="$1 x $2"
    shift 2
    "$program" export lesson:additive-or-multiplicative/1 --out sized.png --dpi 72 "$@"
    size=$(od -An -t u1 -j 16 -N 8 sized.png | awk '{ print $3 * 256 + $4 " x " $7 * 256 + $8 }')
    [ "$size" = "$wanted" ] || fail "$*: $size, expected $wanted"
}
is_sized 960 540
is_sized 720 540 --aspect 4:3
is_sized 794 447 --width 280
is_sized 681 426 --width 240 --height 150
is_sized 681 511 --aspect 4:3 --width 240
if "$program" export lesson:additive-or-multiplicative/1 --out small.png --width 60 2>small.txt; then
    fail "a size that is too small for type of 7 pt is not refused"
fi
grep -q "too small for type of 7 pt (expected at least" small.txt
"$program" export lesson:additive-or-multiplicative/1 --out figure.png
for part in annot cbar title sums legend; do
    "$program" export lesson:additive-or-multiplicative/1 --out with.png --$part
    "$program" export lesson:additive-or-multiplicative/1 --out without.png --no-$part
    cmp with.png figure.png
    ! cmp -s without.png figure.png || fail "--no-$part changes nothing"
done
"$program" export lesson:additive-or-multiplicative/1 --out clear.png --transparent
python3 - <<'EOF' || fail "clear.png has a background"
import struct, zlib
data = open("clear.png", "rb").read()
assert data[25] == 6, "RGBA"
at, pixels = 8, b""
while at < len(data):
    length, kind = struct.unpack(">I4s", data[at:at + 8])
    pixels += data[at + 8:at + 8 + length] if kind == b"IDAT" else b""
    at += 12 + length
assert zlib.decompress(pixels)[4] == 0, "alpha of the first pixel"
EOF
"$program" export lesson:additive-or-multiplicative/1 --out lane.pdf --lane B
pdftotext lane.pdf words
grep -q 'Multiplied after' words || fail "variant B is missing"
! grep -q 'Added before' words || fail "variant A is there, too"

# A page has the same bytes every time, is as large as the picture, and its words can be found.
"$program" export lesson:additive-or-multiplicative/1 --out page.pdf
"$program" export lesson:additive-or-multiplicative/1 --out again.pdf
cmp page.pdf again.pdf
pdftotext -layout page.pdf words
for word in 'Two ways to hide the future' 'Multiplied after the softmax' 'Row sums' '0.35' '<eos>'; do
    grep -qF -e "$word" words || fail "page.pdf does not say $word"
done
"$program" export lesson:additive-or-multiplicative/8 --out signs.pdf
pdftotext -layout signs.pdf words
for word in '−2' '−∞'; do
    grep -qF -e "$word" words || fail "signs.pdf does not say $word"
done
pdftoppm -r 144 -png page.pdf drawn
"$program" export lesson:additive-or-multiplicative/1 --out points.png --dpi 144
[ "$(width drawn-1.png)" -eq "$(width points.png)" ] || fail "page.pdf is $(width drawn-1.png) wide"
# Cells, hatches and letters are where the picture has them. Pixels may differ by 3% on average, because
# edges of letters and hatches fall between pixels.
apart=$(compare -metric MAE drawn-1.png points.png null: 2>&1 | sed 's/.*(\(.*\))/\1/') || true
awk "BEGIN { exit !($apart < 0.03) }" || fail "page.pdf and the picture are $apart apart"
"$program" export lesson:additive-or-multiplicative/1 --out dark.pdf --theme dark
! cmp -s dark.pdf page.pdf || fail "dark.pdf is light"

# The same figure as an SVG is well formed, has its words as text, and is drawn like the picture.
"$program" export lesson:additive-or-multiplicative/1 --out figure.svg
"$program" export lesson:additive-or-multiplicative/1 --out again.svg
cmp figure.svg again.svg
python3 - <<'EOF' || fail "figure.svg is not what it should be"
import xml.etree.ElementTree as xml
root = xml.parse("figure.svg").getroot()
svg = "{http://www.w3.org/2000/svg}"
assert root.get("role") == "img" and root[0].tag == svg + "title", root[0].tag
words = [text.text for text in root.iter(svg + "text")]
for word in ["Two ways to hide the future", "Multiplied after the softmax", "0.35", "<eos>"]:
    assert word in words, word
EOF
for step in additive-or-multiplicative/1 padding-and-nan-rows/2 why-root-d/1 heads/2; do
    "$program" export lesson:$step --out step.svg
    "$program" export lesson:$step --out step.png --dpi 144
    rsvg-convert -w "$(width step.png)" step.svg -o drawn.png
    apart=$(compare -metric MAE drawn.png step.png null: 2>&1 | sed 's/.*(\(.*\))/\1/') || true
    awk "BEGIN { exit !($apart < 0.03) }" || fail "$step: step.svg and the picture are $apart apart"
done

# A table has a row for each cell of every variant, sequence and head.
"$program" export lesson:heads/2 --out cells.csv
[ "$(head -n 1 cells.csv)" = "lane,sequence,head,query,key,query_token,key_token,blocked,\
scores,scaled,logits,softmax,weights,sensitivity" ] || fail "head: $(head -n 1 cells.csv)"
[ "$(wc -l <cells.csv)" -eq $((1 + 4 * 5 * 5)) ] || fail "four heads of 5 × 5 cells: $(wc -l <cells.csv)"
"$program" export lesson:heads/2 --out again.csv
cmp cells.csv again.csv
"$program" export lesson:heads/2 --out one.csv --head 3 --stage weights
awk -F, 'NR == 1 || $3 == 3 { print $1, $2, $3, $4, $5, $6, $7, $8, $13 }' OFS=, cells.csv >expected.csv
cmp one.csv expected.csv

"$program" export lesson:additive-or-multiplicative/1 --out lesson.png
is_png lesson.png

# refuses STATUS LINE ARGUMENT...: checks the status, and that only this line is printed
refuses() {
    wanted=$1 line=$2
    shift 2
    status=0
    "$program" export "$@" >printed 2>err || status=$?
    printf 'maskscope: %s\n' "$line" >expected
    if [ "$status" -ne "$wanted" ] || ! cmp -s err expected || [ -s printed ]; then
        cat err >&2
        fail "export $*: status $status, expected $wanted and: $line"
    fi
}
cp cross.png kept.png
refuses 2 'missing.json: No such file or directory' missing.json --out kept.png
refuses 2 'export: --variant: expected 0 to 1, got "2"' "$scenes/cross.json" --out kept.png \
    --variant 2
refuses 2 'export: --sequence: expected 0, got "1"' "$scenes/cross.json" --out kept.png --sequence 1
refuses 2 'export: --variant: this scene has no variant C' "$scenes/cross.json" --out kept.png --lane C
refuses 2 'export: --head: expected 0 to 11, got "12"' "$scenes/transformer-heads.json" \
    --out kept.png --head 12
refuses 2 'export: --stage: this scene has no stage "scores"' \
    "$top/tests/data/golden/given-weights/scene.json" --out kept.png --stage scores
refuses 2 'export: --stage: this scene has no stage "depends"' "$scenes/transformer-heads.json" \
    --out kept.png --stage depends
refuses 1 'missing/a.png: No such file or directory' "$scenes/cross.json" --out missing/a.png
mkdir folder.png
refuses 1 'folder.png: is a directory' "$scenes/cross.json" --out folder.png
printf '#!/bin/sh\nulimit -f 1\nexec "%s" "$@"\n' "$program" >full
chmod +x full
(
    program=$folder/full # a disk with space for files of 512 bytes
    refuses 1 'kept.png: File too large' "$scenes/cross.json" --out kept.png
)
cmp kept.png cross.png
[ -z "$(ls -A | grep '^\.maskscope' || :)" ] || fail "a temporary file stays"
