#!/bin/sh
# clang-tidy over every file of core and app; silent when clean.
set -eu
cd "$(dirname "$0")/.."
# Configures only. Without unity builds, clang-tidy finds the options of each file.
cmake -S . -B build/tidy -G Ninja -DMASKSCOPE_UNITY=OFF -DCMAKE_CXX_COMPILER_LAUNCHER= >/dev/null
find core app -name '*.cpp' | xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p build/tidy \
    --warnings-as-errors='*'
