#include "core/scene/mask_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include "core/base/number_text.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

std::string in_words(double x) {
    if (std::isnan(x)) return "NaN";
    return std::isinf(x) ? (x > 0 ? "+∞" : "−∞") : typed_text(x);
}

// --- what a rule allows

// Blocks the keys before `begin` and from `end` on, both of which may be beyond the row.
void keep(std::span<bool> row, Index begin, Index end) {
    const auto size = static_cast<Index>(row.size());
    begin = std::clamp<Index>(begin, 0, size);
    end = std::clamp<Index>(end, begin, size);
    std::fill(row.begin(), row.begin() + begin, false);
    std::fill(row.begin() + end, row.end(), false);
}

void set_column(const MaskGrid& grid, Index j, bool value) {
    for (Index i = grid.from; i < grid.end; ++i) grid.row(i)[j] = value;
}

// Blocks the keys whose position is before `begin`, or at `end` or after it.
void keep_positions(const MaskGrid& grid, std::span<bool> row, Index begin, Index end) {
    if (grid.key_positions->empty()) return keep(row, begin, end);
    for (Index j = 0; j < std::ssize(row); ++j)
        row[j] = row[j] && begin <= grid.r(j) && grid.r(j) < end;
}

// Calls keep_row(row, p) for each query, where p is its position.
template <class KeepRow>
void by_position(const MaskGrid& grid, const KeepRow& keep_row) {
    for (Index i = grid.from; i < grid.end; ++i) keep_row(grid.row(i), grid.p(i));
}

void causal(const Scene&, const MaskLayer& layer, const MaskGrid& grid) {
    if (layer.align == Align::positions)
        return by_position(
            grid, [&](std::span<bool> row, Index p) { keep_positions(grid, row, 0, p + 1); });
    const Index offset = layer.align == Align::bottom_right ? grid.n_k - grid.n_q : 0;
    for (Index i = grid.from; i < grid.end; ++i) keep(grid.row(i), 0, i + offset + 1);
}

void padding(const Scene& scene, const MaskLayer&, const MaskGrid& grid) {
    const TokenView keys = key_tokens(scene, grid.b, grid.n_k);
    for (Index j = 0; j < grid.n_k; ++j)
        if (keys.is_pad(j)) set_column(grid, j, false);
}

void padding_queries(const Scene& scene, const MaskLayer&, const MaskGrid& grid) {
    const TokenView queries = query_tokens(scene, grid.b, grid.first + grid.end);
    for (Index i = grid.from; i < grid.end; ++i)
        if (queries.is_pad(grid.first + i)) std::ranges::fill(grid.row(i), false);
}

void window(const Scene&, const MaskLayer& layer, const MaskGrid& grid) {
    by_position(grid, [&](std::span<bool> row, Index p) {
        keep_positions(grid, row, p - layer.left, p + layer.right + 1);
    });
}

void prefix(const Scene&, const MaskLayer& layer, const MaskGrid& grid) {
    by_position(grid, [&](std::span<bool> row, Index p) {
        if (grid.key_positions->empty()) return keep(row, 0, std::max(layer.length, p + 1));
        for (Index j = layer.length; j < std::ssize(row); ++j) row[j] = row[j] && grid.r(j) <= p;
    });
}

void documents(const Scene&, const MaskLayer& layer, const MaskGrid& grid) {
    by_position(grid, [&](std::span<bool> row, Index p) {
        Index start = 0;
        for (const Index length : lengths_of(layer, grid.b)) {
            if (p >= start && p < start + length) keep(row, start, start + length);
            start += length;
        }
    });
}

template <bool value>
void listed(const Scene&, const MaskLayer& layer, const MaskGrid& grid) {
    const auto is_here = [&](Index i) {
        return i >= grid.first + grid.from && i < grid.first + grid.end;
    };
    if (layer.cells)
        for (const Cell& cell : *layer.cells)
            if (is_here(cell.i) && cell.j < grid.n_k) grid.row(cell.i - grid.first)[cell.j] = value;
    if (layer.rows)
        for (const Index i : *layer.rows)
            if (is_here(i)) std::ranges::fill(grid.row(i - grid.first), value);
    if (layer.columns)
        for (const Index j : *layer.columns)
            if (j < grid.n_k) set_column(grid, j, value);
}

