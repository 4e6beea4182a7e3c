# Tests live pages: their sizes, their bytes, and what is refused. tests/web opens them in a
# browser.
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
# refuses STATUS WORDS ARGUMENT…: checks the status and the line
refuses() {
    wanted=$1 words=$2 status=0
    shift 2
    "$program" "$@" >out 2>err || status=$?
    [ $status = "$wanted" ] && grep -qF -e "$words" err && [ "$(wc -l <err)" = 1 ] ||
        fail "$*: status $status: $(cat err)"
}

scene=$top/tests/data/golden/six-ways/scene.json
refuses 2 '--live applies to .html files and to folders' export lesson:heads --out x.png --live
refuses 2 '--stage does not apply to live pages' export "$scene" --out x.html --live --stage weights
refuses 2 '--theme: a live page is light or dark' export "$scene" --out x.html --live --theme print

status=0
"$program" export "$scene" --out scene.html --live 2>err || status=$?
if grep -q 'was built without' err; then
    [ $status = 1 ] && [ "$(wc -l <err)" = 1 ] || fail "status $status: $(cat err)"
    [ ! -e scene.html ] || fail "a page without its core was written"
    echo "skipped: this program was built without the core for web pages"
    exit 77
fi
[ $status = 0 ] || fail "status $status: $(cat err)"

# A second export has the same bytes.
"$program" export "$scene" --out again.html --live
cmp scene.html again.html

# A program that has no core says so in one line.
cp "$program" lonely
whole=$program program=./lonely
refuses 1 'x.html: This Maskscope was built without' export "$scene" --out x.html --live
[ ! -e x.html ] || fail "a page without its core was written"
program=$whole

refuses 2 'all lessons go into a folder' export lesson:all --out x.html --live
python3 - <<'EOF'
import json
tokens = [f"t{k}" for k in range(65)]
json.dump({"maskscope": 1, "title": "Long", "sequences": [{"queries": tokens}],
           "inputs": {"kind": "embedding", "seed": 1, "heads": 1, "d_k": 4, "d_v": 4},
           "variants": [{"name": "A", "mask": {"layers": []}}]}, open("long.json", "w"))
EOF
refuses 2 'at most 64 tokens; this scene has 65' export long.json --out x.html --live
[ ! -e x.html ] || fail "something was written"

for name in $("$program" lessons | cut -f 1); do
    "$program" export "lesson:$name" --out "$name.html" --live
    bytes=$(wc -c <"$name.html")
    most=900000
    [ "$name" != break-it ] || most=3500000 # with its models
    [ "$bytes" -le $most ] || fail "$name.html has $bytes bytes"
    grep -qF "\"default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'\"" \
        "$name.html" || fail "$name.html has another policy"
    ! grep -oE '(src|href)=.(https?:|//)' "$name.html" || fail "$name.html asks the network"
done
core=$(sed -n 's/^const packedCore = "\(.*\)";$/\1/p' one-row.html | base64 -d | wc -c)
[ "$core" -le 475000 ] || fail "the core has $core bytes as gzip"
raw=$(sed -n 's/^const packedCore = "\(.*\)";$/\1/p' one-row.html | base64 -d | gzip -dc | wc -c)
[ "$raw" -le 1300000 ] || fail "the core has $raw bytes"

# The page is small without the core, the lesson, and the tables of colours and lengths.
code=$(sed '/^const packed\(Core\|Data\) = /d; /^const look = /d; /^:root{/d; /^@media.*{:root{/d' one-row.html |
    sed '/^<div id="static">/,/^<div id="live"/d' | wc -c)
[ "$code" -le 60000 ] || fail "the page has $code bytes"

# The bytes are the same again; the answer to a question is nowhere in readable form.
"$program" export lesson:one-row --out again.html --live
cmp one-row.html again.html
! grep -q 'because its score' one-row.html || fail "an answer can be read in the file"

# All lessons are exported to a folder, and share the core.
"$program" export lesson:all --out site/ --live
[ "$(ls site | wc -l)" -eq 15 ] || fail "$(ls site)"
[ "$(grep -c '<section><h2><a' site/index.html)" -eq 13 ] || fail "index.html: lessons"
questions=$(grep -c '^- `lesson:' "$top/assets/help/questions.md")
[ "$(sed -n '/>Questions</,$p' site/index.html | grep -c '<li>')" -eq "$questions" ] ||
    fail "index.html: questions"
for link in $(grep -o 'href="[a-z-]*\.html' site/index.html | cut -c 7- | sort -u); do
    [ -s "site/$link" ] || fail "index.html leads to $link"
done
grep -q "script-src 'unsafe-inline' 'wasm-unsafe-eval' 'self'" site/one-row.html || fail "policy"
[ "$(wc -c <site/one-row.html)" -le 250000 ] || fail "$(wc -c <site/one-row.html) bytes"
