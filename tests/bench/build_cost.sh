#!/bin/sh
# Measures the cost of the first build: the processor time of compiling the program from nothing,
# without a compiler cache. So that machines can be compared, it is divided by the time of one small
# file with Eigen, nlohmann-json and fmt. The goal is a ratio of at most 45.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CCACHE_DISABLE=1
cat >"$folder/small.cpp" <<'EOF'
#include <Eigen/Core>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

int main(int count, char** words) {
    const nlohmann::json json = nlohmann::json::parse(words[count - 1]);
    const Eigen::MatrixXf matrix = Eigen::MatrixXf::Random(count, count);
    std::map<std::string, float> sums{{fmt::format("{}", json.dump()), (matrix * matrix).sum()}};
    return static_cast<int>(sums.begin()->second) + static_cast<int>(sums.begin()->first.size());
}
EOF
# seconds COMMAND…: prints the seconds of processor time that the command takes
seconds() {
    python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime)' "$@"
}
small() { seconds g++ -O2 -std=c++20 -I/usr/include/eigen3 -c "$folder/small.cpp" -o "$folder/small.o"; }
cmake -S "$top" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_COMPILER_LAUNCHER= >/dev/null
before=$(small)
start=$(date +%s)
whole=$(seconds cmake --build "$folder/build" --target maskscope)
clock=$(($(date +%s) - start))
after=$(small)
python3 -c 'import sys
whole, clock, before, after = map(float, sys.argv[1:])
small = (before + after) / 2
print(f"first build: {whole:.0f} s of processor in {clock:.0f} s, "
      f"{whole / small:.0f} times a small file ({small:.1f} s); the goal is 45")' \
    "$whole" "$clock" "$before" "$after"