void sinks(const Scene&, const MaskLayer& layer, const MaskGrid& grid) {
    for (Index i = grid.from; i < grid.end; ++i) keep(grid.row(i), 0, layer.count);
}

void chunked(const Scene&, const MaskLayer& layer, const MaskGrid& grid) {
    by_position(grid, [&](std::span<bool> row, Index p) {
        keep_positions(grid, row, p - p % layer.size, p - p % layer.size + layer.size);
    });
}

void block_causal(const Scene&, const MaskLayer& layer, const MaskGrid& grid) {
    by_position(grid, [&](std::span<bool> row, Index p) {
        keep_positions(grid, row, 0, p - p % layer.size + layer.size);
    });
}

void global(const Scene&, const MaskLayer& layer, const MaskGrid& grid) {
    const auto is_listed = [&](Index k) { return std::ranges::count(layer.tokens, k) > 0; };
    std::vector<bool> keys(static_cast<std::size_t>(grid.n_k));
    for (Index j = 0; j < grid.n_k; ++j) keys[j] = is_listed(j);
    by_position(grid, [&](std::span<bool> row, Index p) {
        if (is_listed(p)) return;
        for (std::size_t j = 0; j < row.size(); ++j) row[j] = row[j] && keys[j];
    });
}

void groups(const Scene&, const MaskLayer& layer, const MaskGrid& grid) {
    const std::vector<Index>& ids = ids_of(layer, grid.b);
    by_position(grid, [&](std::span<bool> row, Index p) {
        for (std::size_t j = 0; j < row.size(); ++j)
            row[j] = row[j] && ids[p] >= 0 && ids[j] == ids[p];
    });
}

void tree(const Scene&, const MaskLayer& layer, const MaskGrid& grid) {
    by_position(grid, [&](std::span<bool> row, Index p) {
        // Go from the token down to its root: parents have smaller indices.
        Index next = p;
        for (Index j = std::ssize(row) - 1; j >= 0; --j) {
            while (next > j) next = layer.parents[next];
            row[j] = row[j] && next == j;
        }
    });
}

void formula(const Scene& scene, const MaskLayer& layer, const MaskGrid& grid) {
    Formula values(scene, layer.expression, grid);
    for (Index i = grid.from; i < grid.end; ++i) {
        const auto numbers = values.row(i);
        for (Index j = 0; j < grid.n_k; ++j)
            if (numbers[j] == 0 || std::isnan(numbers[j])) grid.row(i)[j] = false;
    }
}

void tensor(const Scene&, const MaskLayer& layer, const MaskGrid& grid) {
    const TensorCells cells(*layer.tensor, grid.b, grid.h);
    for (Index i = grid.from; i < grid.end; ++i)
        for (Index j = 0; j < grid.n_k; ++j)
            if (!cells.allows(grid.first + i, j)) grid.row(i)[j] = false;
}

// Returns the cells that a rule, inverted if it says so, allows on its own. An `allowed` rule
// allows only the cells that it lists.
std::vector<char> alone(const Scene& scene, const MaskLayer& layer, const MaskGrid& grid) {
    static_assert(sizeof(char) == sizeof(bool));
    const LayerRule& rule = rule_of(layer.kind);
    const std::size_t size = grid.size();
    const auto cells = std::make_unique<bool[]>(size);
    std::fill_n(cells.get(), size, !rule.opens);
    MaskGrid own = grid;
    own.cells = cells.get();
    rule.act(scene, layer, own);
    std::vector<char> allowed(size);
    for (std::size_t k = 0; k < size; ++k) allowed[k] = cells[k] != layer.invert;
    return allowed;
}

template <bool any>
void group(const Scene& scene, const MaskLayer& layer, const MaskGrid& grid) {
    const std::size_t size = grid.size();
    std::vector<char> allowed(size, !any);
    for (const MaskLayer& inner : layer.layers) {
        const std::vector<char> more = alone(scene, inner, grid);
        for (std::size_t k = 0; k < size; ++k)
            allowed[k] = any ? allowed[k] || more[k] : allowed[k] && more[k];
    }
    for (std::size_t k = 0; k < size; ++k) grid.cells[k] = grid.cells[k] && allowed[k];
}

// --- the table

