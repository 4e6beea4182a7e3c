#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/show/arithmetic/arithmetic_place.h"
#include "core/attention/precision.h"
#include "core/base/number_text.h"
#include "core/scene/mask_rules.h"
#include "core/scene/scene.h"

namespace maskscope {

namespace {

constexpr Index most_bars = 24;  // for a longer row only the largest are drawn

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

// Returns the weight that leaves the row to a sink.
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

}  // namespace

bool is_emptied(const Place& p) {
    return zeroes_empty_rows(p.variant.mask.apply, p.variant.empty_rows) &&
           p.result.row(p.b, p.h, p.cell.i).empty;
}

bool KeyBars::is_blocked() const {
    return std::ranges::all_of(
        shares, [](const KeyShare& share) { return share.blocked && share.weight == 0; });
}

double sum_tolerance(Dtype dtype) {
    if (dtype == Dtype::float16) return 1e-3;
    if (dtype == Dtype::bfloat16) return 4e-3;
    return 1e-6;
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
            if (j >= std::ssize(row.weights)) {  // a variant with fewer words
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

std::string typed_magnitude(double value) {
    if (std::isinf(value)) return "∞";
    constexpr std::size_t most_digits = 8;
    const std::string typed = typed_text(std::abs(value));
    return typed.size() <= most_digits ? typed : cell_text(std::abs(value), false);
}

std::string signed_text(double value) {
    return fmt::format("{}{}", value < 0 ? "−" : "", typed_magnitude(value));
}

std::string sum_text(double a, double b, const std::string& magnitude_of_b) {
    return fmt::format("{} {} {}", exact_text(a), b < 0 ? "−" : "+", magnitude_of_b);
}

std::string in_brackets(double value) {
    return value < 0 ? fmt::format("({})", exact_text(value)) : exact_text(value);
}

bool is_drastic(double exact, double rounded, Dtype dtype) {
    if (exact_text(exact) == exact_text(rounded) || std::isnan(exact)) return false;
    if (!std::isfinite(exact) || !std::isfinite(rounded)) return true;
    return std::abs(exact - rounded) > 2 * epsilon(dtype) * std::abs(exact);
}

}  // namespace maskscope
