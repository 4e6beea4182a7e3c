# Tests compute --backend and --threads: CPU and GPU give the same numbers, and a line says why if there
# is no GPU, or if it cannot compute the scene. Any OpenGL 4.3 will do, software included.
set -eu
program=$1
data=$(cd "$(dirname "$0")/../data" && pwd)/golden
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export LIBGL_ALWAYS_SOFTWARE=1
export XDG_CACHE_HOME="$folder/cache"
unset DISPLAY WAYLAND_DISPLAY MESA_GL_VERSION_OVERRIDE

fail() {
    echo "backend.sh: $*" >&2
    exit 1
}

# Prints the output without progress lines, which only a slow machine prints while it compiles its
# programs for the first time.
words_printed() {
    grep -v ' after [0-9]* s (Ctrl+C cancels)$' printed || :
}

# numbers FILE: prints the numbers of a float32 .npy file, one a line
numbers() {
    header=$(od -An -t u2 -j 8 -N 2 "$1")
    od -An -v -t f4 -j $((header + 10)) "$1" | tr -s ' ' '\n' | sed '/^$/d; s/-nan/nan/'
}

# near GPU CPU: checks that the numbers differ by at most 1e-5 · max(1, |number|), because float32 sums
# in another order are rounded differently, and that infinities and NaN are in the same places.
near() {
    numbers "$1" >gpu
    numbers "$2" >cpu
    paste gpu cpu | awk '
        $1 ~ /[nf]/ || $2 ~ /[nf]/ { if ($1 != $2) exit 1; next }
        { size = $2 < 0 ? -$2 : $2; if (size < 1) size = 1
          off = $1 - $2; if (off < 0) off = -off
          if (NF != 2 || off > 1e-5 * size) exit 1 }' || fail "$1 is not $2"
}

# --- the same numbers from each backend; the summary names the backend
for scene in six-ways cross-attention batch-padding patterns empty-rows; do
    "$program" compute "$data/$scene/scene.json" --out cpu-out --backend cpu
    "$program" compute "$data/$scene/scene.json" --out gpu-out --backend gpu >printed 2>&1
    [ -z "$(words_printed)" ] || fail "the GPU prints: $(cat printed)"
    for variant in cpu-out/variant-*; do
        ours=gpu-out/${variant##*/}
        [ "$(ls "$ours")" = "$(ls "$variant")" ] || fail "other files in $ours of $scene"
        grep -q '"backend": "gpu"' "$ours/summary.json" || fail "backend in $ours of $scene"
        cmp "$ours/allowed.npy" "$variant/allowed.npy"
        for stage in scores scaled logits softmax weights output sensitivity; do
            [ ! -f "$variant/$stage.npy" ] || near "$ours/$stage.npy" "$variant/$stage.npy"
        done
    done
    rm -r cpu-out gpu-out
done
scene=$data/six-ways/scene.json

# --- compiled programs are kept completely or not at all, however the run that writes them ends
programs=$XDG_CACHE_HOME/maskscope/programs
[ "$(ls "$programs" | wc -l)" -gt 3 ] || fail "no programs are kept"
"$program" compute "$scene" --out gpu-out --backend gpu
rm -r "$programs"
for moment in 0.05 0.1 0.15 0.2 0.25 0.3 0.4 0.5; do
    "$program" compute "$scene" --out killed --backend gpu 2>/dev/null & run=$!
    sleep $moment
    kill -KILL $run 2>/dev/null || :
    wait $run 2>/dev/null || :  # until it and its locks are gone: timeout does not wait
    rm -rf killed .maskscope-*
    "$program" compute "$scene" --out again --backend gpu
    diff -r again gpu-out
    [ -z "$(find "$programs" -name '.maskscope-*')" ] || fail "a killed run left something"
    rm -rf again
    [ $moment = 0.3 ] || rm -r "$programs"
done
# ... and a folder that cannot be made costs only time
mkdir other
: >other/maskscope  # not a folder
XDG_CACHE_HOME="$folder/other" "$program" compute "$scene" --out again --backend gpu >printed 2>&1
[ -z "$(words_printed)" ] || fail "a missing cache is reported: $(cat printed)"
diff -r again gpu-out
rm -r again gpu-out

# --- threads change no byte
"$program" compute "$scene" --out one --threads 1
for threads in 2 3 256; do
    "$program" compute "$scene" --out more --threads $threads
    diff -r one more
done
"$program" compute "$scene" --out default
grep -q '"backend": "cpu"' default/variant-0/summary.json || fail "the default backend is not the CPU"
diff -r one default

# says STATUS LINE ARGUMENT...: checks the status, and that only this line is on standard error
says() {
    wanted=$1 line=$2
    shift 2
    status=0
    "$program" compute "$@" >printed 2>err || status=$?
    printf 'maskscope: %s\n' "$line" >expected
    if [ "$status" -ne "$wanted" ] || ! cmp -s err expected || [ -s printed ]; then
        cat err expected >&2
        fail "compute $*: status $status, expected $wanted and the last line"
    fi
}

# --- auto does not use a software renderer, and says so
status=0
"$program" compute "$scene" --out auto --backend auto 2>err || status=$?
[ "$status" -eq 0 ] && [ "$(wc -l <err)" -eq 1 ] &&
    grep -q '^maskscope: computing on the CPU: .*llvmpipe' err || fail "auto says $(cat err)"
diff -r auto one

# --- float64 is refused by name, and nothing is written; the input is checked first
says 1 "$data/precision/scene.json: $("$program" compute "$data/precision/scene.json" --out none \
    --backend gpu 2>&1 | sed 's/^[^:]*: [^:]*: //')" "$data/precision/scene.json" --out none --backend gpu
grep -q 'float64' err || fail "float64 is not named: $(cat err)"
says 2 'missing.json: No such file or directory' missing.json --out none --backend gpu
[ ! -e none ] || fail "something was written"

# --- OpenGL 3.3, and no driver at all
no_gl='this machine offers no OpenGL 4.3 without a display'
without_gl() {
    says 1 "$scene: $no_gl" "$scene" --out none --backend gpu
    [ ! -e none ] || fail "something was written"
    says 0 "computing on the CPU: $no_gl" "$scene" --out fallback --backend auto
    diff -r fallback one
}
(
    export MESA_GL_VERSION_OVERRIDE=3.3
    without_gl
)
(
    export LIBGL_DRIVERS_PATH="$folder/nowhere"
    without_gl
)