std::vector<LayerRule> make_rules() {
    const std::vector<LayerParameter> lists{{.key = "cells",
                                             .member = &MaskLayer::cells,
                                             .counts = Counts::cells,
                                             .unit = "cell",
                                             .units = "cells"},
                                            {.key = "rows",
                                             .member = &MaskLayer::rows,
                                             .counts = Counts::queries,
                                             .unit = "row",
                                             .units = "rows"},
                                            {.key = "columns",
                                             .member = &MaskLayer::columns,
                                             .counts = Counts::keys,
                                             .unit = "column",
                                             .units = "columns"}};
    const LayerParameter chunk_size{.key = "size",
                                    .member = &MaskLayer::size,
                                    .low = 1,
                                    .fresh = 2,
                                    .label = "tokens each",
                                    .unit = "token",
                                    .units = "tokens"};
    return {
        {.kind = LayerKind::causal,
         .name = "causal",
         .label = "Causal",
         .edit = "align a mask rule",
         .parameters = {{.key = "align", .member = &MaskLayer::align}},
         .act = causal,
         .allows_diagonal = true,
         .in_shader = true},
        {.kind = LayerKind::padding,
         .name = "padding",
         .label = "Padding",
         .act = padding,
         .reads_keys = true,
         .in_shader = true},
        {.kind = LayerKind::padding_queries,
         .name = "padding_queries",
         .label = "Block padded queries",
         .act = padding_queries,
         .reads_queries = true,
         .is_rare = true,
         .in_shader = true},
        {.kind = LayerKind::window,
         .name = "window",
         .label = "Window",
         .edit = "change a window",
         .parameters = {{.key = "left",
                         .member = &MaskLayer::left,
                         .fresh = 1,
                         .label = "keys back",
                         .unit = "back",
                         .units = "back"},
                        {.key = "right",
                         .member = &MaskLayer::right,
                         .fresh = 1,
                         .label = "keys after",
                         .unit = "after",
                         .units = "after"}},
         .act = window,
         .allows_diagonal = true,
         .by_position = true,
         .in_shader = true},
        {.kind = LayerKind::prefix,
         .name = "prefix",
         .label = "Prefix",
         .edit = "change a prefix",
         .parameters = {{.key = "length",
                         .member = &MaskLayer::length,
                         .counts = Counts::first_keys,
                         .fresh = 2,
                         .label = "first keys",
                         .unit = "key",
                         .units = "keys"}},
         .act = prefix,
         .allows_diagonal = true,
         .by_position = true,
         .in_shader = true},
        {.kind = LayerKind::documents,
         .name = "documents",
         .label = "Documents",
         .edit = "change documents",
         .parameters = {{.key = "lengths",
                         .member = &MaskLayer::lengths,
                         .counts = Counts::documents,
                         .low = 1,
                         .label = "lengths",
                         .each = &MaskLayer::lengths_each}},
         .act = documents,
         .allows_diagonal = true,
         .by_position = true,
         .needs_key = true,
         .is_rare = true,
         .in_shader = true},
        {.kind = LayerKind::blocked,
         .name = "blocked",
         .label = "Blocked cells",
         .parameters = lists,
         .act = listed<false>,
         .lists_cells = true,
         .in_shader = true},
        {.kind = LayerKind::allowed,
         .name = "allowed",
         .label = "Allowed cells",
         .parameters = lists,
         .act = listed<true>,
         .opens = true,
         .lists_cells = true,
         .allows_diagonal = true,
         .is_rare = true,
         .in_shader = true},
        {.kind = LayerKind::sinks,
         .name = "sinks",
         .label = "Sinks",
         .edit = "change sinks",
         .parameters = {{.key = "count",
                         .member = &MaskLayer::count,
                         .fresh = 1,
                         .label = "first keys",
                         .unit = "key",
                         .units = "keys"}},
         .act = sinks,
         .is_rare = true},
        {.kind = LayerKind::chunked,
         .name = "chunked",
         .label = "Chunks",
         .edit = "change chunks",
         .parameters = {chunk_size},
         .act = chunked,
         .allows_diagonal = true,
         .by_position = true,
         .is_rare = true},
        {.kind = LayerKind::block_causal,
         .name = "block_causal",
         .label = "Block-causal",
         .edit = "change blocks",
         .parameters = {chunk_size},
         .act = block_causal,
         .allows_diagonal = true,
         .by_position = true,
         .is_rare = true},
        {.kind = LayerKind::global,
         .name = "global",
         .label = "Global tokens",
         .edit = "change global tokens",
         .parameters = {{.key = "tokens",
                         .member = &MaskLayer::tokens,
                         .counts = Counts::tokens,
                         .label = "tokens",
                         .unit = "token",
                         .units = "tokens"}},
         .act = global,
         .by_position = true,
         .is_rare = true},
        {.kind = LayerKind::groups,
         .name = "groups",
         .label = "Groups",
         .edit = "change groups",
         .parameters = {{.key = "ids",
                         .member = &MaskLayer::ids,
                         .counts = Counts::ids,
                         .low = -1,
                         .label = "ids",
                         .each = &MaskLayer::ids_each}},
         .act = groups,
         .by_position = true,
         .needs_key = true,
         .is_rare = true},
        {.kind = LayerKind::tree,
         .name = "tree",
         .label = "Tree",
         .edit = "change a tree",
         .parameters = {{.key = "parents",
                         .member = &MaskLayer::parents,
                         .counts = Counts::parents,
                         .low = -1,
                         .label = "parents"}},
         .act = tree,
         .allows_diagonal = true,
         .by_position = true,
         .needs_key = true,
         .is_rare = true},
        {.kind = LayerKind::formula,
         .name = "formula",
         .label = "Formula",
         .edit = "change a formula",
         .parameters = {{.key = "allowed", .member = &MaskLayer::expression}},
         .act = formula,
         .by_position = true,
         .is_rare = true},
        {.kind = LayerKind::tensor,
         .name = "tensor",
         .label = "Tensor",
         .edit = "change a tensor",
         .parameters = {{.key = "allowed", .member = &MaskLayer::tensor, .counts = Counts::cells}},
         .act = tensor,
         .is_rare = true},
        {.kind = LayerKind::any,
         .name = "any",
         .label = "Any of",
         .edit = "change a group of mask rules",
         .parameters = {{.key = "layers", .member = &MaskLayer::layers}},
         .act = group<true>,
         .is_rare = true,
         .is_group = true},
        {.kind = LayerKind::all,
         .name = "all",
         .label = "All of",
         .edit = "change a group of mask rules",
         .parameters = {{.key = "layers", .member = &MaskLayer::layers}},
         .act = group<false>,
         .is_rare = true,
         .is_group = true},
        {.kind = LayerKind::alibi,
         .name = "alibi",
         .label = "ALiBi",
         .edit = "change slopes",
         .parameters = {{.key = "slopes", .member = &MaskLayer::slopes}},
         .by_position = true,
         .is_rare = true},
        {.kind = LayerKind::bias,
         .name = "bias",
         .label = "Bias",
         .edit = "change a bias",
         .parameters = {{.key = "cells",
                         .member = &MaskLayer::bias,
                         .counts = Counts::cells,
                         .unit = "cell",
                         .units = "cells"},
                        {.key = "tensor", .member = &MaskLayer::tensor, .counts = Counts::cells}},
         .is_rare = true},
        {.kind = LayerKind::formula_bias,
         .name = "formula_bias",
         .label = "Bias formula",
         .edit = "change a formula",
         .parameters = {{.key = "adds", .member = &MaskLayer::expression}},
         .by_position = true,
         .is_rare = true},
    };
}

}  // namespace

