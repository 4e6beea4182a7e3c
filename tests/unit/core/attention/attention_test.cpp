#include "core/attention/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/attention/seeded.h"
#include "core/base/error.h"
#include "core/base/matrix.h"
#include "core/compute/embedding.h"
#include "core/compute/plain.h"
#include "tests/support/layer.h"

namespace maskscope {
namespace {

Scene sentence(std::vector<std::string> tokens, Index heads = 2) {
    Scene scene;
    scene.sequences = {{std::move(tokens), std::nullopt}};
    scene.inputs = EmbeddingInputs{7, heads, 8, 4, 16};
    scene.variants.resize(1);
    scene.variants[0].mask.layers = {layer_of(LayerKind::causal)};
    return scene;
}

Result compute(const Scene& scene, const Request& request = {}) {
    Progress progress;
    return PlainBackend().compute(scene, request, nullptr, progress);
}

Matrix stage(const Result& result, StageKind kind, Index b = 0, Index h = 0, int variant = 0) {
    return result.variants[variant].stage(kind).head(b, h);
}

bool same_bits(const Stage& a, const Stage& b) {
    if (!a.exists() || !b.exists()) return a.exists() == b.exists();
    if (a.is_float64() != b.is_float64()) return false;
    const auto same = [](const auto& x, const auto& y) {
        return x.size() == y.size() &&
               std::memcmp(x.data(), y.data(), x.size() * sizeof(x[0])) == 0;
    };
    return a.is_float64() ? same(a.float64s(), b.float64s()) : same(a.float32s(), b.float32s());
}

TEST(Attention, TheFirstRowOfACausalMaskSeesItself) {
    const Result result = compute(sentence({"a", "b", "c"}));
    EXPECT_EQ(stage(result, StageKind::weights)(0, 0), 1);
    EXPECT_EQ(stage(result, StageKind::weights)(0, 1), 0);
    EXPECT_EQ(result.variants[0].row(0, 0, 0).max, 1);
    EXPECT_EQ(result.variants[0].row(0, 1, 0).entropy, 0);
}

TEST(Attention, ScaledIsScoresOverRootD) {
    const Result result = compute(sentence({"a", "b", "c"}));
    const Rounding rounded(Dtype::float32);
    EXPECT_EQ(stage(result, StageKind::scaled),
              rounded(stage(result, StageKind::scores) * (1 / std::sqrt(8.0))));
}

TEST(Attention, KeepsLabelsAndPads) {
    Scene scene = sentence({"a", "<pad>", "c"});
    scene.sequences.push_back({{"d"}, std::nullopt});
    const VariantResult result = compute(scene).variants[0];
    EXPECT_EQ(result.shape, (Shape{2, 2, 3, 3}));
    EXPECT_EQ(result.queries[1], (std::vector<std::string>{"d", "<pad>", "<pad>"}));
    EXPECT_EQ(result.keys[0], (std::vector<std::string>{"a", "<pad>", "c"}));
    EXPECT_EQ(result.pads, (std::vector<std::uint8_t>{0, 1, 0, 0, 1, 1}));
    EXPECT_EQ(result.rows.size(), 12U);
    EXPECT_GT(result.row(0, 1, 2).pads, 0);
}

// Rows are computed in blocks. In a head that is longer than a block, each row has the same numbers
// as if its query were the only one, with the same keys.
TEST(Attention, BlocksOfRowsAreSeamless) {
    const Index n = 200, block = rows_at_once(n);
    ASSERT_LT(block, n);
    Scene scene = sentence({"x"}, 1);
    std::vector<std::string> tokens;
    for (Index i = 0; i < n; ++i) tokens.push_back(std::to_string(i % 11));
    scene.sequences[0].queries = tokens;
    scene.variants[0].mask.layers.push_back(layer_of(LayerKind::alibi));
    const Result whole = compute(scene);
    Progress progress;
    const HeadInputs head =
        round_inputs(make_inputs(scene, progress).at(0, 0), Rounding(Dtype::float32));
    const Matrix weights = stage(whole, StageKind::weights);
    const Matrix output = stage(whole, StageKind::output);
    for (const Index i : {Index{0}, block - 1, block, n - 1}) {
        const Scene one = [&] {  // the same query as given numbers, with the mask of its row
            Scene alone;
            alone.sequences = {{{"q"}, TokenList(key_tokens(scene, 0))}};
            const auto array = [](const Matrix& m) {
                return make_array({m.rows(), m.cols()}, {m.data(), m.data() + m.size()});
            };
            alone.inputs =
                TensorsInputs{array(head.queries.row(i)), array(head.keys), array(head.values)};
            MaskLayer blocked = layer_of(LayerKind::blocked), bias = layer_of(LayerKind::bias);
            blocked.columns.emplace();
            for (Index j = 0; j < n; ++j) {
                if (j > i) blocked.columns->push_back(j);
                bias.bias.push_back({0, j, -std::abs(double(i - j)) * 0x1p-8});
            }
            alone.variants.resize(1);
            alone.variants[0].mask.layers = {bias};
            if (i + 1 < n) alone.variants[0].mask.layers.push_back(blocked);
            return alone;
        }();
        const Result result = compute(one);
        EXPECT_EQ(stage(result, StageKind::weights), Matrix(weights.row(i))) << i;
        EXPECT_EQ(stage(result, StageKind::output), Matrix(output.row(i))) << i;
    }
}

TEST(Attention, ZeroTimesInfinityPoisonsTheOutput) {
    Scene scene = sentence({"a", "b"}, 1);
    const double infinity = std::numeric_limits<double>::infinity();
    scene.inputs = ScoresInputs{make_array({2, 2}, {0, 0, 0, 0}),
                                make_array({2, 2}, {1, 1, infinity, 1}), std::nullopt};
    scene.variants[0].scale = {ScaleKind::none, 1};
    const Matrix output = stage(compute(scene), StageKind::output);
    EXPECT_TRUE(std::isnan(output(0, 0)));
    EXPECT_EQ(output(0, 1), 1);
    EXPECT_EQ(output(1, 0), infinity);
}

TEST(Attention, ProjectedIsTheSumOverHeads) {
    Scene scene = sentence({"a", "b", "c"});
    scene.variants[0].dtype = Dtype::float64;
    scene.variants.push_back(scene.variants[0]);
    scene.variants[1].output.kind = OutputKind::projected;
    const Result result = compute(scene);
    const Stage& projected = result.variants[1].stage(StageKind::output);
    ASSERT_EQ(projected.h(), 1);
    const Matrix w = seeded_matrix(7, "w", 8, 8, 1 / std::sqrt(8.0));
    const Matrix sum = stage(result, StageKind::output, 0, 0) * w.topRows(4) +
                       stage(result, StageKind::output, 0, 1) * w.bottomRows(4);
    EXPECT_TRUE(projected.head(0, 0).isApprox(sum, 1e-14));  // another order of adding
}

TEST(Attention, AlternativeTurnsAndShrinks) {
    Scene scene = sentence({"a", "b", "c"}, 1);
    scene.variants[0].dtype = Dtype::float64;
    scene.variants.push_back(scene.variants[0]);
    scene.variants[1].output.kind = OutputKind::alternative;
    scene.variants[1].output.w = make_array({2, 4}, {1, 0, 0, 0, 0, 2, 0, 0});
    const Result result = compute(scene);
    const Matrix plain = stage(result, StageKind::output),
                 turned = stage(result, StageKind::output, 0, 0, 1);
    ASSERT_EQ(turned.cols(), 2);
    EXPECT_TRUE(turned.col(0).isApprox(plain.col(0) / std::sqrt(8.0), 1e-14));
    EXPECT_TRUE(turned.col(1).isApprox(2 * plain.col(1) / std::sqrt(8.0), 1e-14));
}

TEST(Attention, GivenWeightsStandAsTheSoftmax) {
    Scene scene = sentence({"a", "b"}, 1);
    scene.inputs = WeightsInputs{make_array({2, 2}, {0.25, 0.75, -0.5, 1.5}), std::nullopt};
    scene.variants[0].mask.apply = Apply::multiply_weights;
    const VariantResult result = compute(scene).variants[0];
    EXPECT_FALSE(result.stage(StageKind::scores).exists());
    EXPECT_FALSE(result.stage(StageKind::logits).exists());
    EXPECT_FALSE(result.stage(StageKind::sensitivity).exists());
    EXPECT_FALSE(result.stage(StageKind::output).exists());
    EXPECT_EQ(result.stage(StageKind::softmax).at(0, 0, 0, 1), 0.75);
    EXPECT_EQ(result.stage(StageKind::weights).at(0, 0, 0, 1), 0);
    EXPECT_TRUE(std::isnan(result.row(0, 0, 1).entropy));
    EXPECT_TRUE(std::isnan(result.row(0, 0, 0).gradient_leak));
}

TEST(Attention, OneNaNAmongGivenWeightsSpoilsTheFiguresOfItsRow) {
    Scene scene = sentence({"a", "b", "<pad>"}, 1);
    scene.inputs = WeightsInputs{make_array({3, 3}, {NAN, 0.5, 0.5, 0.5, 0.5, 0, 0.5, 0.25, 0.25}),
                                 std::nullopt};
    scene.variants[0].mask.apply = Apply::none;
    const VariantResult result = compute(scene).variants[0];
    EXPECT_TRUE(result.row(0, 0, 0).nan);
    EXPECT_TRUE(std::isnan(result.row(0, 0, 0).sum));
    EXPECT_TRUE(std::isnan(result.row(0, 0, 0).max));
    EXPECT_TRUE(std::isnan(result.row(0, 0, 0).leak));  // although only other keys are blocked
    EXPECT_TRUE(std::isnan(result.row(0, 0, 0).pads));
    EXPECT_EQ(result.row(0, 0, 1).sum, 1);
}

TEST(Attention, ARequestKeepsWhatItAsksForAndTheSameFigures) {
    Scene scene = sentence({"a", "b", "c"});
    scene.variants.push_back(scene.variants[0]);
    Request request;
    request.stages.reset().set(static_cast<std::size_t>(StageKind::weights));
    request.variants = {1};
    const Result all = compute(scene), some = compute(scene, request);
    ASSERT_EQ(some.variants.size(), 2U);
    EXPECT_TRUE(some.variants[0].rows.empty());
    EXPECT_FALSE(some.variants[1].stage(StageKind::scores).exists());
    EXPECT_FALSE(some.variants[1].stage(StageKind::output).exists());
    EXPECT_TRUE(same_bits(some.variants[1].stage(StageKind::weights),
                          all.variants[1].stage(StageKind::weights)));
    EXPECT_EQ(some.variants[1].row(0, 1, 2).gradient_leak,
              all.variants[1].row(0, 1, 2).gradient_leak);
}

TEST(Attention, StagesAreStoredAsTheirDtype) {
    Scene scene = sentence({"a", "b"});
    scene.variants[0].dtype = Dtype::float64;
    EXPECT_TRUE(compute(scene).variants[0].stage(StageKind::weights).is_float64());
    scene.variants[0].dtype = Dtype::bfloat16;
    EXPECT_FALSE(compute(scene).variants[0].stage(StageKind::weights).is_float64());
}

TEST(Attention, IsTheSameEveryTime) {
    const Scene scene = sentence({"a", "b", "c"});
    const Result one = compute(scene), two = compute(scene);
    for (int kind = 0; kind < stage_count; ++kind)
        EXPECT_TRUE(same_bits(one.variants[0].stage(static_cast<StageKind>(kind)),
                              two.variants[0].stage(static_cast<StageKind>(kind))));
    EXPECT_EQ(one.backend, "cpu");
    EXPECT_TRUE(one.scene == scene);
}

TEST(Attention, CanBeCancelled) {
    Progress progress;
    progress.cancel = true;
    EXPECT_THROW(PlainBackend().compute(sentence({"a"}), {}, nullptr, progress), Cancellation);
}

TEST(Attention, ReportsItsProgress) {
    Progress progress;
    PlainBackend().compute(sentence({"a", "b"}), {}, nullptr, progress);
    EXPECT_EQ(progress.done, 1);
}

TEST(Attention, ReadsWhatWasStored) {
    Stage stage(2, 1, 2, 3, false);
    Matrix numbers(2, 3);
    numbers << 1, 2, 3, 4, 5, 6;
    stage.set_head(1, 0, numbers);
    stage.set_rows(0, 0, 1, numbers.topRows(1));
    EXPECT_EQ(stage.head(1, 0), numbers);
    EXPECT_EQ(stage.at(1, 0, 1, 2), 6);
    EXPECT_EQ(stage.at(0, 0, 1, 0), 1);
    EXPECT_EQ(stage.at(0, 0, 0, 0), 0);
    EXPECT_FALSE(Stage().exists());
}

}  // namespace
}  // namespace maskscope
