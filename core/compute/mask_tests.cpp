#include "core/compute/mask_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/attention/attention.h"
#include "core/attention/mask.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/compute/decode.h"
#include "core/compute/embedding.h"
#include "core/compute/plain.h"
#include "core/scene/mask_rules.h"

namespace maskscope {
namespace {

// --- what a test found

// The largest difference, and where it is; NaN is larger than any number.
struct LargestChange {
    double amount = 0;
    TestPlace place{};

    void take(double other, const TestPlace& at) {
        const bool larger = std::isnan(other) ? !std::isnan(amount) : other > amount;
        if (larger) *this = {other, at};
    }
};

TestResult failed(std::string words, const TestPlace& place) {
    return {TestOutcome::fail, std::move(words), place};
}

// Returns the difference of two numbers; 0 if both are NaN.
double apart(double x, double y) {
    if (x == y || (std::isnan(x) && std::isnan(y))) return 0;
    return std::abs(x - y);
}

// The words for what a test found. first: the number of the first token or sequence, 0 or 1.
struct Naming {
    const Scene& scene;
    Index first;

    std::string token(const TokenView& tokens, Index k) const {
        return fmt::format("\"{}\" ({})", without_middle(tokens.at(k), 40), k + first);
    }
    std::string query(const TestPlace& at) const { return token(query_tokens(scene, at.b), at.i); }
    std::string key(const TestPlace& at) const { return token(key_tokens(scene, at.b), at.j); }
    std::string row(const TestPlace& at) const {
        return "row " + query(at) +
               (scene.sequences.size() > 1 ? fmt::format(" of sequence {}", at.b + first) : "");
    }
};

double tolerance_of_outputs(Dtype dtype) {
    return dtype == Dtype::float16 || dtype == Dtype::bfloat16 ? 1e-3 : 1e-6;
}

double largest_in(const Matrix& numbers) {
    double largest = 0;
    for (const double x : numbers.reshaped())
        if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
    return largest;
}

// Computes the inputs of all heads, each as a matrix of its own.
BatchInputs inputs_of(const Scene& scene, Progress& progress) {
    BatchInputs inputs = make_inputs(scene, progress);
    if (!inputs.heads.empty()) return inputs;
    std::vector<HeadInputs> heads;
    for (Index b = 0; b < inputs.shape.b; ++b)
        for (Index h = 0; h < inputs.shape.h; ++h) heads.push_back(inputs.at(b, h));
    inputs.heads = std::move(heads);
    return inputs;
}

std::vector<Matrix> outputs_of(const Scene& scene, int variant, const BatchInputs& inputs,
                               Progress& progress, const Request& request = {}) {
    StageTimes times;
    return attend_all(
        scene, scene.variants[variant], inputs, progress, times, [](const Block&) {}, request);
}

bool has_values(const Scene& scene) { return d_v_of(scene.inputs).has_value(); }

constexpr const char* of_a_model = "a model is computed word by word";
bool is_of_model(const Scene& scene) { return !scene.sequences.front().source.empty(); }

// --- future: an output must not change with a later token

std::string future_unavailable(const Scene& scene, int /*variant*/) {
    if (is_of_model(scene)) return of_a_model;
    if (!is_self_attention(scene)) return "the keys are not the tokens of the queries";
    if (!has_score(scene.inputs) || !has_values(scene))
        return "the test needs queries, keys and values";
    if (shape_of(scene).n_q == 1) return "there is only one token";
    return "";
}

// Returns the index of the next token, cyclically, that differs from token t; of the next one if
// all are the same.
Index next_other(const TokenView& tokens, Index t) {
    const auto n = static_cast<Index>(tokens.size());
    for (Index step = 1; step < n; ++step)
        if (tokens[(t + step) % n] != tokens[t]) return (t + step) % n;
    return (t + 1) % n;
}

TestResult judge_future(const Scene& scene, int variant, Index first, Progress& progress) {
    const Shape shape = shape_of(scene);
    const BatchInputs inputs = inputs_of(scene, progress);
    const auto before = outputs_of(scene, variant, inputs, progress);
    const double tolerance = tolerance_of_outputs(scene.variants[variant].dtype);
    const Index heads = static_cast<Index>(before.size()) / shape.b;
    LargestChange found;
    for (Index t = 1; t < shape.n_q; ++t) {
        BatchInputs replaced = inputs;
        for (Index k = 0; k < shape.b * shape.h; ++k) {
            const Index other = next_other(query_tokens(scene, k / shape.h, shape.n_q), t);
            for (const InputPart part :
                 {&HeadInputs::queries, &HeadInputs::keys, &HeadInputs::values})
                (replaced.heads[k].*part).row(t) = (inputs.heads[k].*part).row(other);
        }
        const auto after =
            outputs_of(scene, variant, replaced, progress, {.variants = {}, .rows = Rows{0, t}});
        for (std::size_t k = 0; k < before.size(); ++k)
            for (Index i = 0; i < t; ++i) {
                const double allowed = tolerance * largest_in(before[k].row(i));
                for (Index c = 0; c < before[k].cols(); ++c)
                    if (const double change = apart(before[k](i, c), after[k](i, c));
                        !(change <= allowed)) {
                        const auto head = static_cast<Index>(k);
                        found.take(change, {head / heads, head % heads, i, t});
                    }
            }
    }
    if (found.amount == 0) return {};
    return failed(
        fmt::format("{} changes by {} when {} is replaced", Naming{scene, first}.row(found.place),
                    exact_text(found.amount), Naming{scene, first}.key(found.place)),
        found.place);
}

// --- padding: a sequence must give the same outputs alone

Index own_queries(const Scene& scene, Index b) { return query_tokens(scene, b).without_pads(); }
Index own_keys(const Scene& scene, Index b) { return key_tokens(scene, b).without_pads(); }

bool has_pads(const Scene& scene) {
    const auto pads = [](const TokenView& tokens) {
        return std::ranges::find(tokens, tokens.pad()) != tokens.end();
    };
    for (Index b = 0; b < std::ssize(scene.sequences); ++b)
        if (pads(query_tokens(scene, b)) || pads(key_tokens(scene, b))) return true;
    return false;
}

bool counts_keys(const std::string& expression) {
    using enum Expression::Name;
    const Expression read(expression);
    return read.reads(n_k) || read.reads(n_q);
}

bool count_keys(const std::vector<MaskLayer>& layers, bool self) {
    return std::ranges::any_of(layers, [&](const MaskLayer& layer) {
        return (layer.align == Align::bottom_right && !self) ||
               (!layer.expression.empty() && counts_keys(layer.expression)) ||
               count_keys(layer.layers, self);
    });
}

std::string padding_unavailable(const Scene& scene, int index) {
    const Variant& variant = scene.variants[index];
    if (is_of_model(scene)) return of_a_model;
    if (!has_values(scene)) return "the test needs values";
    if (scene.sequences.size() == 1 && !has_pads(scene))
        return "there is only one sequence, without padding";
    if (const auto* patterns = std::get_if<PatternsInputs>(&scene.inputs))
        if (std::ranges::count(patterns->heads, Pattern::random, &PatternHead::pattern) > 0)
            return "the random pattern draws its numbers for the whole batch";
    if (variant.scale.kind == ScaleKind::sqrt_n_k ||
        (variant.scale.kind == ScaleKind::formula && counts_keys(variant.scale.expression)))
        return "the scale varies with the number of keys";
    if (count_keys(variant.mask.layers, is_self_attention(scene)))
        return "a rule varies with the number of keys";
    return "";
}

HeadInputs cut(const HeadInputs& head, Index n_q, Index n_k) {
    HeadInputs some = rows_of(head, 0, n_q);
    for (const InputPart part : {&HeadInputs::keys, &HeadInputs::values})
        if ((head.*part).size() > 0) some.*part = Matrix((head.*part).topRows(n_k));
    for (const InputPart part : {&HeadInputs::scores, &HeadInputs::weights})
        if ((head.*part).size() > 0) some.*part = Matrix((head.*part).topLeftCorner(n_q, n_k));
    return some;
}

// Returns the outputs of one sequence, [h or 1], with only its first n_q queries and n_k keys.
std::vector<Matrix> outputs_alone(const Scene& scene, const Variant& variant,
                                  const Parameters& parameters, const BatchInputs& inputs, Index b,
                                  Index n_q, Index n_k) {
    const Rounding rounded(variant.dtype);
    const std::vector<MaskLayer>& layers = variant.mask.layers;
    std::vector<Matrix> parts;
    StageTimes times;
    for (Index h = 0; h < inputs.shape.h; ++h) {
        HeadPositions alone = head_positions(scene, inputs.shape, b, h);
        alone.n_q = n_q;
        alone.n_k = n_k;
        const HeadInputs head = round_inputs(cut(inputs.at(b, h), n_q, n_k), rounded);
        const Stages stages = attend(variant, parameters, head, allowed_cells(scene, layers, alone),
                                     biases(scene, layers, alone, 0, n_q), sink_of(variant, h),
                                     times, row_scales(scene, variant.scale, alone, 0, n_q));
        parts.push_back(mix(variant.output.kind, parameters, stages.weights, head.values));
    }
    if (variant.output.kind == OutputKind::projected) parts = {project(parts, parameters.w)};
    for (Matrix& part : parts) part = rounded(std::move(part));
    return parts;
}

TestResult judge_padding(const Scene& scene, int index, Index first, Progress& progress) {
    constexpr double tolerance = 1e-5;  // relative to the largest output
    const Variant& variant = scene.variants[index];
    const Shape shape = shape_of(scene);
    const BatchInputs inputs = inputs_of(scene, progress);
    const Parameters parameters = parameters_of(scene, variant);
    const auto padded = outputs_of(scene, index, inputs, progress);
    const Index heads = static_cast<Index>(padded.size()) / shape.b;
    LargestChange found;
    for (Index b = 0; b < shape.b; ++b) {
        if (progress.cancel) throw Cancellation{};
        const Index n_q = own_queries(scene, b), n_k = own_keys(scene, b);
        if (n_q == 0 || n_k == 0) continue;  // only padding
        const auto alone = outputs_alone(scene, variant, parameters, inputs, b, n_q, n_k);
        double largest = 0;
        for (const Matrix& output : alone) largest = std::max(largest, largest_in(output));
        const Index first_pad = std::min(n_k, shape.n_k - 1);
        for (Index h = 0; h < heads; ++h)
            for (Index i = 0; i < n_q; ++i)
                for (Index c = 0; c < alone[h].cols(); ++c)
                    if (const double change = apart(padded[b * heads + h](i, c), alone[h](i, c));
                        !(change <= tolerance * largest))
                        found.take(change, {b, h, i, first_pad});
    }
    if (found.amount == 0) return {};
    return failed(fmt::format("{} differs by {} from the sequence alone",
                              Naming{scene, first}.row(found.place), exact_text(found.amount)),
                  found.place);
}

// --- cache: step by step, the weights must be those of a full pass

std::string cache_unavailable(const Scene& scene, int /*variant*/) {
    if (is_of_model(scene)) return of_a_model;
    if (!has_decode(scene))
        return "the test needs self-attention over embedding, tensors, scores or patterns";
    return "";
}

Result result_of(const Scene& scene, int variant, StageKind stage, Progress& progress) {
    Request request;
    request.stages.reset().set(static_cast<std::size_t>(stage));
    request.variants = {variant};
    return PlainBackend().compute(scene, request, nullptr, progress);
}

TestResult judge_cache(const Scene& scene, int variant, Index first, Progress& progress) {
    constexpr double tolerance = 1e-5;
    const Result result = result_of(scene, variant, StageKind::weights, progress);
    const Stage decode = decode_of(scene, *result.inputs, variant, progress);
    const Stage& weights = result.variants[variant].stage(StageKind::weights);
    LargestChange found;
    for (Index b = 0; b < weights.b(); ++b)
        for (Index h = 0; h < weights.h(); ++h)
            for (Index i = 0; i < weights.rows(); ++i) {
                bool both_nan = false;  // in a row that is NaN, later keys are NaN too
                for (Index j = 0; j < weights.columns(); ++j) {
                    const double x = weights.at(b, h, i, j), y = decode.at(b, h, i, j);
                    both_nan = both_nan || (std::isnan(x) && std::isnan(y));
                    if (std::isnan(x) && j > i && both_nan) continue;
                    if (const double change = apart(x, y); !(change <= tolerance))
                        found.take(change, {b, h, i, j});
                }
            }
    if (found.amount == 0) return {};
    return failed(fmt::format("{} differs by {} at key {} when it is computed step by step",
                              Naming{scene, first}.row(found.place), exact_text(found.amount),
                              Naming{scene, first}.key(found.place)),
                  found.place);
}

// --- gradient: sensitivities must be finite, and 0 for blocked keys

std::string gradient_unavailable(const Scene& scene, int /*variant*/) {
    return has_stage(scene.inputs, StageKind::sensitivity) ? "" : "given weights have no gradient";
}

TestResult judge_gradient(const Scene& scene, int index, Index first, Progress& progress) {
    const Result computed = result_of(scene, index, StageKind::sensitivity, progress);
    const VariantResult& result = computed.variants[index];
    const Variant& variant = scene.variants[index];
    const Stage& sensitivity = result.stage(StageKind::sensitivity);
    const bool opens = opens_empty_rows(variant.mask.apply, variant.empty_rows);
    LargestChange blocked;
    for (Index b = 0; b < sensitivity.b(); ++b)
        for (Index h = 0; h < sensitivity.h(); ++h)
            for (Index i = 0; i < sensitivity.rows(); ++i) {
                if (opens && result.row(b, h, i).empty) continue;
                const std::vector<double> row = sensitivity.row_at(b, h, i);
                const std::vector<std::uint8_t> allowed = result.allowed_row(b, h, i);
                double sum = 0;
                Index largest = 0;  // the blocked key with the largest sensitivity
                for (Index j = 0; j < std::ssize(row); ++j) {
                    const TestPlace place{b, h, i, j};
                    if (!std::isfinite(row[j]))
                        return failed(fmt::format("{} in {}", exact_text(row[j]),
                                                  Naming{scene, first}.row(place)),
                                      place);
                    if (allowed[j] != 0) continue;
                    sum += row[j];
                    if (allowed[largest] != 0 || row[j] > row[largest]) largest = j;
                }
                blocked.take(sum, {b, h, i, largest});
            }
    if (blocked.amount == 0) return {};
    return failed(fmt::format("{} on blocked keys in {}", exact_text(blocked.amount),
                              Naming{scene, first}.row(blocked.place)),
                  blocked.place);
}

constexpr MaskTest tests[] = {
    {"future",
     "No output changes with a later token: a model that generates cannot see the future.",
     future_unavailable, judge_future},
    {"padding", "A sequence gives the same outputs alone as in a padded batch.",
     padding_unavailable, judge_padding},
    {"cache", "Step by step with a KV cache, the weights are the same as in a full pass.",
     cache_unavailable, judge_cache},
    {"gradient", "Every gradient is finite, and no gradient flows through a blocked key.",
     gradient_unavailable, judge_gradient},
};

}  // namespace

std::span<const MaskTest> mask_tests() { return tests; }

const MaskTest* mask_test(std::string_view name) {
    const auto* const found = std::ranges::find(tests, name, &MaskTest::name);
    return found == std::end(tests) ? nullptr : found;
}

TestResult test_mask(const MaskTest& test, const Scene& scene, int variant, Progress& progress,
                     Index first) {
    if (std::string reason = test.unavailable_reason(scene, variant); !reason.empty())
        return {TestOutcome::not_applicable, std::move(reason)};
    return test.judge(scene, variant, first, progress);
}

}  // namespace maskscope