const std::vector<LayerRule>& layer_rules() {
    static const std::vector<LayerRule> rules = make_rules();
    return rules;
}

const LayerRule& rule_of(LayerKind kind) { return layer_rules()[static_cast<std::size_t>(kind)]; }

template <>
std::span<const std::string_view> names<LayerKind>() {
    static const std::vector<std::string_view> words = [] {
        std::vector<std::string_view> all;
        for (const LayerRule& rule : layer_rules()) all.push_back(rule.name);
        return all;
    }();
    return words;
}

std::string_view label(LayerKind kind) { return rule_of(kind).label; }

bool is_bias(const MaskLayer& layer) { return rule_of(layer.kind).is_bias(); }

bool holds_for(const MaskLayer& layer, Index h) {
    return !layer.heads || std::ranges::find(*layer.heads, h) != layer.heads->end();
}

MaskLayer new_layer(LayerKind kind, const Shape& shape) {
    const LayerRule& rule = rule_of(kind);
    MaskLayer layer;
    layer.kind = kind;
    for (const LayerParameter& parameter : rule.parameters)
        if (const auto* number = std::get_if<Index MaskLayer::*>(&parameter.member))
            layer.*(*number) = std::max(parameter.low, std::min(parameter.fresh, shape.n_k));
    const Index half = (shape.n_k + 1) / 2;
    switch (kind) {
        case LayerKind::documents:
            layer.lengths = {half, shape.n_k / 2};
            std::erase(layer.lengths, 0);
            break;
        case LayerKind::global:
            layer.tokens = {0};
            break;
        case LayerKind::groups:  // the first half becomes one group
            layer.ids.assign(static_cast<std::size_t>(shape.n_k), -1);
            std::fill_n(layer.ids.begin(), half, 0);
            break;
        case LayerKind::tree:  // two guesses after each token
            for (Index j = 0; j < shape.n_k; ++j) layer.parents.push_back((j + 1) / 2 - 1);
            break;
        case LayerKind::formula:
            layer.expression = "j <= i";
            break;
        case LayerKind::tensor: {  // the same cells as causal
            std::vector<double> cells;
            for (Index k = 0; k < shape.n_q * shape.n_k; ++k)
                cells.push_back(k % shape.n_k <= k / shape.n_k ? 1 : 0);
            layer.tensor = make_array({shape.n_q, shape.n_k}, std::move(cells));
            layer.tensor->truths = true;
            break;
        }
        case LayerKind::formula_bias:
            layer.expression = "-abs(i - j) / 2";
            break;
        case LayerKind::any:
        case LayerKind::all:
            layer.layers = {new_layer(LayerKind::causal, shape)};
            break;
        default:
            break;
    }
    if (rule.lists_cells) layer.cells.emplace();
    return layer;
}

