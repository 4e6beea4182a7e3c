// The part of a view that is saved with a scene.

#include <algorithm>

#include "core/edit/edit.h"
#include "core/edit/edit_parts.h"

namespace maskscope {

namespace {

// Keeps distinct entries from 0 to count - 1; drops a list that becomes empty.
template <class T>
void keep_within(std::optional<std::vector<T>>& list, Index count) {
    if (!list) return;
    std::vector<T> kept;
    for (const T entry : *list)
        if (entry >= 0 && Index(entry) < count && std::ranges::find(kept, entry) == kept.end())
            kept.push_back(entry);
    list = std::move(kept);
    if (list->empty()) list.reset();
}

void keep_within(std::optional<Cell>& cell, Index rows, Index columns) {
    const auto inside = [](Index at, Index size) { return at >= 0 && at < size; };
    if (cell && !(inside(cell->i, rows) && inside(cell->j, columns))) cell.reset();
}

}  // namespace

Show valid_show(Show show, const Scene& scene) {
    const Shape shape = shape_of(scene);
    const auto variants = static_cast<int>(scene.variants.size());
    const auto is_variant = [&](int variant) { return variant >= 0 && variant < variants; };
    keep_within(show.variants, variants);
    keep_within(show.sequences, shape.b);
    keep_within(show.heads, shape.h);
    keep_within(show.focus, shape.n_q, shape.n_k);
    keep_within(show.ring, shape.n_q, shape.n_k);
    if (show.stages) {
        auto& stages = *show.stages;
        std::ranges::sort(stages);
        stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
    }
    if (const auto& d = show.difference;
        d && !(is_variant(d->variant) && is_variant(d->minus) && d->variant != d->minus))
        show.difference.reset();
    const Index d_v = d_v_of(scene.inputs).value_or(0);
    keep_within(show.components, d_v, d_v);
    if (show.components && show.components->i == show.components->j) show.components.reset();
    if (show.d && (*show.d < 1 || *show.d > 1024)) show.d.reset();
    return show;
}

void renumber_variants(Show& show, int gone) {
    if (show.variants) {
        std::erase(*show.variants, gone);
        for (int& variant : *show.variants) variant -= variant > gone ? 1 : 0;
        if (show.variants->empty()) show.variants.reset();
    }
    if (!show.difference) return;
    Difference& difference = *show.difference;
    if (difference.variant == gone || difference.minus == gone) {
        show.difference.reset();
    } else {
        difference.variant -= difference.variant > gone ? 1 : 0;
        difference.minus -= difference.minus > gone ? 1 : 0;
    }
}

}  // namespace maskscope
