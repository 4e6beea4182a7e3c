#!/bin/sh
# Installs what tests need, builds, and runs all tests; --full runs the long ones too.
# Closes with CTest's summary.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/app/install.sh"
install_missing "$run_packages$recommended_packages$build_packages$test_packages"
[ "${1:-}" != --full ] || install_missing "$full_packages"
jobs=$(nproc)

sh "$top/tests/rooms.sh"
sh "$top/tests/format.sh"

# AddressSanitizer and UndefinedBehaviorSanitizer over what handles memory by hand, indexes, or
# reads the bytes of strangers: all of core but the GPU (parsers, edits, kernels, backends, threads), the
# session with its history, and the layout of a figure. Left out is what only compares numbers with
# known ones, and what is long because it computes much. --full leaves nothing out.
sanitized() {
    cmake -S "$top" -B "$top/build/sanitize" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" -DMASKSCOPE_SANITIZE=ON >/dev/null
    cmake --build "$top/build/sanitize" --target $1 -j "$jobs"
}
sanitized "memory_tests replay"
# They take one core, and the build beside them the others.
{
    "$top/build/sanitize/tests/memory_tests" --gtest_brief=1 \
        --gtest_filter='-*TenThousand*:*LargeScenes*:*EveryFact*:LongTexts*:OfTensorFiles*'
    sh "$top/tests/fuzz/run.sh" "$top/build/sanitize/tests/fuzz/replay"
} &
with_sanitizers=$!

cmake -S "$top" -B "$top/build" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$top/build" -j "$jobs"
wait $with_sanitizers
if [ "${1:-}" = --full ]; then
    sh "$top/tests/tidy.sh"
    cmake --build "$top/build" --target attention_bench frame_bench -j "$jobs"
    # The pool, and what computes on it, with ThreadSanitizer.
    cmake -S "$top" -B "$top/build/threads" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" -DMASKSCOPE_THREAD_SANITIZE=ON >/dev/null
    cmake --build "$top/build/threads" --target thread_tests -j "$jobs"
    "$top/build/threads/tests/thread_tests" --gtest_brief=1 \
        --gtest_filter='-*TenThousand*:*NumbersThatAreNotFinite*:*OverRandomScenes*'
    /usr/bin/python3 "$top/tests/cli/frameworks/pytorch.py" "$top/build/maskscope" "$top/tests/data" --all
    /usr/bin/python3 "$top/tests/golden/lessons/make_translator.py" --every "$top/build/tests/golden_tests"
    MASKSCOPE_RANDOM_SCENES=10000 "$top/build/tests/gpu_tests" --gtest_brief=1 \
        --gtest_filter='RandomOnGpu.AgreesWithThePlainVersion'
    sanitized unit_tests
    "$top/build/sanitize/tests/unit_tests" --gtest_brief=1
    sanitized monkey
    "$top/build/sanitize/tests/monkey" 100000
fi
ctest --test-dir "$top/build" --output-on-failure -j "$jobs"
