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

// --- reading

BlockedValue blocked_by(double x) {
    if (std::isinf(x)) return {};
    if (x == std::numeric_limits<float>::lowest()) return {ValueKind::lowest, 0};
    return {ValueKind::number, x};
}

// Calls take(number) for each number of a mask that is read, in the order of DumpedMask.
template <class Take>
void each_looked_at(const Array& numbers, const Shape& shape, const Shape& own, const Take& take) {
    const std::vector<Index>& axes = numbers.axes;
    const Index first = axes[2] > shape.n_q ? shape.n_k - shape.n_q : 0;
    for (Index plane = 0; plane < own.b * own.h; ++plane)
        for (Index i = 0; i < own.n_q; ++i)
            for (Index j = 0; j < own.n_k; ++j)
                take((*numbers.values)[(plane * axes[2] + first + i) * axes[3] + j]);
}

// --- rules

// A rule that a mask may follow.
struct Rule {
    std::vector<MaskLayer> layers{};
    std::function<bool(Index, Index)> allows = [](Index, Index) { return true; };
    bool counts_positions = false;  // true if it holds only with the queries as the last tokens
};

// Returns the cells that at least one head of one sequence allows, [n_q, n_k].
std::vector<bool> allowed_somewhere(const DumpedMask& mask) {
    const Shape& s = mask.shape;
    std::vector<bool> somewhere;
    for (Index i = 0; i < s.n_q; ++i)
        for (Index j = 0; j < s.n_k; ++j) {
            bool allowed = false;
            for (Index b = 0; b < mask.own.b && !allowed; ++b)
                for (Index h = 0; h < mask.own.h && !allowed; ++h)
                    allowed = mask.allows(b, h, i, j);
            somewhere.push_back(allowed);
        }
    return somewhere;
}

// The numbers of a rule that follow from the outermost allowed cells.
struct Extent {
    Index left = 0, right = 0;     // the farthest key before and after a query
    Index first = 0;               // the number of first keys that the first query may attend to
    std::vector<Index> lengths{};  // the sizes of groups of tokens between which nothing is allowed
};

Extent extent_of(const Shape& s, const std::vector<bool>& somewhere) {
    Extent extent;
    std::vector<bool> joined(static_cast<std::size_t>(s.n_k),
                             false);  // true if joined to the previous token
    for (Index i = 0; i < s.n_q; ++i) {
        const Index p = i + s.n_k - s.n_q;
        Index low = p, high = p;
        for (Index j = 0; j < s.n_k; ++j) {
            if (!somewhere[i * s.n_k + j]) continue;
            low = std::min(low, j);
            high = std::max(high, j);
        }
        extent.left = std::max(extent.left, p - low);
        extent.right = std::max(extent.right, high - p);
        for (Index j = std::max<Index>(low, 0) + 1; j <= high; ++j) joined[j] = true;
    }
    while (extent.first < s.n_k && somewhere[extent.first]) ++extent.first;
    for (const bool is_joined : joined)
        if (is_joined && !extent.lengths.empty())
            ++extent.lengths.back();
        else
            extent.lengths.push_back(1);
    return extent;
}

template <class Set>
MaskLayer layer_of(LayerKind kind, const Set& set) {
    MaskLayer layer;
    layer.kind = kind;
    set(layer);
    return layer;
}

// Returns the causal rule for masks with as many queries as keys. It is aligned at the last key, so
// that the last query of a growing cache attends to all keys so far, as in the model.
MaskLayer causal_layer() {
    return layer_of(LayerKind::causal, [](MaskLayer& l) { l.align = Align::bottom_right; });
}

