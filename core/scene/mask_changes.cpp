#include "core/scene/mask_changes.h"

#include <algorithm>
#include <set>
#include <utility>

namespace maskscope {
namespace {

// True if it changes its listed cells and no others. (An inverted rule changes all but them.)
bool lists_cells(const MaskLayer& layer) {
    return layer.cells && !layer.invert &&
           (layer.kind == LayerKind::blocked || layer.kind == LayerKind::allowed);
}

// Returns the rules without cells; the rows and columns that a rule lists stay.
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

// Adds the queries of cells that the rules of x list and similar rules of y do not.
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
