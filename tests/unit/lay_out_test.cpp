#include "app/figure/lay_out.h"

#include <gtest/gtest.h>

#include "core/cpu/plain.h"

namespace maskscope {
namespace {

Bench bench_of(Index tokens, int lanes) {
    Scene scene;
    std::vector<std::string> words;
    for (Index k = 0; k < tokens; ++k) words.push_back("token" + std::to_string(k));
    scene.sequences = {{words, std::nullopt}};
    scene.inputs = EmbeddingInputs{7, 1, 8, 8, 64};
    for (int k = 0; k < lanes; ++k) {
        Variant variant;
        variant.name = "lane " + std::to_string(k);
        variant.mask.layers = {MaskLayer{}};
        variant.mask.apply = k % 2 ? Apply::multiply_weights : Apply::additive;
        scene.variants.push_back(variant);
    }
    Progress progress;
    return make_bench(PlainBackend().compute(scene, {}, nullptr, progress), {});
}

bool overlap(const Rect& x, const Rect& y) {
    return x.x < y.right() && y.x < x.right() && x.y < y.bottom() && y.y < x.bottom();
}

struct Room {
    double width, height, scale;
};

class LayOut : public testing::TestWithParam<std::tuple<Room, Index, int>> {};

// The room of the bench between the panels, for windows of 1024 × 768 to 3840 × 2160.
INSTANTIATE_TEST_SUITE_P(Rooms, LayOut,
                         testing::Combine(testing::Values(Room{700, 480, 1}, Room{980, 700, 1},
                                                          Room{1300, 800, 1}, Room{2600, 1600, 2}),
                                          testing::Values<Index>(3, 6, 8, 16, 64),
                                          testing::Values(1, 2, 3)));

TEST_P(LayOut, NothingOverlapsAndAllIsInTheRoom) {
    const auto [room, tokens, lanes] = GetParam();
    LayoutOptions options;
    options.width = room.width;
    options.height = room.height;
    options.scale = room.scale;
    const Figure figure = lay_out(bench_of(tokens, lanes), options);
    const Rect all{0, 0, room.width, room.height};
    for (std::size_t k = 0; k < figure.heatmaps.size(); ++k) {
        const Rect& rect = figure.heatmaps[k].rect;
        EXPECT_GE(rect.x, 0);
        EXPECT_LE(rect.right(), all.right());
        EXPECT_LE(rect.bottom(), all.bottom());
        for (std::size_t other = 0; other < k; ++other)
            EXPECT_FALSE(overlap(rect, figure.heatmaps[other].rect)) << k << " on " << other;
    }
    for (const SumBar& bar : figure.sums) {
        EXPECT_LE(bar.rect.right(), all.right());
        for (const Heatmap& heatmap : figure.heatmaps)
            EXPECT_FALSE(overlap(bar.rect, heatmap.rect));
    }
    for (const Text& text : figure.texts) EXPECT_GE(text.style.size, 12 * room.scale);
}

TEST(LayOutFile, GrowsWithItsCells) {
    const Figure small = lay_out(bench_of(3, 2), {}), large = lay_out(bench_of(12, 2), {});
    EXPECT_GT(large.width, small.width);
    EXPECT_GT(large.height, small.height);
    for (const Heatmap& heatmap : large.heatmaps) EXPECT_GE(heatmap.number_size, 12);
}

TEST(LayOutFile, ThousandsOfTokensStayAPicture) {
    const Figure figure = lay_out(bench_of(600, 2), {});
    EXPECT_LT(figure.width, 12000);
    for (const Heatmap& heatmap : figure.heatmaps) EXPECT_EQ(heatmap.number_size, 0);
}

TEST(Geometry, TheCellUnderItsOwnMiddleIsThatCell) {
    Figure figure = lay_out(bench_of(16, 1), {});
    for (Heatmap heatmap : figure.heatmaps)
        for (const Zoom& zoom : {Zoom{}, Zoom{0.25, 0.5, 0.75, 1}}) {
            heatmap.zoom = zoom;
            for (Index i = 0; i < 16; ++i)
                for (Index j = 0; j < 16; ++j) {
                    const Rect cell = cell_rect(heatmap, i, j);
                    const Point middle{cell.x + cell.w / 2, cell.y + cell.h / 2};
                    const auto found = cell_at(heatmap, middle);
                    EXPECT_EQ(found.has_value(), heatmap.rect.contains(middle));
                    EXPECT_EQ(found.value_or(Cell{i, j}), (Cell{i, j}));
                }
        }
}

}  // namespace
}  // namespace maskscope
