#include "tests/golden/compare_results.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

#include "core/attention/attention.h"
#include "core/attention/mask.h"
#include "core/attention/row_figures.h"
#include "core/attention/softmax.h"
#include "core/base/matrix.h"
#include "core/compute/embedding.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"
#include "tests/golden/expected.h"

namespace maskscope::golden {
namespace {

using enum StageKind;

constexpr StageKind square_stages[] = {scores, scaled, logits, softmax, weights, sensitivity};

std::string at(Index b, Index h, Index i, Index j) {
    std::ostringstream text;
    text << " at (" << b << ", " << h << ", " << i << ", " << j << ")";
    return text.str();
}

// One variant, computed by both backends.
class Comparison {
public:
    Comparison(const Scene& scene, const Variant& variant, const BatchInputs& inputs,
               const VariantResult& plain, const VariantResult& other, const Nearness& near)
        : scene_(scene),
          variant_(variant),
          inputs_(inputs),
          parameters_(parameters_of(scene, variant)),
          plain_(plain),
          other_(other),
          near_(near) {}

    std::string first() {
        compare_frames();
        for (Index b = 0; b < plain_.shape.b && found_.empty(); ++b) {
            for (Index h = 0; h < plain_.shape.h && found_.empty(); ++h) compare_head(b, h);
            compare_outputs(b);
        }
        return found_;
    }

private:
    void fail(const std::string& what) {
        if (found_.empty()) found_ = what;
    }

    void compare_frames() {
        if (plain_.shape != other_.shape) fail("shape");
        if (plain_.queries != other_.queries || plain_.keys != other_.keys) fail("labels");
        if (plain_.pads != other_.pads) fail("pads");
        if (plain_.allowed.all() != other_.allowed.all()) fail("allowed");
        for (int k = 0; k < stage_count; ++k) {
            const Stage& x = plain_.stages[k];
            const Stage& y = other_.stages[k];
            if (x.exists() != y.exists() || x.b() != y.b() || x.h() != y.h() ||
                x.rows() != y.rows() || x.columns() != y.columns() ||
                x.is_float64() != y.is_float64())
                fail(std::string(name(static_cast<StageKind>(k))) + " has another shape");
        }
    }

    // True for the same NaN, the same infinity, or two finite numbers.
    static bool same_kind(double x, double y) {
        return std::isfinite(x) ? std::isfinite(y) : same(x, y);
    }

    // If a subnormal weight may be 0, its product with an infinite value may be NaN.
    bool may_lose_infinity(StageKind kind, Index b, Index h, Index i, double expected) const {
        const auto is_subnormal = [](double w) {
            return std::fpclassify(static_cast<float>(w)) == FP_SUBNORMAL;
        };
        if (kind != output || !std::isinf(expected) ||
            near_.smallest < std::numeric_limits<float>::min())
            return false;
        const bool of_all_heads = variant_.output.kind == OutputKind::projected;
        const Index first = of_all_heads ? 0 : h, last = of_all_heads ? plain_.shape.h : h + 1;
        for (Index head = first; head < last; ++head) {
            const Matrix w = plain_.stage(weights).head(b, head);
            for (Index j = 0; j < w.cols(); ++j)
                if (is_subnormal(w(i, j))) return true;
        }
        return false;
    }

    void compare_kinds(StageKind kind, Index b, Index h, const Allowed& allowed) {
        const Matrix plain = plain_.stage(kind).head(b, h), other = other_.stage(kind).head(b, h);
        // e^t at t near -104 is about half of float32's smallest number: either may round to 0.
        const BlockedValue& value = variant_.mask.value;
        const bool at_the_edge = uses_value(variant_.mask.apply) &&
                                 value.kind == ValueKind::number && std::abs(value.number) < 1000;
        for (Index i = 0; i < plain.rows(); ++i)
            for (Index j = 0; j < plain.cols(); ++j) {
                const double p = plain(i, j), o = other(i, j);
                if (std::isnan(o) && may_lose_infinity(kind, b, h, i, p)) continue;
                const bool zero = kind == weights && !allowed(i, j) && p == 0 && !at_the_edge;
                if (!same_kind(p, o) || (zero && o != 0)) report(kind, b, h, i, j, o, p);
            }
    }

    void report(StageKind kind, Index b, Index h, Index i, Index j, double actual,
                double expected) {
        std::ostringstream text;
        text.precision(17);
        text << variant_.name << ": " << name(kind) << at(b, h, i, j) << " is " << actual
             << ", expected " << expected;
        fail(text.str());
    }

    double unit(double x, double y) const {
        return std::max(unit_in_last_place(variant_.dtype, x),
                        unit_in_last_place(variant_.dtype, y));
    }

