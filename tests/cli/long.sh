#!/bin/sh
# The window over 8192 tokens, whose eight stages would take 2.1 GB: it shows them in less than 300 MB
# (136 MB for any scene, 50 MB of inputs and labels, and 100 MB), and comes to rest.
set -eu
program=$(realpath "$1")
folder=$(mktemp -d)
Xvfb -displayfd 3 -screen 0 1600x1000x24 -nolisten tcp >/dev/null 2>&1 3>"$folder/display" &
server=$!
window=
fail() { echo "long.sh: $1" >&2; exit 1; }
trap 'kill $window $server 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
for _ in $(seq 300); do [ -s "$folder/display" ] && break; sleep 0.1; done
export DISPLAY=":$(cat "$folder/display")" LIBGL_ALWAYS_SOFTWARE=1 XDG_STATE_HOME="$folder" XDG_CACHE_HOME="$folder"
[ "$DISPLAY" != : ] || fail "no display came up"
cd "$folder"
{
    printf '{"maskscope": 1, "title": "long", "sequences": [{"queries": ["t0"'
    seq 8191 | sed 's/.*/, "t&"/'
    printf ']}], "inputs": {"kind": "embedding", "seed": 3, "heads": 1, "d_k": 64, "d_v": 64},
 "variants": [{"name": "A", "mask": {"layers": [{"kind": "causal"}]}}]}'
} >long.json
"$program" long.json & window=$!
for _ in $(seq 150); do xdotool search --name Maskscope >/dev/null 2>&1 && seen=1 && break; sleep 0.1; done
[ "${seen:-}" ] || fail "no window came up"

# At rest once it has used no processor for a second.
ticks() { set -- $(cut -d' ' -f14,15 "/proc/$window/stat"); echo $(($1 + $2)); }
rests=
for _ in $(seq 60); do
    before=$(ticks)
    sleep 1
    [ $(($(ticks) - before)) -le 2 ] && rests=1 && break
done
[ "$rests" ] || fail "it computes for over a minute"
megabytes=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$window/status")
megabytes=$((megabytes / 1024))
echo "$megabytes MB at most"
[ "$megabytes" -gt 0 ] && [ "$megabytes" -lt 300 ] || fail "it took $megabytes MB"
kill $window
wait $window || true
