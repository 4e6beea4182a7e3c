#include "app/show/cells/cells.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "app/show/cells/cell_rows.h"
#include "core/result/request.h"
#include "core/scene/scene.h"

namespace maskscope {
namespace {

// True if the stage has a mask. Influence has none: it combines all heads, whose masks may differ.
bool has_mask(StageKind stage) { return stage == StageKind::allowed || has_heads(stage); }

std::size_t size_of(const Cells& cells) {
    return static_cast<std::size_t>(cells.rows * cells.columns);
}

std::size_t place_of(const Cells& cells, Index i, Index j) {
    return static_cast<std::size_t>(i * cells.columns + j);
}

// Returns the index at which a row begins in the numbers and the mask of a source.
std::size_t row_place(const Cells& cells, Index i) {
    const CellSource& source = *cells.source;
    return static_cast<std::size_t>(((cells.b * source.h + cells.h) * source.rows + i) *
                                    source.columns);
}

// Returns the flags of a number. A blocked key that gets weight leaks, and so does a marked key,
// whatever the mask says.
std::uint8_t signs_of(StageKind stage, double value, bool is_allowed, bool is_marked) {
    std::uint8_t signs = sign_of_number(value);
    if (!is_allowed && shows_blocked(stage)) signs |= sign::blocked;
    if (stage == StageKind::weights && (!is_allowed || is_marked) && value >= least_leak)
        signs |= sign::leaks;  // NaN does not leak: it is not >= least_leak
    if (stage == StageKind::allowed && is_marked) signs |= sign::missing;
    return signs;
}

// The mask of a row of cells with a source, and the keys that are marked, both [columns].
struct RowMask {
    std::vector<std::uint8_t> allowed, marked;
};

RowMask mask_of_row(const Cells& cells, Index i) {
    const CellSource& source = *cells.source;
    const auto columns = static_cast<std::size_t>(cells.columns);
    RowMask row{std::vector<std::uint8_t>(columns, 1), std::vector<std::uint8_t>(columns)};
    if (!source.allowed.empty()) row.allowed = source.allowed.some(row_place(cells, i), columns);
    if (source.reference)
        row.marked = marked_by_reference(source, cells.b, cells.h, i, row.allowed.data());
    else if (!source.pads.empty())
        std::copy_n(source.pads.begin() + cells.b * source.columns, columns, row.marked.begin());
    return row;
}

thread_local RemoteReader* remote_look = nullptr;

std::vector<RowSummary> looked_at(const CellSource& source, Index b, Index h, Pool* pool,
                                  const CellSource::RowVisitor& also) {
    if (is_remote(source) && remote_look)
        if (auto looks = remote_look->rows(source, b, h)) return *looks;
    std::vector<RowSummary> looks(static_cast<std::size_t>(source.rows));
    constexpr Index few = 16;
    each_part(pool, source.rows, [&](Index begin, Index end) {
        for (Index first = begin; first < end; first += few) {
            const Index last = std::min(first + few, end);
            for (Index i = first; i < last; ++i)
                looks[i] = look_at(source, raw_row(source, b, h, i));
            if (also) also(first, last);
        }
    });
    return looks;
}

bool same_shape(const CellSource& x, const CellSource& y) {
    return x.stage == y.stage && x.b == y.b && x.h == y.h && x.rows == y.rows &&
           x.columns == y.columns && x.numbers.is_float64() == y.numbers.is_float64();
}

bool is_same(const CellSource& x, const CellSource& y) {
    return same_shape(x, y) && x.numbers.shares(y.numbers) && x.allowed.shares(y.allowed) &&
           x.pads == y.pads && is_same(x.reference, y.reference);
}

// Returns the summaries of a head's rows: those of the same head in `before`, except for rows that
// differ. Returns none if many differ.
std::vector<RowSummary> looks_like(const CellSource& source, const CellSource& before,
                                   std::vector<RowSummary> looks, Index b, Index h, Pool* pool) {
    std::vector<std::uint8_t> differs(looks.size());
    each_part(pool, source.rows, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) differs[i] = !is_same_row(source, before, b, h, i);
    });
    if (std::ranges::count(differs, 1) > source.rows / 4) return {};
    for (Index i = 0; i < source.rows; ++i)
        if (differs[i]) looks[i] = look_at(source, raw_row(source, b, h, i));
    return looks;
}

}  // namespace