    // Compares a stage of the other backend with `expected`, which is not rounded yet. For each
    // number, `terms` has the sum of the magnitudes of the terms that were added.
    void compare(StageKind kind, Index b, Index h, const Matrix& expected, const Matrix& terms,
                 bool is_rounded = true) {
        const Rounding rounded(variant_.dtype);
        const Matrix actual = other_.stage(kind).head(b, h);
        const bool float64 = variant_.dtype == Dtype::float64;
        const double units = variant_.dtype == Dtype::float32 ? near_.float32_units : near_.units;
        for (Index i = 0; i < expected.rows(); ++i)
            for (Index j = 0; j < expected.cols(); ++j) {
                const double a = actual(i, j);
                const double e = is_rounded ? rounded(expected(i, j)) : expected(i, j);
                if (std::isnan(a) && may_lose_infinity(kind, b, h, i, e)) continue;
                double tolerance =
                    float64 ? 1e-12 * terms(i, j) : near_.of_terms * terms(i, j) + near_.smallest;
                if (is_rounded && !float64) tolerance += units * unit(a, e);
                if (!same(a, e) && !(std::abs(a - e) <= tolerance)) report(kind, b, h, i, j, a, e);
            }
    }

    static Matrix sizes(const Matrix& numbers) { return numbers.cwiseAbs(); }

    // Returns, for each score, the sum of the magnitudes of the terms that it adds up.
    Matrix terms_of_scores(const HeadInputs& head, const Matrix& expected) const {
        const ScoreMatrices& m = parameters_.score;
        if (head.scores.size() > 0 || variant_.score.kind == ScoreKind::gaussian)
            return sizes(expected);
        if (variant_.score.kind == ScoreKind::additive)
            return Matrix::Constant(expected.rows(), expected.cols(), m.w_v.cwiseAbs().sum());
        ScoreMatrices all{sizes(m.matrix), {}, {}, {}};
        return score(variant_.score.kind, all, sizes(head.queries), sizes(head.keys));
    }

    Matrix terms_of_logits(const Matrix& scores, const Matrix& bias, const Allowed& allowed,
                           const std::vector<double>& scales) const {
        double scale = std::max(1.0, std::abs(parameters_.scale));
        for (const double factor : scales) scale = std::max(scale, std::abs(factor));
        Matrix terms = scale * sizes(scores);
        terms = terms.unaryExpr([](double x) { return std::isnan(x) ? 0 : x; });  // replaced scores
        if (bias.size() > 0) terms += sizes(bias);
        const double value = std::abs(blocked_value(variant_.mask.value, variant_.dtype));
        if (std::isfinite(value)) terms += (2 * scale * value) * (!allowed).cast<double>().matrix();
        return terms;
    }

    // Returns the terms of the softmax: the distance t of a logit from the largest is rounded, and
    // e^t has the same relative error.
    static Matrix terms_of_softmax(const Matrix& weights) {
        return weights.unaryExpr([](double w) { return w > 0 ? w * (1 - std::log(w)) : 0.0; });
    }

    void compare_before_softmax(HeadInputs head, const Allowed& mask, Index b, Index h) {
        const Allowed allowed = acting_mask(variant_, mask);
        const bool queries_first = variant_.mask.order == Order::queries_first;
        if (queries_first)
            head.queries = Rounding(variant_.dtype)(head.queries * parameters_.scale);
        const std::vector<double> scales = scales_of(b, h);
        const Matrix expected =
            head.scores.size() > 0
                ? head.scores
                : score(variant_.score.kind, parameters_.score, head.queries, head.keys);
        compare(scores, b, h, expected, terms_of_scores(head, expected));
        const Matrix before = other_.stage(scores).head(b, h);
        const Matrix expected_scaled =
            queries_first ? before : times_scale(before, parameters_.scale, scales);
        compare(scaled, b, h, expected_scaled, sizes(expected_scaled));
        const Matrix bias =
            biases(scene_, variant_.mask.layers, head_positions(scene_, b, h), 0, plain_.shape.n_q);
        compare(logits, b, h,
                mask_before_softmax(variant_, before, other_.stage(scaled).head(b, h),
                                    parameters_.scale, bias, allowed, scales)
                    .numbers,
                terms_of_logits(before, bias, allowed, scales));
        const Matrix normal =
            normalize(variant_.normalizer, sink_of(variant_, h), other_.stage(logits).head(b, h));
        compare(softmax, b, h, normal, terms_of_softmax(normal));
    }

    std::vector<double> scales_of(Index b, Index h) const {
        return row_scales(scene_, variant_.scale, head_positions(scene_, b, h), 0,
                          plain_.shape.n_q);
    }

