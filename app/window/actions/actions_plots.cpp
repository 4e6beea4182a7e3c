// Output plane, table and root d, by the keys.

#include <algorithm>
#include <cmath>

#include "app/show/views/views.h"
#include "app/window/actions/actions.h"

namespace maskscope {
namespace {

ViewKind kind_of(const App& app) {
    return shown_view(app.session.view(), app.session.shown().scene);
}

const ValueTable* table_of(const App& app, const Spot& spot) {
    const auto& data = app.session.bench().views.table;
    if (!data) return nullptr;
    for (const ValueTable& table : data->tables)
        if (table.lanes.front() == spot.lane) return &table;
    return nullptr;
}

bool move_entry(App& app, Index down, Index right) {
    const auto& data = app.session.bench().views.table;
    if (!data || data->tables.empty()) return true;
    auto& spot = app.ui.spot;
    const bool is_there =
        spot && spot->kind == Spot::Kind::entry && table_of(app, *spot) != nullptr;
    if (!is_there) {
        spot = Spot{.kind = Spot::Kind::entry, .rect = {}, .lane = data->tables.front().lanes[0]};
        return true;
    }
    spot->row = std::clamp<Index>(spot->row + down, 0, Index(table_values) - 1);
    spot->key = std::clamp<Index>(spot->key + right, 0, Index(table_dtypes) - 1);
    return true;
}

}  // namespace

void make_entry_lane(App& app, const Spot& spot) {
    const ValueTable* table = table_of(app, spot);
    if (table == nullptr) return;
    const TableEntry entry = table->entries[spot.row][spot.key];
    if (!entry.lanes.empty()) {
        app.session.say(std::string("This is lane ") + lane_letter(entry.lanes.front()) + ".");
        return;
    }
    const ValueTable copy = *table;  // the edit may take the shown one away
    app.session.edit("make it a lane", [&](Scene& scene) { make_lane(scene, copy, entry); });
}

void set_width(App& app, double d) {
    app.session.view().show.d =
        static_cast<Index>(std::clamp(std::round(d), 1.0, double(root_d_most)));
}

bool move_in_plots(App& app, Index down, Index right) {
    if (kind_of(app) == ViewKind::table) return move_entry(app, down, right);
    if (kind_of(app) != ViewKind::root_d) return false;
    const auto d = static_cast<double>(shown_width(app.session.view()));
    set_width(app, (d + static_cast<double>(right)) * std::pow(2.0, -static_cast<double>(down)));
    return true;
}

bool act_in_plots(App& app) {
    if (kind_of(app) != ViewKind::table) return false;
    if (app.ui.spot && app.ui.spot->kind == Spot::Kind::entry) make_entry_lane(app, *app.ui.spot);
    return true;
}

}  // namespace maskscope
