#include "app/show/cells/cells.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "app/figure/draw_cell.h"
#include "app/show/cells/cell_texels.h"
#include "core/base/matrix.h"
#include "core/compute/plain.h"
#include "core/scene/scene.h"
#include "tests/support/computed.h"
#include "tests/support/random_scene.h"

namespace maskscope {
namespace {

constexpr Index n = 3;  // tokens; the last one is a pad token

Stage stage_of(const Matrix& numbers, bool float64) {
    Stage stage(1, 1, numbers.rows(), numbers.cols(), float64);
    stage.set_head(0, 0, numbers);
    return stage;
}

// Returns one head under a causal mask, with weights of every kind.
VariantResult result(bool float64 = true) {
    VariantResult r;
    r.shape = {1, 1, n, n};
    r.allowed = {1, 0, 0, 1, 1, 0, 1, 1, 1};
    r.pads = {0, 0, 1};
    Matrix weights(n, n), logits(n, n);
    weights << 1, 0, 0.25, not_a_number, 0.5, not_a_number, 0, -0.0, 0.75;
    logits << 1, -infinity, -1e9, -2.2, infinity, not_a_number, 0, 0.5, 1.25;
    r.stage(StageKind::weights) = stage_of(weights, float64);
    r.stage(StageKind::logits) = stage_of(logits, float64);
    return r;
}

// Returns all rows, one after the other.
CellRow all_of(const Cells& cells) {
    CellRow all;
    for (Index i = 0; i < cells.rows; ++i) {
        const CellRow row = row_of(cells, i);
        all.values.insert(all.values.end(), row.values.begin(), row.values.end());
        all.signs.insert(all.signs.end(), row.signs.begin(), row.signs.end());
    }
    return all;
}

TEST(Cells, NumberAndBlockedAreToldApart) {
    const SharedCells cells = cells_of(result(), StageKind::logits, 0, 0);
    EXPECT_EQ(signs_at(*cells, 0, 0), 0);
    EXPECT_EQ(signs_at(*cells, 0, 1), sign::blocked | sign::minus_infinity);
    EXPECT_EQ(signs_at(*cells, 0, 2), sign::blocked);
    EXPECT_EQ(signs_at(*cells, 1, 1), sign::plus_infinity);
    EXPECT_EQ(signs_at(*cells, 1, 2), sign::blocked | sign::nan);
    EXPECT_EQ(signs_at(*cells, 2, 0), sign::zero);
    EXPECT_EQ(value_at(*cells, 0, 2), -1e9);
}

TEST(Cells, BlockedKeysAndPadsWithWeightLeak) {
    const SharedCells cells = cells_of(result(), StageKind::weights, 0, 0);
    EXPECT_EQ(signs_at(*cells, 0, 1), sign::blocked | sign::zero);
    EXPECT_EQ(signs_at(*cells, 0, 2), sign::blocked | sign::leaks);
    EXPECT_EQ(signs_at(*cells, 1, 0), sign::nan) << "NaN does not leak";
    EXPECT_EQ(signs_at(*cells, 1, 2), sign::blocked | sign::nan);
    EXPECT_EQ(signs_at(*cells, 2, 1), sign::zero) << "-0 is 0";
    EXPECT_EQ(signs_at(*cells, 2, 2), sign::leaks) << "a pad that is allowed leaks all the same";
}

TEST(Cells, OnlyWeightsLeak) {
    VariantResult r = result();
    for (const StageKind stage : {StageKind::softmax, StageKind::sensitivity, StageKind::scores}) {
        r.stage(stage) = r.stage(StageKind::weights);
        const SharedCells cells = cells_of(r, stage, 0, 0);
        for (const std::uint8_t signs : all_of(*cells).signs) EXPECT_EQ(signs & sign::leaks, 0);
    }
}

TEST(Cells, TheMaskIsOneAndZero) {
    const SharedCells cells = cells_of(result(), StageKind::allowed, 0, 0);
    EXPECT_EQ(all_of(*cells).values, (std::vector<double>{1, 0, 0, 1, 1, 0, 1, 1, 1}));
    EXPECT_EQ(signs_at(*cells, 0, 1), sign::blocked | sign::zero);
    EXPECT_EQ(signs_at(*cells, 0, 0), 0);
}

TEST(Cells, AnOutputHasNoKeys) {
    VariantResult r = result();
    r.shape.h = 2;  // projected: two heads, one output
    r.stage(StageKind::output) = stage_of(Matrix::Constant(n, 5, 0.5), true);
    const SharedCells cells = cells_of(r, StageKind::output, 0, 1);
    EXPECT_EQ(cells->columns, 5);
    for (const std::uint8_t signs : all_of(*cells).signs) EXPECT_EQ(signs, 0);
}

TEST(Cells, AreThoseOfTheirSequenceAndHead) {
    VariantResult r;
    r.shape = {2, 3, 2, 4};
    r.pads.assign(2 * 4, 0);
    r.pads[4 + 3] = 1;  // the last key of the second sequence
    std::vector<std::uint8_t> allowed;
    Stage& weights = r.stage(StageKind::weights) = Stage(2, 3, 2, 4, false);
    for (Index b = 0; b < 2; ++b)
        for (Index h = 0; h < 3; ++h) {
            weights.set_head(b, h, Matrix::Constant(2, 4, double(1 + b * 3 + h)));
            allowed.insert(allowed.end(), 8, h == 1 ? 0 : 1);
        }
    r.allowed = allowed;
    for (Index b = 0; b < 2; ++b)
        for (Index h = 0; h < 3; ++h) {
            const SharedCells cells = cells_of(r, StageKind::weights, b, h);
            EXPECT_EQ(all_of(*cells).values, std::vector<double>(8, double(1 + b * 3 + h)));
            EXPECT_EQ((signs_at(*cells, 1, 0) & sign::blocked) != 0, h == 1);
            EXPECT_EQ((signs_at(*cells, 1, 3) & sign::leaks) != 0, h == 1 || b == 1);
        }
}

TEST(Cells, AStageThatDoesNotExistHasNoCells) {
    const SharedCells cells = cells_of(result(), StageKind::scores, 0, 0);
    EXPECT_EQ(cells->rows, 0);
    EXPECT_TRUE(all_of(*cells).values.empty());
}

TEST(Cells, EqualWhereBitsAreEqual) {
    for (const bool float64 : {true, false}) {
        VariantResult r = result(float64), other = result(float64);
        const SharedCells cells = cells_of(r, StageKind::weights, 0, 0);
        EXPECT_EQ(*cells, *cells_of(other, StageKind::weights, 0, 0)) << "NaN equals NaN";
        Matrix weights = r.stage(StageKind::weights).head(0, 0);
        weights(2, 1) = 0;  // was −0
        other.stage(StageKind::weights) = stage_of(weights, float64);
        EXPECT_FALSE(*cells == *cells_of(other, StageKind::weights, 0, 0));
        r.allowed = {1, 0, 0, 1, 1, 0, 1, 0, 1};
        EXPECT_FALSE(*cells == *cells_of(r, StageKind::weights, 0, 0)) << "blocked is seen";
    }
    EXPECT_EQ(Cells{}, Cells{});
}

TEST(Cells, WhatIsFoundInARowIsFoundInItsCells) {
    for (const bool float64 : {true, false})
        for (const StageKind stage : {StageKind::weights, StageKind::logits, StageKind::allowed}) {
            const SharedCells cells = cells_of(result(float64), stage, 0, 0);
            double largest = 0;
            for (Index i = 0; i < n; ++i) {
                std::uint8_t any = 0;
                for (Index j = 0; j < n; ++j) {
                    any |= signs_at(*cells, i, j);
                    const double value = value_at(*cells, i, j);
                    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
                }
                EXPECT_EQ(signs_of_row(*cells, i), any) << i;
            }
            EXPECT_EQ(largest_magnitude(*cells), largest);
        }
}

// A source that takes over what is known of unchanged rows equals one that reads all rows again.
TEST(Cells, RowsThatStayTheSameAreNotLookedAtAgain) {
    constexpr Index rows = 40;
    VariantResult r;
    r.shape = {1, 2, rows, rows};
    r.allowed = std::vector<std::uint8_t>(2 * rows * rows, 1);
    Stage& scores = r.stage(StageKind::logits) = Stage(1, 2, rows, rows, false);
    for (Index h = 0; h < 2; ++h) scores.set_head(0, h, Matrix::Random(rows, rows));
    const SharedSource before = source_of(r, StageKind::logits);
    limits_of_sources({before}, StageKind::logits);
    auto numbers = std::make_shared<LargeArray<float>>(rows, 7.0F);
    r.stage(StageKind::logits) = scores.with_rows({rows + 3}, numbers);
    r.allowed.here()[5] = 0;
    const SharedSource after = source_of(r, StageKind::logits, before);
    const SharedSource anew = source_of(r, StageKind::logits);
    for (Index h = 0; h < 2; ++h) EXPECT_EQ(after->looks(0, h), anew->looks(0, h));
    EXPECT_EQ(after->looks(0, 1)[3].largest, 7);
    EXPECT_EQ(after->looks(0, 0)[0].signs & sign::blocked, sign::blocked);
    const SharedCells x = cells_of(before, 0, 1), y = cells_of(after, 0, 1);
    EXPECT_EQ(changed_rows(*x, *y), std::vector<Index>{3});
}

Limits limits_of(const std::vector<const VariantResult*>& variants, StageKind stage) {
    std::vector<SharedSource> sources;
    for (const VariantResult* variant : variants) sources.push_back(source_of(*variant, stage));
    return limits_of_sources(sources, stage);
}

TEST(Limits, SymmetricAndFromAllowedFiniteCellsAlone) {
    for (const bool float64 : {true, false}) {
        const VariantResult r = result(float64);
        const Limits limits = limits_of({&r}, StageKind::logits);
        EXPECT_EQ(limits.high, 2.5) << "-2.2 is the largest; -1e9 is blocked";
        EXPECT_EQ(limits.low, -2.5);
    }
}

TEST(Limits, OfAllVariants) {
    const VariantResult a = result();
    VariantResult b = result();
    b.stage(StageKind::logits) = stage_of(Matrix::Constant(n, n, -70), true);
    EXPECT_EQ(limits_of({&a, &b}, StageKind::logits).high, 80);
    EXPECT_EQ(limits_of({&b, &a}, StageKind::logits).low, -80);
}

TEST(Limits, SharesAreZeroToOne) {
    const VariantResult r = result();
    for (const StageKind stage : {StageKind::weights, StageKind::softmax, StageKind::allowed})
        EXPECT_EQ(limits_of({&r}, stage), (Limits{0, 1}));
}

TEST(Limits, SensitivityIsZeroToItsLargest) {
    VariantResult r = result();
    r.stage(StageKind::sensitivity) = stage_of(Matrix::Constant(n, n, 0.37), true);
    EXPECT_EQ(limits_of({&r}, StageKind::sensitivity), (Limits{0, 0.37}));
}

TEST(Limits, AreSafeWhereThereIsNothingToMeasure) {
    VariantResult r = result();
    for (const double number : {0.0, -0.0, infinity, -infinity, not_a_number, 5e-324, 1e-310,
                                std::numeric_limits<double>::max()})
        for (const StageKind stage :
             {StageKind::scores, StageKind::output, StageKind::sensitivity}) {
            r.stage(stage) = stage_of(Matrix::Constant(n, n, number), true);
            const Limits limits = limits_of({&r}, stage);
            EXPECT_LT(limits.low, limits.high) << number;
            EXPECT_TRUE(std::isfinite(limits.low) && std::isfinite(limits.high)) << number;
        }
    EXPECT_EQ(limits_of({}, StageKind::scores), (Limits{-1, 1}));
    EXPECT_EQ(limits_of({&r}, StageKind::scaled), (Limits{-1, 1})) << "a stage that is not there";
}

TEST(Limits, HoldWhatTheyMeasureAndWasteLittle) {
    VariantResult r = result();
    for (double largest = 1.3e-9; largest < 1e12; largest *= 1.37) {
        r.stage(StageKind::scores) = stage_of(Matrix::Constant(n, n, -largest), true);
        const Limits limits = limits_of({&r}, StageKind::scores);
        ASSERT_GE(limits.high, largest);
        ASSERT_LE(limits.high, 1.5 * largest * (1 + 1e-12));  // 1.5 is the widest step; rounding
        ASSERT_EQ(limits.low, -limits.high);
    }
}

TEST(Fill, CentredOnZeroAndEndingAtTheLimits) {
    const Limits limits{-3, 3};
    const auto fill = [&](double x) {
        return fill_of(x, StageKind::scores, limits, ColourMap::diverging);
    };
    EXPECT_EQ(fill(0), map_colour(ColourMap::diverging, 0.5));
    EXPECT_EQ(fill(-1e9), map_colour(ColourMap::diverging, 0));
    EXPECT_EQ(fill(7), map_colour(ColourMap::diverging, 1));
    EXPECT_EQ(fill(1.5), map_colour(ColourMap::diverging, 0.75));
}

TEST(Fill, WhatIsNotFiniteHasNone) {
    for (const double x : {infinity, -infinity, not_a_number})
        EXPECT_EQ(fill_of(x, StageKind::logits, {-1, 1}, ColourMap::diverging).a, 0);
    EXPECT_EQ(fill_of(1, StageKind::allowed, {0, 1}, ColourMap::viridis).a, 0);
}

TEST(Fill, SafeForAnyLimits) {
    constexpr double most = std::numeric_limits<double>::max();
    EXPECT_EQ(fill_of(0, StageKind::scores, {-most, most}, ColourMap::diverging),
              map_colour(ColourMap::diverging, 0.5));
    EXPECT_EQ(fill_of(2, StageKind::scores, {2, 2}, ColourMap::grey),
              map_colour(ColourMap::grey, 0.5));
    EXPECT_EQ(fill_of(2, StageKind::scores, {not_a_number, 2}, ColourMap::grey).a, 255);
}

Heatmap heatmap_of(StageKind stage) {
    Heatmap map;
    map.rect = {0, 0, 120, 120};
    map.cells = cells_of(result(), stage, 0, 0);
    map.limits = {-3, 3};
    map.map = map_of(stage, ThemeKind::dark);
    map.number_size = 12;
    return map;
}

TEST(Look, BlockedWeightsOfExactlyZeroAreHatchAlone) {
    const Theme& dark = theme(ThemeKind::dark);
    const Heatmap weights = heatmap_of(StageKind::weights);
    const CellLook look = look_of(weights, 0, 1, dark);
    EXPECT_FALSE(look.numbered);
    EXPECT_TRUE(look.plain);
    EXPECT_EQ(look.hatch, dark[Role::hatch]);
    EXPECT_EQ(text_of(weights, 0, 1), "");
    EXPECT_TRUE(look_of(weights, 2, 0, dark).numbered) << "an allowed 0 is a number";
    EXPECT_EQ(text_of(weights, 2, 0), "0");
}

TEST(Look, ALeakHasHatchNumberAndFrame) {
    const Theme& dark = theme(ThemeKind::dark);
    const CellLook blocked = look_of(heatmap_of(StageKind::weights), 0, 2, dark);
    EXPECT_TRUE(blocked.numbered);
    EXPECT_EQ(blocked.frame, dark[Role::wrong]);
    EXPECT_EQ(blocked.hatch.a, 255);
    const CellLook pad = look_of(heatmap_of(StageKind::weights), 2, 2, dark);
    EXPECT_EQ(pad.frame, dark[Role::wrong]);
    EXPECT_EQ(pad.hatch.a, 0) << "allowed: no hatch";
}

TEST(Look, LogitsKeepTheirNumberUnderTheHatch) {
    const Theme& light = theme(ThemeKind::light);
    const Heatmap logits = heatmap_of(StageKind::logits);
    const CellLook minus_infinity = look_of(logits, 0, 1, light);
    EXPECT_TRUE(minus_infinity.numbered && minus_infinity.plain);
    EXPECT_EQ(minus_infinity.background, light[Role::panel]);
    EXPECT_EQ(text_of(logits, 0, 1), "−∞");
    const CellLook large = look_of(logits, 0, 2, light);
    EXPECT_TRUE(large.numbered && !large.plain);
    EXPECT_EQ(large.background, map_colour(ColourMap::diverging, 0));
    EXPECT_EQ(large.ink, ink_on(large.background));
    EXPECT_EQ(large.hatch.a, 255);
    EXPECT_TRUE(look_of(logits, 1, 1, light).plain) << "+∞ has no colour, blocked or not";
}

TEST(Look, NanHasItsOwnCrossHatchAndWord) {
    const Theme& dark = theme(ThemeKind::dark);
    const Heatmap weights = heatmap_of(StageKind::weights);
    const CellLook allowed = look_of(weights, 1, 0, dark), blocked = look_of(weights, 1, 2, dark);
    EXPECT_EQ(allowed.hatch, nan_lines(dark));
    EXPECT_EQ(allowed.cross, nan_lines(dark));
    EXPECT_EQ(blocked.cross, nan_lines(dark));
    EXPECT_EQ(blocked.hatch, dark[Role::hatch]) << "blocked shows, whatever the number";
    EXPECT_EQ(text_of(weights, 1, 0), "NaN");
    EXPECT_EQ(text_style_of(weights, 1, 0).weight, Weight::bold);
}

TEST(Look, TheMask) {
    const Theme& dark = theme(ThemeKind::dark);
    const Heatmap mask = heatmap_of(StageKind::allowed);
    EXPECT_EQ(look_of(mask, 0, 0, dark).background, dark[Role::raised]);
    EXPECT_EQ(text_of(mask, 0, 0), "1");
    EXPECT_FALSE(look_of(mask, 0, 1, dark).numbered);
}

TEST(Look, PrintIsGrey) {
    const Heatmap weights = heatmap_of(StageKind::weights);
    const Colour fill = look_of(weights, 0, 0, theme(ThemeKind::print)).background;
    EXPECT_EQ(fill.r, fill.g);
    EXPECT_EQ(fill.g, fill.b);
    EXPECT_EQ(map_of(StageKind::scores, ThemeKind::print), ColourMap::grey);
}

// --- against a reference

// Returns results of random scenes whose variant 0 has variant 1 as its reference.
std::vector<Result> random_results_with_reference() {
    std::vector<Result> results;
    PlainBackend backend;
    for (std::uint64_t seed = 0; results.size() < 40; ++seed) {
        Scene scene = random_scene(seed);
        if (scene.variants.size() < 2) continue;
        scene.variants[0].reference = 1;
        Progress progress;
        results.push_back(backend.compute(scene, {}, nullptr, progress));
    }
    return results;
}

void expect_marked(const Result& result, StageKind stage, Index b, Index h) {
    const SharedCells cells = cells_of(source_of(result, 0, stage), b, h);
    const VariantResult &own = result.variants[0], &other = result.variants[1];
    std::uint8_t any = 0;
    for (Index i = 0; i < cells->rows; ++i) {
        const CellRow row = row_of(*cells, i);
        double leaked = 0;
        std::uint8_t in_row = 0;
        for (Index j = 0; j < cells->columns; ++j) {
            const bool here = own.is_allowed(b, h, i, j), there = other.is_allowed(b, h, i, j);
            const double value = row.values[j];
            const bool may = !here || !there || own.is_pad(b, j);
            const bool leaks = stage == StageKind::weights && may && value >= least_leak;
            const bool missing = stage == StageKind::allowed && there && !here;
            EXPECT_EQ((row.signs[j] & sign::leaks) != 0, leaks);
            EXPECT_EQ((row.signs[j] & sign::missing) != 0, missing);
            EXPECT_EQ(signs_at(*cells, i, j), row.signs[j]);
            const auto word = texels_of(*cells, {0, {{i, i + 1}}, {{j, j + 1}}}).front();
            constexpr std::uint8_t marks = sign::leaks | sign::missing;
            EXPECT_EQ(shown_cell(word, scale_of(*cells)).signs & marks, row.signs[j] & marks);
            if (may && value > 0) leaked += value;
            in_row |= row.signs[j];
        }
        EXPECT_EQ(signs_of_row(*cells, i), in_row);
        if ((in_row & sign::leaks) != 0) {
            EXPECT_NEAR(leaked_in_row(*cells, i), leaked, 1e-12 * leaked);
        }
        any |= in_row;
    }
    // One word for all cells keeps the flags of every cell.
    const auto word = texels_of(*cells, {0, {{0, cells->rows}}, {{0, cells->columns}}}).front();
    EXPECT_EQ(shown_cell(word, scale_of(*cells)).signs & sign::missing, any & sign::missing);
}

TEST(CellsAgainstAReference, LeakWhereItBlocksAndMissWhatItAllows) {
    for (const Result& result : random_results_with_reference())
        for (const StageKind stage : {StageKind::weights, StageKind::allowed})
            for (Index b = 0; b < result.variants[0].shape.b; ++b)
                for (Index h = 0; h < result.variants[0].shape.h; ++h)
                    if (!result.variants[0].allowed.empty()) expect_marked(result, stage, b, h);
}

TEST(CellsAgainstAReference, ChangeWithItsMaskAlone) {
    Result result = random_results_with_reference().front();
    const SharedSource before = source_of(result, 0, StageKind::allowed);
    result.scene.variants[1].name = "another name";
    EXPECT_EQ(source_of(result, 0, StageKind::allowed, before), before);
    MaskLayer none;
    none.kind = LayerKind::window;
    none.left = none.right = 0;
    result.scene.variants[1].mask.layers.push_back(none);
    EXPECT_NE(source_of(result, 0, StageKind::allowed, before), before);
}

}  // namespace
}  // namespace maskscope
