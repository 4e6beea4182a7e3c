#!/bin/sh
# sizes.sh CORE: status 1 if core.wasm, or its compressed form, is larger than a page allows.
set -eu
most_raw=1300000 most_packed=475000
raw=$(wc -c <"$1")
packed=$(wc -c <"$1.gz")
echo "core.wasm: $raw bytes (at most $most_raw), $packed compressed (at most $most_packed)"
[ "$raw" -le $most_raw ] && [ "$packed" -le $most_packed ]
