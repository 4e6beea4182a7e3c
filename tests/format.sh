#!/bin/sh
# Every source file is as clang-format writes it.
set -eu
cd "$(dirname "$0")/.."
find core app tests -name '*.h' -o -name '*.cpp' | xargs clang-format --dry-run --Werror
