#!/bin/sh
# measure.sh [--quick]: measures everything that has a speed goal, including the window, on this machine.
# Do not use the machine meanwhile: on a busy machine even ratios within a run become inaccurate. If
# PyTorch or Xvfb is not installed, its part is left out, and a line says so.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
build=$top/build
quick=${1:-}
case $quick in '' | --quick) ;; *) echo "measure.sh [--quick]" >&2; exit 2 ;; esac
cmake -S "$top" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$build" --target maskscope attention_bench long_bench frame_bench answers >/dev/null

say() { printf '\n== %s\n' "$*"; }
seconds=0.5
[ -z "$quick" ] || seconds=0.05

say "machine"
lscpu | sed -n 's/^\(Model name\|CPU(s)\|L2 cache\|L3 cache\): */\1: /p'
uptime

say "CPU against PyTorch and the floor"
python=/usr/bin/python3
[ -x "$python" ] || python=python3
# shellcheck disable=SC2086
"$python" "$top/tests/bench/compare_torch.py" $quick || echo "left out"

bench() {
    "$build/tests/attention_bench" "$@" --benchmark_min_time="$seconds" 2>/dev/null
}
say "masks, 12x1024x64 (none, causal, padding, window, documents)"
bench --sizes=12x1024x64 --benchmark_filter='^(weights|all_stages)/'
say "edits, 12x1024x64"
bench --sizes=12x1024x64 --benchmark_filter='^edit_(cell|scale)/causal'
say "vector instructions"
bench --sizes=12x1024x64 --benchmark_filter='^weights_(avx|sse|ssse|scalar|neon)'
say "root d: the draw"
bench --benchmark_filter='^root_d'
say "largest error of a weight against float64"
bench --sizes=12x512x64 --benchmark_filter='^error/'
say "GPU (llvmpipe counts for correctness alone)"
bench --sizes=12x128x64,12x512x64 --benchmark_filter='^gpu_(weights|all_stages)/causal'

say "long contexts (goals: a first picture in 500 ms, the whole head of 32768 in 15 s: 2 % a part;" \
    "first touch at most twice what it takes again)"
"$build/tests/long_bench" 2>/dev/null
say "a window over 12 x 32768 (goals: edit and scale 50 ms, zoomed 16 ms, 552 MB)"
"$build/tests/frame_bench" --quick --heads 12 --tokens 32768
say "compute of the weights of 32768 tokens, 4.3 GB (goals: 400 MB, the speed of the disk)"
"$python" "$top/tests/bench/stream.py" "$build/maskscope" || echo "left out"

say "window"
display=
if command -v xvfb-run >/dev/null; then display='xvfb-run -a'; else echo "no Xvfb: no start, no rest"; fi
# shellcheck disable=SC2086
$display "$build/tests/frame_bench" $quick --tokens 16,1024,4096
"$build/tests/frame_bench" --quick --heads 12 --tokens 1024
"$build/tests/frame_bench" --quick --backend gpu --tokens 16,256 || echo "left out"

say "answers under random events (goal: within 1 s)"
assets=$top/assets
if command -v xdotool >/dev/null && command -v Xvfb >/dev/null; then
    sh "$top/tests/bench/answers.sh" "$build/maskscope" "$build/tests/answers" "$([ "$quick" ] && echo 5 || echo 40)" \
        "$assets/scenes/padded-batch.json" "$assets/scenes/transformer-heads.json" \
        "$assets/lessons/heads.json" "$assets/lessons/convex-combination.json" \
        "$assets/lessons/casebook.json" "$assets/lessons/decoding.json"
else
    echo "left out: no Xvfb or no xdotool"
fi
