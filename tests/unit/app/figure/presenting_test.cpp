// What is written around the heatmaps while presenting.

#include <gtest/gtest.h>

#include "app/figure/hall/lay_out_presenting.h"
#include "app/figure/style/text_rect.h"
#include "tests/support/computed.h"
#include "tests/unit/app/show/sentence.h"

namespace maskscope {
namespace {

Figure in_hall(const Scene& scene, double width, double height, bool with_mask = false) {
    LayoutOptions options;
    options.width = width;
    options.height = height;
    options.scale = height / 240;
    options.in_hall = true;
    return lay_out_presenting(make_bench(computed(scene), {}), options, with_mask);
}

const Text* text_of(const Figure& figure, const std::string& words) {
    const auto found = std::ranges::find(figure.texts, words, &Text::text);
    return found == figure.texts.end() ? nullptr : &*found;
}

TEST(PresentingTitles, AxesAreNamedAndTheFirstStageOfALaneAsWell) {
    Scene scene =
        sentence({causal("added", Apply::additive), causal("m", Apply::multiply_weights)});
    scene.sequences[0].queries = {"My", "name", "is"};
    const Figure figure = in_hall(scene, 1826, 660);
    for (const char* words : {"keys →", "queries ↓", "Into the softmax", "Weights"})
        EXPECT_NE(text_of(figure, words), nullptr) << words;
    for (const Text& text : figure.texts) EXPECT_GE(text.style.size, 12 * figure.unit - 1e-9);
}

TEST(PresentingTitles, NoTitleStandsAboveAnotherHeatmap) {
    Scene scene = sentence({causal("a lane with a name of many words", Apply::additive)});
    scene.sequences[0].queries = {"My", "name", "is"};
    for (const double width : {900.0, 1200.0, 1826.0}) {
        const Figure figure = in_hall(scene, width, 660);
        const Text* title = text_of(figure, "Into the softmax");
        if (!title) continue;
        for (const Heatmap& map : figure.heatmaps)
            EXPECT_TRUE(map.cells->stage != StageKind::weights ||
                        text_rect(*title).right() <= map.rect.x)
                << width;
    }
}

// Cells smaller than a pixel: more rows and columns than the hall has.
TEST(PresentedCells, OfALongTextStayInTheHall) {
    for (const int tokens : {40, 400, 3000})
        for (const int lanes : {1, 2}) {
            Scene scene = sentence({causal("added", Apply::additive)});
            if (lanes == 2) scene.variants.push_back(causal("m", Apply::multiply_weights));
            scene.sequences[0].queries = std::vector<std::string>(std::size_t(tokens), "word");
            const Figure figure = in_hall(scene, 1506, 600);
            ASSERT_FALSE(figure.heatmaps.empty());
            for (const Heatmap& map : figure.heatmaps) {
                EXPECT_GE(map.rect.w, 40) << tokens << " tokens, " << lanes << " lanes";
                EXPECT_GE(map.rect.h, 40) << tokens << " tokens, " << lanes << " lanes";
                EXPECT_LE(map.rect.right(), 1506) << tokens << " tokens, " << lanes << " lanes";
                EXPECT_LE(map.rect.bottom(), 600) << tokens << " tokens, " << lanes << " lanes";
            }
        }
}

// The mask has no numbers that need room.
TEST(PresentedCells, OfAMaskAreNoWiderThanThoseOfTheWeights) {
    for (const int tokens : {6, 14, 46, 150}) {
        SCOPED_TRACE(tokens);
        Scene scene =
            sentence({causal("added", Apply::additive), causal("m", Apply::multiply_weights)});
        scene.sequences[0].queries = std::vector<std::string>(std::size_t(tokens), "word");
        const Figure figure = in_hall(scene, 1506, 600, true);
        double mask = 0, least = 1e9;
        for (const Heatmap& map : figure.heatmaps) {
            EXPECT_LE(map.rect.right(), 1506);
            EXPECT_LE(map.rect.bottom(), 600);
            const double cell = map.rect.w / double(map.cells->columns);
            if (map.cells->stage == StageKind::allowed) mask = cell;
            if (map.cells->stage == StageKind::weights) least = std::min(least, cell);
        }
        EXPECT_GT(mask, 0);
        EXPECT_LE(mask, least + 1e-9);
    }
}

}  // namespace
}  // namespace maskscope
