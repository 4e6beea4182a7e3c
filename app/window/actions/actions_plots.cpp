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

namespace {

bool can_write(const Session& session) {
    return kind_of(session) == ViewKind::translator && session.bench().views.translator &&
           model_of(session.shown().scene) && !session.covered();
}

// Of the lane that says most.
Index words_to_write(const Session& session) {
    const Result& shown = session.shown();
    Index most = 0;
    for (const int lane : shown_lanes(session.view(), shown.scene))
        most = std::max(most, std::ssize(shown.variants[lane].run->predicted.front()));
    return most;
}

// The row of the word that was written last, and the key that the first lane's looks at.
void focus_on_word(Session& session, Index row) {
    if (model_of(session.shown().scene)->attention == ModelAttention::encoder) return;
    for (const TranslatorMap& map : session.bench().views.translator->maps) {
        if (!map.shown) continue;
        row = std::min(row, map.cells->rows - 1);
        const std::vector<double> weights = row_of(*map.cells, row).values;
        const auto largest = std::ranges::max_element(weights) - weights.begin();
        session.view().show.focus = Cell{row, largest};
    }
}

}  // namespace

bool write_words(Session& session, Index steps, bool begins) {
    std::optional<Index>& words = session.view().words;
    if (!can_write(session) || (!words && !begins)) return false;
    const Index to = words.value_or(0) + steps;
    if (to < 1 || to > words_to_write(session)) {
        words.reset();
        return session.lesson() == nullptr || to < 1;
    }
    words = to;
    focus_on_word(session, to - 1);
    return true;
}

void go_on(Session& session, Ui& ui, int steps) {
    if (write_words(session, steps, steps > 0 && session.lesson() == nullptr)) return;
    go_through_lessons(session, ui, steps);
}

std::string_view why_not_on(const Session& session) {
    return can_write(session) ? "" : why_no_next_step(session);
}

bool step_generation(Session& session, Index steps) {
    if (kind_of(session) != ViewKind::generation || session.covered()) return false;
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
