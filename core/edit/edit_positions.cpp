// Moves mask rules and the numbers of arrays with the tokens at their positions.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/base/cases.h"
#include "core/edit/edit_parts.h"
#include "core/scene/mask_rules.h"

namespace maskscope {

namespace {

// Returns the new position of each old one; `added` for a position that was deleted.
std::vector<Index> targets(const AxisEdit& axis) {
    std::vector<Index> to(static_cast<std::size_t>(axis.old_size), AxisEdit::added);
    for (Index k = 0; k < axis.new_size(); ++k) {
        const Index from = axis.source[k];
        if (from != AxisEdit::added) to[from] = k;
    }
    return to;
}

struct Targets {
    std::vector<Index> rows, columns;

    // Moves i and j. Returns false if one of them was deleted.
    bool move(Index& i, Index& j) const {
        i = rows[i];
        j = columns[j];
        return i != AxisEdit::added && j != AxisEdit::added;
    }
};

template <class C>
void move_cells(std::vector<C>& cells, const Targets& targets) {
    std::erase_if(cells, [&](C& cell) { return !targets.move(cell.i, cell.j); });
}

// Returns the lengths of consecutive groups after the edit; 0 for groups that are now empty.
std::vector<Index> regrouped(const std::vector<Index>& lengths, const AxisEdit& axis) {
    std::vector<std::size_t> group_of;
    for (std::size_t group = 0; group < lengths.size(); ++group)
        group_of.insert(group_of.end(), static_cast<std::size_t>(lengths[group]), group);
    std::vector<Index> counts(lengths.size(), 0);
    for (const Index home : axis.home) ++counts[group_of[home]];
    return counts;
}

// Moves indices of tokens with their tokens.
void move_indices(std::vector<Index>& indices, const std::vector<Index>& to) {
    for (Index& k : indices) k = to[k];
    std::erase(indices, AxisEdit::added);
}

// Moves a list with a number for each key; new tokens are in no group.
void move_ids(std::vector<Index>& ids, const AxisEdit& keys) {
    std::vector<Index> moved;
    for (const Index from : keys.source) moved.push_back(from == AxisEdit::added ? -1 : ids[from]);
    ids = std::move(moved);
}

// Moves parents. The children of a deleted token get its parent; the parent of a new token is the
// one before it. A token that is now before its parent becomes a root.
void move_parents(std::vector<Index>& parents, const AxisEdit& keys, const std::vector<Index>& to) {
    std::vector<Index> moved;
    for (Index k = 0; k < keys.new_size(); ++k) {
        const Index from = keys.source[k];
        Index parent = from == AxisEdit::added ? -1 : parents[from];
        while (parent >= 0 && to[parent] == AxisEdit::added) parent = parents[parent];
        if (parent >= 0) parent = to[parent];
        if (from == AxisEdit::added) parent = k - 1;
        moved.push_back(parent < k ? parent : -1);
    }
    parents = std::move(moved);
}

void move_list(std::vector<Index>& list, Counts counts, const AxisEdit& keys,
               const std::vector<Index>& to) {
    switch (counts) {
        case Counts::documents:
            list = regrouped(list, keys);
            std::erase(list, 0);
            break;
        case Counts::tokens:
            move_indices(list, to);
            break;
        case Counts::ids:
            move_ids(list, keys);
            break;
        case Counts::parents:
            move_parents(list, keys, to);
            break;
        default:
            break;
    }
}

void move_parameter(MaskLayer& layer, const LayerParameter& parameter, const AxisEdit& rows,
                    const AxisEdit& columns) {
    const Targets to{targets(rows), targets(columns)};
    std::visit(Cases{
                   [](Align MaskLayer::*) {},
                   [](Slopes MaskLayer::*) {},
                   [&](std::optional<Array> MaskLayer::*tensor) {
                       if (layer.*tensor)
                           layer.*tensor =
                               moved_tensor(*(layer.*tensor), !is_bias(layer), rows, columns);
                   },
                   [&](Index MaskLayer::*number) {
                       Index& length = layer.*number;  // a prefix longer than the sequence stays
                       if (parameter.counts == Counts::first_keys && length <= columns.old_size)
                           length = regrouped({length, columns.old_size - length}, columns)[0];
                   },
                   [&](std::vector<Index> MaskLayer::*list) {
                       if (!parameter.each || (layer.*parameter.each).empty())
                           return move_list(layer.*list, parameter.counts, columns, to.columns);
                       for (Index b = 0; b < std::ssize(layer.*parameter.each); ++b)
                           move_list((layer.*parameter.each)[b], parameter.counts, columns.of(b),
                                     to.columns);
                   },
                   [&](std::optional<std::vector<Index>> MaskLayer::*indices) {
                       if (!(layer.*indices)) return;
                       const bool of_rows = parameter.counts == Counts::queries;
                       move_indices(*(layer.*indices), of_rows ? to.rows : to.columns);
                   },
                   [&](std::optional<std::vector<Cell>> MaskLayer::*cells) {
                       if (layer.*cells) move_cells(*(layer.*cells), to);
                   },
                   [&](std::vector<BiasCell> MaskLayer::*cells) { move_cells(layer.*cells, to); },
                   [](std::string MaskLayer::*) {},
                   [&](std::vector<MaskLayer> MaskLayer::*layers) {
                       move_layers(layer.*layers, rows, columns);
                   },
               },
               parameter.member);
}

std::size_t entries(const MaskLayer& layer) {
    const auto size = [](const auto& list) { return list ? list->size() : 0; };
    return size(layer.cells) + size(layer.rows) + size(layer.columns) + layer.bias.size() +
           layer.tokens.size() + layer.layers.size();
}

}  // namespace

bool AxisEdit::is_identity() const {
    if (new_size() != old_size) return false;
    for (Index k = 0; k < old_size; ++k)
        if (source[k] != k) return false;
    return true;
}

AxisEdit AxisEdit::of(Index sequence) const {
    if (sequence == b) return *this;
    AxisEdit other{sequence, old_size, {}, {}};
    for (Index k = 0; k < new_size(); ++k) {
        other.source.push_back(source_of(sequence, k));
        other.home.push_back(std::min(k, old_size - 1));
    }
    return other;
}

AxisEdit no_edit(Index size) {
    AxisEdit axis;
    axis.old_size = size;
    axis.source.resize(static_cast<std::size_t>(size));
    std::iota(axis.source.begin(), axis.source.end(), Index{0});
    axis.home = axis.source;
    return axis;
}

void expect_small_tensor(LayerKind kind, const Shape& shape) {
    constexpr Index most_cells = Index{1} << 20;
    if (kind == LayerKind::tensor && shape.n_q > most_cells / shape.n_k)
        throw EditError("A mask of this many cells can be stored only in a tensor file.");
}

bool tidy_listed(MaskLayer& layer) {
    const auto drop_empty = [](auto& list) {
        if (list && list->empty()) list.reset();
    };
    drop_empty(layer.cells);
    drop_empty(layer.rows);
    drop_empty(layer.columns);
    return entries(layer) > 0;
}

void move_layers(std::vector<MaskLayer>& layers, const AxisEdit& rows, const AxisEdit& columns) {
    if (rows.is_identity() && columns.is_identity()) return;
    std::erase_if(layers, [&](MaskLayer& layer) {
        const bool listed = entries(layer) > 0;
        for (const LayerParameter& parameter : rule_of(layer.kind).parameters)
            move_parameter(layer, parameter, rows, columns);
        return listed && !tidy_listed(layer);  // a rule that was empty before stays
    });
}

void expect_fitting_layer(const Scene& scene, const MaskLayer& layer) {
    const LayerRule& rule = rule_of(layer.kind);
    if (rule.needs_key && last_position(scene) >= shape_of(scene).n_k)
        throw EditError(fmt::format(
            "The rule “{}” needs a key at the position of each query, but there is none at {}. "
            "Leave the rule out, or add keys.",
            rule.label, last_position(scene)));
    if (layer.kind == LayerKind::formula_bias)
        if (const std::string bad = bad_bias(scene, layer, heads_of(scene.inputs)); !bad.empty())
            throw EditError(fmt::format("The bias {} would be {}.", layer.expression, bad));
    for (const MaskLayer& inner : layer.layers) expect_fitting_layer(scene, inner);
}

void expect_fitting_layers(const Scene& scene) {
    for (const Variant& variant : scene.variants) {
        for (const MaskLayer& layer : variant.mask.layers) expect_fitting_layer(scene, layer);
        if (variant.scale.kind != ScaleKind::formula) continue;
        if (const auto bad = bad_scale(scene, variant.scale, heads_of(scene.inputs)); !bad.empty())
            throw EditError(
                fmt::format("The scale {} would be {}.", variant.scale.expression, bad));
    }
    const auto* output = std::get_if<OutputInputs>(&scene.inputs);
    if (!output) return;
    expect_fitting_layers(scene_of_layer(scene, *output->of, false));
    if (output->keys) expect_fitting_layers(scene_of_layer(scene, **output->keys, true));
}

namespace {

// Moves the numbers of an array. rows, columns: the moves of the last two axes; nullptr for an axis
// that stays.
Array moved(const Array& array, const AxisEdit* rows, const AxisEdit* columns, double added = 0) {
    const bool stays = (!rows || rows->is_identity()) && (!columns || columns->is_identity());
    if (stays) return array;
    const std::vector<double> old = finite_numbers(array);
    std::array<Index, 4> sizes = {1, 1, 1, 1};
    std::copy_backward(array.axes.begin(), array.axes.end(), sizes.end());
    const auto [b, h, n, d] = sizes;
    const Index new_n = rows ? rows->new_size() : n;
    const Index new_d = columns ? columns->new_size() : d;
    std::vector<double> numbers(static_cast<std::size_t>(b * h * new_n * new_d), added);
    for (Index head = 0; head < b * h; ++head)
        for (Index i = 0; i < new_n; ++i)
            for (Index j = 0; j < new_d; ++j) {
                // Numbers that all sequences share move with the edited sequence.
                const Index from_i = rows ? rows->source_of(b > 1 ? head / h : rows->b, i) : i;
                const Index from_j =
                    columns ? columns->source_of(b > 1 ? head / h : columns->b, j) : j;
                if (from_i == AxisEdit::added || from_j == AxisEdit::added) continue;
                numbers[(head * new_n + i) * new_d + j] = old[(head * n + from_i) * d + from_j];
            }
    std::vector<Index> axes = array.axes;
    axes[axes.size() - 2] = new_n;
    axes[axes.size() - 1] = new_d;
    return make_array(std::move(axes), std::move(numbers));
}

std::optional<Array> moved_values(const std::optional<Array>& values, const AxisEdit& keys) {
    if (!values) return std::nullopt;
    return moved(*values, &keys, nullptr);
}

// Moves a previous layer, which attends among the tokens of one axis.
SharedValue<LayerBefore> moved(const LayerBefore& layer, const AxisEdit& axis) {
    LayerBefore next = layer;
    move_numbers(next.inputs, axis, axis);
    move_layers(next.variant.mask.layers, axis, axis);
    return next;
}

struct MoveNumbers {
    const AxisEdit& rows;
    const AxisEdit& columns;