namespace {

// True if rules use the positions that the sequence lists. Rules over an output, or in a layer
// below one, count from 0.
bool sees_lists(const Scene& scene, const Sequence& sequence) {
    return sequence.keys && !std::holds_alternative<OutputInputs>(scene.inputs);
}

}  // namespace

bool lists_positions(const Scene& scene) {
    return std::ranges::any_of(scene.sequences, [&](const Sequence& sequence) {
        return sees_lists(scene, sequence) &&
               !(sequence.positions->empty() && sequence.key_positions->empty());
    });
}

HeadPositions head_positions(const Scene& scene, Index b, Index h) {
    return head_positions(scene, shape_of(scene), b, h);
}

HeadPositions head_positions(const Scene& scene, const Shape& shape, Index b, Index h) {
    const Sequence& sequence = scene.sequences[b];
    HeadPositions all{b, h, shape.h, shape.n_q, shape.n_k, sequence.start, /*first=*/0};
    if (sees_lists(scene, sequence)) {
        all.positions = sequence.positions;
        all.key_positions = sequence.key_positions;
    }
    return all;
}

HeadPositions decoding(const Scene& scene, Index b, Index h, Index t) {
    return {b, h, heads_of(scene.inputs), 1, t + 1, t, t};
}

void lay_over(const Scene& scene, const MaskLayer& layer, const MaskGrid& grid) {
    if (!layer.invert) return rule_of(layer.kind).act(scene, layer, grid);
    const std::vector<char> allowed = alone(scene, layer, grid);
    for (std::size_t k = 0; k < allowed.size(); ++k)
        grid.cells[k] = grid.cells[k] && allowed[k] != 0;
}

RuleDependencies reads_of(const MaskLayer& layer) {
    const LayerRule& rule = rule_of(layer.kind);
    RuleDependencies reads = reads_of(layer.layers);
    reads.keys |= rule.reads_keys;
    reads.queries |= rule.reads_queries;
    reads.sequence |= !layer.ids_each.empty() || !layer.lengths_each.empty();
    if (layer.tensor) {
        const std::vector<Index>& axes = layer.tensor->axes;
        reads.head |= axes.size() > 2 && axes[axes.size() - 3] > 1;
        reads.sequence |= axes.size() > 3 && axes.front() > 1;
    }
    if (layer.expression.empty()) return reads;
    using enum Expression::Name;
    const Expression expression(layer.expression);
    reads.keys |= expression.reads(pad_j);
    reads.queries |= expression.reads(pad_i);
    reads.head |= expression.reads(h) || expression.reads(heads);
    reads.sequence |= expression.reads(b);
    return reads;
}

