#include "app/figure/cells.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace maskscope {
namespace {

bool has_keys_as_columns(StageKind stage) { return stage != StageKind::output; }

bool is_share(StageKind stage) {
    return stage == StageKind::softmax || stage == StageKind::weights;
}

double value_of(const VariantResult& result, StageKind stage, Index b, Index h, Index i, Index j) {
    if (stage == StageKind::allowed) return result.is_allowed(b, h, i, j) ? 1 : 0;
    return result.stage(stage).at(b, h, i, j);
}

std::uint8_t sign_of_number(double value) {
    if (std::isnan(value)) return sign::nan;
    if (std::isinf(value)) return value > 0 ? sign::plus_infinity : sign::minus_infinity;
    return value == 0 ? sign::zero : 0;
}

// A blocked key with weight leaks, and so does a pad that gets weight, whatever the mask says.
bool leaks(const VariantResult& result, bool blocked, Index b, Index j, double weight) {
    return weight > 0 && (blocked || result.is_pad(b, j));  // false for NaN
}

struct Size {
    Index rows = 0, columns = 0;
};

Size size_of(const VariantResult& result, StageKind stage) {
    if (stage == StageKind::allowed) return {result.shape.n_q, result.shape.n_k};
    return {result.stage(stage).rows(), result.stage(stage).columns()};
}

// Calls visit(value) for every allowed finite number of a stage (of the output: every finite one).
template <class T, class Visit>
void visit_allowed(const std::vector<T>& numbers, const std::vector<std::uint8_t>& allowed,
                   bool masked, Visit visit) {
    for (std::size_t k = 0; k < numbers.size(); ++k)
        if ((!masked || allowed[k] != 0) && std::isfinite(numbers[k]))
            visit(static_cast<double>(numbers[k]));
}

double largest_magnitude(const VariantResult& result, StageKind kind) {
    const Stage& stage = result.stage(kind);
    double largest = 0;
    const auto visit = [&largest](double value) { largest = std::max(largest, std::abs(value)); };
    const bool masked = has_keys_as_columns(kind);
    if (!stage.exists()) return largest;
    if (stage.is_float64())
        visit_allowed(stage.float64s(), result.allowed, masked, visit);
    else
        visit_allowed(stage.float32s(), result.allowed, masked, visit);
    return largest;
}

// The next number that reads well: 1, 1.5, 2, 3, … × a power of ten.
double nice_above(double largest) {
    if (!(largest > 1e-300)) return largest > 0 ? largest : 1;
    if (largest > 1e300) return std::numeric_limits<double>::max();
    const double power = std::pow(10.0, std::floor(std::log10(largest)));
    for (const double step : {1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0})
        if (step * power >= largest) return step * power;
    return 10 * power;
}

}  // namespace

bool Cells::operator==(const Cells& other) const {
    return stage == other.stage && rows == other.rows && columns == other.columns &&
           signs == other.signs && values.size() == other.values.size() &&
           (values.empty() ||
            std::memcmp(values.data(), other.values.data(), values.size() * sizeof(double)) == 0);
}

SharedCells cells_of(const VariantResult& result, StageKind stage, Index b, Index h) {
    const Size size = size_of(result, stage);
    auto cells = std::make_shared<Cells>();
    cells->stage = stage;
    cells->rows = size.rows;
    cells->columns = size.columns;
    const auto count = static_cast<std::size_t>(size.rows * size.columns);
    cells->values.reserve(count);
    cells->signs.reserve(count);
    // a projected output has one head for all
    const Index head = stage == StageKind::output ? std::min(h, result.stage(stage).h() - 1) : h;
    // Scores know no mask yet, and lanes with other masks may share them.
    const bool stage_is_masked = stage != StageKind::scores && stage != StageKind::scaled;
    for (Index i = 0; i < size.rows; ++i) {
        for (Index j = 0; j < size.columns; ++j) {
            const double value = value_of(result, stage, b, head, i, j);
            std::uint8_t signs = sign_of_number(value);
            if (has_keys_as_columns(stage)) {
                const bool blocked = stage_is_masked && !result.is_allowed(b, h, i, j);
                if (blocked) signs |= sign::blocked;
                if (stage == StageKind::weights && leaks(result, blocked, b, j, value))
                    signs |= sign::leaks;
            }
            cells->values.push_back(value);
            cells->signs.push_back(signs);
        }
    }
    return cells;
}

Limits limits_of(const std::vector<const VariantResult*>& lanes, StageKind stage) {
    if (is_share(stage) || stage == StageKind::allowed) return {0, 1};
    double largest = 0;
    for (const VariantResult* lane : lanes)
        if (lane != nullptr) largest = std::max(largest, largest_magnitude(*lane, stage));
    if (stage == StageKind::sensitivity) return {0, largest > 0 ? largest : 1};
    const double end = nice_above(largest);
    return {-end, end};
}

ColourMap map_of(StageKind stage, ThemeKind theme) {
    if (theme == ThemeKind::print) return ColourMap::grey;
    switch (stage) {
        case StageKind::scores:
        case StageKind::scaled:
        case StageKind::logits:
        case StageKind::output:
            return ColourMap::diverging;
        case StageKind::sensitivity:
            return ColourMap::magma;
        case StageKind::allowed:
        case StageKind::softmax:
        case StageKind::weights:
            break;
    }
    return ColourMap::viridis;
}

Colour fill_of(double value, StageKind stage, Limits limits, ColourMap map) {
    if (stage == StageKind::allowed || !std::isfinite(value)) return {0, 0, 0, 0};
    if (!(limits.low < limits.high)) return map_colour(map, 0.5);
    // halved: the distance of two finite limits may be infinite
    const double at = value / 2 - limits.low / 2, span = limits.high / 2 - limits.low / 2;
    return map_colour(map, at / span);
}

}  // namespace maskscope
