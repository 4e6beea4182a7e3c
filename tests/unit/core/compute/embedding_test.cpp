#include "core/compute/embedding.h"
#include "core/attention/seeded.h"
#include "core/base/matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace maskscope {
namespace {

Scene scene_of(std::vector<Sequence> sequences, Inputs inputs) {
    Scene scene;
    scene.sequences = std::move(sequences);
    scene.inputs = std::move(inputs);
    scene.variants.resize(1);
    return scene;
}

BatchInputs make(const Scene& scene) {
    Progress progress;
    return make_inputs(scene, progress);
}

// Compares with the published first numbers of SplitMix64 from the state 0, and with published
// FNV-1a hashes.
TEST(Stream, IsSplitMix64OfSeedXorFnv) {
    Stream zero(0xcbf29ce484222325, "");
    EXPECT_EQ(zero.next(), 0xe220a8397b1dcdafU);
    EXPECT_EQ(zero.next(), 0x6e789e6aa1b965f4U);
    EXPECT_EQ(zero.next(), 0x06c45d188009454fU);
    Stream a(0xaf63dc4c8601ec8c, "a"), foobar(0x85944171f73967e8, "foobar");
    EXPECT_EQ(a.next(), 0xe220a8397b1dcdafU);
    EXPECT_EQ(foobar.next(), 0xe220a8397b1dcdafU);
}

TEST(Stream, NormalNumbersHaveMeanZeroAndVarianceOne) {
    Stream stream(1, "any");
    constexpr int count = 100000;
    double sum = 0, squares = 0;
    for (int k = 0; k < count; ++k) {
        const double x = stream.normal();
        sum += x;
        squares += x * x;
    }
    // Four standard errors: 4/√n for the mean, 4·√(2/n) for the variance.
    EXPECT_NEAR(sum / count, 0, 4 / std::sqrt(count));
    EXPECT_NEAR(squares / count, 1, 4 * std::sqrt(2.0 / count));
}

TEST(Stream, UniformIsBelowOne) {
    Stream stream(1, "any");
    for (int k = 0; k < 10000; ++k) {
        const double x = stream.uniform();
        ASSERT_TRUE(x >= 0 && x < 1);
    }
}

TEST(Embedding, AMatrixIsFilledRowByRow) {
    Stream stream(3, "w");
    const Matrix matrix = seeded_matrix(3, "w", 2, 3, 0.5);
    for (Index i = 0; i < 2; ++i)
        for (Index j = 0; j < 3; ++j) EXPECT_EQ(matrix(i, j), stream.normal() * 0.5);
}

TEST(Embedding, HasTheShapesOfItsWidths) {
    const BatchInputs inputs =
        make(scene_of({{{"a", "b"}, {{"x", "y", "z"}}}}, EmbeddingInputs{7, 2, 8, 3, 16}));
    ASSERT_EQ(inputs.heads.size(), 2U);
    const HeadInputs& head = inputs.at(0, 1);
    EXPECT_EQ(head.queries.rows(), 2);
    EXPECT_EQ(head.queries.cols(), 8);
    EXPECT_EQ(head.keys.rows(), 3);
    EXPECT_EQ(head.keys.cols(), 8);
    EXPECT_EQ(head.values.rows(), 3);
    EXPECT_EQ(head.values.cols(), 3);
}

// Compares with a second implementation of the definition: q = (e + p)/√2 · W_q.
TEST(Embedding, AQueryIsTokenAndPositionProjected) {
    const BatchInputs inputs =
        make(scene_of({{{"a", "b"}, std::nullopt}}, EmbeddingInputs{7, 2, 4, 4, 16}));
    const Matrix e = seeded_matrix(7, "token:b", 1, 16, 1);
    const Matrix p = seeded_matrix(7, "position:1", 1, 16, 1);
    const Matrix w = seeded_matrix(7, "w_q:1", 16, 4, 0.25);
    const Matrix q = product((e + p) / std::sqrt(2.0), w);
    EXPECT_EQ(Matrix(inputs.at(0, 1).queries.row(1)), q);
}

// Renaming one token changes only its own row, in every head; and the same token at the same place
// has the same numbers in another sequence.
TEST(Embedding, ATokenMovesItsOwnRowAlone) {
    const EmbeddingInputs kind{7, 2, 4, 4, 16};
    const BatchInputs inputs =
        make(scene_of({{{"a", "b", "c"}, std::nullopt}, {{"a", "d", "c"}, std::nullopt}}, kind));
    for (Index h = 0; h < 2; ++h) {
        EXPECT_EQ(inputs.at(0, h).keys.row(0), inputs.at(1, h).keys.row(0));
        EXPECT_NE(inputs.at(0, h).keys.row(1), inputs.at(1, h).keys.row(1));
        EXPECT_EQ(inputs.at(0, h).keys.row(2), inputs.at(1, h).keys.row(2));
    }
}

TEST(Patterns, HoldWhereTheTableSays) {
    const std::vector<std::string> tokens = {"the", "cat", "the", "cat"};
    const TokenView view(tokens, tokens.front(), 4);
    const auto cells = [&](Pattern pattern) {
        std::set<std::pair<Index, Index>> held;
        const Matrix scores = pattern_scores({pattern, 6}, view, view);
        for (Index i = 0; i < 4; ++i)
            for (Index j = 0; j < 4; ++j)
                if (scores(i, j) == 6) held.insert({i, j});
        return held;
    };
    using Cells = std::set<std::pair<Index, Index>>;
    EXPECT_EQ(cells(Pattern::previous), (Cells{{1, 0}, {2, 1}, {3, 2}}));
    EXPECT_EQ(cells(Pattern::next), (Cells{{0, 1}, {1, 2}, {2, 3}}));
    EXPECT_EQ(cells(Pattern::self), (Cells{{0, 0}, {1, 1}, {2, 2}, {3, 3}}));
    EXPECT_EQ(cells(Pattern::first), (Cells{{0, 0}, {1, 0}, {2, 0}, {3, 0}}));
    EXPECT_EQ(cells(Pattern::local).size(), 10U);
    EXPECT_EQ(cells(Pattern::same_token), (Cells{{0, 2}, {2, 0}, {1, 3}, {3, 1}}));
    EXPECT_EQ(cells(Pattern::induction), (Cells{{2, 1}, {3, 2}}));
    EXPECT_TRUE(cells(Pattern::uniform).empty());
}

TEST(Patterns, RandomRunsThroughTheBatch) {
    const PatternsInputs kind{{{Pattern::uniform, 1}, {Pattern::random, 2}}, 9, 2};
    const BatchInputs inputs =
        make(scene_of({{{"a", "b"}, std::nullopt}, {{"c", "d"}, std::nullopt}}, kind));
    const Matrix all = seeded_matrix(9, "random:1", 4, 2, 2);
    EXPECT_EQ(inputs.at(0, 1).scores, all.topRows(2));
    EXPECT_EQ(inputs.at(1, 1).scores, all.bottomRows(2));
    EXPECT_EQ(Matrix(inputs.at(1, 0).values.row(1)), seeded_matrix(9, "value:0:d", 1, 2, 1));
}

TEST(Tensors, AreCutIntoHeads) {
    std::vector<double> numbers(2 * 3 * 2 * 1);
    for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<double>(k);
    const Array array = make_array({2, 3, 2, 1}, numbers);
    const BatchInputs inputs = make(scene_of({{{"a", "b"}, std::nullopt}, {{"c"}, std::nullopt}},
                                             TensorsInputs{array, array, std::nullopt}));
    EXPECT_EQ(inputs.at(1, 2).queries(1, 0), 11);
    EXPECT_EQ(inputs.at(0, 1).keys(0, 0), 2);
    EXPECT_EQ(inputs.at(0, 0).values.size(), 0);
}

TEST(Tensors, MissingLeadingAxesAreOne) {
    const Array array = make_array({2, 2}, {1, 2, 3, 4});
    const BatchInputs inputs =
        make(scene_of({{{"a", "b"}, std::nullopt}}, WeightsInputs{array, std::nullopt}));
    EXPECT_EQ(inputs.at(0, 0).weights(1, 0), 3);
    EXPECT_EQ(inputs.at(0, 0).scores.size(), 0);
}

// Returns a variant that gives every key the same weight.
Variant evenly() {
    Variant variant;
    variant.scale = {ScaleKind::number, 0};
    return variant;
}

// The layer before has uniform weights (scale 0), so each number that the second layer gets is the
// mean of the first layer's values.
TEST(Layers, AreTheOutputsOfTheLayerBefore) {
    const Array q = make_array({2, 1}, {1, 2}), v = make_array({2, 1}, {4, 8});
    const LayerBefore of{TensorsInputs{q, q, v}, evenly()};
    const BatchInputs inputs =
        make(scene_of({{{"a", "b"}, std::nullopt}}, OutputInputs{of, std::nullopt}));
    const Matrix mean = Matrix::Constant(2, 1, 6);
    EXPECT_EQ(inputs.at(0, 0).queries, mean);
    EXPECT_EQ(inputs.at(0, 0).keys, mean);
    EXPECT_EQ(inputs.at(0, 0).values, mean);
}

TEST(Layers, KeysComeFromAttentionAmongTheKeys) {
    const Array q = make_array({1, 1}, {1}), k = make_array({2, 1}, {4, 8});
    const LayerBefore queries{TensorsInputs{q, q, q}, evenly()},
        keys{TensorsInputs{k, k, k}, evenly()};
    const BatchInputs inputs = make(
        scene_of({{{"a"}, {{"x", "y"}}}}, OutputInputs{queries, SharedValue<LayerBefore>(keys)}));
    EXPECT_EQ(inputs.at(0, 0).queries, Matrix::Constant(1, 1, 1));
    EXPECT_EQ(inputs.at(0, 0).keys, Matrix::Constant(2, 1, 6));
    EXPECT_EQ(inputs.at(0, 0).values, Matrix::Constant(2, 1, 6));
}

}  // namespace
}  // namespace maskscope
