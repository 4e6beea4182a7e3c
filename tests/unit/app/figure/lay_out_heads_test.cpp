// Tests the grid of heads, and the head that is enlarged.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "app/figure/plots/lay_out_view.h"
#include "app/show/bench/bench_survey.h"
#include "app/style/labels.h"
#include "core/large/large_backend.h"
#include "tests/support/computed.h"
#include "tests/unit/app/figure/figure_room.h"
#include "tests/unit/app/figure/overlap.h"

namespace maskscope {
namespace {

constexpr FigureRoom heads_rooms[] = {
    {"1024x768", 412, 452, 1, false},   {"1280x720", 668, 404, 1, false},
    {"1600x1000", 985, 640, 1, false},  {"3840x2160", 2616, 1528, 2, false},
    {"1024x768", 952, 430, 2, true},    {"1600x1000", 1506, 600, 1000 / 384.0, true},
    {"1920x1080", 1819, 640, 2.8, true}};

Result result_of(Index heads, Index tokens, int variants) {
    Scene scene;
    std::vector<std::string> words;
    for (Index k = 0; k < tokens; ++k) words.push_back("word" + std::to_string(k));
    scene.sequences = {{words, std::nullopt}};
    scene.inputs = EmbeddingInputs{7, heads, 8, 8, 64};
    for (int k = 0; k < variants; ++k) {
        Variant variant;
        variant.name = "variant " + std::to_string(k);
        if (k > 0) variant.mask.layers = {MaskLayer{}};
        scene.variants.push_back(variant);
    }
    return computed(scene);
}

View heads_view() {
    View view;
    view.show.view = ViewKind::heads;
    return view;
}

Figure heads_figure(const Result& result, const View& view, const LayoutOptions& options) {
    return lay_out_view(result, make_bench(result, view), view, options);
}

// Returns where the ink of the line may be.
Rect ink_of_line(const Text& text) {
    const Rect line = text_rect(text);
    const double spare = 0.1 * text.style.size;
    if (text.vertical) return {line.x + spare, line.y + 0.5, line.w - 2 * spare, line.h - 1};
    return {line.x + 0.5, line.y + spare, line.w - 1, line.h - 2 * spare};
}

bool lies_in(const Rect& rect, double width, double height) {
    return rect.x >= -0.5 && rect.y >= -0.5 && rect.right() <= width + 0.5 &&
           rect.bottom() <= height + 0.5;
}

bool has_text(const Figure& figure, const std::string& words) {
    return std::ranges::any_of(figure.texts, [&](const Text& text) { return text.text == words; });
}

class HeadGrids : public testing::TestWithParam<std::tuple<Index, Index, int>> {};

INSTANTIATE_TEST_SUITE_P(Rooms, HeadGrids,
                         testing::Combine(testing::Values<Index>(2, 3, 5, 7, 8, 12, 13, 32),
                                          testing::Values<Index>(2, 6, 13, 25, 64),
                                          testing::Values(1, 2)));

void expect_all_heads_apart(const Figure& figure, const FigureRoom& room, Index heads,
                            int variants) {
    ASSERT_EQ(Index(figure.heatmaps.size()), heads * variants);
    const double width = figure.width, height = figure.height;
    for (const char* words : {"queries ↓", "keys →"}) EXPECT_TRUE(has_text(figure, words));
    EXPECT_GE(std::ranges::count_if(figure.texts, [](const Text& t) { return t.text == "word0"; }),
              2)
        << "the first query and the first key";
    for (std::size_t k = 0; k < figure.heatmaps.size(); ++k) {
        const Rect& rect = figure.heatmaps[k].rect;
        EXPECT_TRUE(lies_in(rect, width, height)) << k;
        for (const double pixel : {rect.x, rect.y, rect.w, rect.h})
            EXPECT_EQ(pixel, std::round(pixel));
        for (std::size_t other = 0; other < k; ++other)
            EXPECT_FALSE(overlap(rect, figure.heatmaps[other].rect)) << k << " on " << other;
    }
    for (std::size_t k = 0; k < figure.texts.size(); ++k) {
        const Text& text = figure.texts[k];
        const Rect ink = ink_of_line(text);
        EXPECT_GE(text.style.size, 12 * room.scale) << text.text;
        EXPECT_TRUE(lies_in(ink, width, height)) << text.text;
        EXPECT_TRUE(!is_cut(text) || text.text.starts_with("variant")) << text.text;
        for (const Heatmap& map : figure.heatmaps)
            EXPECT_FALSE(overlap(ink, map.rect)) << text.text << " on a heatmap";
        for (std::size_t other = 0; other < k; ++other)
            EXPECT_FALSE(overlap(ink, ink_of_line(figure.texts[other])))
                << text.text << " on " << figure.texts[other].text;
    }
}

TEST_P(HeadGrids, AllHeadsAreThereWithTheirTokensAndNothingOverlaps) {
    const auto& [heads, tokens, variants] = GetParam();
    const Result result = result_of(heads, tokens, variants);
    for (const FigureRoom& room : heads_rooms) {
        SCOPED_TRACE(testing::PrintToString(room));
        expect_all_heads_apart(heads_figure(result, heads_view(), options_in(room)), room, heads,
                               variants);
    }
}

// Returns the number of heads in each row of a variant.
std::vector<int> rows_of_heads(const Figure& figure, int variant) {
    std::map<double, int> rows;
    for (const Heatmap& map : figure.heatmaps)
        if (map.variant == variant) ++rows[map.rect.y];
    std::vector<int> counts;
    for (const auto& [y, count] : rows) counts.push_back(count);
    return counts;
}

TEST_P(HeadGrids, RowsAreBalanced) {
    const auto& [heads, tokens, variants] = GetParam();
    const Result result = result_of(heads, tokens, variants);
    std::vector<LayoutOptions> all{LayoutOptions{}};
    for (const FigureRoom& room : heads_rooms) all.push_back(options_in(room));
    for (const LayoutOptions& options : all) {
        const Figure figure = heads_figure(result, heads_view(), options);
        for (int variant = 0; variant < variants; ++variant) {
            const std::vector<int> rows = rows_of_heads(figure, variant);
            const auto [least, most] = std::ranges::minmax(rows);
            EXPECT_LE(most - least, heads == 12 ? 0 : 1);
        }
    }
}

TEST(HeadGrid, ShowsNumbersWhereCellsAreLargeEnough) {
    const Figure figure =
        heads_figure(result_of(8, 6, 1), heads_view(), options_in(heads_rooms[2]));
    for (const Heatmap& map : figure.heatmaps) {
        EXPECT_GE(map.number_size, 12);
        EXPECT_EQ(map.number_form, figure.heatmaps.front().number_form);
    }
    const Figure small =
        heads_figure(result_of(8, 45, 1), heads_view(), options_in(heads_rooms[2]));
    for (const Heatmap& map : small.heatmaps) EXPECT_EQ(map.number_size, 0);
}

TEST(HeadGrid, WithOneSceneListForThePipelineShowsAllHeads) {
    Result result = result_of(12, 6, 1);
    result.scene.show = Show{};
    result.scene.show->heads = {{4, 7}};
    View view;
    view.show = *result.scene.show;
    view.show.view = ViewKind::heads;
    EXPECT_EQ(heads_figure(result, view, {}).heatmaps.size(), 12u);
    result.scene.show->view = ViewKind::heads;
    EXPECT_EQ(heads_figure(result, view, {}).heatmaps.size(), 2u) << "listed for this view";
}

// Rows are computed when they are read, and most of them are not computed yet.
TEST(HeadGrid, SaysInTheLegendThatItIsSampled) {
    const Result kept = result_of(4, 300, 1);
    Progress progress;
    const Result read = LargeBackend(1, 0).compute(kept.scene, Request(), nullptr, progress);
    const View view = heads_view();
    BenchSurvey survey(read, view, nullptr);
    survey.go_on(std::chrono::milliseconds(0), progress);  // one block
    const Figure sampled =
        lay_out_view(read, make_bench(read, view, survey.sources()), view, LayoutOptions{});
    const auto says = [](const Figure& figure, const char* words) {
        return std::ranges::any_of(figure.texts, [&](const Text& text) {
            return text.text.find(words) != std::string::npos;
        });
    };
    EXPECT_LT(survey.seen(), 1);
    EXPECT_TRUE(says(sampled, ", sampled, "));
    EXPECT_FALSE(says(heads_figure(kept, view, {}), "sampled"));
}

}  // namespace
}  // namespace maskscope