void look_with(RemoteReader* look) { remote_look = look; }

// --- sources of cells

CellSource::CellSource(StageKind stage, const Stage& numbers, const Shape& shape)
    : stage(stage),
      numbers(numbers),
      b(shape.b),
      h(shape.h),
      rows(shape.n_q),
      columns(shape.n_k),
      looks_(static_cast<std::size_t>(b * h)),
      levels_(looks_.size()) {}

SharedSource source_of(const Result& result, int variant, StageKind stage,
                       const SharedSource& before, Pool* pool) {
    return source_of(result.variants[variant], stage, before, pool,
                     shows_marks(stage) ? reference_of(result, variant) : nullptr);
}

SharedSource source_of(const VariantResult& result, StageKind stage, const SharedSource& before,
                       Pool* pool, std::shared_ptr<const ReferenceMask> reference) {
    const Stage& numbers = result.stage(stage);
    const Shape of_numbers{numbers.b(), numbers.h(), numbers.rows(), numbers.columns()};
    auto source = std::make_shared<CellSource>(
        stage, numbers, stage == StageKind::allowed ? result.shape : of_numbers);
    if (has_mask(stage)) source->allowed = result.allowed;
    if (stage == StageKind::weights) source->pads = result.pads;
    source->reference = std::move(reference);
    if (is_remote(*source)) source->computed = result.computed;
    if (before && is_same(*source, *before)) return before;
    if (!before || !same_shape(*source, *before) || is_remote(*source)) return source;
    const std::lock_guard lock(before->mutex_);
    for (std::size_t k = 0; k < source->looks_.size(); ++k)
        if (before->looks_[k]) {
            const auto head = static_cast<Index>(k);
            std::vector<RowSummary> like = looks_like(*source, *before, *before->looks_[k],
                                                      head / source->h, head % source->h, pool);
            if (!like.empty())
                source->looks_[k] =
                    std::make_shared<const std::vector<RowSummary>>(std::move(like));
        }
    return source;
}

bool CellSource::look(Index at_b, Index at_h, Pool* pool, const RowVisitor& also) const {
    const std::lock_guard lock(mutex_);
    auto& head = looks_[at_b * h + at_h];
    if (head || computed) return false;
    head =
        std::make_shared<const std::vector<RowSummary>>(looked_at(*this, at_b, at_h, pool, also));
    return true;
}

const std::vector<RowSummary>& CellSource::looks(Index at_b, Index at_h, Pool* pool) const {
    static const std::vector<RowSummary> unseen;
    look(at_b, at_h, pool, {});
    const auto& head = looks_[at_b * h + at_h];
    return head ? *head : unseen;
}

SharedCells cells_of(const SharedSource& source, Index b, Index h) {
    auto cells = std::make_shared<Cells>();
    cells->stage = source->stage;
    cells->difference = source->computed && source->computed->is_difference();
    if (source->rows == 0 || source->columns == 0) return cells;
    cells->rows = source->rows;
    cells->columns = source->columns;
    cells->source = source;
    cells->b = b;
    cells->h = std::min(h, source->h - 1);  // the projected output and influence have only one
    cells->levels = LazyLevels(source->levels(b, cells->h));
    return cells;
}

SharedCells cells_of(const VariantResult& result, StageKind stage, Index b, Index h) {
    return cells_of(source_of(result, stage), b, h);
}

SharedCells difference_of(const Cells& x, const Cells& y) {
    auto cells = std::make_shared<Cells>();
    cells->stage = x.stage;
    cells->difference = true;
    cells->rows = std::min(x.rows, y.rows);
    cells->columns = std::min(x.columns, y.columns);
    for (Index i = 0; i < cells->rows; ++i) {
        const CellRow p = row_of(x, i), q = row_of(y, i);
        for (std::size_t j = 0; j < std::size_t(cells->columns); ++j) {
            cells->values.push_back(p.values[j] - q.values[j]);
            cells->signs.push_back(sign_of_number(cells->values.back()));
        }
    }
    return cells;
}

