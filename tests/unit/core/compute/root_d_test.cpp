#include "core/compute/root_d.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/attention/seeded.h"
#include "core/compute/embedding.h"

namespace maskscope {
namespace {

// The tolerance of sums and logarithms of 8192 numbers, which another implementation adds in
// another order.
constexpr double of_long_sums = 1e-9;

const RootDDraw& drawn(std::uint64_t seed) {
    static std::shared_ptr<const RootDDraw> draw;
    Progress progress;
    draw = draw_root_d(seed, progress);
    return *draw;
}

double score(const RootDDraw& draw, Index d, Index i, Index j) {
    return draw.scores[((d - 1) * root_d_rows + i) * root_d_keys + j];
}

TEST(Normals, SeveralAtATimeAreTheSameToTheBit) {
    for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 100U}) {
        Stream one(3, "name"), several(3, "name");
        std::vector<double> numbers(count);
        several.fill_normals(numbers);
        for (const double number : numbers) EXPECT_EQ(number, one.normal());
        EXPECT_EQ(several.next(), one.next()) << "both go on alike after " << count;
    }
}

TEST(Normals, SkippingIsDrawingAndForgetting) {
    Stream one(5, "name"), skipped(5, "name");
    for (int k = 0; k < 1000; ++k) one.normal();
    skipped.skip_normals(1000);
    EXPECT_EQ(one.next(), skipped.next());
}

// The streams are read from first to last, as the scene format fills its arrays.
TEST(RootDDraw, ScoresAreRunningSumsInIndexOrder) {
    const RootDDraw& draw = drawn(11);
    Stream of_queries(11, "root_d_q"), of_keys(11, "root_d_k");
    std::vector<double> query(root_d_most), key(root_d_most);
    for (Index i = 0; i < root_d_rows; ++i) {
        of_queries.fill_normals(query);
        for (Index j = 0; j < root_d_keys; ++j) {
            of_keys.fill_normals(key);
            double sum = 0;
            for (Index d = 1; d <= root_d_most; ++d) {
                const auto component = static_cast<std::size_t>(d - 1);
                sum += query[component] * key[component];
                ASSERT_EQ(score(draw, d, i, j), sum) << d << " " << i << " " << j;
            }
        }
    }
}

TEST(RootDDraw, TheLastIsKeptAndShared) {
    Progress progress;
    const auto first = draw_root_d(1, progress);
    EXPECT_EQ(draw_root_d(1, progress), first);
    EXPECT_EQ(kept_root_d(1), first);
    EXPECT_EQ(kept_root_d(2), nullptr);
    const auto second = draw_root_d(2, progress);
    EXPECT_EQ(kept_root_d(2), second);
    EXPECT_EQ(kept_root_d(1), nullptr);
    EXPECT_EQ(progress.done, 1);
}

TEST(RootDDraw, IsCancelledAndThenNotKept) {
    Progress progress;
    progress.cancel = true;
    EXPECT_THROW(draw_root_d(3, progress), Cancellation);
    EXPECT_EQ(kept_root_d(3), nullptr);
}

// Numbers computed by a short Python program that was written only from the description of the
// scene format.
struct ExpectedFigures {
    std::uint64_t seed;
    Index d;
    bool scaled;
    double variance, largest, entropy, sensitivity;
};
constexpr ExpectedFigures expected[] = {
    {0, 256, false, 255.784139441176, 0.999183644787417, 0.00703741437016081, 0.00326277694966312},
    {0, 256, true, 0.999156794692095, 0.334221873107856, 1.76579260401672, 1.58020589276587},
    {0, 1024, false, 1030.18108316416, 0.999998151485639, 2.6789826615311e-05,
     7.39404377122332e-06},
    {0, 1024, true, 1.0060362140275, 0.338354239885199, 1.75497963391211, 1.57753984821115},
    {7, 1, false, 1.03718578089997, 0.252661997029527, 1.92342279096537, 1.67211410430116},
    {7, 4, false, 4.12861462847331, 0.50844318892237, 1.34318544150618, 1.31023085450425},
    {7, 4, true, 1.03215365711833, 0.316011996099594, 1.80666508653483, 1.60727169354754},
    {7, 16, false, 16.1962429658271, 0.78811321563291, 0.662121775981594, 0.70049862691545},
    {7, 16, true, 1.01226518536419, 0.331835720798748, 1.77379719858095, 1.58981558600946},
    {7, 64, false, 62.5703895515, 0.967437042386431, 0.163760423601397, 0.127121788986058},
    {7, 64, true, 0.977662336742188, 0.336820757824568, 1.7668628306793, 1.5833626983684},
};

TEST(RootDFigures, AreThoseOfTheSceneFormat) {
    for (const ExpectedFigures& known : expected) {
        SCOPED_TRACE(testing::Message() << "seed " << known.seed << ", d " << known.d);
        const double scale = known.scaled ? root_d_scale({ScaleKind::sqrt_d_k, 1}, known.d) : 1;
        const RootDFigures figures = root_d_figures(drawn(known.seed), known.d, scale);
        EXPECT_NEAR(figures.variance / known.variance, 1, of_long_sums);
        EXPECT_NEAR(figures.largest.median, known.largest, of_long_sums);
        EXPECT_NEAR(figures.entropy.median, known.entropy, of_long_sums);
        EXPECT_NEAR(figures.sensitivity.median, known.sensitivity, of_long_sums);
    }
}

TEST(RootDFigures, QuartilesLieAroundTheMedian) {
    for (const Index d : {1, 5, 64, 1024}) {
        const RootDFigures figures = root_d_figures(drawn(0), d, 1);
        for (const Spread& spread : {figures.largest, figures.entropy, figures.sensitivity}) {
            EXPECT_LE(spread.low, spread.median);
            EXPECT_LE(spread.median, spread.high);
        }
        EXPECT_GE(figures.largest.low, 1.0 / root_d_keys);
        EXPECT_LE(figures.entropy.high, std::log(root_d_keys));
    }
}

TEST(RootDFigures, AScaleOfZeroIsAnEvenSpread) {
    const RootDFigures figures = root_d_figures(drawn(0), 64, 0);
    EXPECT_EQ(figures.variance, 0);
    EXPECT_NEAR(figures.largest.high, 1.0 / root_d_keys, of_long_sums);
    EXPECT_NEAR(figures.entropy.low, std::log(root_d_keys), of_long_sums);
    EXPECT_NEAR(figures.sensitivity.median, 2 * (1 - 1.0 / root_d_keys), of_long_sums);
}

// Scores that overflow make rows of NaN, which have no median.
TEST(RootDFigures, AScaleBeyondAllNumbersGivesNaN) {
    const RootDFigures figures = root_d_figures(drawn(0), 1024, 1e308);
    for (const double figure :
         {figures.variance, figures.largest.median, figures.entropy.low, figures.sensitivity.high})
        EXPECT_TRUE(std::isnan(figure));
}

TEST(RootDScale, IsThatOfAVariantWithEightKeysOfThatWidth) {
    EXPECT_EQ(root_d_scale({ScaleKind::sqrt_d_k, 1}, 16), 0.25);
    EXPECT_EQ(root_d_scale({ScaleKind::sqrt_n_k, 1}, 16), 1 / std::sqrt(8.0));
    EXPECT_EQ(root_d_scale({ScaleKind::none, 1}, 16), 1);
    EXPECT_EQ(root_d_scale({ScaleKind::number, 0.01}, 16), 0.01);
}

}  // namespace
}  // namespace maskscope
