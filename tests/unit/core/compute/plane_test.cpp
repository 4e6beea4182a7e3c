#include "core/compute/plane.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/attention/seeded.h"
#include "tests/support/computed.h"

namespace maskscope {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double of_arithmetic = 1e-12;  // some roundings of numbers around 1

using Points = std::vector<PlanePoint>;

const Points square = {{0, 0}, {2, 0}, {2, 2}, {0, 2}};

// Returns, for each row of the first sequence and head, how far its output is outside the hull of
// the values.
std::vector<double> outside_of_variant(const Scene& scene, int variant) {
    const Result result = computed(scene);
    const OutsideRows outside(result, variant);
    std::vector<double> rows;
    for (Index i = 0; i < shape_of(scene).n_q; ++i) rows.push_back(outside.at(0, 0, i));
    return rows;
}

TEST(Hull, HoldsTheCornersAloneCounterclockwise) {
    EXPECT_EQ(convex_hull({{2, 2}, {1, 1}, {0, 2}, {1, 0}, {0, 0}, {2, 0}, {0, 0}, {2, 1}}),
              square);
}

TEST(Hull, OfFewPointsOrALineHasNoArea) {
    EXPECT_EQ(convex_hull({}), Points());
    EXPECT_EQ(convex_hull({{1, 2}, {1, 2}}), Points({{1, 2}}));
    EXPECT_EQ(convex_hull({{3, 3}, {1, 1}, {2, 2}}), Points({{1, 1}, {3, 3}}));
}

TEST(Hull, LeavesOutWhatIsNoPoint) {
    EXPECT_EQ(convex_hull({{nan, 0}, {1, 2}, {0, infinity}}), Points({{1, 2}}));
}

// Every point is inside the hull of all points, and so is every mixture of points.
TEST(Hull, HoldsEveryMixtureOfItsPoints) {
    Stream numbers(1, "points");
    for (int round = 0; round < 200; ++round) {
        Points points(1 + numbers.next() % 9);
        for (PlanePoint& point : points) point = {numbers.normal(), numbers.normal()};
        const Points hull = convex_hull(points);
        PlanePoint mixture{0, 0};
        double left = 1;
        for (const PlanePoint& point : points) {
            EXPECT_NEAR(outside_of(hull, point).distance, 0, of_arithmetic);
            const double share = &point == &points.back() ? left : left * numbers.uniform();
            mixture = {mixture[0] + share * point[0], mixture[1] + share * point[1]};
            left -= share;
        }
        EXPECT_NEAR(outside_of(hull, mixture).distance, 0, of_arithmetic);
    }
}

TEST(Outside, IsTheWayToTheNearestPointOfTheEdge) {
    EXPECT_EQ(outside_of(square, {1, 1}).distance, 0);
    EXPECT_EQ(outside_of(square, {1, 1}).nearest, PlanePoint({1, 1}));
    EXPECT_EQ(outside_of(square, {2, 1}).distance, 0);
    EXPECT_EQ(outside_of(square, {1, 5}).distance, 3);
    EXPECT_EQ(outside_of(square, {1, 5}).nearest, PlanePoint({1, 2}));
    EXPECT_EQ(outside_of(square, {5, 6}).distance, 5);
    EXPECT_EQ(outside_of(square, {5, 6}).nearest, PlanePoint({2, 2}));
    EXPECT_EQ(outside_of({{1, 1}}, {1, 4}).distance, 3);
    EXPECT_EQ(outside_of({{0, 0}, {2, 0}}, {1, 0}).distance, 0);
    EXPECT_EQ(outside_of({{0, 0}, {2, 0}}, {1, -1}).distance, 1);
}

TEST(Outside, OfWhatIsNoPointIsNaNOrInfinite) {
    EXPECT_TRUE(std::isnan(outside_of(square, {nan, 1}).distance));
    EXPECT_TRUE(std::isnan(outside_of({}, {1, 1}).distance));
    EXPECT_EQ(outside_of(square, {infinity, 1}).distance, infinity);
}

TEST(OutsideRow, ForgivesRoundingByTheExtentOfTheValues) {
    const Points values = {{0, 0}, {200, 0}, {0, 100}};  // extent 200
    EXPECT_EQ(outside_row(values, {1, -0.0019}, Dtype::float32), 0);
    EXPECT_EQ(outside_row(values, {1, -0.0021}, Dtype::float32), 0.0021);
    EXPECT_EQ(outside_row(values, {1, -0.0021}, Dtype::float64), 0.0021);
    EXPECT_EQ(outside_row(values, {1, -1.9}, Dtype::float16), 0);
    EXPECT_EQ(outside_row(values, {1, -1.9}, Dtype::bfloat16), 0);
    EXPECT_EQ(outside_row(values, {1, -2.1}, Dtype::bfloat16), 2.1);
}

TEST(OutsideRow, IsNaNWhereSomethingIsOrNothingIsAllowed) {
    EXPECT_TRUE(std::isnan(outside_row({}, {0, 0}, Dtype::float32)));
    EXPECT_TRUE(std::isnan(outside_row({{0, 0}, {nan, 1}}, {0, 0}, Dtype::float32)));
    EXPECT_TRUE(std::isnan(outside_row(square, {0, nan}, Dtype::float32)));
}

// --- outputs of a scene: values on one side of the origin; a causal mask, added and multiplied

Scene scene_of_values() {
    Scene scene;
    scene.sequences = {{{"a", "b", "c"}, {}}};
    ScoresInputs inputs;
    inputs.scores = make_array({3, 3}, {0, 1, 0, 0, 0, 1, 1, 0, 0});
    inputs.values = make_array({3, 2}, {1, 1, 3, 1, 2, 3});
    scene.inputs = inputs;
    Variant added;
    added.name = "added";
    added.scale.kind = ScaleKind::none;
    added.mask.layers = {MaskLayer{}};
    Variant multiplied = added;
    multiplied.mask.apply = Apply::multiply_weights;
    scene.variants = {added, multiplied};
    return scene;
}

TEST(OutsideRows, OfSoftmaxWeightsAreZero) {
    EXPECT_EQ(outside_of_variant(scene_of_values(), 0), std::vector<double>(3, 0));
}

TEST(OutsideRows, OfWeightsThatWereLostAreTheWayToTheHull) {
    const Scene scene = scene_of_values();
    const std::vector<double> outside = outside_of_variant(scene, 1);
    // Row 0 attends only to its own value (1, 1): the output is that value times the sum of the
    // row.
    const double sum = computed(scene).variants[1].row(0, 0, 0).sum;
    constexpr double of_float32 = 1e-6;
    EXPECT_NEAR(outside[0], (1 - sum) * std::sqrt(2.0), of_float32);
    EXPECT_GT(outside[1], 0.1);
    EXPECT_EQ(outside[2], 0);
}

TEST(OutsideRows, OfAnEmptyRowIsNaNWhateverItsWeightsAre) {
    Scene scene = scene_of_values();
    MaskLayer blocked;
    blocked.kind = LayerKind::blocked;
    blocked.rows = {{1}};
    for (Variant& variant : scene.variants) variant.mask.layers.push_back(blocked);
    scene.variants[0].mask.apply = Apply::none;
    EXPECT_TRUE(std::isnan(outside_of_variant(scene, 0)[1]));
    EXPECT_TRUE(std::isnan(outside_of_variant(scene, 1)[1]));
    EXPECT_FALSE(std::isnan(outside_of_variant(scene, 1)[2]));
}

TEST(OutsideRows, AreThereForValuesAndOutputsInThePlaneAlone) {
    Scene scene = scene_of_values();
    Output& output = scene.variants[1].output;
    std::get<ScoresInputs>(scene.inputs).d_k = 4;
    EXPECT_TRUE(has_outside(scene, 1));
    output.kind = OutputKind::alternative;
    EXPECT_TRUE(has_outside(scene, 1));
    output.w = make_array({2, 2}, {1, 0, 0, 1});
    EXPECT_TRUE(has_outside(scene, 1));
    output.w = make_array({3, 2}, {1, 0, 0, 1, 0, 0});
    EXPECT_FALSE(has_outside(scene, 1));
    output = {OutputKind::projected, {}};
    EXPECT_FALSE(has_outside(scene, 1));
    EXPECT_TRUE(has_outside(scene, 0));
    std::get<ScoresInputs>(scene.inputs).values = make_array({3, 3}, std::vector<double>(9, 1));
    EXPECT_FALSE(has_outside(scene, 0));
    std::get<ScoresInputs>(scene.inputs).values.reset();
    EXPECT_FALSE(has_outside(scene, 0));
}

// 1/√d_k and W act on the output, not on the values that it is compared with.
TEST(OutsideRows, OfTheAlternativeAreMeasuredAgainstTheValuesAsTheyAre) {
    Scene scene = scene_of_values();
    std::get<ScoresInputs>(scene.inputs).d_k = 4;
    scene.variants[0].output = {OutputKind::alternative, make_array({2, 2}, {2, 0, 0, 2})};
    EXPECT_EQ(outside_of_variant(scene, 0), std::vector<double>(3, 0));
    scene.variants[0].output.w = make_array({2, 2}, {1, 0, 0, 1});
    EXPECT_NEAR(outside_of_variant(scene, 0)[0], std::sqrt(0.5), of_arithmetic);
}

}  // namespace
}  // namespace maskscope
