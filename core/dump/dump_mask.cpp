#include "core/dump/dump_mask.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/base/error.h"
#include "core/base/number_text.h"

namespace maskscope {

namespace {

constexpr std::size_t most_cells = 100'000;  // blocked one by one
constexpr double blocking = -9999;           // what is this or less: −1e4 is common

// --- reading

// The axes as [b, h, rows, columns].
std::vector<Index> four_axes(std::vector<Index> axes, const Shape& shape, bool for_keys) {
    if (axes.size() == 2 && for_keys) return {axes[0], 1, 1, axes[1]};
    const bool of_heads = axes.size() == 3 && axes[0] != shape.b && axes[0] == shape.h;
    if (axes.size() == 3 && !of_heads) axes.insert(axes.begin() + 1, 1);
    while (axes.size() < 4) axes.insert(axes.begin(), 1);
    return axes;
}

BlockedValue value_of(const std::vector<double>& numbers) {
    std::optional<double> one;
    bool several = false;
    for (const double x : numbers) {
        if (x == 0) continue;
        several = several || (one && *one != x);
        one = x;
    }
    if (!one || several || std::isinf(*one)) return {};
    if (*one == std::numeric_limits<float>::lowest()) return {ValueKind::lowest, 0};
    return {ValueKind::number, *one};
}

// --- layers

struct MaskSearch {
    const DumpedMask& mask;
    std::optional<Index> offset{};                 // causal: key j to query i if j ≤ i + offset
    std::vector<std::vector<bool>> hidden_keys{};  // [b][n_k]: from every query left

