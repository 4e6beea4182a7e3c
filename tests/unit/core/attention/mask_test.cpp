#include "core/attention/mask.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "core/base/matrix.h"
#include "tests/support/computed.h"
#include "tests/support/layer.h"

namespace maskscope {
namespace {

Scene scene_of(std::vector<std::string> queries,
               std::optional<std::vector<std::string>> keys = std::nullopt, Index heads = 1) {
    Scene scene;
    scene.sequences = {{std::move(queries), std::move(keys)}};
    scene.inputs = EmbeddingInputs{0, heads, 2, 2, 4};
    scene.variants.resize(1);
    return scene;
}

MaskLayer window(Index left, Index right) {
    MaskLayer layer = layer_of(LayerKind::window);
    layer.left = left;
    layer.right = right;
    return layer;
}

MaskLayer prefix(Index length) {
    MaskLayer layer = layer_of(LayerKind::prefix);
    layer.length = length;
    return layer;
}

MaskLayer documents(std::vector<Index> lengths) {
    MaskLayer layer = layer_of(LayerKind::documents);
    layer.lengths = std::move(lengths);
    return layer;
}

// Returns the cells as text: "1" allowed, "." blocked, with "/" between rows.
std::string drawn(const Allowed& allowed) {
    std::string text;
    for (Index i = 0; i < allowed.rows(); ++i) {
        for (Index j = 0; j < allowed.cols(); ++j) text += allowed(i, j) ? '1' : '.';
        text += i + 1 < allowed.rows() ? "/" : "";
    }
    return text;
}

std::string drawn(const Scene& scene, std::vector<MaskLayer> layers, Index h = 0) {
    return drawn(allowed_cells(scene, layers, 0, h));
}

const Scene square = scene_of({"a", "b", "c", "d"});
const Scene wide = scene_of({"a", "b", "c"}, {{"u", "v", "w", "x", "y"}});
const Scene tall = scene_of({"u", "v", "w", "x", "y"}, {{"a", "b", "c"}});

TEST(MaskLayers, NoneAllowEverything) { EXPECT_EQ(drawn(square, {}), "1111/1111/1111/1111"); }

TEST(MaskLayers, CausalAndItsAlignment) {
    const MaskLayer top = layer_of(LayerKind::causal);
    MaskLayer bottom = layer_of(LayerKind::causal);
    bottom.align = Align::bottom_right;
    EXPECT_EQ(drawn(square, {top}), "1.../11../111./1111");
    EXPECT_EQ(drawn(wide, {top}), "1..../11.../111..");
    EXPECT_EQ(drawn(wide, {bottom}), "111../1111./11111");
    EXPECT_EQ(drawn(tall, {top}), "1../11./111/111/111");
    EXPECT_EQ(drawn(tall, {bottom}), ".../.../1../11./111");
}

TEST(MaskLayers, Padding) {
    const Scene scene = scene_of({"a", "<pad>"}, {{"<pad>", "b", "c"}});
    EXPECT_EQ(drawn(scene, {layer_of(LayerKind::padding)}), ".11/.11");
    EXPECT_EQ(drawn(scene, {layer_of(LayerKind::padding_queries)}), "111/...");
}

TEST(MaskLayers, ShorterSequencesArePaddedAtTheEnd) {
    Scene scene = scene_of({"a", "b", "c"});
    scene.sequences.push_back({{"d"}, std::nullopt});
    const std::vector<MaskLayer> layers = {layer_of(LayerKind::padding)};
    EXPECT_EQ(drawn(allowed_cells(scene, layers, 0, 0)), "111/111/111");
    EXPECT_EQ(drawn(allowed_cells(scene, layers, 1, 0)), "1../1../1..");
}

TEST(MaskLayers, WindowPrefixDocuments) {
    EXPECT_EQ(drawn(square, {window(1, 0)}), "1.../11../.11./..11");
    const Index huge = (Index{1} << 53) - 1;
    EXPECT_EQ(drawn(square, {window(huge, huge)}), "1111/1111/1111/1111");
    EXPECT_EQ(drawn(square, {prefix(2)}), "11../11../111./1111");
    EXPECT_EQ(drawn(square, {prefix(0)}), "1.../11../111./1111");
    EXPECT_EQ(drawn(square, {prefix(huge)}), "1111/1111/1111/1111");
    EXPECT_EQ(drawn(square, {documents({1, 2, 1})}), "1.../.11./.11./...1");
}

TEST(MaskLayers, SinksAreTheFirstKeys) {
    MaskLayer sinks = layer_of(LayerKind::sinks);
    EXPECT_EQ(drawn(wide, {sinks}), "...../...../.....");
    sinks.count = 2;
    EXPECT_EQ(drawn(wide, {sinks}), "11.../11.../11...");
    EXPECT_EQ(drawn(wide, {sinks, layer_of(LayerKind::causal)}), "1..../11.../11...");
    sinks.count = (Index{1} << 53) - 1;
    EXPECT_EQ(drawn(wide, {sinks}), "11111/11111/11111");
}

TEST(MaskLayers, ListedCellsRowsAndColumns) {
    MaskLayer layer = layer_of(LayerKind::blocked);
    layer.cells = {{0, 3}};
    layer.rows = {1};
    layer.columns = {0};
    EXPECT_EQ(drawn(square, {layer}), ".11./..../.111/.111");
    layer.kind = LayerKind::allowed;
    const MaskLayer causal = layer_of(LayerKind::causal);
    EXPECT_EQ(drawn(square, {layer}), "1111/1111/1111/1111");
    // Wherever the rule `allowed` is in the list, it allows what other rules block.
    EXPECT_EQ(drawn(square, {layer, causal}), "1..1/1111/111./1111");
    EXPECT_EQ(drawn(square, {causal, layer}), "1..1/1111/111./1111");
}

TEST(MaskLayers, HoldForTheirHeadsAlone) {
    const Scene scene = scene_of({"a", "b"}, std::nullopt, 3);
    MaskLayer layer = layer_of(LayerKind::causal);
    layer.heads = {0, 2};
    EXPECT_EQ(drawn(scene, {layer}, 0), "1./11");
    EXPECT_EQ(drawn(scene, {layer}, 1), "11/11");
    EXPECT_EQ(drawn(scene, {layer}, 2), "1./11");
}

TEST(Biases, AddUp) {
    const Scene scene = scene_of({"a", "b", "c"}, std::nullopt, 2);
    const auto biases_of = [&](const std::vector<MaskLayer>& layers, Index h, Index first,
                               Index rows) {
        return biases(scene, layers, head_positions(scene, 0, h), first, rows);
    };
    MaskLayer alibi = layer_of(LayerKind::alibi);
    MaskLayer cells = layer_of(LayerKind::bias);
    cells.bias = {{0, 1, 0.5}, {2, 0, -3}, {2, 0, 1}};
    cells.heads = {1};
    EXPECT_EQ(biases_of({layer_of(LayerKind::causal)}, 0, 0, 3).size(), 0);
    Matrix expected(3, 3);
    expected << 0, -1, -2, -1, 0, -1, -2, -1, 0;
    EXPECT_EQ(biases_of({alibi, cells}, 0, 0, 3), expected * 0x1p-4);
    expected *= 0x1p-8;
    expected(0, 1) += 0.5;
    expected(2, 0) -= 2;
    EXPECT_EQ(biases_of({alibi, cells}, 1, 0, 3), expected);
    EXPECT_EQ(biases_of({alibi, cells}, 1, 2, 1), expected.bottomRows(1));
}

TEST(BlockedValue, IsRounded) {
    EXPECT_EQ(blocked_value({}, Dtype::float16), -infinity);
    EXPECT_EQ(blocked_value({ValueKind::number, -1e9}, Dtype::float16), -infinity);
    EXPECT_EQ(blocked_value({ValueKind::number, -1e9}, Dtype::float32), -1e9);
    EXPECT_EQ(blocked_value({ValueKind::lowest, 0}, Dtype::float16), -65504);
}

// --- one row: key 0 allowed, key 1 blocked

Allowed first_of_two() {
    Allowed allowed(1, 2);
    allowed << true, false;
    return allowed;
}

struct MaskedRow {
    Mask mask;
    Dtype dtype = Dtype::float64;
    double scale = 1;
    std::vector<double> scores = {3, 5};
    std::vector<double> bias;

