#include "app/window/context/changed_cells.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace maskscope {
namespace {

constexpr Index most_cells = 64;  // on each axis

std::vector<Cell> differences(const Cells& x, const Cells& y) {
    std::vector<Cell> cells;
    for (Index i = 0; i < x.rows; ++i) {
        const CellRow p = row_of(x, i), q = row_of(y, i);
        for (std::size_t j = 0; j < p.values.size(); ++j)
            if (p.signs[j] != q.signs[j] || std::bit_cast<std::uint64_t>(p.values[j]) !=
                                                std::bit_cast<std::uint64_t>(q.values[j]))
                cells.push_back({i, static_cast<Index>(j)});
    }
    return cells;
}

// True if both are at the same place. any_variant: ignore whether they belong to the same variant,
// because an edit may make a stage shared by all variants, or no longer shared.
bool is_place_of(const Heatmap& old, const Heatmap& now, bool any_variant) {
    return old.cells->look() == now.cells->look() && old.b == now.b && old.h == now.h &&
           (any_variant || old.variant == now.variant);
}

bool are_comparable(const Cells& x, const Cells& y) {
    return x.rows == y.rows && x.columns == y.columns && x.rows <= most_cells &&
           x.columns <= most_cells;
}

// True if everything from which cells are computed is equal. (The cells themselves are not compared
// here, because another backend rounds differently.)
bool same_numbers_follow(const Scene& x, const Scene& y) {
    return x.sequences == y.sequences && x.inputs == y.inputs && x.variants == y.variants;
}

}  // namespace

const Heatmap* ChangedCells::before(const Heatmap& heatmap) const {
    for (const bool any_variant : {false, true})
        for (const SeenHeatmap& seen : seen_)
            if (is_place_of(seen.heatmap, heatmap, any_variant)) return &seen.heatmap;
    return nullptr;
}

void ChangedCells::see(const std::vector<Heatmap>& heatmaps, const Scene& scene, double seconds) {
    if (end_ && seconds >= *end_) forget();
    const bool same =
        std::ranges::equal(heatmaps, seen_, [](const Heatmap& now, const SeenHeatmap& seen) {
            return now.cells == seen.heatmap.cells && is_place_of(seen.heatmap, now, false);
        });
    const bool edited = !same_numbers_follow(scene_, scene);
    if (edited) scene_ = scene;
    if (same) return;
    std::vector<SeenHeatmap> now;
    bool any = false;
    for (const Heatmap& heatmap : heatmaps) {
        const Heatmap* old = before(heatmap);
        const bool changed = old && old->cells != heatmap.cells;
        now.push_back({heatmap, {}});
        if (edited && changed && are_comparable(*old->cells, *heatmap.cells))
            now.back().changed = differences(*old->cells, *heatmap.cells);
        any |= !now.back().changed.empty();
    }
    if (!edited)  // keep the frames that exist
        for (SeenHeatmap& seen : now)
            for (const SeenHeatmap& old : seen_)
                if (old.heatmap.cells == seen.heatmap.cells) seen.changed = old.changed;
    seen_ = std::move(now);
    if (edited) end_ = any ? std::optional(seconds + seconds_of_change) : std::nullopt;
}

const std::vector<Cell>& ChangedCells::of(const Heatmap& heatmap, double seconds) const {
    static const std::vector<Cell> none;
    if (!end_ || seconds >= *end_) return none;
    for (const SeenHeatmap& seen : seen_)
        if (seen.heatmap.cells == heatmap.cells && is_place_of(seen.heatmap, heatmap, false))
            return seen.changed;
    return none;
}

}  // namespace maskscope
