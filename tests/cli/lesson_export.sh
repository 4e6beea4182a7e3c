# Tests exporting a whole lesson: as pages, pictures, an animation and a file for the browser; and
# worksheets.
set -eu
program=$1
top=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
    echo "$*" >&2
    exit 1
}

lesson=additive-or-multiplicative # 11 steps, of which 8 ask

# There is a page for each step, with the question before its answer. What two pages share is at the
# same place.
"$program" export lesson:$lesson --out lesson.pdf
"$program" export lesson:$lesson --out again.pdf
cmp lesson.pdf again.pdf
[ "$(pdfinfo lesson.pdf | awk '/^Pages/ { print $2 }')" -eq 19 ] || fail "$(pdfinfo lesson.pdf)"
[ "$(wc -c <lesson.pdf)" -lt 1000000 ] || fail "lesson.pdf has $(wc -c <lesson.pdf) bytes"
pdftotext -f 2 -l 2 lesson.pdf asked
pdftotext -f 3 -l 3 lesson.pdf answered
grep -q 'what would it learn to do?' asked || fail "page 2 does not ask"
grep -q 'To copy' answered || fail "page 3 does not answer"
grep -q '✓' answered || fail "page 3 has no fact"
grep -q 'what would it learn to do?' answered || fail "page 3 does not say what was asked"
! grep -q '0.54' asked || fail "page 2 gives the answer away"
# words PAGE: prints each word with its place, to see whether it has moved
words() { pdftotext -bbox -f "$1" -l "$1" lesson.pdf - | grep '<word'; }
words 2 | grep -E '>(Why|Mask|Added|0.79)<' >places.2
words 3 | grep -E '>(Why|Mask|Added|0.79)<' >places.3
[ "$(wc -l <places.2)" -ge 4 ] || fail "page 2 lacks words: $(cat places.2)"
cmp places.2 places.3
words 1 | grep -E '>(Mask|queries)<' | head -n 2 >places.1
words 3 | grep -E '>(Mask|queries)<' | head -n 2 >places.3
cmp places.1 places.3 # the same mask in two steps

"$program" export lesson:one-row --out one-row.pdf
pdftotext -f 4 -l 4 one-row.pdf table
grep -q '^Key$' table || fail "the second step has no table beside its figure"

# Files are numbered, and the folder is made.
"$program" export lesson:$lesson --out deep/folder/ --dpi 40
[ "$(ls deep/folder | wc -l)" -eq 19 ] || fail "$(ls deep/folder)"
# The titles of steps give the names of the pictures; none is written through a link.
echo mine >mine
mkdir linked
ln -s ../mine "linked/$(ls deep/folder | tail -n 1)"
status=0
"$program" export lesson:$lesson --out linked/ --dpi 40 2>err || status=$?
[ $status = 1 ] && [ "$(cat mine)" = mine ] || fail "status $status, written through a link"
[ -s deep/folder/02-why-the-future-is-blocked-question.png ] || fail "$(ls deep/folder)"
[ -s deep/folder/02-why-the-future-is-blocked.png ] || fail "$(ls deep/folder)"

# An exercise begins without its mask.
"$program" export lesson:decoding --out decoding/ --dpi 40
begun=$(ls decoding/09-*-question.png) || fail "$(ls decoding)"
! cmp -s "$begun" "${begun%-question.png}.png" || fail "the exercise shows its solution"

# An animation holds all pages; programs that cannot animate show the first one.
"$program" export lesson:$lesson --out lesson.png --dpi 40
python3 - deep/folder <<'EOF' || fail "lesson.png is not animated"
import os, struct, sys, zlib
data = open("lesson.png", "rb").read()
at, numbers, frames, pixels = 8, [], 0, b""
while at < len(data):
    size, kind = struct.unpack(">I4s", data[at:at + 8])
    content = data[at + 8:at + 8 + size]
    assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + content)
    if kind == b"acTL":
        assert struct.unpack(">II", content) == (19, 0)
    if kind in (b"fcTL", b"fdAT"):
        numbers.append(struct.unpack(">I", content[:4])[0])
        frames += kind == b"fcTL"
    at += 12 + size
assert frames == 19 and numbers == list(range(len(numbers))), numbers
EOF
first=$(ls deep/folder | head -n 1)
[ "$(compare -metric AE lesson.png "deep/folder/$first" null: 2>&1)" = 0 ] ||
    fail "lesson.png does not begin with the first page"

# A file for the browser is below 1 MB, and loads nothing from the network.
for name in $("$program" lessons | cut -f 1); do
    "$program" export "lesson:$name" --out "$name.html"
    [ "$(wc -c <"$name.html")" -lt 1000000 ] || fail "$name.html has $(wc -c <"$name.html") bytes"
    ! grep -oE '(src|href)=.(https?:|//)' "$name.html" || fail "$name.html makes requests to the network"
done
# In the browser, notes and a table are below a step once its question is answered; no slide has them.
[ "$(grep -c '<details><summary>Notes</summary>' $lesson.html)" -eq 10 ] || fail "notes: $lesson.html"
grep -A 1 '<table>' $lesson.html | grep -qF '<tr><th>The row of</th><th>must guess</th></tr>' ||
    fail "no table in $lesson.html"
