// The actions of the view of frameworks: choose one, and make it a variant.

#include <fmt/format.h>

#include <algorithm>

#include "app/figure/plots/lay_out_view.h"
#include "app/session/session.h"
#include "app/views/frameworks/frameworks_view.h"
#include "core/frameworks/framework.h"
#include "core/scene/mask_rules.h"

namespace maskscope {

namespace {

constexpr Index most_tokens = 128;

std::string unavailable_reason(const Scene& scene) {
    if (!has_stage(scene.inputs, StageKind::logits))
        return "Given weights do not have the settings of frameworks.";
    const bool has_rule = std::ranges::any_of(scene.variants, [](const Variant& variant) {
        return std::ranges::any_of(variant.mask.layers,
                                   [](const MaskLayer& layer) { return !is_bias(layer); });
    });
    if (!has_rule) return "No variant has a mask rule.";
    const Shape shape = shape_of(scene);
    return std::max(shape.n_q, shape.n_k) > most_tokens
               ? fmt::format("Frameworks are compared for up to {} tokens.", most_tokens)
               : "";
}

ViewContent make(const Result& result, const View& view, Progress& progress) {
    return std::make_shared<const FrameworksView>(make_frameworks_view(result, view, progress));
}

Figure lay_out(const void* content, const Result&, const Bench& bench, const View& view,
               const LayoutOptions& options) {
    if (view.asks()) return lay_out_hidden(bench.title, options);
    const ColourMap map = view.colouring.map.value_or(map_of(StageKind::weights, view.theme));
    return lay_out_frameworks(*static_cast<const FrameworksView*>(content), map, bench.title,
                              options);
}

std::string text(const Result& result, const View& view) {
    Progress progress;
    return text_of(make_frameworks_view(result, view, progress));
}

const FrameworksView* shown_in(const Session& session) {
    return static_cast<const FrameworksView*>(session.bench().views.content(ViewKind::frameworks));
}

const FrameworkEntry* entry_at(const FrameworksView& view, const Spot& spot) {
    for (const FrameworkColumn& column : view.columns)
        for (const FrameworkEntry& entry : column.entries)
            if (entry.framework == spot.row) return &entry;
    return nullptr;
}

// Makes the framework a variant; if it already is one, says which.
void make_variant(Session& session, const Spot& spot) {
    const FrameworksView* view = shown_in(session);
    if (view == nullptr || spot.kind != Spot::Kind::framework) return;
    const FrameworkEntry* entry = entry_at(*view, spot);
    if (entry == nullptr) return;
    const std::string& name = frameworks()[entry->framework].name;
    if (!entry->lanes.empty()) {
        session.say(
            fmt::format("{} is variant {} already.", name, lane_letter(entry->lanes.front())));
        return;
    }
    const int base = view->base, framework = entry->framework;  // the edit may remove the view
    session.edit("as in " + name,
                 [&](Scene& scene) { add_framework_variant(scene, base, framework); });
}

void use_pointer(Session& session, const Figure& figure, const PlotPointer& pointer) {
    session.view().hovered.reset();
    if (!pointer.pressed) return;
    if (const Spot* spot = spot_at(figure.spots, pointer.at)) make_variant(session, *spot);
}

std::string explain(const Session&, const Spot& spot) {
    if (spot.kind != Spot::Kind::framework) return "";
    const Framework& one = frameworks()[spot.row];
    return fmt::format("{}\n{}, {}. Click to add it as a variant", one.says, one.name, one.version);
}

Spot spot_of(const FrameworksView& view, Index column, Index row) {
    const auto& entries = view.columns[column].entries;
    row = std::clamp<Index>(row, 0, std::ssize(entries) - 1);
    return {
        .kind = Spot::Kind::framework, .rect = {}, .row = entries[row].framework, .key = column};
}

// Moves the choice; the first press chooses the first framework.
bool move(Session& session, std::optional<Spot>& chosen, Index down, Index right) {
    const FrameworksView* view = shown_in(session);
    if (view == nullptr || view->columns.empty()) return true;
    const bool known =
        chosen && chosen->kind == Spot::Kind::framework && chosen->key < std::ssize(view->columns);
    if (!known) {
        chosen = spot_of(*view, 0, 0);
        return true;
    }
    const auto& entries = view->columns[chosen->key].entries;
    const auto at = std::ranges::find(entries, int(chosen->row), &FrameworkEntry::framework);
    const Index row = at == entries.end() ? 0 : at - entries.begin();
    const Index column = std::clamp<Index>(chosen->key + right, 0, std::ssize(view->columns) - 1);
    chosen = spot_of(*view, column, row + down);
    return true;
}

}  // namespace

const ViewEntry frameworks_entry = {.kind = ViewKind::frameworks,
                                    .unavailable_reason = unavailable_reason,
                                    .make = make,
                                    .lay_out = lay_out,
                                    .text = text,
                                    .use_pointer = use_pointer,
                                    .explain = explain,
                                    .move = move,
                                    .act = make_variant};

}  // namespace maskscope
