# Tests maskscope test, which prints four lines and ends with a status that a build can use.
set -eu
program=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
    echo "test.sh: $*" >&2
    exit 1
}

cat >scene.json <<'JSON'
{"maskscope": 1, "sequences": [{"queries": ["a", "name", "is", "Luke"]}],
 "inputs": {"kind": "embedding", "seed": 7, "heads": 1, "d_k": 4, "d_v": 4},
 "variants": [
  {"name": "right", "mask": {"layers": [{"kind": "causal", "align": "bottom_right"}]}},
  {"name": "after the softmax", "mask": {"layers": [{"kind": "causal", "align": "bottom_right"}],
                                         "apply": "multiply_weights"}}]}
JSON
"$program" test scene.json >right || fail "the right mask fails: $(cat right)"
printf '%s\n' 'future: pass' 'padding: n/a: there is only one sequence, without padding' 'cache: pass' \
    'gradient: pass' | cmp - right || fail "right: $(cat right)"

status=0
"$program" test scene.json --variant B >wrong || status=$?
[ "$status" -eq 1 ] || fail "status $status where tests fail"
grep -qx 'future: fail: row ".*" ([0-3]) changes by .* when ".*" ([0-3]) is replaced' wrong ||
    fail "wrong: $(cat wrong)"
grep -qx 'gradient: fail: .* on blocked keys in row ".*" ([0-3])' wrong || fail "$(cat wrong)"

"$program" test scene.json --variant 0 --only cache,padding >some || fail "$(cat some)"
[ "$(cut -d : -f 1 some | tr '\n' ' ')" = 'padding cache ' ] || fail "some: $(cat some)"

refuses() {
    status=0
    expected=$1
    shift
    "$program" "$@" >out 2>err || status=$?
    [ "$status" -eq 2 ] && [ ! -s out ] && [ "$(cat err)" = "maskscope: $expected" ] ||
        fail "$*: $status, $(cat err)"
}
refuses 'test: SCENE is missing' test
refuses 'test: --only: expected future, padding, cache or gradient, separated by commas, got "past"' \
    test scene.json --only past
refuses 'test: --variant: expected 0 to 1, got "2"' test scene.json --variant 2

# no_script REASON INPUTS VARIANT: checks that such a scene has no script of its tests, and says why
no_script() {
    reason=$1 inputs=$2 variant=$3
    cat >none.json <<JSON
{"maskscope": 1, "sequences": [{"queries": ["a", "b"]}], "inputs": $inputs,
 "variants": [{"name": "v", $variant}]}
JSON
    refuses "none.json: there is no script for these tests: $reason" test none.json --pytorch
    "$program" test none.json >/dev/null 2>err || [ $? -eq 1 ] || fail "$(cat err)"
}
embedding='{"kind": "embedding", "seed": 7, "heads": 1, "d_k": 4, "d_v": 4}'
no_script 'it needs queries, keys and values' '{"kind": "scores", "scores": [[0, 1], [1, 0]]}' '"scale": 1'
no_script 'the scale is a formula' "$embedding" '"scale": {"formula": "1 + i"}'
no_script 'a bias varies with the number of keys' "$embedding" \
    '"mask": {"layers": [{"kind": "formula_bias", "adds": "-1 / n_k"}]}'
