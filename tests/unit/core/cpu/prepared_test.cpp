#include "core/cpu/prepared.h"

#include <gtest/gtest.h>

#include "core/compute/embedding.h"

namespace maskscope {
namespace {

class PreparedHeads : public testing::Test {
protected:
    PreparedHeads() {
        Scene scene;
        scene.sequences = {{std::vector<std::string>(100, "a"), std::nullopt}};
        scene.inputs = EmbeddingInputs{7, 3, 4, 2, 8};
        scene.variants = {variant};
        Progress progress;
        inputs = make_inputs(scene, progress);
        prepare(all, inputs, variant, matrices, std::nullopt, pool);
    }
    void expect_numbers(const PreparedInputs& some, std::size_t head) {
        EXPECT_TRUE(some.heads[head].has_numbers);
        EXPECT_EQ(some.heads[head].q, all.heads[head].q);
        EXPECT_EQ(some.heads[head].panels, all.heads[head].panels);
        EXPECT_EQ(some.heads[head].values, all.heads[head].values);
    }

    Variant variant;
    ScoreMatrices matrices;
    Pool pool{2};
    BatchInputs inputs;
    PreparedInputs all;
};

TEST_F(PreparedHeads, AreJudgedAllEvenIfOneIsAskedFor) {
    PreparedInputs some;
    prepare(some, inputs, variant, matrices, 1, pool);
    expect_numbers(some, 1);
    for (std::size_t head = 0; head < 3; ++head) {
        EXPECT_EQ(some.heads[head].has_numbers, head == 1);
        EXPECT_EQ(some.heads[head].largest_score, all.heads[head].largest_score);
        EXPECT_EQ(some.heads[head].largest_value, all.heads[head].largest_value);
        EXPECT_TRUE(some.heads[head].finite_scores && some.heads[head].finite_values);
    }
}

TEST_F(PreparedHeads, StayWhileTheyAreSmall) {
    PreparedInputs some;
    for (const Index head : {0, 2}) prepare(some, inputs, variant, matrices, head, pool);
    expect_numbers(some, 0);
    expect_numbers(some, 2);
    prepare(some, inputs, variant, matrices, std::nullopt, pool);
    expect_numbers(some, 1);
}

TEST_F(PreparedHeads, ComeAndGoIfTheyAreLarge) {
    PreparedInputs some;
    for (const Index head : {0, 1, 0}) {
        prepare(some, inputs, variant, matrices, head, pool, 0);
        expect_numbers(some, static_cast<std::size_t>(head));
        for (Index other = 0; other < 3; ++other) {
            const PreparedHead& its = some.heads[static_cast<std::size_t>(other)];
            EXPECT_EQ(its.q.data() == nullptr, other != head) << other;
        }
    }
}

TEST_F(PreparedHeads, AreOutOfRangeWhereAQueryTimesItsMatrixIs) {
    Scene scene;
    scene.sequences = {{{"a"}, std::nullopt}};
    scene.inputs = TensorsInputs{make_array({1, 1}, {1e30}), make_array({1, 1}, {1e-30}), {}};
    scene.variants = {variant};
    Progress progress;
    variant.score.kind = ScoreKind::bilinear;
    for (const double m : {1.0, 1e20}) {
        matrices.matrix = Matrix::Constant(1, 1, m);
        PreparedInputs one;
        prepare(one, make_inputs(scene, progress), variant, matrices, std::nullopt, pool);
        EXPECT_EQ(one.in_range, m == 1);
    }
}

}  // namespace
}  // namespace maskscope
