#include "app/show/views/view_entry.h"

#include <algorithm>

namespace maskscope {

const ViewEntry* entry_of(ViewKind kind) {
    const auto all = view_entries();
    const auto found = std::ranges::find(all, kind, &ViewEntry::kind);
    return found == all.end() ? nullptr : *found;
}

std::string_view label(ViewKind kind) {
    if (const ViewEntry* entry = entry_of(kind)) return entry->label;
    return kind == ViewKind::heads ? "Heads" : "Pipeline";
}

const void* ViewData::content(ViewKind kind) const {
    const auto found = contents.find(kind);
    return found == contents.end() ? nullptr : found->second.get();
}

ViewData make_view_data(const Result& result, const View& view, Progress& progress) {
    ViewData data;
    if (const ViewEntry* entry = entry_of(shown_view(view, result.scene)))
        data.contents[entry->kind] = entry->make(result, view, progress);
    return data;
}

ViewKey view_key(const std::shared_ptr<const Result>& result, const View& view) {
    const Scene& scene = result->scene;
    const Shape shape = shape_of(scene);
    ViewKey key;
    key.kind = shown_view(view, scene);
    const ViewEntry* entry = entry_of(key.kind);
    if (!entry) return key;
    key.result = result;
    key.variants = shown_variants(view, scene);
    for (const int variant : key.variants) key.names.push_back(variant_title(view, scene, variant));
    key.sequences = shown_sequences(view, shape);
    key.heads = shown_heads(view, shape);
    if (entry->adapt_key) entry->adapt_key(key, view);
    return key;
}

bool has_view(const Scene& scene, ViewKind kind) {
    if (kind == ViewKind::heads) return heads_of(scene.inputs) > 1;
    const ViewEntry* entry = entry_of(kind);
    return kind == ViewKind::pipeline || (entry && entry->unavailable_reason(scene).empty());
}

std::vector<ViewKind> views_of(const Scene& scene) {
    std::vector<ViewKind> views;
    for (const ViewEntry* entry : view_entries())
        if (has_view(scene, entry->kind)) views.push_back(entry->kind);
    // Put the heatmaps first, unless a view is drawn above them.
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
