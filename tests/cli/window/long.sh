#!/bin/sh
# The window over 8192 tokens, whose eight stages would take 2.1 GB: it shows them in less than 300 MB
# (136 MB for any scene, 50 MB of inputs and labels, and 100 MB), and comes to rest.
set -eu
. "$(dirname "$0")/../../support/display.sh"
cd "$folder"
{
    printf '{"maskscope": 1, "title": "long", "sequences": [{"queries": ["t0"'
    seq 8191 | sed 's/.*/, "t&"/'
    printf ']}], "inputs": {"kind": "embedding", "seed": 3, "heads": 1, "d_k": 64, "d_v": 64},
 "variants": [{"name": "A", "mask": {"layers": [{"kind": "causal"}]}}]}'
} >long.json
start long.json

# At rest once it has used no processor for a second.
rests=
for _ in $(seq 180); do
    before=$(ticks)
    sleep 1
    [ $(($(ticks) - before)) -le 2 ] && rests=1 && break
done
[ "$rests" ] || fail "it computes for over three minutes"
megabytes=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$window/status")
megabytes=$((megabytes / 1024))
echo "$megabytes MB at most"
[ "$megabytes" -gt 0 ] && [ "$megabytes" -lt 300 ] || fail "it took $megabytes MB"
