// Tests the scenes that are installed: they can be read, are written back unchanged, and have the
// shapes that they are meant to show.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/base/build.h"
#include "core/files/file.h"
#include "core/format/scene_json.h"
#include "tests/support/computed.h"

namespace maskscope {
namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(source_folder()) / "assets/scenes";

Scene asset(const std::string& name) {
    return read_scene(read_file(folder / (name + ".json")), folder);
}

Index blocked_cells(const VariantResult& variant) {
    return std::ranges::count(variant.allowed.all(), 0);
}

TEST(Assets, ScenesStandAsTheyAreWritten) {
    int scenes = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() != ".json") continue;
        const std::string text = read_file(entry.path());
        EXPECT_EQ(write_scene(read_scene(text, folder)), text) << entry.path();
        ++scenes;
    }
    EXPECT_EQ(scenes, 5);
}

TEST(Assets, LukeIsEncodedDecodedAndTranslated) {
    EXPECT_EQ(shape_of(asset("encoder")), (Shape{1, 1, 6, 6}));
    EXPECT_EQ(shape_of(asset("decoder")), (Shape{1, 1, 8, 8}));
    const Scene cross = asset("cross");
    EXPECT_EQ(shape_of(cross), (Shape{1, 1, 8, 6}));
    const Result result = computed(cross);
    EXPECT_EQ(blocked_cells(result.variants[0]), 18);  // causal and padding
    EXPECT_EQ(blocked_cells(result.variants[1]), 8);   // only padding
}

TEST(Assets, WithoutAMaskLukeSpendsWeightOnThePad) {
    const Result result = computed(asset("encoder"));
    const double weight = result.variants[0].stage(StageKind::weights).at(0, 0, 3, 5);
    EXPECT_NEAR(weight, 0.29, 0.005);  // the two decimals that are shown
    EXPECT_EQ(result.variants[1].stage(StageKind::weights).at(0, 0, 3, 5), 0);
}

TEST(Assets, ADecodersCausalMaskHidesPadsAtTheEndFromEveryRealToken) {
    const Result result = computed(asset("decoder"));
    const Stage& causal = result.variants[0].stage(StageKind::weights);
    const Stage& both = result.variants[1].stage(StageKind::weights);
    for (Index i = 0; i < 6; ++i)
        for (Index j = 0; j < 8; ++j) EXPECT_EQ(causal.at(0, 0, i, j), both.at(0, 0, i, j));
}

TEST(Assets, TheBatchIsPaddedToItsLongestSentence) {
    const Scene scene = asset("padded-batch");
    EXPECT_EQ(shape_of(scene), (Shape{3, 1, 4, 4}));
    const Result result = computed(scene);
    EXPECT_EQ(blocked_cells(result.variants[0]), 0);
    EXPECT_EQ(blocked_cells(result.variants[1]), 4 * (0 + 1 + 2));
}

TEST(Assets, TwelveHeadsAreReadFromSafetensors) {
    const Scene scene = asset("transformer-heads");
    EXPECT_EQ(shape_of(scene), (Shape{1, 12, 128, 128}));
    EXPECT_EQ(d_k_of(scene.inputs), 64);
    const Result result = computed(scene);
    const Stage& weights = result.variants[0].stage(StageKind::weights);
    // In most rows, these heads attend to what they were made for: the token before, and the first
    // token.
    int before = 0, first = 0;
    for (Index i = 1; i < 128; ++i) {
        before += weights.at(0, 0, i, i - 1) > 0.5;
        first += weights.at(0, 3, i, 0) > 0.5;
    }
    EXPECT_GT(before, 120);
    EXPECT_GT(first, 120);
}

}  // namespace
}  // namespace maskscope
