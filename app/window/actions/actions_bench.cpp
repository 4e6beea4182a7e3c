// The cell cursor, lanes, stages and heads.

#include <algorithm>

#include "app/show/views/views.h"
#include "app/window/actions/actions.h"
#include "app/window/actions/bench_tensors.h"

namespace maskscope {
namespace {

// The pinned cell; while presenting the ring, until the cursor was moved in this step.
std::optional<Cell> cursor_cell(const App& app) {
    const Show& show = app.session.view().show;
    const auto& presenting = app.ui.presenting;
    const bool on_ring = presenting && presenting->moved_in != app.session.step();
    if (show.ring && (on_ring || !show.focus)) return show.ring;
    return show.focus;
}

void move_cursor(App& app, Index down, Index right) {
    if (move_in_plots(app, down, right) || move_in_tensors(app, down, right)) return;
    const Result& shown = app.session.shown();
    if (shown.variants.empty()) return;
    const Shape& shape = shown.variants.front().shape;
    Show& show = app.session.view().show;
    const Cell from = cursor_cell(app).value_or(Cell{});
    const bool appears = !show.focus && !app.ui.presenting;  // the first press shows where it is
    if (appears) down = right = 0;
    if (app.ui.presenting) app.ui.presenting->moved_in = app.session.step();
    show.focus = Cell{std::clamp<Index>(from.i + down, 0, shape.n_q - 1),
                      std::clamp<Index>(from.j + right, 0, shape.n_k - 1)};
}

// Whose mask Space edits where the lanes' masks differ: that which is pointed at, or chosen.
int lane_to_edit(const App& app) {
    const View& view = app.session.view();
    const std::vector<int> lanes = shown_lanes(view, app.session.scene());
    if (layers_are_shared(app.session.scene(), lanes)) return shared_lane;
    if (view.hovered && view.hovered->lane >= 0) return view.hovered->lane;
    const int chosen = chosen_lane(app);
    return std::find(lanes.begin(), lanes.end(), chosen) != lanes.end() ? chosen : lanes.front();
}

int lane_count(const App& app) { return static_cast<int>(app.session.scene().variants.size()); }

// The first press opens the lane that is the chosen one anyway.
void turn_lane(App& app, int steps) {
    const int count = lane_count(app);
    const bool is_open = app.ui.variant && *app.ui.variant < count;
    choose_lane(app, (chosen_lane(app) + (is_open ? steps : 0) + count) % count);
}

}  // namespace

// --- cells

void cursor_up(App& app) { move_cursor(app, -1, 0); }
void cursor_down(App& app) { move_cursor(app, 1, 0); }
void cursor_left(App& app) { move_cursor(app, 0, -1); }
void cursor_right(App& app) { move_cursor(app, 0, 1); }

void toggle_cursor_cell(App& app) {
    if (act_in_plots(app)) return;
    const Result& shown = app.session.shown();
    const auto cursor = cursor_cell(app);
    if (!cursor || shown.variants.empty()) return;
    const Shape& shape = shown.variants.front().shape;
    if (cursor->i >= shape.n_q || cursor->j >= shape.n_k) return;
    const View& view = app.session.view();
    toggle_cell(app.session, lane_to_edit(app), shown_sequences(view, shape).front(),
                shown_heads(view, shape).front(), *cursor);
}

// --- lanes

int chosen_lane(const App& app) {
    const auto& open = app.ui.variant;
    if (open && *open >= 0 && *open < lane_count(app)) return *open;
    return shown_lanes(app.session.view(), app.session.scene()).front();
}

void choose_lane(App& app, int lane) {
    app.ui.variant = lane;
    app.ui.sidebar_folded = false;  // its settings stand there
}
void choose_next_lane(App& app) { turn_lane(app, 1); }
void choose_lane_before(App& app) { turn_lane(app, -1); }

// --- stages and heads

void show_or_hide_stage(App& app, StageKind stage) {
    if (!why_no_stage(app, stage).empty()) return;
    View& view = app.session.view();
    std::vector<StageKind> stages = shown_stages(view);
    const auto found = std::find(stages.begin(), stages.end(), stage);
    if (shows_all_heads(app.session))
        stages = {stage};
    else if (found != stages.end())
        stages.erase(found);
    else
        stages.insert(std::upper_bound(stages.begin(), stages.end(), stage), stage);
    view.show.stages = stages;
}

std::string_view why_no_stage(const App& app, StageKind stage) {
    const ViewKind kind = shown_view(app.session.view(), app.session.shown().scene);
    if (kind != ViewKind::pipeline && kind != ViewKind::heads) return "this view has no stages";
    if (!app.session.shown().variants.front().stage(stage).exists())
        return "these inputs have no such stage";
    if (kind == ViewKind::heads && stage == StageKind::output) return "this view shows no outputs";
    return "";
}

void show_head(App& app, Index h) { jump_to_head(app.session, h); }

std::string_view why_no_head(const App& app, Index h) {
    const Shape shape = shape_of(app.session.scene());
    if (shape.h < 2) return "this scene has one head";
    return h < shape.h ? "" : "this scene has fewer heads";
}

// --- numbers

void ask_for_number(App& app, const CellRef& cell) { app.ui.number_asked = cell; }

void ask_for_number_at_cursor(App& app) {
    if (app.ui.tensor_cursor) return ask_for_number(app, *app.ui.tensor_cursor);
    const auto& focus = app.session.view().show.focus;
    for (const Heatmap& map : app.figure.heatmaps) {
        const StageKind stage = map.cells->stage;
        if (stage != StageKind::scores && stage != StageKind::scaled) continue;
        const Cell cell = focus.value_or(Cell{});
        return ask_for_number(app, {map.lane, stage, map.b, map.h, cell.i, cell.j});
    }
    app.session.say("No scores are drawn: choose Scores above the lanes, then type over one.",
                    true);
}

}  // namespace maskscope
