#include "tests/gpu/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/mask.h"
#include "core/names.h"
#include "core/precision.h"
#include "tests/golden/expected.h"

namespace maskscope::golden {
namespace {

// float32, of max(1, the largest finite magnitude at allowed cells): sums of a few products whose
// terms each are off by 6e-8, and what exp makes of that.
constexpr double number_tolerance = 4e-6, weight_tolerance = 2e-6;
// A weight is off by as much as the logits that share its row: three units of the largest of them.
constexpr double weight_of_logit = 2e-7;
// Of a blocked number relative to itself.
constexpr double blocked_tolerance = 4e-6;
// A figure is a sum over a row of weights, and of their logarithms: ten times what a weight may be
// off.
constexpr double figure_of_weight = 10;
// A figure of the GPU from its own stages: float32 sums of a few numbers.
constexpr double own_figure_tolerance = 2e-6;
// Where 16-bit numbers are one unit apart, float32 arithmetic before the rounding may be the cause.
constexpr double before_rounding = 1e-6;

constexpr StageKind square_stages[] = {StageKind::scores,  StageKind::scaled,
                                       StageKind::logits,  StageKind::softmax,
                                       StageKind::weights, StageKind::sensitivity};

bool is_sixteen_bits(Dtype dtype) { return dtype == Dtype::float16 || dtype == Dtype::bfloat16; }

std::string at(const std::string& what, Index b, Index h, Index i, Index j, double actual,
               double expected) {
    return fmt::format("{} at {},{},{},{}: {} and not {}", what, b, h, i, j, actual, expected);
}

// One variant of both results.
struct Pair {
    const Scene& scene;
    const Variant& variant;
    const VariantResult& gpu;
    const VariantResult& plain;
    BatchInputs inputs;  // rounded