    Matrix row(const std::vector<double>& numbers) const {
        return Eigen::Map<const Matrix>(numbers.data(), numbers.empty() ? 0 : 1,
                                        static_cast<Index>(numbers.size()));
    }
    Matrix logits() const {
        const Rounding rounded(dtype);
        Variant variant;
        variant.mask = mask;
        variant.dtype = dtype;
        return mask_before_softmax(variant, row(scores), rounded(row(scores) * scale), scale,
                                   row(bias), first_of_two())
            .numbers;
    }
};

TEST(MaskBeforeSoftmax, EachWay) {
    const auto blocked = [](Apply apply) {
        MaskedRow masked;
        masked.mask.apply = apply;
        masked.scale = 2;
        const Matrix logits = masked.logits();
        EXPECT_EQ(logits(0, 0), 6);
        return logits(0, 1);
    };
    EXPECT_EQ(blocked(Apply::additive), -infinity);
    EXPECT_EQ(blocked(Apply::replace), -infinity);
    EXPECT_EQ(blocked(Apply::multiply_scores), 0);
    EXPECT_EQ(blocked(Apply::multiply_weights), 10);
    EXPECT_EQ(blocked(Apply::multiply_weights_renormalized), 10);
    EXPECT_EQ(blocked(Apply::none), 10);
}

TEST(MaskBeforeSoftmax, MaskedThenScaled) {
    MaskedRow masked;
    masked.mask.value = {ValueKind::number, -7};
    masked.mask.order = Order::mask_then_scale;
    masked.scale = 2;
    masked.bias = {0.25, 0.5};
    EXPECT_EQ(masked.logits()(0, 0), 6.25);
    EXPECT_EQ(masked.logits()(0, 1), (5 - 7) * 2 + 0.5);  // the bias is added last
    masked.mask.apply = Apply::replace;
    EXPECT_EQ(masked.logits()(0, 1), -7 * 2 + 0.5);
    masked.mask.order = Order::scale_then_mask;
    EXPECT_EQ(masked.logits()(0, 1), -7);  // replaces the score and its bias
    masked.mask.apply = Apply::multiply_scores;
    EXPECT_EQ(masked.logits()(0, 1), 0);
    masked.mask.apply = Apply::none;
    EXPECT_EQ(masked.logits()(0, 1), 10.5);
}

TEST(MaskBeforeSoftmax, AddedTwiceIsRoundedInBetween) {
    // In float16, numbers near 1e4 are 8 apart, and numbers near 2e4 are 16 apart.
    MaskedRow masked;
    masked.mask.value = {ValueKind::number, -1e4};
    masked.mask.times = 2;
    masked.dtype = Dtype::float16;
    masked.scores = {0, 11};
    EXPECT_EQ(masked.logits()(0, 1), -20000);  // −9989 → −9992, −19992 → −20000; else −19984
    masked.scores = {0, 5};
    masked.mask.times = 1;
    EXPECT_EQ(masked.logits()(0, 1), -9992);  // −9995
    masked.mask.value = {ValueKind::lowest, 0};
    masked.mask.times = 2;
    EXPECT_EQ(masked.logits()(0, 1), -infinity);
    masked.mask.order = Order::mask_then_scale;  // already infinite before the scale
    masked.scale = 1.0 / 64;
    EXPECT_EQ(masked.logits()(0, 1), -infinity);
    masked.mask.times = 1;  // nothing is rounded within the stage
    masked.scores = {0, -100};
    EXPECT_EQ(masked.logits()(0, 1), Rounding(Dtype::float16)((-65504.0 - 100) / 64));
}

TEST(MaskBeforeSoftmax, ABadScoreSurvivesAllButReplacing) {
    for (const double bad : {std::nan(""), infinity}) {
        MaskedRow masked;
        masked.scores = {3, bad};
        EXPECT_TRUE(std::isnan(masked.logits()(0, 1)));  // ∞ − ∞
        masked.mask.apply = Apply::multiply_scores;
        EXPECT_TRUE(std::isnan(masked.logits()(0, 1)));  // ∞ · 0
        masked.mask.apply = Apply::replace;
        EXPECT_EQ(masked.logits()(0, 1), -infinity);
    }
}

TEST(MaskAfterSoftmax, MultipliesAndRenormalises) {
    Matrix softmax(1, 2);
    softmax << 0.25, 0.75;
    const auto weights = [&](Apply apply) {
        return mask_after_softmax(apply, Dtype::float32, softmax, first_of_two());
    };
    EXPECT_EQ(weights(Apply::none), softmax);
    EXPECT_EQ(weights(Apply::additive), softmax);
    EXPECT_EQ(weights(Apply::multiply_weights), (Matrix(1, 2) << 0.25, 0).finished());
    EXPECT_EQ(weights(Apply::multiply_weights_renormalized), (Matrix(1, 2) << 1, 0).finished());
    softmax << 0, 1;
    EXPECT_TRUE(weights(Apply::multiply_weights_renormalized).array().isNaN().all());
    softmax.setConstant(std::nan(""));
    EXPECT_TRUE(weights(Apply::multiply_weights).array().isNaN().all());
}

TEST(EmptyRows, AreMendedWhereTheMaskIsApplied) {
    Allowed allowed(2, 2);
    allowed << true, false, false, false;
    const Matrix weights = Matrix::Constant(2, 2, 0.5);
    Mask mask;
    for (const EmptyRows policy : {EmptyRows::zero, EmptyRows::zero_after}) {
        const Matrix zeroed = zero_empty_rows(mask, policy, weights, allowed);
        EXPECT_EQ(zeroed.row(0), weights.row(0));
        EXPECT_TRUE((zeroed.row(1).array() == 0).all());
    }
    EXPECT_EQ(zero_empty_rows(mask, EmptyRows::nan, weights, allowed), weights);
    mask.apply = Apply::none;
    EXPECT_EQ(zero_empty_rows(mask, EmptyRows::zero, weights, allowed), weights);
}

}  // namespace
}  // namespace maskscope