RuleDependencies reads_of(const std::vector<MaskLayer>& layers) {
    RuleDependencies reads;
    for (const MaskLayer& layer : layers) {
        const RuleDependencies more = reads_of(layer);
        reads.keys |= more.keys;
        reads.queries |= more.queries;
        reads.head |= more.head;
        reads.sequence |= more.sequence;
    }
    return reads;
}

// --- formulas

Formula::Formula(const Scene& scene, const std::string& expression, const HeadPositions& attending)
    : expression_(expression),
      attending_(attending),
      values_(static_cast<std::size_t>(attending.n_k)) {
    const auto pads = [](const TokenView& tokens) {
        std::vector<double> numbers(tokens.size());
        for (std::size_t k = 0; k < numbers.size(); ++k)
            numbers[k] = tokens.is_pad(static_cast<Index>(k)) ? 1 : 0;
        return numbers;
    };
    for (Index j = 0; j < attending.n_k; ++j) j_.push_back(static_cast<double>(attending.r(j)));
    pad_i_ = pads(query_tokens(scene, attending.b, attending.first + attending.n_q));
    pad_j_ = pads(key_tokens(scene, attending.b, attending.n_k));
}

std::span<const double> Formula::row(Index i) {
    const auto number = [](Index x) { return static_cast<double>(x); };
    expression_.evaluate({number(attending_.p(i)), number(attending_.n_q), number(attending_.n_k),
                          number(attending_.h), number(attending_.heads), number(attending_.b),
                          pad_i_[attending_.first + i], j_, pad_j_},
                         values_);
    return values_;
}

std::string bad_bias(const Scene& scene, const MaskLayer& layer, Index heads) {
    const RuleDependencies reads = reads_of(layer);
    const Shape shape = shape_of(scene);
    const auto b = shape.b;
    for (Index sequence = 0; sequence < b; ++sequence) {
        bool first = true;  // true for the first head
        for (Index h = 0; h < heads; ++h) {
            if (!holds_for(layer, h) || (!first && !reads.head)) continue;
            first = false;
            HeadPositions all = head_positions(scene, shape, sequence, h);
            all.heads = heads;
            Formula values(scene, layer.expression, all);
            for (Index i = 0; i < all.n_q; ++i) {
                const auto numbers = values.row(i);
                const auto bad = std::ranges::find_if(
                    numbers, [](double x) { return std::isnan(x) || x == infinity; });
                if (bad == numbers.end()) continue;
                std::string where = fmt::format("{} at [{}, {}]", std::isnan(*bad) ? "NaN" : "+∞",
                                                i, bad - numbers.begin());
                if (heads > 1) where += fmt::format(" of head {}", h);
                if (b > 1) where += fmt::format(" in sequence {}", sequence);
                return where;
            }
        }
    }
    return "";
}

// --- slopes, tensors, positions

double alibi_slope(Slopes slopes, Index h, Index heads) {
    const auto plain = [](Index step, Index steps) {
        return std::exp2(-8.0 * static_cast<double>(step) / static_cast<double>(steps));
    };
    const auto m = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(heads)));
    if (slopes == Slopes::geometric || m == heads) return plain(h + 1, heads);
    return h < m ? plain(h + 1, m) : plain(2 * (h - m) + 1, 2 * m);
}

const std::vector<Index>& lengths_of(const MaskLayer& layer, Index b) {
    return layer.lengths_each.empty() ? layer.lengths : layer.lengths_each[b];
}

const std::vector<Index>& ids_of(const MaskLayer& layer, Index b) {
    return layer.ids_each.empty() ? layer.ids : layer.ids_each[b];
}

TensorCells::TensorCells(const Array& array, Index b, Index h) : array_(array) {
    const std::vector<Index>& axes = array.axes;
    const auto axis = [&](std::size_t from_end) {
        return from_end <= axes.size() ? axes[axes.size() - from_end] : 1;
    };
    n_k_ = axis(1);
    first_ = ((axis(4) > 1 ? b : 0) * axis(3) + (axis(3) > 1 ? h : 0)) * axis(2) * n_k_;
}

