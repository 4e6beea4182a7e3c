# Tests compute: the numbers of golden scenes, the files it writes, and that it writes all or
# nothing.
set -eu
program=$1
data=$(cd "$(dirname "$0")/../data" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
    echo "$*" >&2
    exit 1
}

# numbers FILE TYPE: prints the numbers of a version 1 .npy file, one a line
numbers() {
    header=$(od -An -t u2 -j 8 -N 2 "$1")
    od -An -v -t "$2" -j $((header + 10)) "$1" | tr -s ' ' '\n' | sed '/^$/d'
}

# near OURS GOLDEN: checks that the numbers differ by at most 4e-6 · max(1, |number|), as float32
# arithmetic may, and that infinities and NaN (with any sign) are in the same places.
near() {
    numbers "$1" f4 >ours
    numbers "$2" f8 >golden
    paste ours golden | sed 's/-nan/nan/g' | awk '
        $1 ~ /[nf]/ || $2 ~ /[nf]/ { if ($1 != $2) exit 1; next }
        { size = $2 < 0 ? -$2 : $2; if (size < 1) size = 1
          off = $1 - $2; if (off < 0) off = -off
          if (NF != 2 || off > 4e-6 * size) exit 1 }' || fail "$1 is not $2"
}

# --- numbers, in float32
for scene in six-ways cross-attention batch-padding patterns; do
    golden=$data/golden/$scene
    "$program" compute "$golden/scene.json" --out "out/$scene" >printed 2>&1
    [ ! -s printed ] || fail "compute $scene prints"
    for variant in "$golden"/variant-*; do
        ours=out/$scene/${variant##*/}
        rm -rf unpacked
        python3 -m zipfile -e "$variant/stages.npz" unpacked
        cp "$variant/summary.json" unpacked
        [ "$(ls "$ours")" = "$(ls unpacked)" ] || fail "other files in $ours"
        cmp "$ours/allowed.npy" unpacked/allowed.npy
        for stage in scores scaled softmax weights output; do
            [ ! -f unpacked/$stage.npy ] || near "$ours/$stage.npy" unpacked/$stage.npy
        done
    done
done

# --- the summary: keys in their order, null for what is not finite
summary=out/six-ways/variant-0/summary.json
keys=$(sed -n 's/^  "\([a-z_]*\)":.*/\1/p' "$summary" | tr '\n' ' ')
[ "$keys" = "backend shape sum max entropy leak gradient_leak pads empty nan lse " ] ||
    fail "keys of the summary: $keys"
grep -q '^  "backend": "cpu",$' "$summary" || fail "backend"
grep -q '^  "shape": \[1, 2, 8, 8\],$' "$summary" || fail "shape"
"$program" compute "$data/golden/empty-rows/scene.json" --out out/empty
grep -q '"sum": .*null' out/empty/variant-3/summary.json || fail "NaN is not null"
grep -q '"nan": .*true' out/empty/variant-3/summary.json || fail "no row is NaN"
"$program" compute "$data/golden/given-weights/scene.json" --out out/weights
grep -q '"gradient_leak": \[\[\[null' out/weights/variant-0/summary.json || fail "gradient_leak"
[ ! -e out/weights/variant-0/scores.npy ] || fail "given weights have scores"

# --- the same bytes again, wherever the options stand; an earlier run is replaced
"$program" compute --threads=2 --out again "$data/golden/six-ways/scene.json" --backend cpu
diff -r out/six-ways again
"$program" compute "$data/golden/cross-attention/scene.json" --out again
diff -r out/cross-attention again
mkdir again/variant-99 again/variant-1x
touch again/variant-99/old again/mine
"$program" compute "$data/golden/cross-attention/scene.json" --out again
[ ! -e again/variant-99 ] || fail "variant-99 of an earlier run stays"
[ -e again/variant-1x ] && [ -e again/mine ] || fail "a file of another program was removed"
[ -z "$(ls -A again | grep maskscope || :)" ] || fail "a temporary folder stays"

# --- only some stages, with the same bytes; a long text in little memory
"$program" compute "$data/golden/six-ways/scene.json" --out some --stages weights,output
for variant in out/six-ways/variant-*; do
    some=some/${variant##*/}
    [ "$(ls "$some" | tr '\n' ' ')" = 'output.npy summary.json weights.npy ' ] ||
        fail "--stages writes $(ls "$some")"
    cmp "$some/weights.npy" "$variant/weights.npy"
    cmp "$some/output.npy" "$variant/output.npy"
done
awk 'BEGIN {
    printf "{\"maskscope\": 1, \"sequences\": [{\"queries\": [\"a\""
    for (i = 1; i < 4096; ++i) printf ", \"a\""
    print "]}], \"inputs\": {\"kind\": \"embedding\", \"seed\": 1, \"heads\": 4, \"d_k\": 16,"
    print "\"d_v\": 16}, \"variants\": [{\"name\": \"A\","
    print "\"mask\": {\"layers\": [{\"kind\": \"causal\"}]}}]}"
}' >long.json
# 256 MiB of weights; the address space has room for libraries, the inputs, and a block of rows.
(ulimit -v 400000 && "$program" compute long.json --out long --stages weights --threads 1) ||
    fail "4 × 4096 × 4096 weights do not stream"
[ "$(wc -c <long/variant-0/weights.npy)" -eq $((4 * 4 * 4096 * 4096 + 128)) ] || fail "long"
rm -r long long.json some

# --- a step of a lesson is a scene
"$program" compute lesson:additive-or-multiplicative --out first
"$program" compute lesson:additive-or-multiplicative/1 --out step
diff -r first step

listing() {
    find . ! -name before ! -name after ! -name printed ! -name err ! -name expected | sort
}

# refuses STATUS LINE ARGUMENT...: checks the line, and that no file is left behind
refuses() {
    wanted=$1 line=$2
    shift 2
    listing >before
    status=0
    "$program" compute "$@" >printed 2>err || status=$?
    printf 'maskscope: %s\n' "$line" >expected
    if [ "$status" -ne "$wanted" ] || ! cmp -s err expected || [ -s printed ]; then
        cat err >&2
        fail "compute $*: status $status, expected $wanted and: $line"
    fi
    listing >after
    cmp before after || fail "compute $* leaves something behind"
}
scene=$data/golden/six-ways/scene.json

refuses 2 'missing.json: No such file or directory' missing.json --out new
refuses 2 '.: is a directory' . --out new
refuses 2 'missing.json: No such file or directory' missing.json --out new --backend gpu
refuses 2 'lesson:none: no such lesson. `maskscope lessons` lists them' \
    lesson:none --out new
refuses 2 'lesson:../x: no such lesson. `maskscope lessons` lists them' \
    lesson:../x --out new
status=0
"$program" compute "lesson:$(printf '%0300d' 0)" --out new 2>error || status=$?
[ $status = 2 ] && grep -q 'no such lesson' error
echo '{"maskscope": 1' >bad.json
refuses 2 'bad.json: line 2, column 1: '"$("$program" compute bad.json --out new 2>&1 |
    sed 's/.*column 1: //')" bad.json --out new
