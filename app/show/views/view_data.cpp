#include "app/show/views/view_data.h"

#include <algorithm>

#include "app/show/views/views.h"

namespace maskscope {

ViewData make_view_data(const Result& result, const View& view, Progress& progress) {
    ViewData data;
    switch (shown_view(view, result.scene)) {
        case ViewKind::pipeline:
        case ViewKind::heads:
            break;
        case ViewKind::plane:
            data.plane = std::make_shared<const PlaneView>(make_plane(result, view, progress));
            break;
        case ViewKind::table:
            data.table =
                std::make_shared<const ValueTables>(make_value_tables(result, view, progress));
            break;
        case ViewKind::root_d:
            data.root_d =
                std::make_shared<const RootDView>(make_root_d(result.scene, view, progress));
            break;
        case ViewKind::generation:
            data.generation =
                std::make_shared<const GenerationView>(make_generation(result, view, progress));
            break;
        case ViewKind::translator:
            data.translator =
                std::make_shared<const TranslatorView>(make_translator(result, view, progress));
            break;
    }
    return data;
}

ViewKey view_key(const std::shared_ptr<const Result>& result, const View& view) {
    const Scene& scene = result->scene;
    const Shape shape = shape_of(scene);
    ViewKey key;
    key.kind = shown_view(view, scene);
    if (key.kind == ViewKind::pipeline || key.kind == ViewKind::heads) return key;
    key.lanes = shown_lanes(view, scene);
    for (const int lane : key.lanes) key.names.push_back(lane_title(view, scene, lane));
    if (key.kind == ViewKind::root_d) {
        key.seed = seed_of(scene.inputs);
        for (const int lane : key.lanes) key.scales.push_back(scene.variants[lane].scale);
        return key;
    }
    key.result = result;
    key.sequences = shown_sequences(view, shape);
    key.heads = shown_heads(view, shape);
    if (key.kind == ViewKind::plane) {
        key.components = shown_components(view, d_v_of(scene.inputs).value_or(0));
        const Index row = row_in_view(view, shape);  // which a sample may lack
        for (const int lane : key.lanes)
            if (!std::ranges::binary_search(plane_rows(*result, lane, 0), row)) key.row = row;
    }
    if (key.kind == ViewKind::generation) key.colouring = view.colouring;
    if (key.kind == ViewKind::table) key.row = row_in_view(view, shape);
    return key;
}

}  // namespace maskscope