    Head head(Index b, Index h) const {
        return {scene,
                variant,
                b,
                h,
                allowed_cells(scene, variant.mask.layers, b, h),
                round_inputs(inputs.at(b, h), Rounding(variant.dtype))};
    }
    bool is_allowed(Index b, Index h, Index i, Index j) const {
        return plain.is_allowed(b, h, i, j);
    }
};

double largest_allowed(const Pair& pair, StageKind kind) {
    const Stage& stage = pair.plain.stage(kind);
    double largest = 1;
    for (Index b = 0; b < stage.b(); ++b)
        for (Index h = 0; h < stage.h(); ++h) {
            const Matrix numbers = stage.head(b, h);
            for (Index i = 0; i < numbers.rows(); ++i)
                for (Index j = 0; j < numbers.cols(); ++j)
                    if (std::isfinite(numbers(i, j)) &&
                        (kind == StageKind::output || pair.is_allowed(b, h, i, j)))
                        largest = std::max(largest, std::abs(numbers(i, j)));
        }
    return largest;
}

bool same_kind(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return std::isfinite(a) && std::isfinite(b) ? true : a == b;
}

// A GPU may make 0 of a subnormal weight, and an infinite value times 0 is NaN: nothing may rest on
// such rows. Of any head.
bool has_subnormal_weight(const Pair& pair, Index b, Index i) {
    const Stage& weights = pair.plain.stage(StageKind::weights);
    for (Index h = 0; h < weights.h(); ++h)
        for (Index j = 0; j < weights.columns(); ++j) {
            const double weight = std::abs(weights.at(b, h, i, j));
            if (weight > 0 && weight < double(std::numeric_limits<float>::min())) return true;
        }
    return false;
}

// --- stages against the plain ones

struct Tolerances {
    double number, blocked;  // absolute; relative, of blocked cells
};

std::string compare(const Pair& pair, StageKind kind, bool kinds_only,
                    const Tolerances& tolerances) {
    const Stage &gpu = pair.gpu.stage(kind), &plain = pair.plain.stage(kind);
    const std::string name(maskscope::name(kind));
    if (gpu.b() != plain.b() || gpu.h() != plain.h() || gpu.rows() != plain.rows() ||
        gpu.columns() != plain.columns())
        return name + " has another shape";
    const bool has_blocked =
        kind == StageKind::scores || kind == StageKind::scaled || kind == StageKind::logits;
    for (Index b = 0; b < plain.b(); ++b)
        for (Index h = 0; h < plain.h(); ++h) {
            const Matrix actual = gpu.head(b, h), expected = plain.head(b, h);
            for (Index i = 0; i < actual.rows(); ++i)
                for (Index j = 0; j < actual.cols(); ++j) {
                    const double a = actual(i, j), e = expected(i, j);
                    const bool weight = kind == StageKind::weights;
                    const bool exact = weight && e == 0 && !pair.is_allowed(b, h, i, j);
                    double tolerance = tolerances.number;
                    if (has_blocked) tolerance += tolerances.blocked * std::abs(e);
                    if (kind == StageKind::output && has_subnormal_weight(pair, b, i)) continue;
                    const bool near =
                        kinds_only || !std::isfinite(e) || std::abs(a - e) <= tolerance;
                    if (!same_kind(a, e) || !near || (exact && a != 0))
                        return at(name, b, h, i, j, a, e);
                }
        }
    return "";
}

// The largest magnitude of a logit that has a weight.
double largest_weighing(const Pair& pair) {
    const Stage &logits = pair.plain.stage(StageKind::logits),
                &softmax = pair.plain.stage(StageKind::softmax);
    double largest = 1;
    for (Index b = 0; b < logits.b(); ++b)
        for (Index h = 0; h < logits.h(); ++h)
            for (Index i = 0; i < logits.rows(); ++i)
                for (Index j = 0; j < logits.columns(); ++j)
                    if (softmax.at(b, h, i, j) > weight_tolerance)
                        largest = std::max(largest, std::abs(logits.at(b, h, i, j)));
    return largest;
}

std::string compare_stages(const Pair& pair) {
    const bool kinds_only = is_sixteen_bits(pair.variant.dtype);
    const double weighing = largest_weighing(pair);
    for (const StageKind kind : square_stages) {
        const bool weight = kind == StageKind::softmax || kind == StageKind::weights;
        const double number = weight || kind == StageKind::sensitivity
                                  ? std::max(weight_tolerance, weight_of_logit * weighing)
                                  : number_tolerance * largest_allowed(pair, kind);
        if (auto found = compare(pair, kind, kinds_only, {number, blocked_tolerance});
            !found.empty())
            return found;
    }
    const double number =
        std::max(number_tolerance, weight_of_logit * weighing * double(pair.plain.shape.n_k)) *
        largest_allowed(pair, StageKind::output);
    return compare(pair, StageKind::output, kinds_only, {number, 0});
}

// --- stages against what follows from the one before

std::string follows(const Pair& pair, StageKind kind, Index b, Index h, const Matrix& expected) {
    const Matrix actual = pair.gpu.stage(kind).head(b, h);
    const double scale = std::max(
        1.0, expected.unaryExpr([](double x) { return std::isfinite(x) ? std::abs(x) : 0.0; })
                 .maxCoeff());
    const Rounding rounded(pair.variant.dtype);
    for (Index i = 0; i < actual.rows(); ++i)
        for (Index j = 0; j < actual.cols(); ++j) {
            const double a = actual(i, j), e = expected(i, j), r = rounded(e);
            const double tolerance = unit_in_last_place(pair.variant.dtype, e) +
                                     before_rounding * std::max(1.0, std::min(scale, 1e3));
            const bool near = !std::isfinite(r) || std::abs(a - r) <= tolerance;
            const bool overflow = !std::isfinite(a) != !std::isfinite(r) && !std::isnan(a) &&
                                  !std::isnan(r) &&
                                  std::abs(std::abs(e) / lowest(pair.variant.dtype)) > 0.99;
            if (!overflow && (!same_kind(a, r) || !near))
                return at(std::string(name(kind)) + " from the stage before", b, h, i, j, a, r);
        }
    return "";
}

std::string steps_of_head(const Pair& pair, Index b, Index h) {
    const Head head = pair.head(b, h);
    const auto stage = [&](StageKind kind) { return pair.gpu.stage(kind).head(b, h); };
    std::string found;
    const auto step = [&](StageKind kind, const Matrix& expected) {
        if (found.empty()) found = follows(pair, kind, b, h, expected);
    };
    if (pair.gpu.stage(StageKind::scores).exists()) {
        step(StageKind::scores, expected_scores(head));
        step(StageKind::scaled, expected_scaled(head, stage(StageKind::scores)));
        step(StageKind::logits,
             expected_logits(head, stage(StageKind::scores), stage(StageKind::scaled)));
        step(StageKind::softmax, expected_softmax(head, stage(StageKind::logits)));
    } else {
        step(StageKind::softmax, head.inputs.weights);
    }
    step(StageKind::weights, expected_weights(head, stage(StageKind::softmax)));
    return found;
}

std::string compare_steps(const Pair& pair) {
    if (!is_sixteen_bits(pair.variant.dtype)) return "";
    for (Index b = 0; b < pair.gpu.shape.b; ++b)
        for (Index h = 0; h < pair.gpu.shape.h; ++h)
            if (auto found = steps_of_head(pair, b, h); !found.empty()) return found;
    return "";
}

// --- mask and figures

std::string compare_mask(const Pair& pair) {
    if (pair.gpu.allowed.all() != pair.plain.allowed.all()) return "another mask";
    if (pair.gpu.pads != pair.plain.pads) return "other pads";
    if (pair.gpu.queries != pair.plain.queries || pair.gpu.keys != pair.plain.keys)
        return "other labels";
    return "";
}

std::string compare_row(const RowFigures& a, const RowFigures& e, double tolerance) {
    // Given weights may be larger than 1; x ln x is some times as large.
    const double size = std::isfinite(e.max) ? (std::abs(e.max) > 1 ? 16 * std::abs(e.max) : 1) : 1;
    const auto differ = [&](double x, double y) {
        return !same_kind(x, y) || (std::isfinite(x) && !(std::abs(x - y) <= tolerance * size));
    };
    if (a.empty != e.empty) return "empty";
    if (a.nan != e.nan) return "nan";
    if (differ(a.sum, e.sum)) return fmt::format("sum {} and not {}", a.sum, e.sum);
    if (differ(a.max, e.max)) return fmt::format("max {} and not {}", a.max, e.max);
    if (differ(a.entropy, e.entropy))
        return fmt::format("entropy {} and not {}", a.entropy, e.entropy);
    if (differ(a.leak, e.leak)) return fmt::format("leak {} and not {}", a.leak, e.leak);
    if (differ(a.gradient_leak, e.gradient_leak))
        return fmt::format("gradient_leak {} and not {}", a.gradient_leak, e.gradient_leak);
    if (differ(a.pads, e.pads)) return fmt::format("pads {} and not {}", a.pads, e.pads);
    return "";
}

// Against the figures that the GPU's own stages have, and (where numbers agree) the plain ones.
std::string compare_figures(const Pair& pair) {
    const double tolerance =
        figure_of_weight * std::max(weight_tolerance, weight_of_logit * largest_weighing(pair));
    for (Index b = 0; b < pair.gpu.shape.b; ++b)
        for (Index h = 0; h < pair.gpu.shape.h; ++h) {
            const Head head = pair.head(b, h);
            const Matrix weights = pair.gpu.stage(StageKind::weights).head(b, h);
            Matrix sensitivity;
            if (pair.gpu.stage(StageKind::sensitivity).exists())
                sensitivity = pair.gpu.stage(StageKind::sensitivity).head(b, h);
            for (Index i = 0; i < weights.rows(); ++i) {
                const RowFigures& row = pair.gpu.row(b, h, i);
                std::string found = compare_row(
                    row, expected_figures(head, weights, sensitivity, i), own_figure_tolerance);
                if (found.empty() && !is_sixteen_bits(pair.variant.dtype))
                    found = compare_row(row, pair.plain.row(b, h, i), tolerance);
                if (!found.empty()) return fmt::format("row {},{},{}: {}", b, h, i, found);
            }
        }
    return "";
}

}  // namespace

std::string first_difference(const Result& gpu, const Result& plain) {
    Progress progress;
    for (std::size_t lane = 0; lane < gpu.variants.size(); ++lane) {
        const Pair pair{gpu.scene, gpu.scene.variants[lane], gpu.variants[lane],
                        plain.variants[lane], make_inputs(gpu.scene, progress)};
        for (const auto compare : {compare_mask, compare_stages, compare_steps, compare_figures})
            if (const std::string found = compare(pair); !found.empty())
                return fmt::format("lane {}: {}", lane_letter(static_cast<int>(lane)), found);
    }
    return "";
}

}  // namespace maskscope::golden
