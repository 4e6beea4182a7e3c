# Exports some rows and columns: the table is a part of the whole table, and the pictures show that part.
set -eu
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() { echo "$*" >&2; exit 1; }

"$program" export lesson:decoding --out all.csv
"$program" export lesson:decoding --out part.csv --rows 1:3 --columns 2:4
{ head -n 1 all.csv; awk -F, 'NR > 1 && $4 >= 1 && $4 < 3 && $5 >= 2 && $5 < 4' all.csv; } >expected.csv
cmp part.csv expected.csv || fail "the part is another table"
[ "$(wc -l <part.csv)" -gt 4 ] || fail "the part is empty"

# A part that has all rows and columns is the whole figure, byte for byte; PDFs are not compared.
scene=scene.json
cat >$scene <<'SCENE'
{"maskscope": 1, "sequences": [{"queries": ["a", "b", "c", "d", "e", "f", "g", "h"]}],
 "inputs": {"kind": "embedding", "seed": 3, "heads": 1, "d_k": 4, "d_v": 4},
 "variants": [{"name": "A", "mask": {"layers": [{"kind": "causal"}]}}]}
SCENE
for ending in png svg pdf csv; do
    "$program" export $scene --out whole.$ending
    "$program" export $scene --out same.$ending --rows 0:8 --columns 0:8
    [ $ending = pdf ] || cmp whole.$ending same.$ending || fail "another .$ending"
    "$program" export $scene --out some.$ending --rows 2:6 --columns 1:5
    ! cmp -s whole.$ending some.$ending || fail "all of it in the part's .$ending"
done
grep -q '>c<' some.svg || fail "the part has no query c"
! grep -q '>h<' some.svg || fail "the part has query h"

status=0
"$program" export $scene --out no.png --rows 4:9 2>error || status=$?
[ $status = 2 ] || fail "status $status"
echo 'maskscope: export: --rows: expected FROM:TO within 0:8, got "4:9"' | cmp - error
[ ! -e no.png ]
