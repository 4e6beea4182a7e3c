// The actions of the output plane: choose points, and the two components that are its axes.

#include <fmt/format.h>

#include <algorithm>

#include "app/figure/plots/lay_out_view.h"
#include "app/session/session.h"
#include "app/show/views/views.h"
#include "app/views/plane/plane_view.h"
#include "app/views/plane/plane_words.h"

namespace maskscope {

namespace {

Index output_width(const Variant& variant, const Scene& scene) {
    const Index d_v = d_v_of(scene.inputs).value_or(0);
    const Output& output = variant.output;
    if (output.kind == OutputKind::values) return d_v;
    if (output.w) return output.w->axes[output.kind == OutputKind::projected ? 1 : 0];
    return output.kind == OutputKind::projected ? heads_of(scene.inputs) * d_v : d_v;
}

std::string unavailable_reason(const Scene& scene) {
    const bool has_plane = d_v_of(scene.inputs).value_or(0) >= 2 &&
                           std::ranges::any_of(scene.variants, [&](const Variant& variant) {
                               return output_width(variant, scene) >= 2;
                           });
    return has_plane ? "" : "The output plane needs outputs with at least two components.";
}

void adapt_key(ViewKey& key, const View& view) {
    const Scene& scene = key.result->scene;
    const Cell components = shown_components(view, d_v_of(scene.inputs).value_or(0));
    Index row = 0;  // the shown row, which a sample may lack
    for (const int lane : key.lanes)
        if (const Index shown = row_in_view(view, shape_of(scene));
            !std::ranges::binary_search(plane_rows(*key.result, lane, 0), shown))
            row = shown;
    key.rest = fmt::format("{} {} {}", components.i, components.j, row);
}

ViewContent make(const Result& result, const View& view, Progress& progress) {
    return std::make_shared<const PlaneView>(make_plane(result, view, progress));
}

Figure lay_out(const void* content, const Result& result, const Bench& bench, const View& view,
               const LayoutOptions& options) {
    return lay_out_plane(*static_cast<const PlaneView*>(content),
                         row_in_view(view, shape_of(result.scene)), bench.title, options);
}

// Returns a field, or a chip for each component if they are few. Choosing the other axis's
// component swaps them.
std::vector<ViewField> fields(const Result& result, const View& view) {
    constexpr Index most_chips = 4;
    const Index d_v = d_v_of(result.scene.inputs).value_or(0);
    if (d_v <= 2) return {};
    const Cell shown = shown_components(view, d_v);
    std::vector<ViewField> fields;
    for (const bool is_y : {false, true}) {
        const Index mine = is_y ? shown.j : shown.i, other = is_y ? shown.i : shown.j;
        ViewField field{.words = is_y ? "v ↑" : "v →",
                        .name = is_y ? "component y" : "component x",
                        .value = mine + 1,
                        .high = d_v};
        if (d_v <= most_chips)
            for (Index k = 0; k < d_v; ++k)
                field.chips.push_back(component_name(k, false) + (is_y ? " ↑##" : " →##") +
                                      std::to_string(k));
        field.set = [=](View& to, Index component) {
            const Index k = component - 1, rest = k == other ? mine : other;
            to.show.components = is_y ? Cell{rest, k} : Cell{k, rest};
        };
        fields.push_back(std::move(field));
    }
    return fields;
}

// Handles the pointer. A point is named in the inspector as a cell of the weights; a click focuses
// its row and column.
void use_pointer(Session& session, const Figure& figure, const PlotPointer& pointer) {
    View& view = session.view();
    view.hovered.reset();
    const auto& spot = pointer.spot;
    if (spot && (spot->kind == Spot::Kind::output || spot->kind == Spot::Kind::value)) {
        const Index j = spot->kind == Spot::Kind::value ? spot->key
                        : view.show.focus               ? view.show.focus->j
                                                        : 0;
        view.hovered = CellRef{spot->lane, StageKind::weights, spot->b, spot->h, spot->row, j};
    }
    if (pointer.pressed && spot_at(figure.spots, pointer.at) && view.hovered)
        view.show.focus = Cell{view.hovered->i, view.hovered->j};
}

}  // namespace

const ViewEntry plane_entry = {.kind = ViewKind::plane,
                               .unavailable_reason = unavailable_reason,
                               .adapt_key = adapt_key,
                               .make = make,
                               .lay_out = lay_out,
                               .fields = fields,
                               .use_pointer = use_pointer};

}  // namespace maskscope
