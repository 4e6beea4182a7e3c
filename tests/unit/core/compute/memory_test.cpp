#include "core/compute/memory.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/error.h"
#include "core/compute/plain.h"

namespace maskscope {
namespace {

Scene sentence(std::size_t n, Index heads = 1) {
    Scene scene;
    scene.sequences = {{std::vector<std::string>(n, "a"), std::nullopt}};
    scene.inputs = EmbeddingInputs{7, heads, 64, 64, 64};
    scene.variants.resize(1);
    return scene;
}

// Returns the words of the refusal; "" if the scene is accepted.
std::string refusal(const Scene& scene, double available) {
    try {
        refuse_too_large(scene, {}, available);
    } catch (const WorkError& error) {
        return error.what();
    }
    return "";
}

// Returns the number before "tokens would fit".
Index size_that_fits(const std::string& words) {
    const auto at = words.rfind("; ");
    return at == std::string::npos ? 0 : std::stol(words.substr(at + 2));
}

TEST(Memory, AHundredThousandTokensAreRefusedWithTheSizeThatFits) {
    const double available = 64e9;
    const std::string words = refusal(sentence(100000), available);
    const Index n = size_that_fits(words);
    EXPECT_GT(n, 1000) << words;
    EXPECT_EQ(refusal(sentence(static_cast<std::size_t>(n)), available), "");
    EXPECT_NE(refusal(sentence(static_cast<std::size_t>(n) + 1), available), "");
}

// The scene is refused before anything is allocated, so it takes no time.
TEST(Memory, TheBackendRefusesWhatThisMachineCannotHold) {
    Scene scene = sentence(100000, 1024);
    Progress progress;
    EXPECT_THROW(PlainBackend().compute(scene, {}, nullptr, progress), WorkError);
}

TEST(Memory, UnevenSizesKeepTheirProportion) {
    Scene scene = sentence(20000);
    scene.sequences[0].keys = std::vector<std::string>(10000, "b");
    const std::string words = refusal(scene, 1e9);
    EXPECT_NE(words.find(" queries with "), std::string::npos) << words;
    EXPECT_NE(words.find(" keys would fit"), std::string::npos) << words;
}

TEST(Memory, WidthsAloneCanBeTooMuch) {
    Scene scene = sentence(1);
    scene.inputs = EmbeddingInputs{7, 1024, 65536, 65536, 65536};
    const std::string words = refusal(scene, 1e9);
    EXPECT_NE(words.find("no number of tokens"), std::string::npos) << words;
}

TEST(Memory, CountsWhatIsKept) {
    const Scene scene = sentence(1000);
    Request weights_only;
    weights_only.stages.reset().set(static_cast<std::size_t>(StageKind::weights));
    const double all = bytes_needed(scene, {}), some = bytes_needed(scene, weights_only);
    EXPECT_GE(all, 1000.0 * 1000 * (6 * 4 + 1));
    EXPECT_NEAR(all - some, 1000.0 * 1000 * 5 * 4, 1);
    Scene twice = scene;
    twice.variants.push_back(twice.variants[0]);
    twice.variants[1].dtype = Dtype::float64;
    EXPECT_GE(bytes_needed(twice, {}) - all, 1000.0 * 1000 * (6 * 8 + 1));
    Request first;
    first.variants = {0};
    EXPECT_EQ(bytes_needed(twice, first), all);
}

TEST(Memory, CountsLayersBefore) {
    Scene scene = sentence(1000, 3);
    const Inputs before = scene.inputs;
    const double one = bytes_needed(scene, {});
    scene.inputs = OutputInputs{LayerBefore{before, scene.variants[0]}, std::nullopt};
    EXPECT_GT(bytes_needed(scene, {}), one);
}

TEST(Memory, GrowsWithTokens) {
    const Scene scene = sentence(10);
    double before = 0;
    for (Index n = 1; n < 100000; n = n * 3 / 2 + 1) {
        const double bytes = bytes_needed(scene, {}, n, n);
        EXPECT_GT(bytes, before);
        before = bytes;
    }
}

TEST(Memory, TheSystemSaysWhatIsFree) {
    const auto available = available_bytes();
    ASSERT_TRUE(available);  // Linux reports it
    EXPECT_GT(*available, 1e6);
}

}  // namespace
}  // namespace maskscope
