#include "app/show/views/views.h"

#include <algorithm>

#include "app/show/views/view_entry.h"

namespace maskscope {

bool has_view(const Scene& scene, ViewKind kind) {
    if (kind == ViewKind::heads) return heads_of(scene.inputs) > 1;
    const ViewEntry* entry = entry_of(kind);
    return !entry || entry->unavailable_reason(scene).empty();
}

std::vector<ViewKind> views_of(const Scene& scene) {
    std::vector<ViewKind> views;
    for (const ViewEntry* entry : view_entries())
        if (has_view(scene, entry->kind)) views.push_back(entry->kind);
    // The heatmaps come first, unless a view is drawn above them.
    const bool has_above = !views.empty() && entry_of(views.front())->lay_out_above;
    auto at = views.insert(views.begin() + (has_above ? 1 : 0), ViewKind::pipeline);
    if (has_view(scene, ViewKind::heads)) views.insert(at + 1, ViewKind::heads);
    return views;
}

std::vector<ViewKind> tabs_of(const View& view, const Scene& scene) {
    std::vector<ViewKind> tabs = views_of(scene);
    const ViewEntry* wanted = view.show.view ? entry_of(*view.show.view) : nullptr;
    if (wanted && wanted->explains_absence && !has_view(scene, wanted->kind))
        tabs.push_back(wanted->kind);
    return tabs;
}

ViewKind shown_view(const View& view, const Scene& scene) {
    const ViewKind wanted = view.show.view.value_or(ViewKind::pipeline);
    const ViewEntry* entry = entry_of(wanted);
    const bool has_tab = has_view(scene, wanted) || (entry && entry->explains_absence);
    return has_tab ? wanted : ViewKind::pipeline;
}

Index row_in_view(const View& view, const Shape& shape) {
    const Index last = shape.n_q - 1;
    return view.show.focus && view.show.focus->i <= last ? view.show.focus->i : last;
}

}  // namespace maskscope
