// The fast CPU backend against the plain one, on every set of instructions of this machine and
// with one, two and three threads.

#include <gtest/gtest.h>

#include <cmath>

#include "core/cpu/cpu_backend.h"
#include "core/cpu/kernels.h"
#include "core/cpu/plain.h"
#include "core/scene_json.h"
#include "tests/golden/compare_results.h"
#include "tests/golden/golden_files.h"
#include "tests/golden/random_scene.h"

namespace maskscope::golden {
namespace {

std::vector<std::string> instruction_sets() {
    const char* names[16];
    const std::size_t count = supported_kernels(names, 16);
    return {names, names + count};
}

// These instructions, for as long as it lives.
class With {
public:
    explicit With(const std::string& name) { EXPECT_TRUE(use_kernels(name.c_str())) << name; }
    With(const With&) = delete;
    With& operator=(const With&) = delete;
    ~With() { use_kernels(nullptr); }
};

Result computed(Backend& backend, const Scene& scene, const Result* before = nullptr) {
    Progress progress;
    return backend.compute(scene, {}, before, progress);
}

std::string difference(Backend& backend, const Scene& scene) {
    PlainBackend plain;
    return first_difference(scene, computed(plain, scene), computed(backend, scene));
}

// Says where they differ, with the smallest scene in which they do.
void expect_same(Backend& backend, const Scene& scene) {
    const std::string found = difference(backend, scene);
    if (found.empty()) return;
    const Scene small =
        shrunk(scene, [&](const Scene& s) { return !difference(backend, s).empty(); });
    ADD_FAILURE() << found << "\nin the smallest scene: " << difference(backend, small) << "\n"
                  << write_scene(small);
}

TEST(CpuBackend, GoldenScenesAreAsPlain) {
    for (const std::string& instructions : instruction_sets()) {
        SCOPED_TRACE(instructions);
        const With with(instructions);
        for (const int threads : {1, 2, 3}) {
            CpuBackend backend(threads);
            for (const std::string& name : scene_names()) {
                SCOPED_TRACE(name);
                expect_same(backend, read_golden_scene(name));
            }
        }
    }
}

TEST(CpuBackend, TenThousandRandomScenesAreAsPlain) {
    const auto sets = instruction_sets();
    CpuBackend backends[3] = {CpuBackend(1), CpuBackend(2), CpuBackend(3)};
    for (std::uint64_t seed = 0; seed < 10000; ++seed) {
        const std::string& set = sets[seed / 3 % sets.size()];
        const With with(set);
        SCOPED_TRACE("seed " + std::to_string(seed) + ", " + set);
        expect_same(backends[seed % 3], random_scene(seed));
        if (testing::Test::HasFailure()) return;  // one scene says enough
    }
}

}  // namespace
}  // namespace maskscope::golden
