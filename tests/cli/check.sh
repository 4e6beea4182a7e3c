# Tests maskscope check: it judges a lesson's facts and what its Trys show, and warns about its
# captions on standard error.
set -eu
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# Writes lesson.json, whose Try shows a weight above $1.
lesson_with_try_above() {
    cat >lesson.json <<END
{"maskscope_lesson": 1, "name": "small", "title": "Small", "steps": [
  {"title": "One", "caption": "{count(A.weights[0,0,1,all] == 0.5)} give an output.",
   "ask": "How many?", "covers": {"lanes": ["A"], "stages": ["weights"]},
   "try": "Raise the score.", "try_sets": {"/inputs/scores/1/0": 1},
   "try_shows": {"lane": "A", "of": "weights", "at": [0, 0, 1, 0], "is": ">", "than": $1},
   "source": "a thread",
   "scene": {"maskscope": 1, "sequences": [{"queries": ["a", "b"]}],
             "inputs": {"kind": "scores", "scores": [[0, 0], [0, 0]]},
             "variants": [{"name": "A", "mask": {"layers": [{"kind": "causal"}]}}]},
   "facts": [{"lane": "A", "of": "weights", "at": [0, 0, 1, 0], "is": "==", "than": 0.5,
              "fails_with": {"/inputs/scores/1/0": 1}}]}]}
END
}

# prints STATUS LINE...: checks the warning, and all lines after that of the fact, which holds
prints() {
    wanted=$1
    shift
    status=0
    "$program" check lesson.json >out 2>err || status=$?
    printf 'lesson.json: /steps/0/caption: "output": the step does not show it\n' >warning
    if ! cmp err warning; then
        cat err >&2
        exit 1
    fi
    printf '1\tA.weights[0,0,1,0] == 0.5\t0.5\tholds\n' >expected
    printf '1\t%b\n' "$@" >>expected
    if [ "$status" -ne "$wanted" ] || ! cmp out expected; then
        echo "maskscope check: status $status, expected $wanted, and:" >&2
        cat out expected >&2
        exit 1
    fi
}

lesson_with_try_above 0.7
prints 0 'try: A.weights[0,0,1,0] > 0.7\t0.7310586\tholds'
lesson_with_try_above 0.8
prints 1 'try: A.weights[0,0,1,0] > 0.8\t0.7310586\tfails'
lesson_with_try_above 0.4
prints 1 'try: A.weights[0,0,1,0] > 0.4\t0.7310586\talready true'

# An exercise that the empty mask solves is refused.
lesson_with_try_above 0.7
sed 's/"source": "a thread"/"exercise": {"lane": "A", "of": "allowed"}, &/' lesson.json >exercise.json
mv exercise.json lesson.json
prints 0 'exercise: the mask of A\t1\tholds' 'try: A.weights[0,0,1,0] > 0.7\t0.7310586\tholds'
sed 's/{"kind": "causal"}//; s/"fails_with": {/&/' lesson.json >open.json
mv open.json lesson.json
prints 1 'exercise: the mask of A\t0\tcannot fail' 'try: A.weights[0,0,1,0] > 0.7\t0.7310586\tholds'