    void compare_head(Index b, Index h) {
        const HeadInputs head = round_inputs(inputs_.at(b, h), Rounding(variant_.dtype));
        const Allowed allowed = allowed_cells(scene_, variant_.mask.layers, b, h);
        for (const StageKind kind : square_stages)
            if (plain_.stage(kind).exists()) compare_kinds(kind, b, h, allowed);
        if (!found_.empty()) return;
        if (head.weights.size() > 0)
            compare(softmax, b, h, head.weights, Matrix::Zero(allowed.rows(), allowed.cols()));
        else
            compare_before_softmax(head, allowed, b, h);
        const Matrix before = other_.stage(softmax).head(b, h);
        const Matrix factored = mask_after_softmax(variant_.mask.apply, variant_.dtype, before,
                                                   acting_mask(variant_, allowed));
        const Matrix zeroed =
            zero_empty_rows(variant_.mask, variant_.empty_rows, factored, allowed);
        compare(weights, b, h, zeroed, sizes(zeroed));
        if (plain_.stage(sensitivity).exists()) {
            // The expected sensitivity is made from the other backend's weights, which may be a
            // unit off.
            const Matrix expected =
                golden_sensitivity(before, other_.stage(weights).head(b, h), factored, b, h);
            compare(sensitivity, b, h, expected, Matrix::Ones(expected.rows(), expected.cols()),
                    false);
        }
        for (Index i = 0; i < allowed.rows(); ++i) compare_figures(b, h, i, allowed);
    }

    Matrix golden_sensitivity(const Matrix& before, Matrix weights, const Matrix& factored, Index b,
                              Index h) const {
        const Allowed allowed =
            acting_mask(variant_, allowed_cells(scene_, variant_.mask.layers, b, h));
        for (Index i = 0; i < weights.rows(); ++i)  // as they were before they were zeroed
            if (is_mended(variant_.mask, variant_.empty_rows, allowed, i))
                weights.row(i) = factored.row(i);
        Matrix slope;
        if (other_.stage(scaled).exists())
            slope = mask_before_softmax(variant_, other_.stage(scores).head(b, h),
                                        other_.stage(scaled).head(b, h), parameters_.scale,
                                        biases(scene_, variant_.mask.layers,
                                               head_positions(scene_, b, h), 0, plain_.shape.n_q),
                                        allowed, scales_of(b, h))
                        .slope;
        return maskscope::sensitivity(variant_, before, weights, slope, allowed);
    }

    void compare_figures(Index b, Index h, Index i, const Allowed& allowed) {
        const Matrix weight = other_.stage(weights).head(b, h);
        Matrix gradient;
        if (other_.stage(sensitivity).exists()) gradient = other_.stage(sensitivity).head(b, h);
        Matrix logit;
        if (other_.stage(logits).exists()) logit = other_.stage(logits).head(b, h);
        const RowFigures expected = row_figures(weight, gradient, logit, allowed,
                                                other_.pads.data() + b * plain_.shape.n_k, i);
        const RowFigures &actual = other_.row(b, h, i), &plain = plain_.row(b, h, i);
        const double tolerance =
            variant_.dtype == Dtype::float64 ? 1e-7 : near_.of_figures;  // stored as float32
        const auto figure = [&](const char* what, double a, double e, double p) {
            if (same_kind(p, a) && (same(a, e) || std::abs(a - e) <= tolerance * (1 + std::abs(e))))
                return;
            std::ostringstream text;
            text.precision(17);
            text << variant_.name << ": " << what << at(b, h, i, 0) << " is " << a << ", expected "
                 << e << ", reference " << p;
            fail(text.str());
        };
        figure("sum", actual.sum, expected.sum, plain.sum);
        figure("max", actual.max, expected.max, plain.max);
        figure("entropy", actual.entropy, expected.entropy, plain.entropy);
        figure("leak", actual.leak, expected.leak, plain.leak);
        figure("gradient_leak", actual.gradient_leak, expected.gradient_leak, plain.gradient_leak);
        figure("pads", actual.pads, expected.pads, plain.pads);
        figure("lse", actual.lse, expected.lse, plain.lse);
        if (actual.empty != plain.empty) fail("empty" + at(b, h, i, 0));
        if (actual.nan != plain.nan) fail("nan" + at(b, h, i, 0));
    }