// Returns the rules that may explain more than causal does.
std::vector<Rule> rules_for(const Shape& s, const std::vector<bool>& somewhere) {
    const Index last = s.n_k - s.n_q;
    if (last < 0) return {};
    const Extent e = extent_of(s, somewhere);
    std::vector<Rule> rules;
    rules.push_back(
        {{layer_of(LayerKind::window, [&](MaskLayer& l) { l.left = e.left, l.right = e.right; })},
         [=, left = e.left, right = e.right](Index i, Index j) {
             return j - i - last >= -left && j - i - last <= right;
         },
         true});
    if (last > 0) return rules;
    const auto is_before = [](Index i, Index j) { return j <= i; };
    const auto add = [&](const MaskLayer& layer, const std::function<bool(Index, Index)>& allows) {
        rules.push_back({{layer}, allows});
        rules.push_back({{causal_layer(), layer},
                         [=](Index i, Index j) { return is_before(i, j) && allows(i, j); }});
    };
    for (const Index size : {e.first, e.left + 1}) {
        if (size < 1) continue;
        const auto sized = [&](MaskLayer& l) { l.size = size; };
        add(layer_of(LayerKind::block_causal, sized),
            [=](Index i, Index j) { return j / size <= i / size; });
        add(layer_of(LayerKind::chunked, sized),
            [=](Index i, Index j) { return j / size == i / size; });
    }
    add(layer_of(LayerKind::prefix, [&](MaskLayer& l) { l.length = e.first; }),
        [=, length = e.first](Index i, Index j) { return j < length || j <= i; });
    std::vector<Index> document;
    for (std::size_t k = 0; k < e.lengths.size(); ++k)
        document.insert(document.end(), static_cast<std::size_t>(e.lengths[k]),
                        static_cast<Index>(k));
    add(layer_of(LayerKind::documents, [&](MaskLayer& l) { l.lengths = e.lengths; }),
        [document](Index i, Index j) { return document[i] == document[j]; });
    return rules;
}

struct MaskSearch {
    const DumpedMask& mask;
    Rule rule{};
    std::vector<std::vector<bool>> hidden_keys{};  // [b][n_k]: blocked wherever `rule` allows them

    bool in_reach(Index i, Index j) const { return rule.allows(i, j); }
    // True if the cell is blocked, and no rule so far explains why.
    bool is_left(Index b, Index h, Index i, Index j) const {
        return !mask.allows(b, h, i, j) && in_reach(i, j) && !hidden_keys[b][j];
    }
};

// True if the rule blocks something, but nothing that is allowed.
bool is_kept(const Rule& rule, const Shape& s, const std::vector<bool>& somewhere) {
    bool blocks = false;
    for (Index i = 0; i < s.n_q; ++i)
        for (Index j = 0; j < s.n_k; ++j) {
            if (rule.allows(i, j)) continue;
            if (somewhere[i * s.n_k + j]) return false;
            blocks = true;
        }
    return blocks;
}

bool reaches_key(const MaskSearch& search, Index j) {
    for (Index i = 0; i < search.mask.shape.n_q; ++i)
        if (search.in_reach(i, j)) return true;
    return false;
}

bool hides_key(const MaskSearch& search, Index b, Index j) {
    const Shape& s = search.mask.shape;
    for (Index i = 0; i < s.n_q; ++i) {
        if (!search.in_reach(i, j)) continue;
        for (Index h = 0; h < search.mask.own.h; ++h)
            if (search.mask.allows(b, h, i, j)) return false;
    }
    return reaches_key(search, j);
}

MaskSearch search_with(const DumpedMask& mask, Rule rule) {
    MaskSearch search{mask, std::move(rule)};
    for (Index b = 0; b < mask.shape.b; ++b) {
        auto& hidden = search.hidden_keys.emplace_back();
        for (Index j = 0; j < mask.shape.n_k; ++j) hidden.push_back(hides_key(search, b, j));
    }
    return search;
}

bool leaves_nothing(const MaskSearch& search) {
    const Shape& s = search.mask.shape;
    for (Index b = 0; b < s.b; ++b)
        for (Index h = 0; h < search.mask.own.h; ++h)
            for (Index i = 0; i < s.n_q; ++i)
                for (Index j = 0; j < s.n_k; ++j)
                    if (search.is_left(b, h, i, j)) return false;
    return true;
}

// True if a decoding step blocks the first key of every sequence. A window may explain that, but
// padding cannot, because no batch pads its longest sequence.
bool looks_like_window(const MaskSearch& search) {
    const Shape& s = search.mask.shape;
    const auto hides_first = [](const std::vector<bool>& hidden) { return hidden.front(); };
    return s.b > 1 && s.n_q < s.n_k && std::ranges::all_of(search.hidden_keys, hides_first);
}

