#include "app/figure/layout/lay_out.h"

#include <gtest/gtest.h>

#include <set>

#include "app/figure/style.h"
#include "app/style/labels.h"
#include "tests/support/computed.h"
#include "tests/unit/app/figure/figure_room.h"
#include "tests/unit/app/figure/overlap.h"

namespace maskscope {
namespace {

MaskLayer blocked_cell(Cell cell) {
    MaskLayer layer;
    layer.kind = LayerKind::blocked;
    layer.cells = {cell};
    return layer;
}

Bench bench_of(Index tokens, int variants, const View& view = {},
               std::optional<Cell> blocked = std::nullopt) {
    Scene scene;
    std::vector<std::string> words;
    for (Index k = 0; k < tokens; ++k) words.push_back("token" + std::to_string(k));
    scene.sequences = {{words, std::nullopt}};
    scene.inputs = EmbeddingInputs{7, 1, 8, 8, 64};
    for (int k = 0; k < variants; ++k) {
        Variant variant;
        variant.name = "variant " + std::to_string(k);
        variant.mask.layers = {MaskLayer{}};
        variant.mask.apply = k % 2 ? Apply::multiply_weights : Apply::additive;
        if (blocked) variant.mask.layers.push_back(blocked_cell(*blocked));
        scene.variants.push_back(variant);
    }
    return make_bench(computed(scene), view);
}

class LayOut : public testing::TestWithParam<std::tuple<FigureRoom, Index, int>> {};

// The space that a window leaves for the bench between its panels, in a lesson.
constexpr FigureRoom rooms[] = {{"1024x768", 412, 452, 1},
                                {"1280x720", 668, 404, 1},
                                {"1920x1080", 1308, 764, 1},
                                {"3840x2160", 2616, 1528, 2},
                                {"3840x2160", 3228, 1844, 1}};

INSTANTIATE_TEST_SUITE_P(Rooms, LayOut,
                         testing::Combine(testing::ValuesIn(rooms),
                                          testing::Values<Index>(3, 4, 6, 8, 12, 16, 31, 64),
                                          testing::Values(1, 2, 3)));

// Shrinks by half a pixel, because places are rounded to whole ones.
Rect shrunk(const Rect& r) { return {r.x + 0.5, r.y + 0.5, r.w - 1, r.h - 1}; }

// Expects that texts are complete and inside the figure, that heatmaps are inside it, too, and that
// no text, heatmap or bar of a row sum is on a heatmap, and no text on a text.
void expect_calm(const Figure& figure) {
    const Rect all{0, 0, figure.width, figure.height};
    const auto expect_inside = [&](const Rect& r, const std::string& what) {
        EXPECT_GE(r.x, -0.5) << what;
        EXPECT_GE(r.y, -0.5) << what;
        EXPECT_LE(r.right(), all.right() + 0.5) << what;
        EXPECT_LE(r.bottom(), all.bottom() + 0.5) << what;
    };
    for (std::size_t k = 0; k < figure.heatmaps.size(); ++k) {
        const Rect& rect = figure.heatmaps[k].rect;
        expect_inside(rect, "heatmap");
        for (std::size_t other = 0; other < k; ++other)
            EXPECT_FALSE(overlap(rect, figure.heatmaps[other].rect)) << k << " on " << other;
        for (const SumBar& bar : figure.sums) EXPECT_FALSE(overlap(bar.rect, rect));
    }
    std::vector<Text> texts = figure.texts;
    for (const SumBar& bar : figure.sums) texts.push_back(style::sum_text(bar));
    std::vector<Rect> rects;
    for (const Text& text : texts) rects.push_back(shrunk(text_rect(text)));
    for (std::size_t k = 0; k < texts.size(); ++k) {
        const Text& text = texts[k];
        const Rect& rect = rects[k];
        if (text.text.empty()) continue;
        expect_inside(rect, text.text);
        EXPECT_FALSE(is_cut(text)) << text.text;
        EXPECT_GE(text.style.size, 12 * figure.unit);
        for (const Heatmap& heatmap : figure.heatmaps)
            EXPECT_FALSE(overlap(rect, heatmap.rect)) << text.text << " on a heatmap";
        for (std::size_t other = 0; other < k; ++other)
            EXPECT_FALSE(overlap(rect, rects[other])) << text.text << " on " << texts[other].text;
    }
}

LayoutOptions options_of(const FigureRoom& room) {
    LayoutOptions options = options_in(room);
    options.interactive = true;
    return options;
}

TEST_P(LayOut, NothingOverlapsOrIsCut) {
    const auto [room, tokens, variants] = GetParam();
    expect_calm(lay_out(bench_of(tokens, variants), options_of(room)));
}

TEST_P(LayOut, ZoomedAsWell) {
    const auto [room, tokens, variants] = GetParam();
    LayoutOptions options = options_of(room);
    options.zoom = {0.3, 0.45, 0.6, 0.75};
    expect_calm(lay_out(bench_of(tokens, variants), options));
}

TEST_P(LayOut, VariantsOfOneStageStandSideBySideAsCalmly) {
    const auto [room, tokens, variants] = GetParam();
    View view;
    view.show.stages = {StageKind::weights};
    expect_calm(lay_out(bench_of(tokens, variants, view), options_of(room)));
}

TEST_P(LayOut, ADifferenceVariantAsWell) {
    const auto [room, tokens, variants] = GetParam();
    if (variants < 2) return;  // a difference needs two
    View view;
    view.show.difference = Difference{0, 1};
    expect_calm(lay_out(bench_of(tokens, variants, view), options_of(room)));
}

// Returns a bench with documents and a tree, whose marks are beside the mask, and sinks beside the
// weights.
Bench marked_bench(Index tokens, int variants) {
    Scene scene;
    scene.sequences = {{std::vector<std::string>(static_cast<std::size_t>(tokens), "word"), {}}};
    scene.inputs = EmbeddingInputs{7, 1, 8, 8, 64};
    MaskLayer documents, tree;
    documents.kind = LayerKind::documents;
    documents.lengths = {tokens / 2, tokens - tokens / 2};
    tree.kind = LayerKind::tree;
    for (Index k = 0; k < tokens; ++k) tree.parents.push_back((k + 1) / 2 - 1);
    for (int k = 0; k < variants; ++k) {
        Variant variant;
        variant.name = "variant " + std::to_string(k);
        variant.mask.layers = {documents, tree};
        variant.mask.value = {ValueKind::number, -1.0 - k};
        variant.normalizer = Normalizer::softmax_sink;
        scene.variants.push_back(variant);
    }
    return make_bench(computed(scene), {});
}

TEST_P(LayOut, MarksAndSinksAsWell) {
    const auto [room, tokens, variants] = GetParam();
    const Figure figure = lay_out(marked_bench(tokens, variants), options_of(room));
    expect_calm(figure);
    int strips = 0;
    for (const Box& box : figure.boxes) {
        if (box.fill < Role::variant_a) continue;
        ++strips;
        for (const Heatmap& map : figure.heatmaps) EXPECT_FALSE(overlap(box.rect, map.rect));
        for (const Connector& line : figure.connectors)
            for (std::size_t k = 1; k < line.points.size(); ++k) {
                const Point &a = line.points[k - 1], &b = line.points[k];
                const Rect piece{std::min(a.x, b.x), std::min(a.y, b.y), std::abs(a.x - b.x),
                                 std::abs(a.y - b.y)};
                EXPECT_FALSE(overlap(box.rect, piece)) << "a line crosses a strip";
            }
    }
    EXPECT_EQ(strips, 4) << "two documents, along rows and columns";
    EXPECT_EQ(figure.dots.size(), static_cast<std::size_t>(tokens));
    EXPECT_EQ(figure.strokes.size(), static_cast<std::size_t>(tokens - 1));
}

TEST(Vectors, KIsBelowQAndBesideItWhilePresenting) {
    View view;
    view.show.vectors = true;
    const Bench bench = bench_of(4, 2, view);
    const auto rect_of = [](const Figure& figure, int variant) {
        return std::ranges::find(figure.heatmaps, variant, &Heatmap::variant)->rect;
    };
    for (const bool in_hall : {false, true}) {
        LayoutOptions options = options_of(rooms[2]);
        options.in_hall = in_hall;
        const Figure figure = lay_out(bench, options);
        const Rect q = rect_of(figure, queries_variant), k = rect_of(figure, keys_variant),
                   v = rect_of(figure, values_variant), scores = rect_of(figure, shared_variant);
        if (in_hall)
            EXPECT_TRUE(k.y == q.y && k.x > q.right());
        else
            EXPECT_TRUE(k.x == q.x && k.y > q.bottom());
        EXPECT_EQ(v.x, q.x);
        EXPECT_GT(v.y, q.bottom());
        EXPECT_GT(scores.x, k.right()) << "before the stages that are computed from them";
    }
}

// Names are drawn along the columns if they fit; a single group needs no number.
TEST(Strips, AreCalledWhatTheyAre) {
    const auto texts_of = [](LayerKind kind, std::vector<Index> numbers) {
        Scene scene;
        scene.sequences = {{std::vector<std::string>(6, "word"), {}}};
        scene.inputs = EmbeddingInputs{7, 1, 8, 8, 64};
        MaskLayer layer;
        layer.kind = kind;
        (kind == LayerKind::documents ? layer.lengths : layer.ids) = std::move(numbers);
        scene.variants.resize(1);
        scene.variants[0].name = "A";
        scene.variants[0].mask.layers = {layer};
        std::set<std::string> texts;
        View view;
        view.show.stages = {StageKind::allowed, StageKind::weights};
        for (const Text& text : lay_out(make_bench(computed(scene), view), {}).texts)
            texts.insert(text.text);
        return texts;
    };
    const auto documents = texts_of(LayerKind::documents, {5, 1});
    EXPECT_TRUE(documents.contains("document 1"));
    EXPECT_FALSE(documents.contains("document 2")) << "too narrow for it";
    EXPECT_TRUE(documents.contains("2"));
    const auto groups = texts_of(LayerKind::groups, {0, 0, 0, 1, 1, 1});
    EXPECT_TRUE(groups.contains("group 0") && groups.contains("group 1"));
    const auto alone = texts_of(LayerKind::groups, {-1, 0, 0, 0, 0, -1});
    EXPECT_TRUE(alone.contains("group"));
    EXPECT_FALSE(alone.contains("group 0"));
}

TEST_P(LayOut, StagesAfterTheWeightsAsWell) {
    const auto [room, tokens, variants] = GetParam();
    View view;
    view.show.stages = {StageKind::weights, StageKind::output, StageKind::sensitivity};
    expect_calm(lay_out(bench_of(tokens, variants, view), options_of(room)));
}

TEST_P(LayOut, AnEditOfOneCellMovesNothing) {
    const auto [room, tokens, variants] = GetParam();
    const Figure before = lay_out(bench_of(tokens, variants), options_of(room));
    const Figure after = lay_out(bench_of(tokens, variants, {}, Cell{2, 0}), options_of(room));
    ASSERT_EQ(before.heatmaps.size(), after.heatmaps.size());
    for (std::size_t k = 0; k < before.heatmaps.size(); ++k)
        EXPECT_EQ(before.heatmaps[k].rect, after.heatmaps[k].rect);
}

// If its numbers do not fit, a stage is shown in colours.
TEST(LayOutBlocks, AStageAloneIsNeverLeftOut) {
    for (const StageKind stage : {StageKind::scores, StageKind::logits, StageKind::weights})
        for (const Index tokens : {12, 14, 16})
            for (const int variants : {1, 2, 3})
                for (const FigureRoom& room : rooms) {
                    View view;
                    view.show.stages = std::vector<StageKind>{stage};
                    const Figure figure =
                        lay_out(bench_of(tokens, variants, view), options_of(room));
                    EXPECT_TRUE(std::ranges::any_of(
                        figure.heatmaps,
                        [&](const Heatmap& map) { return map.cells->stage == stage; }))
                        << int(stage) << ", " << tokens << " tokens, " << variants << " variants";
                    for (const Text& text : figure.texts) EXPECT_LT(text.at.x, 1e5);
                }
}

TEST(LayOutBlocks, OfSeveralSequencesStandUnderEachOther) {
    Scene scene;
    scene.sequences = {{{"a", "short", "one"}, std::nullopt},
                       {{"a", "considerablylonger", "one"}, std::nullopt}};
    scene.inputs = EmbeddingInputs{7, 1, 8, 8, 64};
    scene.variants.resize(1);
    scene.variants[0].name = "A";
    View view;
    view.show.sequences = std::vector<Index>{0, 1};
    const Bench bench = make_bench(computed(scene), view);
    for (const FigureRoom& room : rooms) {
        const Figure figure = lay_out(bench, options_of(room));
        ASSERT_EQ(figure.heatmaps.size() % 2, 0u);
        const std::size_t half = figure.heatmaps.size() / 2;
        if (figure.heatmaps[half].rect.y == figure.heatmaps[0].rect.y) continue;  // abreast
        for (std::size_t k = 0; k < half; ++k) {
            EXPECT_EQ(figure.heatmaps[k].rect.x, figure.heatmaps[half + k].rect.x) << room.window;
            EXPECT_EQ(figure.heatmaps[k].rect.w, figure.heatmaps[half + k].rect.w) << room.window;
        }
    }
}

TEST(LayOutFile, IsAsCalmAsTheWindow) {
    for (const Index tokens : {3, 6, 16, 64})
        for (const int variants : {1, 2, 3, 7})
            expect_calm(lay_out(bench_of(tokens, variants), {}));
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

// If no text fits beside each row, bars are as high as rows. If that is too thin, one bar shows the
// worst of several rows.
TEST(LayOutSums, EveryRowHasItsBar) {
    LayoutOptions options;
    options.width = 1000;
    options.height = 640;
    for (const Index tokens : {12, 64}) {
        const Figure figure = lay_out(bench_of(tokens, 1), options);
        EXPECT_EQ(Index(figure.sums.size()), tokens);
        const double row = cell_rect(figure.heatmaps.back(), 0, 0).h;
        for (const SumBar& bar : figure.sums) {
            if (tokens > 12) {
                EXPECT_NEAR(bar.rect.h, row, 1e-6);
            }
        }
    }
    const auto numbers = [&](const Figure& figure) {
        return std::ranges::count_if(figure.texts, [](const Text& t) { return t.text == "1"; });
    };
    const Figure many = lay_out(bench_of(64, 1), options);
    EXPECT_GE(numbers(many), 4);
    EXPECT_LT(numbers(many), 64) << "numbers only if there is space";
}

TEST(LayOutSums, OneBarOfManyRowsShowsTheWorst) {
    Bench bench = bench_of(512, 1);
    BenchVariant& variant = bench.blocks[0].variants[0];
    variant.sums.rows[101].figures.sum = 0.5;
    LayoutOptions options;
    options.width = 600;
    options.height = 400;
    const Figure figure = lay_out(bench, options);
    EXPECT_LT(figure.sums.size(), 512u);
    EXPECT_EQ(std::ranges::count_if(figure.sums,
                                    [](const SumBar& bar) { return bar.status == Role::odd; }),
              1);
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

// --- stages that a question covers

using ShownStages = std::set<std::pair<int, StageKind>>;  // variant and stage

// Returns the stages shown under a cover, which are the same in a window and while presenting.
ShownStages shown_under(const std::optional<Cover>& cover) {
    View view;
    view.show.stages = {StageKind::scaled, StageKind::weights, StageKind::output};
    view.cover = cover;
    const Bench bench = bench_of(4, 2, view);
    LayoutOptions options;
    options.width = 1308;
    options.height = 764;
    const auto shown_in = [](const Figure& figure) {
        ShownStages shown;
        for (const Heatmap& map : figure.heatmaps) shown.emplace(map.variant, map.cells->stage);
        return shown;
    };
    const ShownStages shown = shown_in(lay_out(bench, options));
    options.in_hall = true;
    EXPECT_EQ(shown_in(lay_out(bench, options)), shown);
    return shown;
}

TEST(LayOutCover, HidesTheVariantsAndStagesThatItNames) {
    using enum StageKind;
    const ShownStages all = {{-1, allowed}, {-1, scaled}, {0, weights},
                             {0, output},   {1, weights}, {1, output}};
    const auto without = [&](const ShownStages& hidden) {
        ShownStages left = all;
        for (const auto& one : hidden) left.erase(one);
        return left;
    };
    EXPECT_EQ(shown_under({}), all);
    EXPECT_EQ(shown_under(Cover{}),
              without({{0, weights}, {0, output}, {1, weights}, {1, output}}));
    EXPECT_EQ(shown_under(Cover{{{1}}, {}}), without({{1, weights}, {1, output}}));
    EXPECT_EQ(shown_under(Cover{{{1}}, {{output}}}), without({{1, output}}));
    EXPECT_EQ(shown_under(Cover{{}, {{output}}}), without({{0, output}, {1, output}}));
    // A stage that all variants share is hidden only if the cover hides it for all of them.
    EXPECT_EQ(shown_under(Cover{{}, {{scaled, allowed}}}), without({{-1, scaled}, {-1, allowed}}));
    EXPECT_EQ(shown_under(Cover{{{1}}, {{scaled}}}), all);
}

TEST(LayOutCover, SumsGoWithTheirWeights) {
    View view;
    view.cover = Cover{{{1}}, {}};
    const Figure figure = lay_out(bench_of(4, 2, view), {});
    EXPECT_EQ(std::ranges::count_if(figure.sums, [](const SumBar& bar) { return bar.row >= 0; }),
              4);
    for (const SumBar& bar : figure.sums) EXPECT_NE(bar.variant, 1);
}

TEST(LayOutCover, ADifferenceGoesWithEitherVariant) {
    View view;
    view.show.difference = Difference{0, 1};
    for (const int variant : {0, 1}) {
        view.cover = Cover{{{variant}}, {}};
        for (const Heatmap& map : lay_out(bench_of(4, 2, view), {}).heatmaps)
            EXPECT_TRUE(map.variant == shared_variant || map.variant == 1 - variant) << map.variant;
    }
}

}  // namespace
}  // namespace maskscope
