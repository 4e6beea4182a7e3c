#include "app/session/edits/bench_input.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/figure/layout/lay_out.h"
#include "app/show/bench/bench.h"
#include "app/style/labels.h"
#include "core/base/matrix.h"
#include "core/compute/embedding.h"
#include "core/compute/plain.h"
#include "core/cpu/cpu_backend.h"
#include "tests/support/computed.h"

namespace maskscope {
namespace {

using enum StageKind;

Scene sentence(Index tokens, Index d, int variants = 2, bool cross = false) {
    Scene scene;
    std::vector<std::string> words, keys;
    for (Index k = 0; k < tokens; ++k) words.push_back("token" + std::to_string(k));
    for (Index k = 0; k < tokens + 2; ++k) keys.push_back("key" + std::to_string(k));
    scene.sequences = {{words, std::nullopt}};
    if (cross) scene.sequences[0].keys = keys;
    scene.inputs = EmbeddingInputs{7, 2, d, d, 64};
    for (int k = 0; k < variants; ++k) {
        Variant variant;
        variant.name = "variant " + std::to_string(k);
        variant.mask.apply = k % 2 ? Apply::multiply_weights : Apply::additive;
        variant.mask.layers = {MaskLayer{}};
        scene.variants.push_back(variant);
    }
    return scene;
}

View folded_out(StageKind stage = scaled) {
    View view;
    view.show.vectors = true;
    view.show.stages = {stage, weights};
    return view;
}

Bench bench_of(const Scene& scene, const View& view) { return make_bench(computed(scene), view); }

// --- which numbers may be typed

TEST(WhyNotTyped, ScoresAndGivenNumbersAlone) {
    Session session{std::make_unique<PlainBackend>()};
    ASSERT_TRUE(session.edit("begin", [](Scene& s) { s = sentence(4, 8); }));
    session.update();
    for (const StageKind stage : {scores, scaled})
        EXPECT_FALSE(why_not_typed(session, {shared_variant, stage, 0, 1, 2, 3}));
    for (const StageKind stage : {logits, softmax, weights, output, sensitivity})
        EXPECT_TRUE(why_not_typed(session, {0, stage, 0, 1, 2, 3}));
    for (const int variant : {queries_variant, keys_variant, values_variant})
        EXPECT_FALSE(why_not_typed(session, {variant, output, 0, 1, 2, 7}));
    EXPECT_TRUE(why_not_typed(session, {difference_variant, weights, 0, 1, 2, 3}));
    EXPECT_TRUE(why_not_typed(session, {queries_variant, output, 0, 2, 0, 0})) << "no such head";
}

TEST(WhyNotTyped, WeightsHaveNoScores) {
    Session session{std::make_unique<PlainBackend>()};
    ASSERT_TRUE(session.edit("begin", [](Scene& s) {
        s = sentence(2, 2, 1);
        WeightsInputs inputs;
        inputs.weights = make_array({2, 2}, {1, 0, 0.5, 0.5});
        s.inputs = inputs;
        s.variants[0].mask.apply = Apply::none;
    }));
    session.update();
    EXPECT_NE(why_not_typed(session, {0, softmax, 0, 0, 0, 0}).value_or("").find("weights"),
              std::string::npos);
    EXPECT_NE(why_no_tensors(session.scene()).value_or("").find("weights"), std::string::npos);
}

TEST(WhyNotTyped, AVariantScaledBy0HasNoScoreForANumber) {
    Session session{std::make_unique<PlainBackend>()};
    ASSERT_TRUE(session.edit("begin", [](Scene& s) {
        s = sentence(3, 4, 1);
        s.variants[0].scale = {ScaleKind::number, 0};
    }));
    session.update();
    EXPECT_TRUE(why_not_typed(session, {shared_variant, scaled, 0, 0, 0, 0}));
    EXPECT_FALSE(why_not_typed(session, {shared_variant, scores, 0, 0, 0, 0}));
}

TEST(TypeNumber, OfAScaledScoreIsWhatItsOwnVariantScales) {
    Session session{std::make_unique<PlainBackend>()};
    ASSERT_TRUE(session.edit("begin", [](Scene& s) {
        s = sentence(3, 4);
        s.variants[1].scale = {ScaleKind::number, 0.25};
    }));
    session.update();
    ASSERT_TRUE(type_number(session, {1, scaled, 0, 0, 2, 1}, 3));
    session.update();
    const auto number = [&](std::size_t variant, StageKind stage) {
        return session.shown().variants[variant].stage(stage).at(0, 0, 2, 1);
    };
    EXPECT_EQ(number(1, scaled), 3);
    EXPECT_EQ(number(1, scores), 12);
    EXPECT_EQ(number(0, scaled), 6) << "× 1/√4";
}

TEST(NumberText, IsShortAndReadable) {
    Scene scene = sentence(2, 2, 1);
    EXPECT_EQ(number_text(scene, double(0.1f)), "0.1");
    EXPECT_EQ(number_text(scene, -2), "-2");
    EXPECT_EQ(number_text(scene, 12.375), "12.375");
    EXPECT_EQ(number_text(scene, -0.42410728), "−0.42") << "as its cell";
    EXPECT_EQ(number_text(scene, 123456.7), "1.23e5");
    EXPECT_EQ(number_text(scene, 0.00123456), "1.2e-3");
    scene.variants[0].dtype = Dtype::float64;
    EXPECT_EQ(number_text(scene, 0.1), "0.1");
    EXPECT_EQ(number_text(scene, 1.0 / 3), "0.33");
}

// --- Q, K and V on the bench

TEST(Tensors, AreThoseOfTheScene) {
    Scene scene = sentence(4, 8);
    View view = folded_out();
    view.show.heads = std::vector<Index>{1};
    const Bench bench = bench_of(scene, view);
    const auto& tensors = bench.blocks[0].tensors;
    ASSERT_EQ(tensors.size(), 3u);
    Progress progress;
    const HeadInputs inputs = make_inputs(scene, progress).at(0, 1);
    const Matrix* expected[] = {&inputs.queries, &inputs.keys, &inputs.values};
    for (std::size_t k = 0; k < 3; ++k)
        for (Index i = 0; i < 4; ++i)
            for (Index c = 0; c < 8; ++c)
                EXPECT_EQ(value_at(*tensors[k].cells, i, c), (*expected[k])(i, c));
    using Operations = std::vector<std::string>;
    EXPECT_EQ(bench.blocks[0].shared.front().operations, (Operations{"QKᵀ", "× 1/√d"}));
    EXPECT_EQ(bench_of(scene, folded_out(scores)).blocks[0].shared.front().operations,
              Operations{"QKᵀ"});
    for (Variant& variant : scene.variants) variant.score.kind = ScoreKind::gaussian;
    EXPECT_EQ(bench_of(scene, folded_out(scores)).blocks[0].shared.front().operations,
              Operations{"score(Q, K)"});
}

TEST(Tensors, AreCopiedAgainOnlyWhereTheInputsAreOthers) {
    CpuBackend backend;
    Progress progress;
    Scene scene = sentence(4, 8);
    const Result first = backend.compute(scene, {}, nullptr, progress);
    const Bench bench = make_bench(first, folded_out());
    const auto keys_in = [](const Bench& b) { return b.sources.at({keys_variant, output}); };
    scene.variants[0].mask.layers.clear();
    const Result second = backend.compute(scene, {}, &first, progress);
    EXPECT_EQ(keys_in(make_bench(second, folded_out(), bench.sources)), keys_in(bench));
    set_number(scene, Tensor::keys, 0, 0, 1, 1, 5);
    const Result third = backend.compute(scene, {}, &second, progress);
    const Bench next = make_bench(third, folded_out(), bench.sources);
    EXPECT_NE(keys_in(next), keys_in(bench));
    EXPECT_EQ(value_at(*next.blocks[0].tensors[1].cells, 1, 1), 5);
}

TEST(Tensors, OfGivenScoresAreTheValuesAlone) {
    Scene scene = sentence(3, 4, 1);
    ScoresInputs inputs;
    inputs.scores = make_array({3, 3}, std::vector<double>(9, 1));
    inputs.d_k = 4;
    scene.inputs = inputs;
    EXPECT_TRUE(why_no_tensors(scene));
    EXPECT_TRUE(bench_of(scene, folded_out()).blocks[0].tensors.empty());
    inputs.values = make_array({3, 2}, {1, 2, 3, 4, 5, 6});
    scene.inputs = inputs;
    EXPECT_FALSE(why_no_tensors(scene));
    const Bench bench = bench_of(scene, folded_out());
    ASSERT_EQ(bench.blocks[0].tensors.size(), 1u);
    EXPECT_EQ(bench.blocks[0].tensors[0].variant, values_variant);
    EXPECT_TRUE(bench.blocks[0].shared.front().operations.empty())
        << "V cannot be reached from a score";
}

// --- their layout

struct Room {
    const char* window;
    double width, height, scale;
};

class TensorsLayOut : public testing::TestWithParam<std::tuple<Room, Index, Index, int, bool>> {};

constexpr Room rooms[] = {{"1024x768", 412, 452, 1},
                          {"1600x1000", 988, 742, 1},
                          {"1920x1080", 1308, 764, 1},
                          {"3840x2160", 2616, 1528, 2},
                          {"a file", 0, 0, 1}};

INSTANTIATE_TEST_SUITE_P(Rooms, TensorsLayOut,
                         testing::Combine(testing::ValuesIn(rooms),
                                          testing::Values<Index>(3, 6, 16, 64),
                                          testing::Values<Index>(1, 2, 8, 64, 300),
                                          testing::Values(1, 2, 3), testing::Bool()));

bool overlap(const Rect& x, const Rect& y) {
    return x.x < y.right() && y.x < x.right() && x.y < y.bottom() && y.y < x.bottom();
}

TEST_P(TensorsLayOut, NothingOverlapsAndAllIsInTheRoom) {
    const auto [room, tokens, d, variants, cross] = GetParam();
    LayoutOptions options;
    options.width = room.width;
    options.height = room.height;
    options.scale = room.scale;
    const Figure figure =
        lay_out(bench_of(sentence(tokens, d, variants, cross), folded_out()), options);
    const auto count = [&](int variant) {
        return std::count_if(figure.heatmaps.begin(), figure.heatmaps.end(),
                             [&](const Heatmap& map) { return map.variant == variant; });
    };
    for (const int variant : {queries_variant, keys_variant, values_variant})
        EXPECT_EQ(count(variant), 1);
    const Rect all{0, 0, figure.width, figure.height};
    for (std::size_t k = 0; k < figure.heatmaps.size(); ++k) {
        const Rect& rect = figure.heatmaps[k].rect;
        EXPECT_LE(rect.right(), all.right() + 0.5);
        EXPECT_LE(rect.bottom(), all.bottom() + 0.5);
        for (std::size_t other = 0; other < k; ++other)
            EXPECT_FALSE(overlap(rect, figure.heatmaps[other].rect)) << k << " on " << other;
    }
    const auto shrunk = [](const Rect& r) { return Rect{r.x + 0.5, r.y + 0.5, r.w - 1, r.h - 1}; };
    for (std::size_t k = 0; k < figure.texts.size(); ++k) {
        const Rect rect = shrunk(text_rect(figure.texts[k]));
        EXPECT_GE(rect.x, -1) << figure.texts[k].text;
        EXPECT_LE(rect.right(), all.right() + 1) << figure.texts[k].text;
        for (const Heatmap& map : figure.heatmaps)
            EXPECT_FALSE(overlap(rect, map.rect)) << figure.texts[k].text << " on a heatmap";
        for (std::size_t other = 0; other < k; ++other)
            EXPECT_FALSE(overlap(rect, shrunk(text_rect(figure.texts[other]))))
                << figure.texts[k].text << " on " << figure.texts[other].text;
    }
}

}  // namespace
}  // namespace maskscope