SharedCells top_left_of(const Cells& cells, Index rows, Index columns) {
    auto first = std::make_shared<Cells>();
    first->stage = cells.stage;
    first->difference = cells.difference;
    first->rows = std::min(rows, cells.rows);
    first->columns = std::min(columns, cells.columns);
    for (Index i = 0; i < first->rows; ++i) {
        const CellRow row = row_of(cells, i);
        std::copy_n(row.values.begin(), first->columns, std::back_inserter(first->values));
        std::copy_n(row.signs.begin(), first->columns, std::back_inserter(first->signs));
    }
    return first;
}

// --- single cells and rows

double value_at(const Cells& cells, Index i, Index j) {
    if (!cells.source) return cells.values[place_of(cells, i, j)];
    const CellSource& source = *cells.source;
    if (cells.stage != StageKind::allowed) return source.numbers.at(cells.b, cells.h, i, j);
    return source.allowed[row_place(cells, i) + static_cast<std::size_t>(j)] ? 1 : 0;
}

std::uint8_t signs_at(const Cells& cells, Index i, Index j) {
    if (!cells.source) return cells.signs[place_of(cells, i, j)];
    const CellSource& source = *cells.source;
    const bool is_allowed =
        source.allowed.empty() || source.allowed[row_place(cells, i) + static_cast<std::size_t>(j)];
    const bool by_reference = !source.reference || source.reference->allows(cells.b, cells.h, i, j);
    return signs_of(source.stage, value_at(cells, i, j), is_allowed,
                    is_marked(source, cells.b, j, is_allowed, by_reference));
}

CellRow row_of(const Cells& cells, Index i) {
    const auto columns = static_cast<std::size_t>(cells.columns);
    CellRow row{std::vector<double>(columns), std::vector<std::uint8_t>(columns)};
    if (!cells.source) {
        std::copy_n(cells.values.data() + place_of(cells, i, 0), columns, row.values.data());
        std::copy_n(cells.signs.data() + place_of(cells, i, 0), columns, row.signs.data());
        return row;
    }
    const CellSource& source = *cells.source;
    const RowMask mask = mask_of_row(cells, i);
    if (source.computed && source.numbers.remote())
        read_numbers(source.numbers, row_place(cells, i), row.values);
    for (std::size_t j = 0; j < columns; ++j) {
        const auto column = static_cast<Index>(j);
        if (cells.stage == StageKind::allowed)
            row.values[j] = double(mask.allowed[j] != 0);
        else if (!source.computed)
            row.values[j] = source.numbers.at(cells.b, cells.h, i, column);
        row.signs[j] =
            signs_of(source.stage, row.values[j], mask.allowed[j] != 0, mask.marked[j] != 0);
    }
    return row;
}

// --- many cells

namespace {

// Returns the summary of a row of cells with a source; empty if no survey has computed the head.
RowSummary look_of_row(const Cells& cells, Index i) {
    const std::vector<RowSummary>& looks = cells.source->looks(cells.b, cells.h);
    return looks.empty() ? RowSummary{} : looks[i];
}

}  // namespace

std::uint8_t signs_of_row(const Cells& cells, Index i) {
    if (cells.source) return look_of_row(cells, i).signs;
    std::uint8_t any = 0;
    for (Index j = 0; j < cells.columns; ++j) any |= cells.signs[place_of(cells, i, j)];
    return any;
}

double leaked_in_row(const Cells& cells, Index i) {
    const bool looked_at = cells.source && (!is_remote(*cells.source) || cells.source->computed);
    if (looked_at) return look_of_row(cells, i).leaked;
    if ((signs_of_row(cells, i) & sign::leaks) == 0) return 0;
    double leaked = 0;
    const CellRow all = row_of(cells, i);
    for (std::size_t j = 0; j < all.values.size(); ++j)
        if ((all.signs[j] & sign::leaks) != 0) leaked += all.values[j];
    return leaked;
}

