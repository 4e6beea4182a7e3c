// Computes the lines, bars and statistics of one cell, variant by variant.

#include "app/show/arithmetic/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "core/attention/mask.h"
#include "core/attention/precision.h"
#include "core/attention/scoring.h"
#include "core/base/number_text.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"
#include "core/scene/scene.h"
#include "core/settings/setting.h"

namespace maskscope {

namespace {

// One cell of one variant, with the results for it.
struct Place {
    const Scene& scene;
    const Variant& variant;
    const VariantResult& result;
    Index b, h;
    Cell cell;

    bool has(StageKind stage) const { return result.stage(stage).exists(); }
    double at(StageKind stage) const { return result.stage(stage).at(b, h, cell.i, cell.j); }
    bool allowed() const { return allowed_row()[cell.j] != 0; }
    // Returns the numbers of all keys of the row, [n_k].
    std::vector<double> row(StageKind stage) const {
        return result.stage(stage).row_at(b, h, cell.i);
    }
    // Returns the mask that takes effect: with some settings, all keys count as allowed in a row
    // that allows none.
    std::vector<std::uint8_t> allowed_row() const {
        std::vector<std::uint8_t> row = mask_row();
        const bool opens = opens_empty_rows(variant.mask.apply, variant.empty_rows);
        if (opens && result.row(b, h, cell.i).empty) row.assign(row.size(), 1);
        return row;
    }
    std::vector<std::uint8_t> mask_row() const { return result.allowed_row(b, h, cell.i); }
};

using Places = std::vector<Place>;  // one cell in several variants; not empty

// True if this row has no allowed key, and was therefore set to 0.
bool is_emptied(const Place& p) {
    return zeroes_empty_rows(p.variant.mask.apply, p.variant.empty_rows) &&
           p.result.row(p.b, p.h, p.cell.i).empty;
}

constexpr Index most_bars = 24;  // in longer rows, only the largest weights have bars

bool is_one(const Place& p, const RowFigures& row) {
    return std::abs(row.sum - 1) <= sum_tolerance(p.variant.dtype);
}

RowNumber sum_number(const Place& p, const RowFigures& row) {
    const bool multiplied = masks_weights(p.variant.mask.apply) &&
                            std::ranges::count(p.allowed_row(), std::uint8_t{0}) > 0;
    const bool by_design =
        weighs_cells_alone(p.variant) ||
        (!rows_sum_to_one(p.variant) && !multiplied && row.sum < 1 && row.sum >= 0);
    const bool calm = is_one(p, row) || by_design || is_emptied(p);
    const bool wrong = row.nan || row.leak >= least_leak || row.pads >= least_leak;
    return {is_one(p, row) ? "1" : exact_share(row.sum), wrong  ? Role::wrong
                                                         : calm ? Role::ink
                                                                : Role::odd};
}

// Returns the weight that a sink takes from the row; "—" if there is no sink, or its weight is
// unknown.
RowNumber sink_number(const Place& p, const RowFigures& row) {
    const bool has = sink_of(p.variant, p.h) && !masks_weights(p.variant.mask.apply) && !row.nan &&
                     !is_emptied(p);
    return has ? RowNumber{exact_text(std::max(0.0, 1 - row.sum)), Role::ink}
               : RowNumber{"—", Role::dim};
}

RowNumber entropy_number(const Place& p, const RowFigures& row) {
    if (row.nan || std::isnan(row.entropy)) return {"—", Role::dim};
    if (!is_one(p, row)) return {"—", Role::ink};
    return {exact_text(row.entropy), Role::ink};
}

RowNumber gradient_number(const Place& p, const RowFigures& row) {
    if (!p.has(StageKind::sensitivity)) return {"—", Role::dim};
    if (std::isnan(row.gradient_leak)) return {"NaN", Role::wrong};
    return {exact_text(row.gradient_leak), row.gradient_leak > 0 ? Role::odd : Role::ink};
}

Bars bars_of(const Places& places) {
    const Place& first = places.front();
    const Index n_k = first.result.shape.n_k;
    Bars bars;
    std::vector<Index> shown(std::size_t(n_k), 0);
    std::iota(shown.begin(), shown.end(), Index{0});
    struct Row {
        const Place& place;
        std::vector<double> weights;
        std::vector<std::uint8_t> allowed;
    };
    std::vector<Row> rows;
    for (const Place& place : places)
        if (place.has(StageKind::weights))
            rows.push_back({place, place.row(StageKind::weights), place.mask_row()});
    if (n_k > most_bars) {
        std::vector<double> rank(shown.size(), 0);
        double longest = 0;
        for (const Row& row : rows)
            for (std::size_t j = 0; j < std::min(rank.size(), row.weights.size()); ++j) {
                const double weight = row.weights[j];
                if (weight > rank[j]) rank[j] = weight;
                if (weight > longest && std::isfinite(weight)) longest = weight;
            }
        if (longest > 0) bars.longest = std::min(longest, 1.0);
        std::swap(shown.front(), shown[first.cell.j]);
        const auto rest = std::ranges::subrange(shown.begin() + 1, shown.end());
        std::ranges::partial_sort(rest, shown.begin() + most_bars, [&](Index x, Index y) {
            return rank[x] > rank[y] || (rank[x] == rank[y] && x < y);
        });
        shown.resize(most_bars);
        std::ranges::sort(shown);
        bars.more = n_k - most_bars;
    }
    const TokenView keys = first.result.keys.at(first.b);
    for (const Index j : shown) {
        KeyBars bar{keys.at(j), j == first.cell.j, {}};
        for (const Row& row : rows) {
            if (j >= std::ssize(row.weights)) {  // a variant of a model may have fewer words
                bar.shares.push_back({.blocked = true});
                continue;
            }
            const double weight = row.weights[j];
            const bool blocked = !row.allowed[j], pad = row.place.result.is_pad(row.place.b, j);
            bar.shares.push_back({.weight = weight,
                                  .blocked = blocked,
                                  .leaks = weight >= least_leak && (blocked || pad)});
        }
        bars.keys.push_back(std::move(bar));
    }
    return bars;
}

std::vector<RowLine> figures_of(const Places& places) {
    std::vector<RowLine> lines{{"sum", {}}, {"entropy", {}}, {"sensitivity, blocked", {}}};
    for (const Place& place : places) {
        const RowFigures& row = place.result.row(place.b, place.h, place.cell.i);
        lines[0].numbers.push_back(sum_number(place, row));
        lines[1].numbers.push_back(entropy_number(place, row));
        lines[2].numbers.push_back(gradient_number(place, row));
    }
    const auto has_sink = [](const Place& p) { return sink_of(p.variant, p.h).has_value(); };
    if (std::ranges::none_of(places, has_sink)) return lines;
    RowLine& sink = *lines.insert(lines.begin() + 1, {"sink", {}});
    for (const Place& place : places)
        sink.numbers.push_back(
            sink_number(place, place.result.row(place.b, place.h, place.cell.i)));
    return lines;
}

// --- the numbers of the inspector's lines

// Writes a typed number without its sign: 2, 0.125, 1e9 or ∞. Writes only a few digits of the
// lowest number of a dtype.
std::string typed_magnitude(double value) {
    if (std::isinf(value)) return "∞";
    constexpr std::size_t most_digits = 8;
    const std::string typed = typed_text(std::abs(value));
    return typed.size() <= most_digits ? typed : cell_text(std::abs(value), false);
}

std::string signed_text(double value) {
    return fmt::format("{}{}", value < 0 ? "−" : "", typed_magnitude(value));
}

// Writes "a − b" or "a + b", depending on the sign of b.
std::string sum_text(double a, double b, const std::string& magnitude_of_b) {
    return fmt::format("{} {} {}", exact_text(a), b < 0 ? "−" : "+", magnitude_of_b);
}

// Writes "3.000" or "(−3.000)".
std::string in_brackets(double value) {
    return value < 0 ? fmt::format("({})", exact_text(value)) : exact_text(value);
}

// True if rounding to the dtype has changed more than the last digit: by overflow, underflow, or a
// lost summand.
bool is_drastic(double exact, double rounded, Dtype dtype) {
    if (exact_text(exact) == exact_text(rounded) || std::isnan(exact)) return false;
    if (!std::isfinite(exact) || !std::isfinite(rounded)) return true;
    return std::abs(exact - rounded) > 2 * epsilon(dtype) * std::abs(exact);
}

// e^80 is near the largest number of float32, and e^-80 near the smallest above 0. Beyond them, the
// displayed arithmetic subtracts the row's maximum, as every softmax does.
constexpr double largest_exponent = 80;

using Lines = std::vector<ArithmeticLine>;

// Sets the term that the lines from `first` on explain, for their tooltips.
void name_term(Lines& lines, std::size_t first, std::string_view term) {
    for (; first < lines.size(); ++first)
        if (lines[first].term.empty()) lines[first].term = term;
}

// Adds a line for a finished stage. If the dtype cannot hold the exact result, the rounding has its
// own line.
void add_rounded(Lines& lines, const std::string& operation, double exact, double stage,
                 Dtype dtype, bool is_share = false) {
    const bool drastic = is_drastic(exact, stage, dtype);
    const auto text = [&](double x) { return is_share ? exact_share(x) : exact_text(x); };
    lines.push_back({operation, text(drastic ? exact : stage), is_share && !drastic});
    if (drastic)
        lines.push_back({.operation = fmt::format("in {}", name(dtype)),
                         .result = text(stage),
                         .strong = is_share,
                         .in_words = true});
}

// --- score and scale

// Returns the only component that the score's matrix uses, as in "q₁ k₁"; nullopt for other
// matrices.
std::optional<Index> only_component(const Score& score) {
    if (!score.matrix) return std::nullopt;
    const Index columns = score.matrix->axes.back();
    std::optional<Index> only;
    for (Index k = 0; k < static_cast<Index>(score.matrix->values->size()); ++k) {
        const double number = (*score.matrix->values)[static_cast<std::size_t>(k)];
        if (number == 0) continue;
        if (only || number != 1 || k / columns != k % columns) return std::nullopt;
        only = k / columns;
    }
    return only;
}

std::string score_words(const Place& p) {
    if (std::holds_alternative<ScoresInputs>(p.scene.inputs)) return "score, given";
    if (const auto* patterns = std::get_if<PatternsInputs>(&p.scene.inputs))
        return fmt::format("pattern {}",
                           name(patterns->heads.at(static_cast<std::size_t>(p.h)).pattern));
    switch (p.variant.score.kind) {
        case ScoreKind::dot:
            return "q · k";
        case ScoreKind::gaussian:
            return "−½ ‖q − k‖²";
        case ScoreKind::bilinear:
            if (const auto k = only_component(p.variant.score); k && *k < 9) {
                constexpr std::array digits{"₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
                return fmt::format("q{0} k{0}", digits[static_cast<std::size_t>(*k)]);
            }
            return "qᵀ W k";
        case ScoreKind::additive:
            return "wᵀ tanh(W q + W k)";
    }
    return "score";
}

double scale_of(const Place& p) {
    const auto of_rows =
        row_scales(p.scene, p.variant.scale, head_positions(p.scene, p.b, p.h), p.cell.i, 1);
    if (!of_rows.empty()) return of_rows.front();
    return scale_factor(p.variant.scale, d_k_of(p.scene.inputs), p.result.shape.n_k);
}

std::string scale_words(const Place& p) {
    switch (p.variant.scale.kind) {
        case ScaleKind::sqrt_d_k:
            return fmt::format("× 1/√{}", d_k_of(p.scene.inputs).value_or(1));
        case ScaleKind::sqrt_n_k:
            return fmt::format("× 1/√{} (√n)", p.result.shape.n_k);
        case ScaleKind::none:
            return "";
        case ScaleKind::number:
            return "× " + typed_text(p.variant.scale.number);
        case ScaleKind::formula:
            return "× " + exact_text(scale_of(p));
    }
    return "";
}

// --- the mask before the softmax

bool masks_before_scale(const Place& p) {
    return masks_logits(p.variant.mask.apply) && p.variant.mask.order == Order::mask_then_scale;
}

// Returns the mask value as it was typed, before the dtype rounds it.
double typed_value(const Variant& variant) {
    const BlockedValue& value = variant.mask.value;
    if (value.kind == ValueKind::number) return value.number;
    return blocked_value(value, variant.dtype);
}

bool has_bias(const Place& p) {
    return std::ranges::any_of(p.variant.mask.layers, [&](const MaskLayer& layer) {
        return is_bias(layer) && holds_for(layer, p.h);
    });
}

double add_bias(Lines& lines, const Place& p, double x) {
    const double bias = biases(p.scene, p.variant.mask.layers, head_positions(p.scene, p.b, p.h),
                               p.cell.i, 1)(0, p.cell.j);
    const std::string magnitude = exact_text(std::abs(bias)) + " (bias)";
    lines.push_back({sum_text(x, bias, magnitude), exact_text(x + bias)});
    return x + bias;
}

// Adds x + 0, or x + mask value once or twice, rounded each time.
double add_value(Lines& lines, const Place& p, double x) {
    if (p.allowed()) {
        lines.push_back({exact_text(x) + " + 0", exact_text(x)});
        return x;
    }
    const double value = typed_value(p.variant);
    const Rounding rounded{p.variant.dtype};
    const double held = rounded(value);  // the number that is added: −1e9 is −∞ in float16
    for (int time = 0; time < p.variant.mask.times; ++time) {
        const double sum = rounded(x + held);
        add_rounded(lines, sum_text(x, value, typed_magnitude(value)), x + value, sum,
                    p.variant.dtype);
        x = sum;
    }
    return x;
}

double replace_by_value(Lines& lines, const Place& p, double x) {
    if (p.allowed()) {
        lines.push_back({exact_text(x) + ", kept", exact_text(x)});
        return x;
    }
    const double value = typed_value(p.variant);
    const double held = Rounding{p.variant.dtype}(value);
    add_rounded(lines, "replaced by " + signed_text(value), value, held, p.variant.dtype);
    return held;
}

double multiply_score(Lines& lines, const Place& p, double x) {
    const double factor = p.allowed() ? 1 : 0;
    lines.push_back({fmt::format("{} × {}", exact_text(x), factor), exact_text(x * factor)});
    return x * factor;
}

double mask_logit(Lines& lines, const Place& p, double x) {
    switch (p.variant.mask.apply) {
        case Apply::additive:
            return add_value(lines, p, x);
        case Apply::replace:
            return replace_by_value(lines, p, x);
        case Apply::multiply_scores:
            return multiply_score(lines, p, x);
        default:
            return x;
    }
}

// Adds a line for each operation on the number x before or after the mask, such as
// "50 tanh(93.1 / 50)". Returns the result.
double add_operations(Lines& lines, const Place& p, bool after_mask, double x) {
    for (const Operation& operation : operations_into(StageKind::logits, p.variant)) {
        if (!operation.value || (operation.order > 0) != after_mask) continue;
        std::string formula = operation.formula;
        replace_all(formula, "{}", exact_text(x));
        x = operation.value(p.variant, x);
        lines.push_back({formula, exact_text(x)});
        lines.back().term = operation.term;
    }
    return x;
}

// Returns the first lines, which variants may share: the score and, if it is scaled before the
// mask, the scaled score.
Lines first_lines(const Place& p) {
    Lines lines;
    if (!p.has(StageKind::scores)) return lines;
    const bool queries_first = p.variant.mask.order == Order::queries_first;
    const std::string scaled =
        queries_first && !scale_words(p).empty() ? fmt::format(", q {}", scale_words(p)) : "";
    lines.push_back({score_words(p) + scaled, exact_text(p.at(StageKind::scores))});
    name_term(lines, 0, "score");
    if (queries_first || masks_before_scale(p) || scale_words(p).empty() ||
        !p.has(StageKind::scaled))
        return lines;
    add_rounded(lines, scale_words(p), p.at(StageKind::scores) * scale_of(p),
                p.at(StageKind::scaled), p.variant.dtype);
    name_term(lines, 1, "scale");
    return lines;
}

// Adds the lines between those of first_lines() and the softmax input.
void add_logit_lines(Lines& lines, const Place& p) {
    if (!p.has(StageKind::scores) || !p.has(StageKind::scaled)) return;
    double x = 0;
    if (masks_before_scale(p)) {
        x = mask_logit(lines, p, p.at(StageKind::scores));
        const std::string scale = scale_words(p);
        if (!scale.empty()) {
            lines.push_back(
                {fmt::format("{} {}", exact_text(x), scale), exact_text(x * scale_of(p))});
            x *= scale_of(p);
        }
        if (has_bias(p)) x = add_bias(lines, p, x);
    } else {
        x = add_operations(lines, p, false, p.at(StageKind::scaled));
        if (has_bias(p)) x = add_bias(lines, p, x);
        x = mask_logit(lines, p, x);
        x = add_operations(lines, p, true, x);
    }
    const double logit = p.at(StageKind::logits);
    if (is_drastic(x, logit, p.variant.dtype))
        lines.push_back({.operation = fmt::format("in {}", name(p.variant.dtype)),
                         .result = exact_text(logit),
                         .in_words = true});
    else if (exact_text(x) != exact_text(logit) && !lines.empty())
        lines.back().result = exact_text(logit);  // written as add_rounded() writes it
}

// --- the softmax

struct Exponentials {
    double shift = 0;  // subtracted from every softmax input
    double sum = 0;    // includes the 1 of softmax_plus_one, or the sink's e^s
    bool blocked_count = false, any_blocked = false;
    Index allowed = 0, all = 0;
};

// Returns the number that is subtracted from every softmax input of the row: 0 if no e^x is too
// large or too small.
double shift_of(const Place& p, const std::vector<double>& logits) {
    double largest = sink_of(p.variant, p.h).value_or(-infinity);
    for (const double x : logits) {
        if (std::isnan(x)) return 0;
        largest = std::max(largest, x);
    }
    return std::isfinite(largest) && std::abs(largest) > largest_exponent ? largest : 0;
}

Exponentials exponentials_of(const Place& p) {
    const std::vector<double> logits = p.row(StageKind::logits);
    const std::vector<std::uint8_t> allowed = p.allowed_row();
    Exponentials e;
    e.shift = shift_of(p, logits);
    e.all = p.result.shape.n_k;
    if (const auto sink = sink_of(p.variant, p.h)) e.sum = std::exp(*sink - e.shift);
    for (Index j = 0; j < e.all; ++j) {
        const double power = std::exp(logits[j] - e.shift);
        e.sum += power;
        if (allowed[j]) {
            ++e.allowed;
        } else {
            e.any_blocked = true;
            if (power != 0) e.blocked_count = true;
        }
    }
    return e;
}

std::string sum_words(const Exponentials& e, const Place& p) {
    std::string one;
    if (const auto sink = sink_of(p.variant, p.h)) {
        const bool is_one = p.variant.normalizer == Normalizer::softmax_plus_one && e.shift == 0;
        one = is_one ? "1 + " : fmt::format("e^{} + ", exact_text(*sink - e.shift));
    }
    if (e.any_blocked && !e.blocked_count)
        return fmt::format("{}Σ over {} allowed", one, e.allowed);
    return fmt::format("{}Σ over all {}", one, e.all);
}

// Adds the lines of a sigmoid, which computes each cell independently.
void add_sigmoid(Lines& lines, const Place& p) {
    const double x = p.at(StageKind::logits), power = std::exp(-x);
    const std::string shown = std::isinf(power) ? "∞" : exact_text(power);
    lines.push_back({"e^" + exact_text(-x), exact_text(power)});
    add_rounded(lines, fmt::format("1 / (1 + {})", shown), 1 / (1 + power),
                p.at(StageKind::softmax), p.variant.dtype, true);
    name_term(lines, lines.size() - 2, "sigmoid");
}

void add_softmax_lines(Lines& lines, const Place& p) {
    if (!p.has(StageKind::softmax)) return;
    const double share = p.at(StageKind::softmax);
    if (!p.has(StageKind::logits)) {
        lines.push_back({"weight, given", exact_share(share), true});
        return;
    }
    if (weighs_cells_alone(p.variant)) return add_sigmoid(lines, p);
    double x = p.at(StageKind::logits);
    const Exponentials e = exponentials_of(p);
    if (e.shift != 0) {
        lines.push_back({"largest of the row", exact_text(e.shift)});
        // Two numbers near −1e9 may differ only in digits that are not shown.
        const bool alike = x != e.shift && exact_text(x) == exact_text(e.shift);
        const std::string largest = alike ? "the row’s largest" : in_brackets(e.shift);
        lines.push_back({fmt::format("{} − {}", exact_text(x), largest), exact_text(x - e.shift)});
        x -= e.shift;
    }
    const double power = std::exp(x);
    lines.push_back({"e^" + exact_text(x), exact_text(power)});
    lines.push_back({sum_words(e, p), exact_text(e.sum)});
    add_rounded(lines, fmt::format("{} / {}", exact_text(power), exact_text(e.sum)), power / e.sum,
                share, p.variant.dtype, true);
}

// --- the mask after the softmax, and empty rows

void add_renormalized(Lines& lines, const Place& p) {
    const std::vector<double> shares = p.row(StageKind::softmax);
    const std::vector<std::uint8_t> allowed = p.allowed_row();
    const double sum = std::inner_product(shares.begin(), shares.end(), allowed.begin(), 0.0);
    const double share = p.at(StageKind::softmax) * (p.allowed() ? 1 : 0);
    lines.push_back({"× " + std::string(p.allowed() ? "1" : "0"), exact_share(share), true});
    lines.push_back({"Σ over the row", exact_text(sum)});
    add_rounded(lines, fmt::format("{} / {}", exact_text(share), exact_text(sum)), share / sum,
                p.at(StageKind::weights), p.variant.dtype, true);
}

void add_weight_lines(Lines& lines, const Place& p) {
    if (!p.has(StageKind::weights)) return;
    const std::string weight = exact_share(p.at(StageKind::weights));
    if (is_emptied(p)) {
        const bool before = p.variant.empty_rows == EmptyRows::zero;
        lines.push_back({.operation = before ? "empty row, skipped" : "empty row, set to 0",
                         .result = weight,
                         .strong = true,
                         .in_words = true});
    } else if (p.variant.mask.apply == Apply::multiply_weights_renormalized) {
        add_renormalized(lines, p);
    } else if (masks_weights(p.variant.mask.apply)) {
        lines.push_back({p.allowed() ? "× 1" : "× 0", weight, true});
    }
}

VariantArithmetic variant_chain(int variant, const Place& p, std::size_t shared) {
    VariantArithmetic computed{variant, first_lines(p)};
    computed.lines.erase(computed.lines.begin(),
                         computed.lines.begin() + static_cast<std::ptrdiff_t>(shared));
    const auto add = [&](void (*add_lines)(Lines&, const Place&), std::string_view term) {
        const std::size_t first = computed.lines.size();
        add_lines(computed.lines, p);
        name_term(computed.lines, first, term);
    };
    add(add_logit_lines, "logit");
    add(add_softmax_lines, "softmax");
    add(add_weight_lines, "mask on the weights");
    return computed;
}

// Returns the lines with which all variants begin.
Lines shared_lines(const Places& places) {
    Lines shared = first_lines(places.front());
    for (const Place& place : places) {
        const Lines lines = first_lines(place);
        const auto parted = std::mismatch(shared.begin(), shared.end(), lines.begin(), lines.end());
        shared.erase(parted.first, shared.end());
    }
    return shared;
}

bool is_inside(const Shape& shape, Index b, Index h, Cell cell) {
    const auto below = [](Index index, Index size) { return index >= 0 && index < size; };
    return below(b, shape.b) && below(h, shape.h) && below(cell.i, shape.n_q) &&
           below(cell.j, shape.n_k);
}

Places places_of(const Result& result, const std::vector<int>& variants, Index b, Index h,
                 Cell cell, std::vector<int>& found) {
    Places places;
    for (const int variant : variants) {
        const auto index = static_cast<std::size_t>(variant);
        if (variant < 0 || index >= result.variants.size()) continue;
        if (!result.variants[index].exists()) continue;
        if (!is_inside(result.variants[index].shape, b, h, cell)) continue;
        found.push_back(variant);
        places.push_back({scene_of_variant(result, index), result.scene.variants[index],
                          result.variants[index], b, h, cell});
    }
    return places;
}

}  // namespace

bool KeyBars::is_blocked() const {
    return std::ranges::all_of(
        shares, [](const KeyShare& share) { return share.blocked && share.weight == 0; });
}

double sum_tolerance(Dtype dtype) {
    if (dtype == Dtype::float16) return 1e-3;
    if (dtype == Dtype::bfloat16) return 4e-3;
    return 1e-6;
}

std::string chain_text(const VariantArithmetic& variant) {
    std::string text;
    const ArithmeticLine* last = nullptr;  // the last line in the text
    const auto equals = [&] { return (last->in_words ? ": " : " = ") + last->result; };
    const auto add = [&](const ArithmeticLine& line) {
        const bool goes_on = last != nullptr && line.operation.starts_with("× ");
        if (last != nullptr) text += goes_on ? " " : equals() + ", ";
        text += line.operation;
        last = &line;
    };
    for (std::size_t k = 0; k < variant.lines.size(); ++k) {
        const ArithmeticLine& line = variant.lines[k];
        if (!line.strong) continue;
        // If this line says how the dtype rounded, the line before it comes first.
        if (line.in_words && k > 0 && !variant.lines[k - 1].strong) add(variant.lines[k - 1]);
        add(line);
    }
    return last == nullptr ? "" : text + equals();
}

namespace {

// Returns the token, or "not / him" if the variants of a model have different words.
std::string tokens_at(const Places& places, TokenLabels VariantResult::*tokens, Index b, Index at) {
    std::vector<std::string> all;
    for (const auto& place : places) {
        const auto& of_variant = (place.result.*tokens).at(b);
        if (at >= std::ssize(of_variant)) continue;
        if (std::ranges::find(all, of_variant.at(at)) == all.end())
            all.push_back(of_variant.at(at));
    }
    return fmt::format("{}", fmt::join(all, " / "));
}

}  // namespace

Arithmetic make_arithmetic(const Result& result, const std::vector<int>& variants, Index b, Index h,
                           Cell cell) {
    Arithmetic arithmetic;
    std::vector<int> found;
    const Places places = places_of(result, variants, b, h, cell, found);
    if (places.empty()) return arithmetic;
    arithmetic.query = tokens_at(places, &VariantResult::queries, b, cell.i);
    arithmetic.key = tokens_at(places, &VariantResult::keys, b, cell.j);
    arithmetic.shared = shared_lines(places);
    for (std::size_t k = 0; k < places.size(); ++k)
        arithmetic.variants.push_back(variant_chain(found[k], places[k], arithmetic.shared.size()));
    arithmetic.bars = bars_of(places);
    arithmetic.figures = figures_of(places);
    return arithmetic;
}

}  // namespace maskscope
