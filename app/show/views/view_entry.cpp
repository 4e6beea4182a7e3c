#include "app/show/views/view_entry.h"

#include <algorithm>

#include "app/show/views/views.h"

namespace maskscope {

const ViewEntry* entry_of(ViewKind kind) {
    const auto all = view_entries();
    const auto found = std::ranges::find(all, kind, &ViewEntry::kind);
    return found == all.end() ? nullptr : *found;
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
    key.lanes = shown_lanes(view, scene);
    for (const int lane : key.lanes) key.names.push_back(lane_title(view, scene, lane));
    key.sequences = shown_sequences(view, shape);
    key.heads = shown_heads(view, shape);
    if (entry->adapt_key) entry->adapt_key(key, view);
    return key;
}

}  // namespace maskscope
