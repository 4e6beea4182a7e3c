#include <algorithm>
#include <numeric>

#include "core/base/cases.h"
#include "core/edit/edit_parts.h"
#include "core/scene/mask_rules.h"

namespace maskscope {

namespace {

// [old position]: the new position, or `added` if it was deleted.
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

    // Moves i and j; false if one of them was deleted.
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

// The lengths of consecutive groups after the edit; 0 for groups that are now empty.
std::vector<Index> regrouped(const std::vector<Index>& lengths, const AxisEdit& axis) {
    std::vector<std::size_t> group_of;
    for (std::size_t group = 0; group < lengths.size(); ++group)
        group_of.insert(group_of.end(), static_cast<std::size_t>(lengths[group]), group);
    std::vector<Index> counts(lengths.size(), 0);
    for (const Index home : axis.home) ++counts[group_of[home]];
    return counts;
}

// Documents run along both axes: they are moved only if both axes move alike.
void move_documents(std::vector<Index>& lengths, const AxisEdit& rows, const AxisEdit& columns) {
    if (rows.new_size() != columns.new_size())
        throw EditError(
            "Documents need as many queries as keys: remove the documents layer first.");
    if (rows.home != columns.home) return;
    lengths = regrouped(lengths, rows);
    std::erase(lengths, 0);
}

void move_parameter(MaskLayer& layer, const LayerParameter& parameter, const AxisEdit& rows,
                    const AxisEdit& columns) {
    const Targets to{targets(rows), targets(columns)};
    std::visit(Cases{
                   [](Align MaskLayer::*) {},
                   [&](Index MaskLayer::*number) {
                       Index& length = layer.*number;  // a prefix longer than the sentence stays
                       if (parameter.counts == Counts::first_keys && length <= columns.old_size)
                           length = regrouped({length, columns.old_size - length}, columns)[0];
                   },
                   [&](std::vector<Index> MaskLayer::*lengths) {
                       if (parameter.counts == Counts::documents)
                           move_documents(layer.*lengths, rows, columns);
                   },
                   [&](std::optional<std::vector<Index>> MaskLayer::*indices) {
                       if (!(layer.*indices)) return;
                       const bool of_rows = parameter.counts == Counts::queries;
                       for (Index& k : *(layer.*indices)) k = (of_rows ? to.rows : to.columns)[k];
                       std::erase(*(layer.*indices), AxisEdit::added);
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
        return listed && !tidy_listed(layer);  // a layer that was empty before stays
    });
}

}  // namespace maskscope