echo '{"maskscope": 1, "sequences": [{"queries": ["a"]}], "more": 1}' >bad.json
status=0
"$program" compute bad.json --out new 2>err || status=$?
[ "$status" -eq 2 ] && grep -q '^maskscope: bad.json: /more: ' err || fail "unknown key: $(cat err)"
echo '{"maskscope_lesson": 1}' >lesson.json
refuses 2 'lesson.json: is a lesson; expected a scene' lesson.json --out new
mkfifo pipe
refuses 2 'pipe: is not a regular file' pipe --out new

# --- targets that cannot be written: all or nothing
touch file
refuses 1 'file: Not a directory' "$scene" --out file
refuses 1 'file/new: Not a directory' "$scene" --out file/new/deep
mkdir half
cp -r out/cross-attention/variant-0 half
touch half/variant-1
cp -r half whole
refuses 1 'half/variant-1: Not a directory' "$scene" --out half
diff -r half whole
printf '#!/bin/sh\nulimit -f 1\nexec "%s" "$@"\n' "$program" >full
chmod +x full
(
    program=$folder/full # a disk with space for files of 512 bytes
    refuses 1 'deep/er/variant-0/scores.npy: File too large' "$scene" --out deep/er
    refuses 1 'out/cross-attention/variant-0/scores.npy: File too large' \
        "$scene" --out out/cross-attention
)
diff -r out/cross-attention/variant-0 whole/variant-0

# --- several runs at once: the folder is that of one run, complete
"$program" compute "$scene" --out alone
for round in $(seq 20); do
    rm -rf at-once
    for run in 1 2 3; do
        "$program" compute "$scene" --out at-once 2>said-$run &
    done
    wait
    [ ! -s said-1 ] && [ ! -s said-2 ] && [ ! -s said-3 ] || fail "round $round: $(cat said-?)"
    diff -rq at-once alone || fail "round $round: not whole"
    [ -z "$(find . -maxdepth 1 -name '.maskscope-*')" ] || fail "round $round: something is left"
done
