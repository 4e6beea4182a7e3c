// Handles keys in the shown view.

#include "app/show/views/view_entry.h"
#include "app/window/actions/actions.h"

namespace maskscope {

const ViewEntry* shown_entry(const Session& session) {
    return entry_of(shown_view(session.view(), session.shown().scene));
}

namespace {

bool can_turn_page(const Session& session) {
    const ViewEntry* entry = shown_entry(session);
    return entry && entry->can_turn_page && entry->can_turn_page(session) && may_explore(session);
}

}  // namespace

void go_on(Session& session, Ui& ui, int steps) {
    const bool begins = steps > 0 && session.lesson() == nullptr;
    if (can_turn_page(session) && shown_entry(session)->step(session, steps, begins)) return;
    go_through_lessons(session, ui, steps);
}

std::string_view why_not_on(const Session& session) {
    return can_turn_page(session) ? "" : why_no_next_step(session);
}

bool step_in_view(Session& session, Index steps) {
    const ViewEntry* entry = shown_entry(session);
    return entry && entry->step && may_explore(session) && entry->step(session, steps, steps > 0);
}

bool move_in_view(Session& session, BenchState& bench, Index down, Index right) {
    const ViewEntry* entry = shown_entry(session);
    return entry && entry->move && entry->move(session, bench.spot, down, right);
}

bool act_in_view(Session& session, const BenchState& bench) {
    const ViewEntry* entry = shown_entry(session);
    if (!entry || !entry->act) return false;
    if (bench.spot) entry->act(session, *bench.spot);
    return true;
}

}  // namespace maskscope
