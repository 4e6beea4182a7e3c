// A scene gives the same bits with all instruction sets of one family, and with any number of
// threads.

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <set>

#include "core/cpu/cpu_backend.h"
#include "core/cpu/kernels/kernels.h"
#include "tests/golden/golden_files.h"
#include "tests/support/random_scene.h"

namespace maskscope::golden {
namespace {

using Bits = std::map<std::string, std::vector<std::uint64_t>>;

// Returns the bits of all numbers of a result: stages, and the statistics of the rows.
Bits bits_of(const Result& result) {
    Bits all;
    for (std::size_t index = 0; index < result.variants.size(); ++index) {
        const VariantResult& variant = result.variants[index];
        for (const Stage& stage : variant.stages) {
            auto& bits = all[std::to_string(index) + " stage " +
                             std::to_string(&stage - variant.stages.data())];
            for (Index b = 0; b < stage.b(); ++b)
                for (Index h = 0; h < stage.h(); ++h)
                    for (Index i = 0; i < stage.rows(); ++i)
                        for (Index j = 0; j < stage.columns(); ++j)
                            bits.push_back(std::bit_cast<std::uint64_t>(stage.at(b, h, i, j)));
        }
        for (const RowFigures& row : variant.rows)
            for (const auto& [name, number] : {std::pair("sum", row.sum),
                                               {"max", row.max},
                                               {"entropy", row.entropy},
                                               {"leak", row.leak},
                                               {"gradient", row.gradient_leak},
                                               {"pads", row.pads}})
                all[std::to_string(index) + ' ' + name].push_back(
                    std::bit_cast<std::uint64_t>(number));
    }
    return all;
}

// Returns the family of an instruction set. Sets that multiply and add in one rounding are one
// family; the results of other sets differ from theirs in the last bits.
std::string family_of(const std::string& instructions) {
    if (instructions.starts_with("AVX") || instructions.starts_with("NEON")) return "fused";
    return instructions.starts_with("SS") ? "SSE" : instructions;
}

TEST(Determinism, InstructionSetsGiveTheSameBits) {
    const char* names[16];
    const std::size_t count = supported_kernels(names, 16);
    std::set<std::string> differing;
    for (const std::string& folder : scene_names()) {
        const Scene scene = read_golden_scene(folder);
        std::map<std::string, Bits> first;  // the first of each family
        for (std::size_t k = 0; k < count; ++k) {
            use_kernels(names[k]);
            for (const int threads : {1, 3}) {
                CpuBackend backend(threads);
                Progress progress;
                const Bits bits = bits_of(backend.compute(scene, {}, nullptr, progress));
                const Bits& expected = first.try_emplace(family_of(names[k]), bits).first->second;
                for (const auto& [what, numbers] : bits)
                    if (numbers != expected.at(what))
                        differing.insert(fmt::format("{}: {}, {}", names[k], folder, what));
            }
        }
    }
    use_kernels(nullptr);
    for (const std::string& what : differing) ADD_FAILURE() << what;
}

}  // namespace
}  // namespace maskscope::golden