! pdftotext lesson.pdf - | grep -q 'must not look at what comes after it' || fail "notes on a slide"
# clicks.html turns the pages of the lesson in a frame, and prints what it has seen
cat >clicks.html <<'EOF'
<iframe src="additive-or-multiplicative.html" width="900" height="700"></iframe>
<script>
onload = () => {
  const inner = frames[0], page = inner.document, seen = [];
  const at = () => {
    const shown = [...page.querySelectorAll("section")].filter((one) => !one.hidden);
    const [one] = shown;
    seen.push(`${shown.length} ${one.dataset.step}${"asks" in one.dataset ? "?" : ""} ` +
              `${page.querySelectorAll("button")[1].textContent}`);
  };
  const key = (name) => {
    page.body.dispatchEvent(new inner.KeyboardEvent("keydown", {key: name, bubbles: true}));
    at();
  };
  const [back, next] = page.querySelectorAll("button");
  at();
  next.click(); at();
  page.querySelectorAll("section:not([hidden]) img")[0].click(); at();
  back.click(); at();
  key("PageDown"); key(" "); key("ArrowRight"); key("PageUp"); key("Home");
  const broken = [...page.images].filter((one) => !one.complete || one.naturalWidth === 0);
  const silent = [...page.images].filter((one) => one.alt.length < 10);
  document.body.append(`SEEN ${seen.join(" | ")} | broken ${broken.length} silent ${silent.length}`);
};
</script>
EOF
if command -v chromium >/dev/null; then
    HOME=$folder timeout 120 chromium --headless=new --no-sandbox --disable-gpu \
        --allow-file-access-from-files --virtual-time-budget=5000 --dump-dom \
        "file://$folder/clicks.html" >dom 2>log || fail "chromium: $(tail -n 3 log)"
    wanted='SEEN 1 1 Next | 1 2? Show the answer | 1 2 Next | 1 1 Next | 1 2? Show the answer | 1 2 Next | 1 3? Show the answer | 1 2 Next | 1 1 Next | broken 0 silent 0'
    grep -qF "$wanted" dom || fail "clicked: $(grep -o 'SEEN.*' dom)"
else
    echo "skipped: there is no chromium to click through the lesson"
fi

# In worksheets, the weights are left to be filled in, and the scores are given.
"$program" worksheet lesson:$lesson/1 --out sheet.pdf
"$program" worksheet lesson:$lesson/1 --out again.pdf
cmp sheet.pdf again.pdf
pdfinfo sheet.pdf | grep -q 'A4' || fail "$(pdfinfo sheet.pdf)"
pdftotext sheet.pdf words
grep -q 'Fill in the weights' words || fail "no task: $(cat words)"
grep -q '1.8' words || fail "no scores"
! grep -q '0.35' words || fail "a row sum is there"
! grep -qF '.79' words || fail "a weight is there"
"$program" worksheet lesson:$lesson/1 --out solved.pdf --solution
pdftotext solved.pdf words
grep -q '0.35' words || fail "no row sums in the solution"
grep -qF '.79' words || fail "no weights in the solution"
"$program" worksheet lesson:$lesson/8 --out two.pdf --blank logits,weights
pdftotext two.pdf words
! grep -q '^−2$' words || fail "a number of the softmax input is there"
# Eight tokens in three variants take 5 mm a cell, with a page for each variant.
cat >eight.json <<'END'
{"maskscope": 1, "title": "Eight", "sequences": [{"queries": ["a", "b", "c", "d", "e", "f", "g", "h"]}],
 "inputs": {"kind": "embedding", "seed": 1, "heads": 1, "d_k": 4, "d_v": 4},
 "variants": [{"name": "first"}, {"name": "second", "scale": "none"}, {"name": "third", "mask": {"layers": [{"kind": "causal"}]}}]}
END
"$program" worksheet eight.json --out eight.pdf
pdfinfo eight.pdf | grep -q 'Pages: *3' || fail "$(pdfinfo eight.pdf)"
pdftotext eight.pdf words
[ "$(grep -c 'Fill in the weights' words)" -eq 3 ] || fail "$(cat words)"
for name in first second third; do grep -q "$name" words || fail "no page for $name"; done

# refuses STATUS LINE ARGUMENT...: checks the status and the line
refuses() {
    wanted=$1 line=$2
    shift 2
    status=0
    "$program" "$@" >printed 2>err || status=$?
    printf 'maskscope: %s\n' "$line" >expected
    [ "$status" -eq "$wanted" ] && cmp -s err expected || fail "$*: $status $(cat err)"
}
cross=$top/assets/scenes/cross.json
refuses 2 'x.html: only a whole lesson can be exported in this format' export "$cross" --out x.html
refuses 2 'x/: only a whole lesson can be exported in this format' export "$cross" --out x/
refuses 2 'x.html: only a whole lesson can be exported in this format' export lesson:$lesson/1 --out x.html
refuses 2 'export: --aspect free does not apply to lessons, because all pages of a lesson have the same height' \
    export lesson:$lesson --out x.pdf --aspect free
refuses 2 'worksheet: --blank: this scene shows no output; choose from allowed, scaled, weights' \
    worksheet lesson:$lesson/1 --out x.pdf --blank output
refuses 2 'worksheet: --blank: expected stages separated by commas, got "weights,"' \
    worksheet lesson:$lesson/1 --out x.pdf --blank weights,
refuses 2 'worksheet: --out: expected a file that ends with .pdf, got "x.png"' \
    worksheet lesson:$lesson/1 --out x.png
refuses 1 'missing/x.html: No such file or directory' export lesson:$lesson --out missing/x.html
[ ! -e x.html ] && [ ! -e x ] && [ ! -e x.pdf ] || fail "something was written"
