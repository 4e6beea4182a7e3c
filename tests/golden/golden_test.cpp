// Compares the reference implementation with the golden scenes. README.md beside them gives the
// tolerances.

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/attention/mask.h"
#include "core/attention/row_figures.h"
#include "core/base/matrix.h"
#include "core/compute/decode.h"
#include "core/compute/embedding.h"
#include "core/compute/plain.h"
#include "core/scene/names.h"
#include "tests/golden/expected.h"
#include "tests/golden/golden_files.h"
#include "tests/support/test_name.h"

namespace maskscope::golden {
namespace {

// As README.md says: float32 2e-6 on weights and softmax, elsewhere 4e-6 of max(1, the largest
// finite magnitude at allowed cells), blocked logits 4e-6 of the expected value; float64 1e-12.
constexpr double float64_tolerance = 1e-12, weight_tolerance = 2e-6, other_tolerance = 4e-6;
// For sums over up to 8 keys, whose weights may each be off by weight_tolerance, and for
// logarithms.
constexpr double figure_tolerance = 2e-5;
// Sensitivity is not rounded, but stored as float32. This is half a unit of a number below 2.
constexpr double stored_tolerance = 1.2e-7;
// The bound for the same formula in float64 with another order of adding.
constexpr double order_tolerance = 1e-12;

constexpr StageKind square_stages[] = {StageKind::scores,  StageKind::scaled,
                                       StageKind::logits,  StageKind::softmax,
                                       StageKind::weights, StageKind::sensitivity};

bool is_sixteen_bits(Dtype dtype) { return dtype == Dtype::float16 || dtype == Dtype::bfloat16; }

Matrix to_matrix(const Allowed& allowed) { return allowed.cast<double>().matrix(); }

// One variant of one golden scene, with its stages from a source: golden's or ours.
struct Case {
    std::string name;
    Scene scene;
    int index = 0;
    VariantResult ours;
    BatchInputs inputs;

    const Variant& variant() const { return scene.variants[index]; }
    Dtype dtype() const { return variant().dtype; }
    std::string stage_name(StageKind kind) const { return std::string(maskscope::name(kind)); }
    Golden golden(StageKind kind) const { return read_golden(name, index, stage_name(kind)); }

