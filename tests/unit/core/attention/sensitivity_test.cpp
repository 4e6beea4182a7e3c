
#include <gtest/gtest.h>

#include <cmath>

#include "core/attention/mask.h"
#include "core/attention/seeded.h"
#include "core/attention/softmax.h"
#include "core/base/matrix.h"
#include "core/compute/embedding.h"

namespace maskscope {
namespace {

Allowed some_mask(Index n) {
    Allowed allowed = Allowed::Constant(n, n, true);
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) allowed(i, j) = j <= i && i != 2;  // causal, row 2 empty
    return allowed;
}

// The stages from the scaled scores to softmax and weights, in float64; scores = scaled.
struct Road {
    Variant variant;
    Allowed allowed;
    Matrix softmax, weights, slope;

    void walk(const Matrix& scaled) {
        const Logits logits = mask_before_softmax(variant, scaled, scaled, 1, Matrix(), allowed);
        slope = logits.slope;
        softmax = normalize(variant.normalizer, sink_of(variant, 0), logits.numbers);
        weights = mask_after_softmax(variant.mask.apply, Dtype::float64, softmax, allowed);
    }
    Matrix sensitivity() const {
        return maskscope::sensitivity(variant, softmax, weights, slope, allowed);
    }
};

std::vector<Road> roads() {
    std::vector<Road> all;
    for (const Apply apply :
         {Apply::additive, Apply::replace, Apply::multiply_scores, Apply::multiply_weights,
          Apply::multiply_weights_renormalized, Apply::none})
        for (const double value : {-double(INFINITY), -2.0})
            for (const auto normalizer : {Normalizer::softmax, Normalizer::softmax_plus_one,
                                          Normalizer::softmax_sink, Normalizer::sigmoid})
                for (const int cap : {0, 1, 2}) {
                    Road road;
                    if (cap > 0) road.variant.softcap = {1.5, static_cast<CapOrder>(cap - 1)};
                    road.variant.sink = 0.7;
                    road.variant.dtype = Dtype::float64;
                    road.variant.mask.apply = apply;
                    road.variant.mask.value = {
                        std::isinf(value) ? ValueKind::minus_infinity : ValueKind::number,
                        std::isinf(value) ? 0 : value};
                    road.variant.normalizer = normalizer;
                    road.allowed = some_mask(5);
                    all.push_back(road);
                }
    return all;
}

// The error of central differences of a smooth function of size 1 is ε² from the method and 1e-16/ε
// from rounding.
constexpr double epsilon = 1e-5, difference_tolerance = 1e-9;

TEST(Sensitivity, IsTheSumOfFiniteDifferences) {
    const Matrix scaled = seeded_matrix(1, "scaled", 5, 5, 1);
    for (Road road : roads()) {
        road.walk(scaled);
        const Matrix sensitivity = road.sensitivity();
        for (Index i = 0; i < 5; ++i)
            for (Index j = 0; j < 5; ++j) {
                Road up = road, down = road;
                Matrix moved = scaled;
                moved(i, j) += epsilon;
                up.walk(moved);
                moved(i, j) -= 2 * epsilon;
                down.walk(moved);
                const double sum =
                    ((up.weights - down.weights).row(i).cwiseAbs().sum()) / (2 * epsilon);
                if (std::isnan(sum))
                    EXPECT_TRUE(std::isnan(sensitivity(i, j)));
                else
                    EXPECT_NEAR(sensitivity(i, j), sum, difference_tolerance);
            }
    }
}

TEST(Sensitivity, OfReplacedScoresIsZero) {
    const Matrix scaled = seeded_matrix(1, "scaled", 5, 5, 1);
    for (Road road : roads()) {
        if (road.variant.mask.apply != Apply::replace &&
            road.variant.mask.apply != Apply::multiply_scores)
            continue;
        road.walk(scaled);
        EXPECT_EQ(road.sensitivity()(1, 3), 0);
    }
}

TEST(Sensitivity, OfAnEmptyRowHangsOnThePolicy) {
    Road road;
    road.allowed = some_mask(5);
    road.walk(seeded_matrix(1, "scaled", 5, 5, 1));
    for (const EmptyRows policy : {EmptyRows::nan, EmptyRows::zero_after}) {
        road.variant.empty_rows = policy;
        EXPECT_TRUE(road.sensitivity().row(2).array().isNaN().all());  // the gradient is NaN
    }
    road.variant.empty_rows = EmptyRows::zero;
    EXPECT_TRUE((road.sensitivity().row(2).array() == 0).all());
    road.variant.mask.apply = Apply::none;  // then the policy for empty rows does not act
    road.walk(seeded_matrix(1, "scaled", 5, 5, 1));
    EXPECT_TRUE((road.sensitivity().row(2).array() > 0).all());
}

}  // namespace
}  // namespace maskscope
