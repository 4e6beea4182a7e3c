#include "app/show/views/views.h"

#include <algorithm>

#include "app/show/views/generation_view.h"
#include "core/scene/mask_rules.h"

namespace maskscope {

namespace {

Index output_width(const Variant& variant, const Scene& scene) {
    const Index d_v = d_v_of(scene.inputs).value_or(0);
    const Output& output = variant.output;
    if (output.kind == OutputKind::values) return d_v;
    if (output.w) return output.w->axes[output.kind == OutputKind::projected ? 1 : 0];
    return output.kind == OutputKind::projected ? heads_of(scene.inputs) * d_v : d_v;
}

}  // namespace

bool has_view(const Scene& scene, ViewKind kind) {
    const auto any = [&](auto holds) { return std::ranges::any_of(scene.variants, holds); };
    switch (kind) {
        case ViewKind::pipeline:
            return true;
        case ViewKind::heads:
            return heads_of(scene.inputs) > 1;
        case ViewKind::plane:
            return d_v_of(scene.inputs).value_or(0) >= 2 &&
                   any([&](const Variant& v) { return output_width(v, scene) >= 2; });
        case ViewKind::table:
            return has_stage(scene.inputs, StageKind::logits) &&
                   any([](const Variant& v) { return uses_value(v.mask.apply); });
        case ViewKind::root_d:
            return has_stage(scene.inputs, StageKind::scaled);
        case ViewKind::generation:
            return why_no_generation(scene).empty();
        case ViewKind::translator:
            return model_of(scene) != nullptr;
    }
    return false;
}

std::vector<ViewKind> views_of(const Scene& scene) {
    using enum ViewKind;
    std::vector<ViewKind> views;
    for (const ViewKind kind : {translator, pipeline, heads, plane, table, root_d, generation})
        if (has_view(scene, kind)) views.push_back(kind);
    return views;
}

std::vector<ViewKind> tabs_of(const View& view, const Scene& scene) {
    std::vector<ViewKind> tabs = views_of(scene);
    for (const ViewKind kind : {ViewKind::generation, ViewKind::translator})  // they say why not
        if (view.show.view == kind && !has_view(scene, kind)) tabs.push_back(kind);
    return tabs;
}

ViewKind shown_view(const View& view, const Scene& scene) {
    const ViewKind wanted = view.show.view.value_or(ViewKind::pipeline);
    return std::ranges::count(tabs_of(view, scene), wanted) > 0 ? wanted : ViewKind::pipeline;
}

Index row_in_view(const View& view, const Shape& shape) {
    const Index last = shape.n_q - 1;
    return view.show.focus && view.show.focus->i <= last ? view.show.focus->i : last;
}

}  // namespace maskscope
