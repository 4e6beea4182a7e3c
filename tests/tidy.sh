#!/bin/sh
# clang-tidy over every file that BUILD compiles; silent when clean.
set -eu
build=$1
cd "$(dirname "$0")/.."
find core app -name '*.cpp' | xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p "$build" \
    --warnings-as-errors='*'