    // Returns the outputs of sequence b, made from the weights that the other backend computed; if
    // `magnitudes`, every number is replaced by its magnitude first.
    std::vector<Matrix> outputs(Index b, bool magnitudes) const {
        const auto size = [&](const Matrix& m) { return magnitudes ? sizes(m) : m; };
        Parameters parameters = parameters_;
        parameters.w = size(parameters.w);
        std::vector<Matrix> parts;
        for (Index h = 0; h < plain_.shape.h; ++h) {
            const HeadInputs head = round_inputs(inputs_.at(b, h), Rounding(variant_.dtype));
            parts.push_back(mix(variant_.output.kind, parameters,
                                size(other_.stage(weights).head(b, h)), size(head.values)));
        }
        if (variant_.output.kind == OutputKind::projected) return {project(parts, parameters.w)};
        return parts;
    }

    void compare_outputs(Index b) {
        if (!plain_.stage(output).exists() || !found_.empty()) return;
        const Allowed none;
        const auto expected = outputs(b, false), terms = outputs(b, true);
        for (std::size_t h = 0; h < expected.size(); ++h) {
            compare_kinds(output, b, static_cast<Index>(h), none);
            compare(output, b, static_cast<Index>(h), expected[h], terms[h]);
        }
    }

    const Scene& scene_;
    const Variant& variant_;
    const BatchInputs& inputs_;
    const Parameters parameters_;
    const VariantResult &plain_, &other_;
    const Nearness near_;
    std::string found_;
};

}  // namespace

namespace {

bool same_bits(double x, double y) {
    return std::memcmp(&x, &y, sizeof x) == 0 || (std::isnan(x) && std::isnan(y));
}

// True if the result keeps these inputs, to the bit.
bool are_kept(const BatchInputs& made, const Result& result) {
    if (!result.inputs || result.inputs->shape != made.shape) return false;
    for (const InputPart part : {&HeadInputs::queries, &HeadInputs::keys, &HeadInputs::values,
                                 &HeadInputs::scores, &HeadInputs::weights})
        for (Index b = 0; b < made.shape.b; ++b)
            for (Index h = 0; h < made.shape.h; ++h) {
                const Matrix x = made.part(b, h, part), y = result.inputs->part(b, h, part);
                if (x.rows() != y.rows() || x.cols() != y.cols() ||
                    !std::equal(x.data(), x.data() + x.size(), y.data(), same_bits))
                    return false;
            }
    return true;
}

}  // namespace

std::string first_difference(const Scene& scene, const Result& plain, const Result& other,
                             const Nearness& near) {
    if (plain.variants.size() != other.variants.size()) return "the number of variants";
    Progress progress;
    const BatchInputs inputs = make_inputs(scene, progress);
    if (!are_kept(inputs, plain) || !are_kept(inputs, other)) return "the inputs that are kept";
    for (std::size_t variant = 0; variant < scene.variants.size(); ++variant) {
        const std::string found = Comparison(scene, scene.variants[variant], inputs,
                                             plain.variants[variant], other.variants[variant], near)
                                      .first();
        if (!found.empty()) return "variant " + std::to_string(variant) + ", " + found;
    }
    return "";
}

// --- to the bit

namespace {

std::string first_other_bit(const Stage& x, const Stage& y) {
    if (x.exists() != y.exists()) return " exists in one alone";
    for (Index b = 0; b < x.b(); ++b)
        for (Index h = 0; h < x.h(); ++h)
            for (Index i = 0; i < x.rows(); ++i)
                for (Index j = 0; j < x.columns(); ++j)
                    if (!same_bits(x.at(b, h, i, j), y.at(b, h, i, j))) return at(b, h, i, j);
    return "";
}

}  // namespace

bool same_figures(const RowFigures& x, const RowFigures& y) {
    return same_bits(x.sum, y.sum) && same_bits(x.max, y.max) && same_bits(x.entropy, y.entropy) &&
           same_bits(x.leak, y.leak) && same_bits(x.gradient_leak, y.gradient_leak) &&
           same_bits(x.pads, y.pads) && same_bits(x.lse, y.lse) && x.empty == y.empty &&
           x.nan == y.nan;
}

std::string first_other_bit(const Result& x, const Result& y) {
    for (std::size_t variant = 0; variant < x.variants.size(); ++variant) {
        const VariantResult &p = x.variants[variant], &q = y.variants[variant];
        const std::string where = "variant " + std::to_string(variant) + ", ";
        if (p.allowed.all() != q.allowed.all()) return where + "allowed";
        for (int k = 1; k < stage_count; ++k) {
            const auto kind = static_cast<StageKind>(k);
            const std::string found = first_other_bit(p.stage(kind), q.stage(kind));
            if (!found.empty()) return where + std::string(name(kind)) + found;
        }
        for (std::size_t row = 0; row < p.rows.size(); ++row)
            if (!same_figures(p.rows[row], q.rows[row]))
                return where + "figures of row " + std::to_string(row);
    }
    return "";
}

}  // namespace maskscope::golden
