// The actions of the table: choose an entry, and make it a variant.

#include <algorithm>

#include "app/figure/plots/lay_out_view.h"
#include "app/session/session.h"
#include "app/show/views/views.h"
#include "app/views/value_table/value_table.h"
#include "core/scene/mask_rules.h"

namespace maskscope {

namespace {

std::string unavailable_reason(const Scene& scene) {
    const bool has_table = has_stage(scene.inputs, StageKind::logits) &&
                           std::ranges::any_of(scene.variants, [](const Variant& variant) {
                               return uses_value(variant.mask.apply);
                           });
    return has_table ? "" : "No variant adds its mask or replaces scores.";
}

void adapt_key(ViewKey& key, const View& view) {
    key.rest = std::to_string(row_in_view(view, shape_of(key.result->scene)));
}

ViewContent make(const Result& result, const View& view, Progress& progress) {
    return std::make_shared<const ValueTables>(make_value_tables(result, view, progress));
}

Figure lay_out(const void* content, const Result&, const Bench& bench, const View&,
               const LayoutOptions& options) {
    return lay_out_value_tables(*static_cast<const ValueTables*>(content), bench.title, options);
}

const ValueTable* table_of(const Session& session, const Spot& spot) {
    const ValueTables* data = tables_of(session.bench().views);
    if (!data || spot.kind != Spot::Kind::entry) return nullptr;
    const auto found = std::ranges::find(data->tables, spot.lane,
                                         [](const ValueTable& one) { return one.lanes.front(); });
    return found == data->tables.end() ? nullptr : &*found;
}

// Makes the entry a variant; if it already is one, says which.
void make_entry_lane(Session& session, const Spot& spot) {
    const ValueTable* table = table_of(session, spot);
    if (table == nullptr) return;
    const TableEntry entry = table->entries[spot.row][spot.key];
    if (!entry.lanes.empty()) {
        session.say(std::string("This is variant ") + lane_letter(entry.lanes.front()) + ".");
        return;
    }
    const ValueTable copy = *table;  // the edit may remove the shown table
    session.edit("make it a variant", [&](Scene& scene) { make_lane(scene, copy, entry); });
}

void use_pointer(Session& session, const Figure& figure, const PlotPointer& pointer) {
    session.view().hovered.reset();
    if (!pointer.pressed) return;
    if (const Spot* spot = spot_at(figure.spots, pointer.at)) make_entry_lane(session, *spot);
}

// Moves the chosen entry; the first press chooses the first entry.
bool move(Session& session, std::optional<Spot>& chosen, Index down, Index right) {
    const ValueTables* data = tables_of(session.bench().views);
    if (!data || data->tables.empty()) return true;
    if (!chosen || table_of(session, *chosen) == nullptr) {
        chosen = Spot{.kind = Spot::Kind::entry, .rect = {}, .lane = data->tables.front().lanes[0]};
        return true;
    }
    chosen->row = std::clamp<Index>(chosen->row + down, 0, Index(table_values) - 1);
    chosen->key = std::clamp<Index>(chosen->key + right, 0, Index(table_dtypes) - 1);
    return true;
}

}  // namespace

const ViewEntry value_table_entry = {.kind = ViewKind::table,
                                     .unavailable_reason = unavailable_reason,
                                     .adapt_key = adapt_key,
                                     .make = make,
                                     .lay_out = lay_out,
                                     .use_pointer = use_pointer,
                                     .move = move,
                                     .act = make_entry_lane};

}  // namespace maskscope
