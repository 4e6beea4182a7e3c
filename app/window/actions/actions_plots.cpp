// Output plane, table, root d and generation, by the keys.

#include <algorithm>
#include <cmath>

#include "app/show/views/views.h"
#include "app/window/actions/actions.h"

namespace maskscope {
namespace {

ViewKind kind_of(const Session& session) {
    return shown_view(session.view(), session.shown().scene);
}

const ValueTable* table_of(const Session& session, const Spot& spot) {
    const auto& data = session.bench().views.table;
    if (!data) return nullptr;
    for (const ValueTable& table : data->tables)
        if (table.lanes.front() == spot.lane) return &table;
    return nullptr;
}

bool move_entry(const Session& session, BenchState& bench, Index down, Index right) {
    const auto& data = session.bench().views.table;
    if (!data || data->tables.empty()) return true;
    auto& spot = bench.spot;
    const bool is_there =
        spot && spot->kind == Spot::Kind::entry && table_of(session, *spot) != nullptr;
    if (!is_there) {
        spot = Spot{.kind = Spot::Kind::entry, .rect = {}, .lane = data->tables.front().lanes[0]};
        return true;
    }
    spot->row = std::clamp<Index>(spot->row + down, 0, Index(table_values) - 1);
    spot->key = std::clamp<Index>(spot->key + right, 0, Index(table_dtypes) - 1);
    return true;
}

}  // namespace

void make_entry_lane(Session& session, const Spot& spot) {
    const ValueTable* table = table_of(session, spot);
    if (table == nullptr) return;
    const TableEntry entry = table->entries[spot.row][spot.key];
    if (!entry.lanes.empty()) {
        session.say(std::string("This is lane ") + lane_letter(entry.lanes.front()) + ".");
        return;
    }
    const ValueTable copy = *table;  // the edit may remove the shown one
    session.edit("make it a lane", [&](Scene& scene) { make_lane(scene, copy, entry); });
}

void set_width(Session& session, double d) {
    session.view().show.d = static_cast<Index>(std::clamp(std::round(d), 1.0, double(root_d_most)));
}

void generate_up_to(Session& session, Index t) {
    auto& focus = session.view().show.focus;
    const Index last = shape_of(session.shown().scene).n_q - 1;
    t = std::clamp<Index>(t, 0, last);
    focus = Cell{t, std::min(t, focus ? focus->j : 0)};
}

bool step_generation(Session& session, Index steps) {
    const ViewKind kind = kind_of(session);
    const bool translates = kind == ViewKind::translator && model_of(session.shown().scene);
    if ((kind != ViewKind::generation && !translates) || session.covered()) return false;
    if (translates && !session.view().show.focus) {
        generate_up_to(session, 0);
        return true;
    }
    const Index t = row_in_view(session.view(), shape_of(session.shown().scene));
    generate_up_to(session, t + steps);
    return session.view().show.focus->i != t;
}

bool move_in_plots(Session& session, BenchState& bench, Index down, Index right) {
    if (kind_of(session) == ViewKind::generation) {
        step_generation(session, down + right);
        return true;
    }
    if (kind_of(session) == ViewKind::table) return move_entry(session, bench, down, right);
    if (kind_of(session) != ViewKind::root_d) return false;
    const auto d = static_cast<double>(shown_width(session.view()));
    set_width(session,
              (d + static_cast<double>(right)) * std::pow(2.0, -static_cast<double>(down)));
    return true;
}

bool act_in_plots(Session& session, const BenchState& bench) {
    if (kind_of(session) != ViewKind::table) return false;
    if (bench.spot && bench.spot->kind == Spot::Kind::entry) make_entry_lane(session, *bench.spot);
    return true;
}

}  // namespace maskscope