std::string bad_tensor(const MaskLayer& layer) {
    const Array& array = *layer.tensor;
    constexpr double least_blocked = -9984;  // −1e4 in bfloat16
    const auto is_bad = [&](double x) {
        if (is_bias(layer)) return std::isnan(x) || x == infinity;
        return !array.truths && x != 0 && !(x <= least_blocked);
    };
    for (std::size_t k = 0; k < array.values->size(); ++k) {
        const double x = (*array.values)[k];
        if (!is_bad(x)) continue;
        Index place[4] = {}, rest = static_cast<Index>(k);
        for (std::size_t axis = array.axes.size(), at = 3; axis-- > 0; --at) {
            place[at] = rest % array.axes[axis];
            rest /= array.axes[axis];
        }
        return fmt::format("{} at [{}]", in_words(x), fmt::join(place, ", "));
    }
    return "";
}

std::vector<double> row_scales(const Scene& scene, const Scale& scale,
                               const HeadPositions& attending, Index first, Index rows) {
    std::vector<double> scales;
    if (scale.kind != ScaleKind::formula) return scales;
    Formula values(scene, scale.expression, attending);
    for (Index i = first; i < first + rows; ++i) scales.push_back(values.row(i).front());
    return scales;
}

std::string bad_scale(const Scene& scene, const Scale& scale, Index heads) {
    const Shape shape = shape_of(scene);
    for (Index b = 0; b < shape.b; ++b)
        for (Index h = 0; h < heads; ++h) {
            HeadPositions all = head_positions(scene, shape, b, h);
            all.heads = heads;
            const auto scales = row_scales(scene, scale, all, 0, shape.n_q);
            const auto bad =
                std::ranges::find_if_not(scales, [](double x) { return std::isfinite(x); });
            if (bad == scales.end()) continue;
            std::string where = fmt::format("{} in row {}", in_words(*bad), bad - scales.begin());
            if (heads > 1) where += fmt::format(" of head {}", h);
            if (shape.b > 1) where += fmt::format(" in sequence {}", b);
            return where;
        }
    return "";
}

Index last_position(const Scene& scene) {
    const Shape shape = shape_of(scene);
    Index last = 0;
    for (Index b = 0; b < shape.b; ++b) {
        const HeadPositions all = head_positions(scene, shape, b, 0);
        last = std::max(last, all.p(shape.n_q - 1));
        for (const Index p : *all.positions) last = std::max(last, p);
    }
    return last;
}

namespace {

// True if the rule changes only the cells that it lists. (An inverted rule changes all others.)
bool lists_cells(const MaskLayer& layer) {
    return layer.cells && !layer.invert &&
           (layer.kind == LayerKind::blocked || layer.kind == LayerKind::allowed);
}

// Returns the rules without the cells that they list; listed rows and columns stay.
std::vector<MaskLayer> without_cells(const std::vector<MaskLayer>& layers) {
    std::vector<MaskLayer> others;
    for (const MaskLayer& layer : layers) {
        if (lists_cells(layer) && !layer.rows && !layer.columns) continue;
        others.push_back(layer);
        if (lists_cells(layer)) others.back().cells.emplace();
    }
    return others;
}

bool same_but_cells(const MaskLayer& x, MaskLayer y) {
    y.cells = x.cells;
    return x == y;
}

// Adds the queries of cells that the rules of x list, but the rules of y that are otherwise equal
// do not.
void add_queries(const std::vector<MaskLayer>& x, const std::vector<MaskLayer>& y,
                 std::set<Index>& queries) {
    for (const MaskLayer& layer : x) {
        if (!lists_cells(layer)) continue;
        std::set<std::pair<Index, Index>> theirs;
        for (const MaskLayer& other : y)
            if (lists_cells(other) && same_but_cells(layer, other))
                for (const Cell& cell : *other.cells) theirs.insert({cell.i, cell.j});
        for (const Cell& cell : *layer.cells)
            if (!theirs.contains({cell.i, cell.j})) queries.insert(cell.i);
    }
}

}  // namespace

std::optional<std::vector<Index>> changed_queries(const std::vector<MaskLayer>& x,
                                                  const std::vector<MaskLayer>& y) {
    if (without_cells(x) != without_cells(y)) return std::nullopt;
    std::set<Index> queries;
    add_queries(x, y, queries);
    add_queries(y, x, queries);
    return std::vector<Index>(queries.begin(), queries.end());
}

}  // namespace maskscope
