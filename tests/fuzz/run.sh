#!/bin/sh
# run.sh PROGRAM [SECONDS]: every target reads its corpus, then changed copies of it for SECONDS
# (20). PROGRAM is replay, or the folder of fuzz_files, fuzz_texts and fuzz_own, which libFuzzer
# drives. Findings are kept in the working directory: crash-…, timeout-…, oom-….
set -eu
program=$1
seconds=${2:-20}
top=$(cd "$(dirname "$0")/../.." && pwd)
words=$top/tests/fuzz/words.dict
corpus=${CORPUS:-$(mktemp -d)}
[ "${CORPUS:-}" ] || trap 'rm -rf "$corpus"' EXIT
python3 "$top/tests/fuzz/corpus.py" "$top" "$corpus"
for target in ${TARGETS:-json scene lesson expression tokenizer figure archive npy npz safetensors \
    model framework recovery recent course choices}; do
    export FUZZ=$target
    case $target in
    json | npy | npz | safetensors) part=files ;;
    figure | archive | recovery | recent | course | choices) part=own ;;
    *) part=texts ;;
    esac
    case $program in
    *replay) "$program" "$corpus/$target" "$seconds" "$words" ;;
    *)
        "$program/fuzz_$part" "$corpus/$target" -dict="$words" -max_len=65536 \
            -max_total_time="$seconds" -entropic=0 -timeout=5 -rss_limit_mb=1024 -malloc_limit_mb=64 \
            -verbosity=0 -print_final_stats=1 >"$corpus/log" 2>&1 || {
            cat "$corpus/log"
            exit 1
        }
        echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$corpus/log") executions"
        ;;
    esac
done
