#!/bin/sh
# Installs what tests need, builds, and runs all tests; --full runs the long ones too.
# Closes with CTest's summary.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/app/install.sh"
install_missing "$build_packages$test_packages"
[ "${1:-}" != --full ] || install_missing "$full_packages"
jobs=$(nproc)

sh "$top/tests/rooms.sh"
sh "$top/tests/format.sh"

# The unit tests once more with AddressSanitizer and UndefinedBehaviorSanitizer.
cmake -S "$top" -B "$top/build/sanitize" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" \
    -DMASKSCOPE_SANITIZE=ON >/dev/null
cmake --build "$top/build/sanitize" --target unit_tests -j "$jobs"
"$top/build/sanitize/tests/unit_tests" --gtest_brief=1

cmake -S "$top" -B "$top/build" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$top/build" -j "$jobs"
[ "${1:-}" != --full ] || sh "$top/tests/tidy.sh" "$top/build"
# The pool, and what computes on it, with ThreadSanitizer.
if [ "${1:-}" = --full ]; then
    cmake -S "$top" -B "$top/build/threads" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" -DMASKSCOPE_THREAD_SANITIZE=ON >/dev/null
    cmake --build "$top/build/threads" --target thread_tests -j "$jobs"
    "$top/build/threads/tests/thread_tests" --gtest_brief=1 \
        --gtest_filter='-*TenThousand*:*NumbersThatAreNotFinite*:*OverRandomScenes*'
    /usr/bin/python3 "$top/tests/cli/pytorch.py" "$top/build/maskscope" "$top/tests/data" --all
    cmake --build "$top/build/sanitize" --target monkey -j "$jobs"
    "$top/build/sanitize/tests/monkey" 100000
fi
ctest --test-dir "$top/build" --output-on-failure -j "$jobs"
