#!/bin/sh
# Installs what tests need, builds, and runs all tests; --full runs the long ones too.
# Closes with CTest's summary.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/app/install.sh"
full=
[ "${1:-}" != --full ] || full=yes
install_missing "$run_packages$recommended_packages$build_packages$test_packages"
[ -z "$full" ] || install_missing "$full_packages"
jobs=$(nproc)

sh "$top/tests/rooms.sh" & checks=$!
python3 "$top/tests/words.py" & checks="$checks $!"
sh "$top/tests/ties.sh" & checks="$checks $!"
sh "$top/tests/format.sh" & checks="$checks $!"
for check in $checks; do wait "$check"; done

# build FOLDER TARGETS OPTION…
build() {
    folder=$1 targets=$2
    shift 2
    cmake -S "$top" -B "$folder" -G Ninja "$@" >/dev/null
    # shellcheck disable=SC2086
    cmake --build "$folder" --target $targets -j "$jobs"
}
sanitized() {
    build "$top/build/sanitize" "$1" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-Og -g1" \
        -DMASKSCOPE_SANITIZE=ON
}
released() { build "$top/build" "$1" -DCMAKE_BUILD_TYPE=Release; }
every() { for program in "$@"; do "$program" --gtest_brief=1; done; }

# Without --full, a program that passed runs again only if something has changed: tests/if_changed.sh.
[ "$full" ] || export ONLY_CHANGED=yes

# Each test runs in the build where it finds the most bugs: tests/CMakeLists.txt.
sanitized tests_of_this_build
ctest --test-dir "$top/build/sanitize" --output-on-failure -j "$jobs"
released tests_of_this_build

if [ "$full" ]; then
    sh "$top/tests/tidy.sh"
    sh "$top/tests/fuzz/run.sh" "$top/build/sanitize/tests/replay" 20
    sanitized monkey
    "$top/build/sanitize/tests/monkey" 100000
    released "unit_tests attention_bench frame_bench"
    every "$top"/build/tests/core_*_tests "$top"/build/tests/app_*_tests
    # Tests the thread pool, and what computes on it, with ThreadSanitizer.
    build "$top/build/threads" thread_tests -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" -DMASKSCOPE_THREAD_SANITIZE=ON
    "$top/build/threads/tests/thread_tests" --gtest_brief=1 \
        --gtest_filter='-*TenThousand*:*NumbersThatAreNotFinite*:*OverRandomScenes*'
    /usr/bin/python3 "$top/tests/cli/frameworks/pytorch.py" "$top/build/maskscope" "$top/tests/data" --all
    /usr/bin/python3 "$top/tests/cli/frameworks/mask_tests.py" "$top/build/maskscope" "$top/tests/data" --all
    /usr/bin/python3 "$top/tests/golden/lessons/make_translator.py" --every "$top/build/tests/golden_tests"
    # Draws every step of every lesson at every size and scale.
    export MASKSCOPE_ALL_SCREENS=yes
    "$top/build/tests/ui_bench_tests" --gtest_brief=1 --gtest_filter='*OnScreens*'
    "$top/build/tests/ui_presenting_tests" --gtest_brief=1 --gtest_filter='*PresentedLessons*'
    unset MASKSCOPE_ALL_SCREENS
    MASKSCOPE_RANDOM_SCENES=10000 "$top/build/tests/gpu_tests" --gtest_brief=1 \
        --gtest_filter='*Gpu.*'
    [ ! -e "$top/build/web/core.wasm" ] || node "$top/tests/web/parity.mjs" \
        "$top/build/tests/web_calls" "$top/build/web/core.wasm" "$top" 10000
    sh "$top/tests/bench/build_cost.sh"
fi
ctest --test-dir "$top/build" --output-on-failure -j "$jobs" ${full:+-C Full}
