# Tests the files of a translator: each variant's own words are labels, and NaN is null.
set -eu
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# has FILE LINE...: checks that the lines are in the file, in this order
has() {
    file=$1
    shift
    for line in "$@"; do
        found=$(grep -nF -- "$line" "$file" | cut -d: -f1 |
            awk -v after="${before:-0}" '$1 > after' | head -n 1)
        [ -n "$found" ] || {
            echo "translator_files: $file: expected $line" >&2
            cat "$file" >&2
            exit 1
        }
        before=$found
    done
    before=0
}

cat >scene.json <<'END'
{"maskscope": 1, "sequences": [{"source": ["la", "casa", "rossa"]}, {"source": ["anna", "dorme"]}],
 "inputs": {"kind": "model", "model": "italian-english", "attention": "cross"},
 "variants": [{"name": "right", "mask": {"layers": [{"kind": "padding"}]}},
              {"name": "NaN", "mask": {"layers": [{"kind": "blocked", "rows": [1]}]}}]}
END
for backend in cpu gpu; do
    "$program" compute scene.json --backend $backend --out "$backend"
    has $backend/variant-0/summary.json "\"backend\": \"$backend\"" '"shape": [2, 4, 4, 4]' \
        '"queries": [["the", "red", "house", "<eos>"], ["anna", "sleeps", "<eos>", "<pad>"]]' \
        '"keys": [["la", "casa", "rossa", "<eos>"], ["anna", "dorme", "<eos>", "<pad>"]]' \
        '"translation": ["the red house", "anna sleeps"]' '"sum": '
    has $backend/variant-1/summary.json '"shape": [2, 4, 2, 4]' \
        '"queries": [["the", "NaN"], ["anna", "NaN"]]' '"translation": [null, null]'
done
"$program" describe scene.json >described
has described 'sequence 0, source: la casa rossa' 'A right' \
    'sequence 1, translation: anna sleeps' 'B NaN' 'sequence 0, rows: the NaN'
"$program" export scene.json --variant 1 --stage weights --out table.csv
has table.csv 'B,0,0,0,0,the,la,0,0.98' 'B,0,0,1,0,NaN,la,1,'

sed -e 's/"rossa"\]/"rossa"], "target": ["the", "red", "house"]/' \
    -e 's/, {"source": \["anna", "dorme"\]}//' scene.json >forced.json
"$program" compute forced.json --out forced
has forced/variant-0/summary.json '"translation": ["the red house <eos>"]' '"loss": [0.0' \
    '"accuracy": [1]' '"sum": '
has forced/variant-1/summary.json '"queries": [["the", "red", "house", "<eos>"]]' \
    '"translation": [null]' '"loss": [null]' '"accuracy": [null]'