// Returns the search with the best rule. Tries causal first, if the mask blocks everything that
// causal does. Uses another rule only if that rule and hidden keys explain every blocked cell.
MaskSearch best_search(const DumpedMask& mask) {
    const Shape& s = mask.shape;
    const std::vector<bool> somewhere = allowed_somewhere(mask);
    Rule causal;
    for (const Align align : {Align::bottom_right, Align::top_left}) {
        const Index offset = align == Align::top_left ? 0 : s.n_k - s.n_q;
        Rule rule{{layer_of(LayerKind::causal, [&](MaskLayer& l) { l.align = align; })},
                  [=](Index i, Index j) { return j <= i + offset; }};
        if (is_kept(rule, s, somewhere)) causal = std::move(rule);
    }
    if (!causal.layers.empty() && s.n_q == s.n_k) causal.layers = {causal_layer()};
    MaskSearch best = search_with(mask, std::move(causal));
    if (leaves_nothing(best) && !looks_like_window(best)) return best;
    for (Rule& rule : rules_for(s, somewhere)) {
        if (!is_kept(rule, s, somewhere)) continue;
        MaskSearch search = search_with(mask, std::move(rule));
        if (leaves_nothing(search)) return search;
    }
    return best;
}

// True if the hidden keys of a sequence are together at one end of the keys that the rule allows,
// and are not all of these keys.
bool is_padding(const MaskSearch& search, const std::vector<bool>& hidden) {
    std::vector<bool> reached;
    for (Index j = 0; j < std::ssize(hidden); ++j)
        if (reaches_key(search, j)) reached.push_back(hidden[j]);
    const auto count = std::ranges::count(reached, true), all = std::ssize(reached);
    if (count == 0) return true;
    const bool at_start = std::all_of(reached.begin(), reached.begin() + count, std::identity());
    const bool at_end = std::all_of(reached.end() - count, reached.end(), std::identity());
    return count < all && (at_start || at_end);
}

std::vector<Index> places_of(const std::vector<bool>& hidden) {
    std::vector<Index> places;
    for (Index j = 0; j < std::ssize(hidden); ++j)
        if (hidden[j]) places.push_back(j);
    return places;
}

// Returns a rule for the remaining rows and cells of a head; nullopt if there are none.
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
        throw InputError(
            "", fmt::format("the mask blocks {} cells one by one; a scene can hold at most {}",
                            cells.size(), most_cells));
    if (rows.empty() && cells.empty()) return std::nullopt;
    MaskLayer layer;
    layer.kind = LayerKind::blocked;
    if (!cells.empty()) layer.cells = std::move(cells);
    if (!rows.empty()) layer.rows = std::move(rows);
    return layer;
}

// Returns the rules for the remaining cells: one for all heads that have the same ones.
std::vector<MaskLayer> left_in_heads(const MaskSearch& search, Index b) {
    std::vector<MaskLayer> layers;
    std::vector<std::vector<Index>> heads;
    const Index planes = search.mask.own.h;
    for (Index h = 0; h < planes; ++h) {
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
        if (std::ssize(heads[k]) < planes) layers[k].heads = heads[k];
    return layers;
}

// Returns the remaining blocked cells of each sequence as a tensor. without_pads: true if the
// tensor also blocks hidden keys, because these do not become padding.
MaskLayer left_in_all(const MaskSearch& search, bool without_pads) {
    constexpr Index most_numbers = 1'000'000;
    const DumpedMask& mask = search.mask;
    const Shape& s = mask.shape;
    if (s.b * mask.own.h * s.n_q * s.n_k > most_numbers)
        throw InputError("",
                         "the mask differs between sequences in more than their padding. Choose "
                         "one sequence (--take 0)");
    std::vector<double> truths;
    for (Index b = 0; b < s.b; ++b)
        for (Index h = 0; h < mask.own.h; ++h)
            for (Index i = 0; i < s.n_q; ++i)
                for (Index j = 0; j < s.n_k; ++j) {
                    const bool hidden =
                        without_pads && search.hidden_keys[b][j] && search.in_reach(i, j);
                    truths.push_back(hidden || search.is_left(b, h, i, j) ? 0 : 1);
                }
    MaskLayer layer;
    layer.kind = LayerKind::tensor;
    layer.tensor = make_array({s.b, mask.own.h, s.n_q, s.n_k}, std::move(truths));
    layer.tensor->truths = true;
    return layer;
}

}  // namespace

