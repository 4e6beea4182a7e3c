#include "app/views/root_d/root_d_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/figure/plots/lay_out_view.h"
#include "app/session/session.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

std::string words(const Scale& scale) {
    if (scale.kind == ScaleKind::none) return "not scaled";
    return "× " + in_words(scale) + (scale.kind == ScaleKind::sqrt_n_k ? ", n = 8" : "");
}

std::vector<RootDCurve> curves_of(const Scene& scene, const View& view) {
    std::vector<RootDCurve> curves;
    const auto scale_of = [&](int variant) -> const Scale& {
        return scene.variants[variant].scale;
    };
    const auto add = [&](std::vector<int> of, const Scale& scale, const std::string& name) {
        curves.push_back({std::move(of), scale, name, words(scale), {}, {}});
    };
    for (const int variant : shown_variants(view, scene)) {
        if (scale_of(variant).kind == ScaleKind::formula) continue;
        const auto like = std::ranges::find(curves, scale_of(variant), &RootDCurve::factor);
        if (like == curves.end()) {
            add({variant}, scale_of(variant), variant_title(view, scene, variant));
        } else {
            like->variants.push_back(variant);
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
        made.missing = "The scale is a formula, so no width d has a single factor.";
        return made;
    }
    const auto draw = draw_root_d(made.seed, progress);
    for (std::size_t k = 0; k < made.curves.size(); ++k) {
        RootDCurve& curve = made.curves[k];
        for (Index d = 1; d <= root_d_most; ++d) {
            if (progress.cancel) throw Cancellation{};
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

// The user's actions in the Root d view: mark a width.

namespace {

std::string unavailable_reason(const Scene& scene) {
    return has_stage(scene.inputs, StageKind::scaled) ? "" : "These inputs have no scale.";
}

// Removes tokens and masks from the key, because they do not change the curves.
void adapt_key(ViewKey& key, const View&) {
    const Scene& scene = key.result->scene;
    key.rest = std::to_string(seed_of(scene.inputs));
    for (const int variant : key.variants) {
        const Scale& scale = scene.variants[variant].scale;
        key.rest += fmt::format(" {} {:a}", int(scale.kind), scale.number);
    }
    key.result.reset();
    key.sequences.clear();
    key.heads.clear();
}

ViewContent make(const Result& result, const View& view, Progress& progress) {
    return std::make_shared<const RootDView>(make_root_d(result.scene, view, progress));
}

// Returns the shown stages if all of them have plots: only these plots are then shown. Otherwise
// returns none.
std::vector<StageKind> chosen_plots(const View& view) {
    using enum StageKind;
    const auto& stages = view.show.stages;
    const bool chooses = stages && std::ranges::all_of(*stages, [](StageKind stage) {
                             return stage == scaled || stage == weights || stage == sensitivity;
                         });
    return chooses ? *stages : std::vector<StageKind>();
}

Figure lay_out(const void* content, const Result&, const Bench& bench, const View& view,
               const LayoutOptions& options) {
    const auto& data = *static_cast<const RootDView*>(content);
    if (!data.missing.empty()) return lay_out_sentence(data.missing, bench.title, options);
    return lay_out_root_d(data, view, chosen_plots(view), bench.title, options);
}

void set_width(View& view, double d) {
    view.show.d = static_cast<Index>(std::clamp(std::round(d), 1.0, double(root_d_most)));
}

std::vector<ViewField> fields(const Result&, const View& view) {
    return {{.words = "d =",
             .name = "marked width",
             .chips = {},
             .value = shown_width(view),
             .high = root_d_most,
             .set = [](View& to, Index d) { set_width(to, double(d)); }}};
}

// Handles a drag along the axis.
void use_pointer(Session& session, const Figure&, const PlotPointer& pointer) {
    if (!pointer.grabbed || pointer.grabbed->kind != Spot::Kind::width) return;
    const Rect& axis = pointer.grabbed->rect;
    const double share = std::clamp((pointer.at.x - axis.x) / std::max(1.0, axis.w), 0.0, 1.0);
    set_width(session.view(), std::pow(double(root_d_most), share));
}

// Halves the width on Down, doubles it on Up, and changes it by 1 on Left and Right.
bool move(Session& session, std::optional<Spot>&, Index down, Index right) {
    const auto d = static_cast<double>(shown_width(session.view()));
    set_width(session.view(),
              (d + static_cast<double>(right)) * std::pow(2.0, -static_cast<double>(down)));
    return true;
}

}  // namespace

const ViewEntry root_d_entry = {
    .kind = ViewKind::root_d,
    .label = "√d",
    .unavailable_reason = unavailable_reason,
    .adapt_key = adapt_key,
    .make = make,
    .is_slow = true,
    .waiting = "Sampling 1,024 random queries with 8 keys each, for every width…",
    .lay_out = lay_out,
    .concerns_tokens = false,
    .fields = fields,
    .use_pointer = use_pointer,
    .move = move};

}  // namespace maskscope
