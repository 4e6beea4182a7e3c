#include "app/window/actions/bench_tensors.h"

#include <algorithm>

namespace maskscope {

namespace {

// Of Q, K and V that are folded out, the first from `lane` on.
const BenchStage* tensor_from(const Bench& bench, int lane) {
    if (bench.blocks.empty()) return nullptr;
    for (const BenchStage& stage : bench.blocks.front().tensors)
        if (stage.lane <= lane) return &stage;
    return nullptr;
}

void put_cursor(App& app, const BenchStage& stage, Index row, Index column) {
    const BenchBlock& block = app.session.bench().blocks.front();
    const CellRef cell{stage.lane,
                       StageKind::output,
                       block.b,
                       block.h,
                       std::clamp<Index>(row, 0, stage.cells->rows - 1),
                       std::clamp<Index>(column, 0, stage.cells->columns - 1)};
    app.ui.tensor_cursor = cell;
    pin(app.session, cell);
}

// The cursor enters a tensor in the row of the pinned query or key.
bool enter_tensor(App& app, int lane) {
    const BenchStage* stage = tensor_from(app.session.bench(), lane);
    if (stage == nullptr) return false;
    const Cell focus = app.session.view().show.focus.value_or(Cell{});
    put_cursor(app, *stage, stage->lane == queries_lane ? focus.i : focus.j, 0);
    return true;
}

}  // namespace

void fold_tensors(App& app) {
    View& view = app.session.view();
    app.ui.tensor_cursor.reset();
    view.tensors = !view.tensors;
    if (!view.tensors) return;
    const auto why = why_no_tensors(app.session.scene());
    if (!why) return;
    app.session.say(*why, true);
    view.tensors = false;
}

void step_through_tensors(App& app) {
    if (!app.session.view().tensors) {
        fold_tensors(app);
        app.session.update();  // the bench with them
        if (app.session.view().tensors) enter_tensor(app, queries_lane);
        return;
    }
    const int next = app.ui.tensor_cursor ? app.ui.tensor_cursor->lane - 1 : queries_lane;
    if (!enter_tensor(app, next)) fold_tensors(app);
}

bool move_in_tensors(App& app, Index down, Index right) {
    keep_cursor_within(app);
    if (!app.ui.tensor_cursor || app.ui.presenting) return false;
    const CellRef from = *app.ui.tensor_cursor;
    const BenchStage* stage = tensor_from(app.session.bench(), from.lane);
    put_cursor(app, *stage, from.i + down, from.j + right);
    return true;
}

bool leave_tensors(App& app) {
    const bool was_there = app.ui.tensor_cursor.has_value();
    app.ui.tensor_cursor.reset();
    return was_there;
}

void keep_cursor_within(App& app) {
    auto& cursor = app.ui.tensor_cursor;
    if (!cursor) return;
    const BenchStage* stage = tensor_from(app.session.bench(), cursor->lane);
    const bool there = stage != nullptr && stage->lane == cursor->lane &&
                       cursor->i < stage->cells->rows && cursor->j < stage->cells->columns;
    if (!there) cursor.reset();
}

void take_cursor_to(App& app, const CellRef& cell) {
    if (is_tensor_lane(cell.lane))
        app.ui.tensor_cursor = cell;
    else
        app.ui.tensor_cursor.reset();
}

}  // namespace maskscope
