#include "app/views/root_d/root_d_view.h"

#include <algorithm>

#include "core/scene/names.h"

namespace maskscope {

namespace {

std::string words(const Scale& scale) {
    if (scale.kind == ScaleKind::none) return "not scaled";
    return "× " + in_words(scale) + (scale.kind == ScaleKind::sqrt_n_k ? ", n = 8" : "");
}

std::vector<RootDCurve> curves_of(const Scene& scene, const View& view) {
    std::vector<RootDCurve> curves;
    const auto scale_of = [&](int lane) -> const Scale& { return scene.variants[lane].scale; };
    const auto add = [&](std::vector<int> of, const Scale& scale, const std::string& name) {
        curves.push_back({std::move(of), scale, name, words(scale), {}, {}});
    };
    for (const int lane : shown_lanes(view, scene)) {
        if (scale_of(lane).kind == ScaleKind::formula) continue;
        const auto like = std::ranges::find(curves, scale_of(lane), &RootDCurve::factor);
        if (like == curves.end()) {
            add({lane}, scale_of(lane), lane_title(view, scene, lane));
        } else {
            like->lanes.push_back(lane);
            like->name.clear();
        }
    }
    if (curves.size() != 1) return curves;
    const bool scaled = curves.front().factor.kind != ScaleKind::none;
    add({}, {scaled ? ScaleKind::none : ScaleKind::sqrt_d_k, 1}, "");
    return curves;
}

}  // namespace

RootDView make_root_d(const Scene& scene, const View& view, Progress& progress) {
    RootDView made;
    made.seed = seed_of(scene.inputs);
    made.curves = curves_of(scene, view);
    if (made.curves.empty()) {
        made.missing = "The scale is a formula, so there is not one factor for each width d.";
        return made;
    }
    const auto draw = draw_root_d(made.seed, progress);
    for (std::size_t k = 0; k < made.curves.size(); ++k) {
        RootDCurve& curve = made.curves[k];
        for (Index d = 1; d <= root_d_most; ++d) {
            if (progress.cancel) throw Cancelled{};
            const double factor = root_d_scale(curve.factor, d);
            curve.theory.push_back(static_cast<double>(d) * factor * factor);
            curve.figures.push_back(root_d_figures(*draw, d, factor));
            progress.done = (static_cast<double>(k) + static_cast<double>(d) / root_d_most) /
                            static_cast<double>(made.curves.size());
        }
    }
    return made;
}

Index shown_width(const View& view) {
    return std::clamp<Index>(view.show.d.value_or(64), 1, root_d_most);
}

}  // namespace maskscope