std::uint8_t signs_of_any(const Cells& cells) {
    std::uint8_t any = 0;
    if (cells.source)
        for (const RowSummary& row : cells.source->looks(cells.b, cells.h)) any |= row.signs;
    else
        for (const std::uint8_t sign : cells.signs) any |= sign;
    return any;
}

double largest_magnitude(const Cells& cells) {
    double largest = 0;
    if (cells.source) {
        for (const RowSummary& look : cells.source->looks(cells.b, cells.h))
            largest = std::max(largest, look.magnitude);
        return largest;
    }
    for (const double value : cells.values)
        if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    return largest;
}

namespace {

template <class T>
bool same_bytes(const T* x, const T* y, std::size_t size) {
    return x == y || (x && y && std::memcmp(x, y, size * sizeof(T)) == 0);
}

bool is_equal_row(const Cells& x, const Cells& y, Index i) {
    const RawRow p = raw_row(*x.source, x.b, x.h, i), q = raw_row(*y.source, y.b, y.h, i);
    const auto columns = static_cast<std::size_t>(x.columns);
    if (!same_bytes(p.float32.data(), q.float32.data(), columns) ||
        !same_bytes(p.float64.data(), q.float64.data(), columns))
        return false;
    if (!shows_blocked(x.stage)) return true;
    return same_bytes(p.allowed, q.allowed, columns) && same_bytes(p.marked, q.marked, columns);
}

// Compares sources of which at least one is on the GPU.
bool are_equal_remote(const Cells& x, const Cells& y) {
    const CellSource &p = *x.source, &q = *y.source;
    if (x.b != y.b || x.h != y.h || p.pads != q.pads || !is_same(p.reference, q.reference))
        return false;
    if (shows_blocked(x.stage) && !p.allowed.shares(q.allowed)) return false;
    return x.stage == StageKind::allowed || same_numbers(p.numbers, q.numbers);
}

}  // namespace

bool same_numbers(const Stage& x, const Stage& y) {
    if (!x.exists() || !y.exists() || x.b() != y.b() || x.h() != y.h() || x.rows() != y.rows() ||
        x.columns() != y.columns() || x.is_float64() != y.is_float64())
        return false;
    if (x.shares(y)) return true;
    if (x.remote() || y.remote()) {
        constexpr Index most_read = Index{1} << 28;
        if (x.b() * x.h() * x.rows() * x.columns() > most_read) return false;
        if (const auto same = remote_look ? remote_look->same(x, y) : std::nullopt) return *same;
        const auto size = static_cast<std::size_t>(x.b() * x.h() * x.rows() * x.columns());
        return x.is_float64() ? same_bytes(x.float64s().data(), y.float64s().data(), size)
                              : same_bytes(x.float32s().data(), y.float32s().data(), size);
    }
    const auto columns = static_cast<std::size_t>(x.columns());
    const auto same_row = [&](Index b, Index h, Index i) {
        return x.is_float64() ? same_bytes(x.float64_row(b, h, i).data(),
                                           y.float64_row(b, h, i).data(), columns)
                              : same_bytes(x.float32_row(b, h, i).data(),
                                           y.float32_row(b, h, i).data(), columns);
    };
    for (Index b = 0; b < x.b(); ++b)
        for (Index h = 0; h < x.h(); ++h)
            for (Index i = 0; i < x.rows(); ++i)
                if (!same_row(b, h, i)) return false;
    return true;
}

bool Cells::operator==(const Cells& other) const {
    if (stage != other.stage || difference != other.difference || rows != other.rows ||
        columns != other.columns || !source != !other.source)
        return false;
    if (!source)
        return signs == other.signs &&
               same_bytes(values.data(), other.values.data(), size_of(*this));
    if (source == other.source && b == other.b && h == other.h) return true;
    if (source->computed || other.source->computed) return false;
    if (source->numbers.is_float64() != other.source->numbers.is_float64()) return false;
    if (is_remote(*source) || is_remote(*other.source)) return are_equal_remote(*this, other);
    for (Index i = 0; i < rows; ++i)
        if (!is_equal_row(*this, other, i)) return false;
    return true;
}

