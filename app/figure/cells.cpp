#include "app/figure/cells.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

namespace maskscope {
namespace {

bool has_keys_as_columns(StageKind stage) { return stage != StageKind::output; }

// Scores know no mask yet, and lanes with other masks may share them.
bool is_before_mask(StageKind stage) {
    return stage == StageKind::scores || stage == StageKind::scaled;
}

bool is_share(StageKind stage) {
    return stage == StageKind::softmax || stage == StageKind::weights;
}

std::uint8_t sign_of_number(double value) {
    if (std::isnan(value)) return sign::nan;
    if (std::isinf(value)) return value > 0 ? sign::plus_infinity : sign::minus_infinity;
    return value == 0 ? sign::zero : 0;
}

struct Size {
    Index rows = 0, columns = 0;
};

Size size_of(const VariantResult& result, StageKind stage) {
    if (stage == StageKind::allowed) return {result.shape.n_q, result.shape.n_k};
    return {result.stage(stage).rows(), result.stage(stage).columns()};
}

// Where head (b, h) of a [b, h, rows, columns] array begins.
std::size_t start_of(Index heads, Index b, Index h, Size size) {
    return static_cast<std::size_t>((b * heads + h) * size.rows * size.columns);
}

std::vector<double> values_of(const VariantResult& result, StageKind kind, Index b, Index h,
                              Size size) {
    std::vector<double> values(static_cast<std::size_t>(size.rows * size.columns));
    const auto copy = [&](const auto& numbers, Index heads) {
        const auto first = numbers.begin() + static_cast<Index>(start_of(heads, b, h, size));
        std::copy_n(first, values.size(), values.begin());
    };
    const Stage& stage = result.stage(kind);
    if (kind == StageKind::allowed)
        copy(result.allowed, result.shape.h);
    else if (stage.is_float64())
        copy(stage.float64s(), stage.h());
    else
        copy(stage.float32s(), stage.h());
    return values;
}

std::vector<std::uint8_t> signs_of_numbers(const std::vector<double>& values) {
    std::vector<std::uint8_t> signs(values.size());
    std::transform(values.begin(), values.end(), signs.begin(), sign_of_number);
    return signs;
}

void mark_blocked(Cells& cells, const VariantResult& result, Index b, Index h) {
    const std::uint8_t* allowed =
        result.allowed.data() + start_of(result.shape.h, b, h, {cells.rows, cells.columns});
    for (std::size_t k = 0; k < cells.signs.size(); ++k)
        if (allowed[k] == 0) cells.signs[k] |= sign::blocked;
}

// A blocked key with weight leaks, and so does a pad that gets weight, whatever the mask says.
void mark_leaks(Cells& cells, const VariantResult& result, Index b) {
    std::size_t k = 0;
    for (Index i = 0; i < cells.rows; ++i)
        for (Index j = 0; j < cells.columns; ++j, ++k) {
            const bool barred = (cells.signs[k] & sign::blocked) != 0 || result.is_pad(b, j);
            if (barred && cells.values[k] > 0) cells.signs[k] |= sign::leaks;  // not for NaN
        }
}

// Calls visit(value) for every allowed finite number of a stage (of the output: every finite one).
template <class T, class Visit>
void visit_allowed(const std::vector<T>& numbers, const std::vector<std::uint8_t>& allowed,
                   bool masked, Visit visit) {
    for (std::size_t k = 0; k < numbers.size(); ++k)
        if ((!masked || allowed[k] != 0) && std::isfinite(numbers[k]))
            visit(static_cast<double>(numbers[k]));
}

struct Extent {
    double largest = 0;                                         // magnitude
    double smallest = std::numeric_limits<double>::infinity();  // above 0
};

void widen(Extent& extent, const VariantResult& result, StageKind kind) {
    const Stage& stage = result.stage(kind);
    const auto visit = [&extent](double value) {
        extent.largest = std::max(extent.largest, std::abs(value));
        if (value > 0) extent.smallest = std::min(extent.smallest, value);
    };
    const bool masked = has_keys_as_columns(kind);
    if (!stage.exists()) return;
    if (stage.is_float64())
        visit_allowed(stage.float64s(), result.allowed, masked, visit);
    else
        visit_allowed(stage.float32s(), result.allowed, masked, visit);
}

Limits logarithmic_limits(double high, double smallest) {
    if (high < 1e-200) return {0, high};  // no room below for powers of ten
    const double power = std::pow(10.0, std::floor(std::log10(std::min(smallest, high / 10))));
    return {std::max(power, high * 1e-8), high, true};
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
    return stage == other.stage && difference == other.difference && rows == other.rows &&
           columns == other.columns && signs == other.signs &&
           values.size() == other.values.size() &&
           (values.empty() ||
            std::memcmp(values.data(), other.values.data(), values.size() * sizeof(double)) == 0);
}

SharedCells cells_of(const VariantResult& result, StageKind stage, Index b, Index h) {
    auto cells = std::make_shared<Cells>();
    cells->stage = stage;
    const Size size = size_of(result, stage);
    if (size.rows == 0 || size.columns == 0) return cells;
    cells->rows = size.rows;
    cells->columns = size.columns;
    // a projected output has one head for all
    const Index head = stage == StageKind::output ? std::min(h, result.stage(stage).h() - 1) : h;
    cells->values = values_of(result, stage, b, head, size);
    cells->signs = signs_of_numbers(cells->values);
    if (has_keys_as_columns(stage) && !is_before_mask(stage)) mark_blocked(*cells, result, b, head);
    if (stage == StageKind::weights) mark_leaks(*cells, result, b);
    return cells;
}

SharedCells difference_of(const Cells& x, const Cells& y) {
    auto cells = std::make_shared<Cells>();
    cells->stage = x.stage;
    cells->difference = true;
    cells->rows = x.rows;
    cells->columns = x.columns;
    cells->values.resize(x.values.size());
    std::transform(x.values.begin(), x.values.end(), y.values.begin(), cells->values.begin(),
                   std::minus<>());
    cells->signs = signs_of_numbers(cells->values);
    return cells;
}

Limits limits_of_differences(const std::vector<SharedCells>& differences, double least) {
    double largest = least;
    for (const SharedCells& cells : differences)
        for (const double value : cells->values)
            if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    const double end = nice_above(largest);
    return {-end, end};
}

bool is_signed(StageKind stage) {
    return stage == StageKind::scores || stage == StageKind::scaled || stage == StageKind::logits ||
           stage == StageKind::output;
}

Limits limits_of(const std::vector<const VariantResult*>& lanes, StageKind stage,
                 bool logarithmic) {
    if (stage == StageKind::allowed || (is_share(stage) && !logarithmic)) return {0, 1};
    Extent extent;
    for (const VariantResult* lane : lanes)
        if (lane != nullptr) widen(extent, *lane, stage);
    if (is_signed(stage)) {
        const double end = nice_above(extent.largest);
        return {-end, end};
    }
    const double high = is_share(stage) || !(extent.largest > 0) ? 1 : extent.largest;
    return logarithmic ? logarithmic_limits(high, extent.smallest) : Limits{0, high};
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
    if (limits.logarithmic)
        return map_colour(map, std::log(value / limits.low) / std::log(limits.high / limits.low));
    // halved: the distance of two finite limits may be infinite
    const double at = value / 2 - limits.low / 2, span = limits.high / 2 - limits.low / 2;
    return map_colour(map, at / span);
}

}  // namespace maskscope
