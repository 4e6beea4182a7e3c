#!/bin/sh
# Checks that every source file is formatted as by clang-format.
set -eu
cd "$(dirname "$0")/.."
find core app tests -name '*.h' -o -name '*.cpp' | xargs clang-format --dry-run --Werror
