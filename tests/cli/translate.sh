# Tests maskscope translate: typed sentences, lines in order, variants side by side, errors.
set -eu
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fails() {
    echo "maskscope translate: $1" >&2
    cat out errors >&2
    exit 1
}

# says WANTED ARGUMENT...: checks all of standard output
says() {
    wanted=$1
    shift
    "$program" translate "$@" >out 2>errors || fails "status $? of $*"
    printf '%b\n' "$wanted" >expected
    cmp -s out expected || fails "of $*: expected $wanted"
}

# refuses LINE ARGUMENT...: checks that the status is 2, with one line, and nothing on standard
# output
refuses() {
    wanted=$1
    shift
    status=0
    "$program" translate "$@" >out 2>errors || status=$?
    printf 'maskscope: %s\n' "$wanted" >expected
    [ "$status" -eq 2 ] && [ ! -s out ] && cmp -s errors expected ||
        fails "of $*: status $status, expected 2 and $wanted"
}

says 'my name is luke' 'Mi chiamo Luke.'
says 'the red house\nthe friend sleeps\ndoes anna read an italian letter ?' 'la casa rossa' \
    "L’amico dorme!" 'Anna legge una lettera italiana?' </dev/null
# These sentences show every way in which Italian differs from English; one has a wrong word form.
says "i eat a red apple\nanna 's new book\nthey are tired\ni am tired\nthe red house" \
    'mangio una mela rossa' 'il libro nuovo di anna' 'sono stanche' 'sono stanca' 'la casa rosso'
says 'an old friend sleeps with the black cat' 'un vecchio amico dorme con il gatto nero'
printf 'la casa rossa\nnon lo vedo\n' >lines
says 'the red house\ni do not see him' <lines
: >empty
"$program" translate <empty >out 2>errors && [ ! -s out ] || fails 'of no lines'

refuses 'translate: standard input cannot be read' <&-
refuses 'translate: standard input cannot be read' </

refuses 'translate: sentence 2: unknown word "rosso1", similar: "rosso", "rossa", "rosse"' \
    'la casa' 'la casa rosso1'
printf 'la casa\n\nla casa\n' >lines
refuses 'translate: line 2: expected 1 to 12 words, got 0' <lines
printf 'la casa\nla casa\nxyzzy\n' >lines
refuses 'translate: line 3: unknown word "xyzzy", with no similar word' <lines
refuses 'translate: sentence 1: expected 1 to 12 words, got 13' \
    'la la la la la la la la la la la la la'
refuses 'translate: sentence 1: a pad token comes before a word' 'la <pad> casa'

cat >scene.json <<'END'
{"maskscope": 1, "sequences": [{"source": ["anna", "dorme"]}],
 "inputs": {"kind": "model", "model": "italian-english", "attention": "cross"},
 "variants": [{"name": "right", "mask": {"layers": [{"kind": "padding"}]}},
              {"name": "NaN", "mask": {"layers": [{"kind": "blocked", "rows": [0]}]}}]}
END
says 'the red house\tno translation: NaN' --scene scene.json 'la casa rossa'
sed 's/"rows": \[0\]/"columns": [4]/' scene.json >list.json
sed 's/"anna", "dorme"/"anna", "dorme", "<pad>", "<pad>"/' list.json >longer.json
refuses 'translate: sentence 1: /variants/1/mask/layers/0/columns/0: expected an integer from 0 to 2, got 4' \
    --scene longer.json 'anna dorme'
cat >seeded.json <<'END'
{"maskscope": 1, "sequences": [{"queries": ["a"]}], "variants": [{"name": "A"}],
 "inputs": {"kind": "embedding", "seed": 1, "heads": 1, "d_k": 2, "d_v": 2}}
END
refuses 'seeded.json: /inputs/kind: expected "model" to translate' --scene seeded.json 'anna dorme'
