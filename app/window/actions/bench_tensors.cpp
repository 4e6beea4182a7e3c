#include "app/window/actions/actions.h"

#include <algorithm>

namespace maskscope {

namespace {

// Returns the first of the shown Q, K and V from `lane` on.
const BenchStage* tensor_from(const Bench& bench, int lane) {
    if (bench.blocks.empty()) return nullptr;
    for (const BenchStage& stage : bench.blocks.front().tensors)
        if (stage.lane <= lane) return &stage;
    return nullptr;
}

void put_cursor(Session& session, BenchState& bench, const BenchStage& stage, Index row,
                Index column) {
    const BenchBlock& block = session.bench().blocks.front();
    const CellRef cell{stage.lane,
                       StageKind::output,
                       block.b,
                       block.h,
                       std::clamp<Index>(row, 0, stage.cells->rows - 1),
                       std::clamp<Index>(column, 0, stage.cells->columns - 1)};
    bench.tensor_cursor = cell;
    pin(session, cell);
}

// Moves the cursor into a tensor, in the row of the pinned query or key.
bool enter_tensor(Session& session, BenchState& bench, int lane) {
    const BenchStage* stage = tensor_from(session.bench(), lane);
    if (stage == nullptr) return false;
    const Cell focus = session.view().show.focus.value_or(Cell{});
    put_cursor(session, bench, *stage, stage->lane == queries_lane ? focus.i : focus.j, 0);
    return true;
}

}  // namespace

void fold_tensors(Session& session, BenchState& bench) {
    View& view = session.view();
    bench.tensor_cursor.reset();
    view.show.vectors = !view.show.vectors;
    if (!view.show.vectors) return;
    const auto why = why_no_tensors(session.scene());
    if (!why) return;
    session.say(*why, true);
    view.show.vectors = false;
}

void step_through_tensors(Session& session, BenchState& bench) {
    if (!session.view().show.vectors) {
        fold_tensors(session, bench);
        session.update();  // makes the bench with them
        if (session.view().show.vectors) enter_tensor(session, bench, queries_lane);
        return;
    }
    const int next = bench.tensor_cursor ? bench.tensor_cursor->lane - 1 : queries_lane;
    if (!enter_tensor(session, bench, next)) fold_tensors(session, bench);
}

bool move_in_tensors(Session& session, BenchState& bench,
                     const std::optional<Presenting>& presenting, Index down, Index right) {
    keep_cursor_within(session, bench);
    if (!bench.tensor_cursor || presenting) return false;
    const CellRef from = *bench.tensor_cursor;
    const BenchStage* stage = tensor_from(session.bench(), from.lane);
    put_cursor(session, bench, *stage, from.i + down, from.j + right);
    return true;
}

bool leave_tensors(BenchState& bench) {
    const bool was_there = bench.tensor_cursor.has_value();
    bench.tensor_cursor.reset();
    return was_there;
}

void keep_cursor_within(const Session& session, BenchState& bench) {
    auto& cursor = bench.tensor_cursor;
    if (!cursor) return;
    const BenchStage* stage = tensor_from(session.bench(), cursor->lane);
    const bool there = stage != nullptr && stage->lane == cursor->lane &&
                       cursor->i < stage->cells->rows && cursor->j < stage->cells->columns;
    if (!there) return cursor.reset();
    cursor->b = stage->cells->b;
    cursor->h = stage->cells->h;
}

void take_cursor_to(BenchState& bench, const CellRef& cell) {
    if (is_tensor_lane(cell.lane))
        bench.tensor_cursor = cell;
    else
        bench.tensor_cursor.reset();
}

}  // namespace maskscope