std::vector<Index> changed_rows(const Cells& x, const Cells& y) {
    std::vector<Index> changed;
    const bool comparable =
        x.source && y.source && same_shape(*x.source, *y.source) && x.b == y.b && x.h == y.h;
    for (Index i = 0; i < x.rows; ++i)
        if (!comparable || !is_same_row(*x.source, *y.source, x.b, x.h, i)) changed.push_back(i);
    return changed;
}

// --- limits of colour

namespace {

struct Extent {
    double largest = 0;          // the largest magnitude
    double smallest = infinity;  // the smallest number above 0
};

void widen(Extent& extent, const CellSource& source, Pool* pool) {
    for (Index b = 0; b < source.b; ++b)
        for (Index h = 0; h < source.h; ++h)
            for (const RowSummary& look : source.looks(b, h, pool)) {
                extent.largest = std::max(extent.largest, look.largest);
                extent.smallest = std::min(extent.smallest, look.smallest);
            }
}

Limits logarithmic_limits(double high, double smallest) {
    if (high < 1e-200) return {0, high};  // smaller powers of ten would not be normal numbers
    const double power = std::pow(10.0, std::floor(std::log10(std::min(smallest, high / 10))));
    return {std::max(power, high * 1e-8), high, true};
}

// Returns the next round number: 1, 1.5, 2, 3, … times a power of ten.
double nice_above(double largest) {
    if (!(largest > 1e-300)) return largest > 0 ? largest : 1;
    if (largest > 1e300) return std::numeric_limits<double>::max();
    const double power = std::pow(10.0, std::floor(std::log10(largest)));
    for (const double step : {1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0})
        if (step * power >= largest) return step * power;
    return 10 * power;
}

// Returns logarithmic limits of shares. The lower one is the power of ten at or below the smallest
// share above 0, or at or below a thirtieth of a uniform share if that is larger.
Limits limits_of_shares(const Extent& extent, Index keys) {
    const double high = extent.largest > 0 ? std::min(1.0, nice_above(extent.largest)) : 1;
    return logarithmic_limits(high, std::max(extent.smallest, 1 / (30 * double(keys))));
}

}  // namespace

bool is_signed(StageKind stage) {
    return stage == StageKind::scores || stage == StageKind::scaled || stage == StageKind::logits ||
           stage == StageKind::output;
}

Limits limits_of_sources(const std::vector<SharedSource>& variants, StageKind stage,
                         std::optional<bool> wanted, Pool* pool) {
    Index keys = 0;
    for (const SharedSource& variant : variants) keys = std::max(keys, variant->columns);
    const bool by_itself = !wanted && is_share(stage) && keys >= many_keys;
    const bool logarithmic = wanted.value_or(by_itself);
    if (stage == StageKind::allowed || (is_share(stage) && !logarithmic)) return {0, 1};
    Extent extent;
    for (const SharedSource& variant : variants) widen(extent, *variant, pool);
    if (is_signed(stage)) {
        const double end = nice_above(extent.largest);
        return {-end, end};
    }
    if (by_itself) return limits_of_shares(extent, keys);
    const double high = is_share(stage) || !(extent.largest > 0) ? 1 : extent.largest;
    return logarithmic ? logarithmic_limits(high, extent.smallest) : Limits{0, high};
}

Limits limits_of_differences(const std::vector<SharedCells>& differences, double least) {
    double largest = least;
    for (const SharedCells& cells : differences)
        largest = std::max(largest, largest_magnitude(*cells));
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
        case StageKind::depends:
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
    // halved, because the distance between two finite limits may be infinite
    const double at = value / 2 - limits.low / 2, span = limits.high / 2 - limits.low / 2;
    return map_colour(map, at / span);
}

}  // namespace maskscope