    Head head(Index b, Index h) const {
        return {scene,
                variant(),
                b,
                h,
                allowed_cells(scene, variant().mask.layers, b, h),
                round_inputs(inputs.at(b, h), Rounding(dtype()))};
    }
    Matrix stage(StageKind kind, bool of_golden, Index b, Index h) const {
        return of_golden ? golden(kind).head(b, h) : ours.stage(kind).head(b, h);
    }
    bool has(StageKind kind) const { return has_golden(name, index, stage_name(kind)); }
};

class GoldenScene : public testing::TestWithParam<std::string> {
protected:
    // Calls check with every variant of the scene.
    template <class Check>
    void for_each_variant(Check check) {
        Case one{GetParam(), read_golden_scene(GetParam()), 0, {}, {}};
        Progress progress;
        const Result result = PlainBackend().compute(one.scene, {}, nullptr, progress);
        one.inputs = make_inputs(one.scene, progress);
        for (; one.index < static_cast<int>(one.scene.variants.size()); ++one.index) {
            SCOPED_TRACE(one.variant().name);
            one.ours = result.variants[one.index];
            check(one);
        }
    }
    template <class Check>
    void for_each_head(Check check) {
        for_each_variant([&](const Case& one) {
            for (Index b = 0; b < one.ours.shape.b; ++b)
                for (Index h = 0; h < one.ours.shape.h; ++h) {
                    SCOPED_TRACE("b " + std::to_string(b) + ", h " + std::to_string(h));
                    check(one, b, h);
                }
        });
    }
};

INSTANTIATE_TEST_SUITE_P(All, GoldenScene, testing::ValuesIn(scene_names()), named_by_file);

TEST(GoldenScenes, AreAllThere) { EXPECT_EQ(scene_names().size(), 33U); }

TEST_P(GoldenScene, HasTheSameStagesAndShapes) {
    for_each_variant([](const Case& one) {
        for (const StageKind kind : square_stages) {
            ASSERT_EQ(one.has(kind), one.ours.stage(kind).exists()) << one.stage_name(kind);
            if (!one.has(kind)) continue;
            EXPECT_EQ(one.golden(kind).rows, one.ours.shape.n_q);
            EXPECT_EQ(one.golden(kind).columns, one.ours.shape.n_k);
        }
        const Stage& output = one.ours.stage(StageKind::output);
        ASSERT_EQ(one.has(StageKind::output), output.exists());
        if (!output.exists()) return;
        const Golden golden = one.golden(StageKind::output);
        EXPECT_EQ(golden.b, output.b());
        EXPECT_EQ(golden.h, output.h());
        EXPECT_EQ(golden.rows, output.rows());
        EXPECT_EQ(golden.columns, output.columns());
    });
}

TEST_P(GoldenScene, HasTheSameMask) {
    for_each_head([](const Case& one, Index b, Index h) {
        const Matrix golden = one.golden(StageKind::allowed).head(b, h);
        EXPECT_EQ(first_beyond(0, to_matrix(one.head(b, h).allowed), golden), "");
        for (Index i = 0; i < golden.rows(); ++i)
            for (Index j = 0; j < golden.cols(); ++j) {
                EXPECT_EQ(one.ours.is_allowed(b, h, i, j), golden(i, j) != 0);
                EXPECT_EQ(allowed_at(one.head(b, h), i, j), golden(i, j) != 0);
            }
    });
}

// Returns the largest finite magnitude at allowed cells, or anywhere in an output; at least 1.
double largest_allowed(const Case& one, StageKind kind) {
    const Golden golden = one.golden(kind);
    double largest = 1;
    for (std::size_t k = 0; k < golden.numbers.size(); ++k) {
        const bool counts = kind == StageKind::output || one.ours.allowed[k];
        const double x = std::abs(golden.numbers[k]);
        if (counts && std::isfinite(x)) largest = std::max(largest, x);
    }
    return largest;
}

double tolerance_of(const Case& one, StageKind kind) {
    if (one.dtype() == Dtype::float64) return float64_tolerance * largest_allowed(one, kind);
    if (kind == StageKind::softmax || kind == StageKind::weights) return weight_tolerance;
    return other_tolerance * largest_allowed(one, kind);
}

// Compares blocked logits with a tolerance relative to the expected value, then sets them to 0 in
// both matrices.
void hold_blocked_logits(const Case& one, Matrix& ours, Matrix& golden, Index b, Index h) {
    const double relative = one.dtype() == Dtype::float64 ? float64_tolerance : other_tolerance;
    for (Index i = 0; i < golden.rows(); ++i)
        for (Index j = 0; j < golden.cols(); ++j) {
            if (one.ours.is_allowed(b, h, i, j)) continue;
            const double mine = ours(i, j), theirs = golden(i, j);
            EXPECT_TRUE(same(mine, theirs) ||
                        std::abs(mine - theirs) <= relative * std::abs(theirs))
                << i << ", " << j << ": " << mine << ", expected " << theirs;
            ours(i, j) = golden(i, j) = 0;
        }
}

TEST_P(GoldenScene, HasTheSameNumbers) {
    for_each_head([](const Case& one, Index b, Index h) {
        if (is_sixteen_bits(one.dtype())) return;  // compared step by step, below
        for (const StageKind kind : square_stages) {
            if (!one.has(kind)) continue;
            Matrix ours = one.stage(kind, false, b, h), golden = one.stage(kind, true, b, h);
            if (kind == StageKind::logits) hold_blocked_logits(one, ours, golden, b, h);
            EXPECT_EQ(first_beyond(tolerance_of(one, kind), ours, golden), "")
                << one.stage_name(kind);
        }
    });
}

TEST_P(GoldenScene, HasTheSameOutputs) {
    for_each_variant([](const Case& one) {
        const Stage& output = one.ours.stage(StageKind::output);
        if (is_sixteen_bits(one.dtype()) || !output.exists()) return;
        for (Index b = 0; b < output.b(); ++b)
            for (Index h = 0; h < output.h(); ++h)
                EXPECT_EQ(first_beyond(tolerance_of(one, StageKind::output), output.head(b, h),
                                       one.golden(StageKind::output).head(b, h)),
                          "");
    });
}

// --- each stage from the one before it, in every dtype, of the golden arrays (which proves
// --- expected.cpp) and of our own (which proves the backend)

// Compares one step. A golden number that a sum in another order would round differently is still
// right.
void expect_step(const Case& one, StageKind kind, bool of_golden, Index b, Index h,
                 const Matrix& expected) {
    EXPECT_EQ(first_beyond_one_unit(one.dtype(), one.stage(kind, of_golden, b, h), expected), "")
        << one.stage_name(kind) << (of_golden ? " of the golden arrays" : " of ours");
}

void expect_steps(const Case& one, bool of_golden, Index b, Index h) {
    const Head head = one.head(b, h);
    const auto stage = [&](StageKind kind) { return one.stage(kind, of_golden, b, h); };
    const auto step = [&](StageKind kind, const Matrix& expected) {
        expect_step(one, kind, of_golden, b, h, expected);
    };
    if (one.has(StageKind::scores)) {
        step(StageKind::scores, expected_scores(head));
        step(StageKind::scaled, expected_scaled(head, stage(StageKind::scores)));
        step(StageKind::logits,
             expected_logits(head, stage(StageKind::scores), stage(StageKind::scaled)));
        step(StageKind::softmax, expected_softmax(head, stage(StageKind::logits)));
        const bool stored_whole = of_golden || one.dtype() == Dtype::float64;
        EXPECT_EQ(
            first_beyond(
                stored_whole ? order_tolerance : stored_tolerance, stage(StageKind::sensitivity),
                expected_sensitivity(head, stage(StageKind::scaled), stage(StageKind::softmax))),
            "");
    } else {
        step(StageKind::softmax, head.inputs.weights);
    }
    step(StageKind::weights, expected_weights(head, stage(StageKind::softmax)));
}

TEST_P(GoldenScene, StepsFollowOneFromTheOther) {
    for_each_head([](const Case& one, Index b, Index h) {
        expect_steps(one, true, b, h);
        expect_steps(one, false, b, h);
    });
}

TEST_P(GoldenScene, OutputsFollowFromTheWeights) {
    for_each_variant([](const Case& one) {
        const Stage& output = one.ours.stage(StageKind::output);
        if (!output.exists()) return;
        for (const bool of_golden : {true, false})
            for (Index b = 0; b < output.b(); ++b) {
                std::vector<Head> heads;
                std::vector<Matrix> weights;
                for (Index h = 0; h < one.ours.shape.h; ++h) {
                    heads.push_back(one.head(b, h));
                    weights.push_back(one.stage(StageKind::weights, of_golden, b, h));
                }
                const std::vector<Matrix> expected = expected_outputs(heads, weights);
                for (Index h = 0; h < output.h(); ++h)
                    expect_step(one, StageKind::output, of_golden, b, h, expected[h]);
            }
    });
}

// Computes each row alone, as with a cache; the tolerance is that of weights.
TEST_P(GoldenScene, HasTheSameWeightsOneTokenAtATime) {
    for_each_variant([](const Case& one) {
        if (!has_golden(one.name, one.index, "decode")) return;
        ASSERT_TRUE(has_decode(one.scene));
        Progress progress;
        const Stage decode = decode_of(one.scene, one.inputs, one.index, progress);
        const Golden golden = read_golden(one.name, one.index, "decode");
        const double tolerance = one.dtype() == Dtype::float64   ? float64_tolerance
                                 : one.dtype() == Dtype::float32 ? weight_tolerance
                                 : one.dtype() == Dtype::float16 ? 1e-3
                                                                 : 4e-3;  // a unit below 1
        for (Index b = 0; b < golden.b; ++b)
            for (Index h = 0; h < golden.h; ++h)
                EXPECT_EQ(first_beyond(tolerance, decode.head(b, h), golden.head(b, h)), "");
    });
}

// --- the statistics of the rows

std::map<std::string, double> named(const RowFigures& row) {
    return {{"sum", row.sum},
            {"max", row.max},
            {"entropy", row.entropy},
            {"leak", row.leak},
            {"gradient_leak", row.gradient_leak},
            {"pads", row.pads},
            {"empty", row.empty ? 1 : 0},
            {"nan", row.nan ? 1 : 0}};
}

// Returns the number as it is read back: a number that is not finite is written as null, which is
// read as NaN.
double written(double x) { return std::isfinite(x) ? x : std::nan(""); }

void expect_figures(const RowFigures& actual, const std::map<std::string, double>& expected,
                    double tolerance) {
    for (const auto& [figure, x] : named(actual)) {
        const double e = expected.at(figure);
        EXPECT_TRUE(same(written(x), e) || std::abs(x - e) <= tolerance)
            << figure << ": " << x << ", expected " << e;
    }
}

TEST_P(GoldenScene, HasTheSameStatistics) {
    for_each_variant([](const Case& one) {
        std::map<std::string, std::vector<double>> golden;
        for (const auto& [figure, x] : named({}))
            golden[figure] = read_figure(one.name, one.index, figure);
        for (std::size_t row = 0; row < one.ours.rows.size(); ++row) {
            std::map<std::string, double> expected;
            for (const auto& [figure, all] : golden) expected[figure] = all.at(row);
            // In 16-bit dtypes, a row whose weights are one unit off has other statistics; see
            // below.
            if (!is_sixteen_bits(one.dtype()))
                expect_figures(
                    one.ours.rows[row], expected,
                    one.dtype() == Dtype::float64 ? 10 * float64_tolerance : figure_tolerance);
        }
    });
}

// Compares the logarithms of sums, and the statistics against a reference, in the six scenes that
// have them.
TEST_P(GoldenScene, HasTheSameFiguresAgainstItsReference) {
    for_each_variant([](const Case& one) {
        if (is_sixteen_bits(one.dtype()) || !has_figure(one.name, one.index, "lse")) return;
        const double tolerance =
            one.dtype() == Dtype::float64 ? 10 * float64_tolerance : figure_tolerance;
        const auto expect = [&](const char* figure, std::size_t row, double x) {
            const double e = read_figure(one.name, one.index, figure).at(row);
            EXPECT_TRUE(same(written(x), e) || std::abs(x - e) <= tolerance)
                << figure << ": " << x << ", expected " << e;
        };
        ASSERT_EQ(has_figure(one.name, one.index, "leak_to_reference"),
                  one.variant().reference.has_value());
        Progress progress;
        const Result all = PlainBackend().compute(one.scene, {}, nullptr, progress);
        std::size_t row = 0;
        for (Index b = 0; b < one.ours.shape.b; ++b)
            for (Index h = 0; h < one.ours.shape.h; ++h)
                for (Index i = 0; i < one.ours.shape.n_q; ++i, ++row) {
                    expect("lse", row, one.ours.rows[row].lse);
                    if (!one.variant().reference) continue;
                    const ReferenceFigures found = reference_figures(all, one.index, b, h, i);
                    expect("leak_to_reference", row, found.leak);
                    expect("missing_to_reference", row, static_cast<double>(found.missing));
                }
    });
}

void expect_figures_follow(const Case& one, bool of_golden, Index b, Index h) {
    const Head head = one.head(b, h);
    const Matrix weights = one.stage(StageKind::weights, of_golden, b, h);
    Matrix sensitivity;
    if (one.has(StageKind::sensitivity))
        sensitivity = one.stage(StageKind::sensitivity, of_golden, b, h);
    for (Index i = 0; i < weights.rows(); ++i) {
        auto expected = named(expected_figures(head, weights, sensitivity, Matrix(), i));
        for (auto& [figure, x] : expected) x = written(x);
        RowFigures actual = one.ours.row(b, h, i);
        if (of_golden) {
            const auto at =
                static_cast<std::size_t>((b * one.ours.shape.h + h) * weights.rows() + i);
            const auto golden = [&](const char* figure) {
                return read_figure(one.name, one.index, figure).at(at);
            };
            actual = {golden("sum"),        golden("max"),           golden("entropy"),
                      golden("leak"),       golden("gradient_leak"), golden("pads"),
                      golden("empty") != 0, golden("nan") != 0};
        }
        // Our sensitivity was summed before it was stored as float32, so each of up to eight
        // numbers may be off by half a unit.
        expect_figures(actual, expected, of_golden ? order_tolerance : 8 * stored_tolerance);
    }
}

TEST_P(GoldenScene, StatisticsFollowFromTheStages) {
    for_each_head([](const Case& one, Index b, Index h) {
        expect_figures_follow(one, true, b, h);
        expect_figures_follow(one, false, b, h);
    });
}

}  // namespace
}  // namespace maskscope::golden