std::vector<Index> mask_axes(std::vector<Index> axes, const Shape& shape, bool for_keys) {
    if (axes.empty() || axes.size() > 4) return {};
    const bool holds_more = axes.size() == 4;
    if (axes.size() == 2 && for_keys) axes = {axes[0], 1, 1, axes[1]};
    const bool of_heads = axes.size() == 3 && axes[0] != shape.b && axes[0] == shape.h;
    if (axes.size() == 3 && !of_heads) axes.insert(axes.begin() + 1, 1);
    while (axes.size() < 4) axes.insert(axes.begin(), 1);
    const Index rows = axes[2], columns = axes[3];
    const bool of_last = rows == columns && rows >= shape.n_k && shape.n_k >= shape.n_q;
    const bool fits = (axes[0] == 1 || axes[0] == shape.b) &&
                      (axes[1] == 1 || axes[1] == shape.h) &&
                      (rows == 1 || rows == shape.n_q || of_last) &&
                      (columns == shape.n_k || (holds_more && columns > shape.n_k));
    return fits ? axes : std::vector<Index>();
}

DumpedMask read_mask(const Array& numbers, const Shape& shape, std::optional<bool> true_blocks) {
    const std::vector<Index>& axes = numbers.axes;
    // A mask may be larger than the scene, and the scene larger than the mask.
    DumpedMask mask{shape, {axes[0], axes[1], std::min(axes[2], shape.n_q), shape.n_k}, {}, {}};
    bool ones = false, others = false;
    each_looked_at(numbers, shape, mask.own, [&](double x) {
        ones = ones || x == 1;
        others = others || (x != 0 && x != 1);
    });
    if (!true_blocks && ones && !others) true_blocks = false;
    std::optional<double> added;
    bool several = false;
    each_looked_at(numbers, shape, mask.own, [&](double x) {
        if (!true_blocks && x != 0 && !(x <= blocking))
            throw InputError("", "the mask holds " + typed_text(x) +
                                     ", which neither allows (0) nor blocks (−inf, −1e4 or less)");
        mask.allowed.push_back(true_blocks ? (x != 0) != *true_blocks : x == 0);
        if (x == 0) return;
        several = several || (added && *added != x);
        added = x;
    });
    if (!true_blocks && added && !several) mask.value = blocked_by(*added);
    return mask;
}

MaskLayers layers_of(const DumpedMask& mask) {
    const Shape& s = mask.shape;
    const MaskSearch search = best_search(mask);
    MaskLayers found;
    found.layers = search.rule.layers;
    if (search.rule.counts_positions) found.start = s.n_k - s.n_q;
    const std::vector<MaskLayer> left = left_in_heads(search, 0);
    bool differ = false;
    for (Index b = 1; b < s.b; ++b) differ = differ || left_in_heads(search, b) != left;
    found.pads.resize(static_cast<std::size_t>(s.b));
    // If a single sequence has other remaining cells, its hidden keys are probably not padding.
    const auto are_pads = [&](const auto& hidden) { return is_padding(search, hidden); };
    const bool pads =
        std::ranges::all_of(search.hidden_keys, are_pads) && (s.b > 1 || left.empty());
    if (pads)
        for (Index b = 0; b < s.b; ++b) found.pads[b] = places_of(search.hidden_keys[b]);
    else
        differ = differ || std::ranges::count(search.hidden_keys, search.hidden_keys.front()) < s.b;
    if (differ) {
        found.layers.push_back(left_in_all(search, !pads));
        return found;
    }
    if (!pads) {
        MaskLayer columns;
        columns.kind = LayerKind::blocked;
        columns.columns = places_of(search.hidden_keys.front());
        if (!columns.columns->empty()) found.layers.push_back(std::move(columns));
    }
    found.layers.insert(found.layers.end(), left.begin(), left.end());
    return found;
}

}  // namespace maskscope
