#include <algorithm>
#include <numeric>

#include "core/base/cases.h"
#include "core/edit/edit_parts.h"
#include "core/scene/mask_rules.h"

namespace maskscope {

namespace {

// [old position]: where it is now, or `added` where it is gone.
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

    // Moves i and j; false where one of them is gone.
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

void move_indices(std::vector<Index>& indices, const std::vector<Index>& to) {
    for (Index& index : indices) index = to[index];
    std::erase(indices, AxisEdit::added);
}

// Lengths of groups that follow each other, after the edit. Empty ones go.
std::vector<Index> regrouped(const std::vector<Index>& lengths, const AxisEdit& axis) {
    std::vector<std::size_t> group_of;
    for (std::size_t group = 0; group < lengths.size(); ++group)
        group_of.insert(group_of.end(), static_cast<std::size_t>(lengths[group]), group);
    std::vector<Index> counts(lengths.size(), 0);
    for (const Index home : axis.home) ++counts[group_of[home]];
    return counts;
}

// Documents lie along both axes: they follow where both move alike, and else stay.
void move_documents(std::vector<Index>& lengths, const AxisEdit& rows, const AxisEdit& columns) {
    if (rows.new_size() != columns.new_size())
        throw EditError(
            "Documents need as many queries as keys: remove the documents layer first.");
    if (rows.home != columns.home) return;
    lengths = regrouped(lengths, rows);
    std::erase(lengths, 0);
}

// The prefix is a group of keys, too; one that is longer than the sentence stays.
void move_prefix(Index& length, const AxisEdit& columns) {
    if (length <= columns.old_size)
        length = regrouped({length, columns.old_size - length}, columns).front();
}

void move_parameter(MaskLayer& layer, const LayerParameter& parameter, const AxisEdit& rows,
                    const AxisEdit& columns) {
    const Targets to{targets(rows), targets(columns)};
    std::visit(Cases{
                   [](Align MaskLayer::*) {},
                   [&](Index MaskLayer::*number) {
                       if (parameter.counts == Counts::first_keys)
                           move_prefix(layer.*number, columns);
                   },
                   [&](std::vector<Index> MaskLayer::*lengths) {
                       if (parameter.counts == Counts::documents)
                           move_documents(layer.*lengths, rows, columns);
                   },
                   [&](std::optional<std::vector<Index>> MaskLayer::*indices) {
                       const bool of_rows = parameter.counts == Counts::queries;
                       if (layer.*indices)
                           move_indices(*(layer.*indices), of_rows ? to.rows : to.columns);
                   },
                   [&](std::optional<std::vector<Cell>> MaskLayer::*cells) {
                       if (layer.*cells) move_cells(*(layer.*cells), to);
                   },
                   [&](std::vector<BiasCell> MaskLayer::*cells) { move_cells(layer.*cells, to); },
               },
               parameter.member);
}

std::size_t entries(const MaskLayer& layer) {
    const auto size = [](const auto& list) { return list ? list->size() : 0; };
    return size(layer.cells) + size(layer.rows) + size(layer.columns) + layer.bias.size();
}

}  // namespace

bool AxisEdit::is_identity() const {
    if (new_size() != old_size) return false;
    for (Index k = 0; k < old_size; ++k)
        if (source[k] != k) return false;
    return true;
}

AxisEdit no_edit(Index size) {
    AxisEdit axis;
    axis.old_size = size;
    axis.source.resize(static_cast<std::size_t>(size));
    std::iota(axis.source.begin(), axis.source.end(), Index{0});
    axis.home = axis.source;
    return axis;
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
        return listed && !tidy_listed(layer);  // one that listed nothing before stays
    });
}

}  // namespace maskscope