    bool in_reach(Index i, Index j) const { return !offset || j <= i + *offset; }
    // Blocked for a reason of its own.
    bool is_left(Index b, Index h, Index i, Index j) const {
        return !mask.allows(b, h, i, j) && in_reach(i, j) && !hidden_keys[b][j];
    }
};

bool blocks_beyond(const DumpedMask& mask, Index offset) {
    const Shape& s = mask.shape;
    bool any = false;
    for (Index b = 0; b < s.b; ++b)
        for (Index h = 0; h < s.h; ++h)
            for (Index i = 0; i < s.n_q; ++i)
                for (Index j = std::max<Index>(0, i + offset + 1); j < s.n_k; ++j) {
                    if (mask.allows(b, h, i, j)) return false;
                    any = true;
                }
    return any;
}

bool hides_key(const MaskSearch& search, Index b, Index j) {
    const Shape& s = search.mask.shape;
    bool reached = false;
    for (Index i = 0; i < s.n_q; ++i) {
        if (!search.in_reach(i, j)) continue;
        reached = true;
        for (Index h = 0; h < s.h; ++h)
            if (search.mask.allows(b, h, i, j)) return false;
    }
    return reached;
}

// Whether the keys that are hidden stand together at one end, and leave others.
bool is_padding(const std::vector<bool>& hidden) {
    const auto count = std::ranges::count(hidden, true), all = std::ssize(hidden);
    if (count == 0) return true;
    const bool at_start = std::all_of(hidden.begin(), hidden.begin() + count, std::identity());
    const bool at_end = std::all_of(hidden.end() - count, hidden.end(), std::identity());
    return count < all && (at_start || at_end);
}

std::vector<Index> places_of(const std::vector<bool>& hidden) {
    std::vector<Index> places;
    for (Index j = 0; j < std::ssize(hidden); ++j)
        if (hidden[j]) places.push_back(j);
    return places;
}

// The rows and cells of a head that are left; nothing if there are none.
std::optional<MaskLayer> left_in(const MaskSearch& search, Index b, Index h) {
    const Shape& s = search.mask.shape;
    std::vector<Index> rows;
    std::vector<Cell> cells;
    for (Index i = 0; i < s.n_q; ++i) {
        std::vector<Cell> in_row;
        Index open = 0;
        for (Index j = 0; j < s.n_k; ++j) {
            if (search.is_left(b, h, i, j)) in_row.push_back({i, j});
            open += search.mask.allows(b, h, i, j) ? 1 : 0;
        }
        if (open == 0 && !in_row.empty())
            rows.push_back(i);
        else
            cells.insert(cells.end(), in_row.begin(), in_row.end());
    }
    if (cells.size() > most_cells)
        throw InputError("", fmt::format("the mask blocks {} cells one by one; at most {} can "
                                         "stand in a scene",
                                         cells.size(), most_cells));
    if (rows.empty() && cells.empty()) return std::nullopt;
    MaskLayer layer;
    layer.kind = LayerKind::blocked;
    if (!cells.empty()) layer.cells = std::move(cells);
    if (!rows.empty()) layer.rows = std::move(rows);
    return layer;
}

// One layer for all heads that are left the same cells.
std::vector<MaskLayer> left_in_heads(const MaskSearch& search, Index b) {
    std::vector<MaskLayer> layers;
    std::vector<std::vector<Index>> heads;
    for (Index h = 0; h < search.mask.shape.h; ++h) {
        auto layer = left_in(search, b, h);
        if (!layer) continue;
        const auto same = std::ranges::find(layers, *layer);
        if (same == layers.end()) {
            layers.push_back(std::move(*layer));
            heads.push_back({h});
        } else {
            heads[static_cast<std::size_t>(same - layers.begin())].push_back(h);
        }
    }
    for (std::size_t k = 0; k < layers.size(); ++k)
        if (std::ssize(heads[k]) < search.mask.shape.h) layers[k].heads = heads[k];
    return layers;
}

}  // namespace

bool fits_mask(const std::vector<Index>& axes, const Shape& shape, bool for_keys) {
    if (axes.empty() || axes.size() > 4) return false;
    const std::vector<Index> four = four_axes(axes, shape, for_keys);
    const Index rows = four[2], columns = four[3];
    const bool of_last = rows == columns && rows >= std::max(shape.n_q, shape.n_k);
    return (four[0] == 1 || four[0] == shape.b) && (four[1] == 1 || four[1] == shape.h) &&
           (rows == 1 || rows == shape.n_q || of_last) &&
           (columns == shape.n_k || (axes.size() == 4 && columns > shape.n_k));
}

DumpedMask read_mask(const Array& numbers, const Shape& shape, bool for_keys,
                     std::optional<bool> true_blocks) {
    if (!fits_mask(numbers.axes, shape, for_keys))
        throw InputError("", fmt::format("a mask [{}] does not fit {} queries and {} keys",
                                         fmt::join(numbers.axes, ", "), shape.n_q, shape.n_k));
    const std::vector<Index> axes = four_axes(numbers.axes, shape, for_keys);
    const Index first = axes[2] > shape.n_q ? shape.n_k - shape.n_q : 0;
    // Without copying what is not looked at: a mask may be larger than the scene.
    DumpedMask mask{shape, {}, {}};
    std::vector<double> read;
    const auto limit = [](Index at, Index size) { return size == 1 ? 0 : at; };
    for (Index b = 0; b < shape.b; ++b)
        for (Index h = 0; h < shape.h; ++h)
            for (Index i = 0; i < shape.n_q; ++i)
                for (Index j = 0; j < shape.n_k; ++j)
                    read.push_back((
                        *numbers
                             .values)[((limit(b, axes[0]) * axes[1] + limit(h, axes[1])) * axes[2] +
                                       limit(first + i, axes[2])) *
                                          axes[3] +
                                      j]);
    const bool ones = std::ranges::all_of(read, [](double x) { return x == 0 || x == 1; }) &&
                      std::ranges::count(read, 1.0) > 0;
    if (!true_blocks && ones) true_blocks = false;
    mask.allowed.reserve(read.size());
    for (const double x : read) {
        if (!true_blocks && x != 0 && !(x <= blocking))
            throw InputError("", "the mask holds " + typed_text(x) +
                                     ", which neither allows (0) nor blocks (−inf, −1e4 or less)");
        mask.allowed.push_back(true_blocks ? (x != 0) != *true_blocks : x == 0);
    }
    if (!true_blocks) mask.value = value_of(read);
    return mask;
}

MaskLayers layers_of(const DumpedMask& mask) {
    const Shape& s = mask.shape;
    MaskSearch search{mask};
    MaskLayers found;
    for (const Align align : {Align::top_left, Align::bottom_right}) {
        const Index offset = align == Align::top_left ? 0 : s.n_k - s.n_q;
        if (search.offset || !blocks_beyond(mask, offset)) continue;
        search.offset = offset;
        found.layers.emplace_back();
        found.layers.back().align = align;
    }
    for (Index b = 0; b < s.b; ++b) {
        auto& hidden = search.hidden_keys.emplace_back();
        for (Index j = 0; j < s.n_k; ++j) hidden.push_back(hides_key(search, b, j));
    }
    constexpr const char* differ =
        "the mask differs between sequences in more than their pads: pick one sequence";
    const std::vector<MaskLayer> left = left_in_heads(search, 0);
    for (Index b = 1; b < s.b; ++b)
        if (left_in_heads(search, b) != left) throw InputError("", differ);
    found.pads.resize(static_cast<std::size_t>(s.b));
    // One sequence with cells left besides has keys that happen to be hidden rather than pads.
    if (std::ranges::all_of(search.hidden_keys, is_padding) && (s.b > 1 || left.empty())) {
        for (Index b = 0; b < s.b; ++b) found.pads[b] = places_of(search.hidden_keys[b]);
    } else {
        if (std::ranges::count(search.hidden_keys, search.hidden_keys.front()) < s.b)
            throw InputError("", differ);
        MaskLayer columns;
        columns.kind = LayerKind::blocked;
        columns.columns = places_of(search.hidden_keys.front());
        if (!columns.columns->empty()) found.layers.push_back(std::move(columns));
    }
    found.layers.insert(found.layers.end(), left.begin(), left.end());
    return found;
}

}  // namespace maskscope