    void operator()(auto&) const {}  // computed from the tokens
    void operator()(TensorsInputs& inputs) const {
        inputs.queries = moved(inputs.queries, &rows, nullptr);
        inputs.keys = moved(inputs.keys, &columns, nullptr);
        inputs.values = moved_values(inputs.values, columns);
    }
    void operator()(ScoresInputs& inputs) const {
        inputs.scores = moved(inputs.scores, &rows, &columns);
        inputs.values = moved_values(inputs.values, columns);
    }
    void operator()(WeightsInputs& inputs) const {
        inputs.weights = moved(inputs.weights, &rows, &columns);
        inputs.values = moved_values(inputs.values, columns);
    }
    void operator()(OutputInputs& inputs) const {
        inputs.of = moved(*inputs.of, rows);
        if (inputs.keys) inputs.keys = moved(**inputs.keys, columns);
    }
};

}  // namespace

std::vector<double> finite_numbers(const Array& array) {
    if (!std::ranges::all_of(array.values->view(), [](double x) { return std::isfinite(x); }))
        throw EditError("Numbers that are not finite can be stored only in a tensor file" +
                        (array.file.empty() ? "" : " (" + array.file + ")") +
                        ", and this edit would write them into the scene.");
    return array.values->float64s();
}

Array moved_tensor(const Array& tensor, bool is_mask, const AxisEdit& rows,
                   const AxisEdit& columns) {
    if (!is_mask) return moved(tensor, &rows, &columns);
    std::vector<double> truths;
    for (const double x : tensor.values->view())
        truths.push_back((x != 0) == tensor.truths ? 1 : 0);
    Array next = moved(make_array(tensor.axes, std::move(truths)), &rows, &columns, 1);
    next.truths = true;
    return next;
}

void move_numbers(Inputs& inputs, const AxisEdit& rows, const AxisEdit& columns) {
    std::visit(MoveNumbers{rows, columns}, inputs);
}

}  // namespace maskscope
