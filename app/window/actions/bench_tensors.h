#pragma once
// Unfolds Q, K and V to the left of the scores, with a cell cursor in them.

#include "app/window/context/ui_state.h"
#include "app/window/paint/gui.h"

namespace maskscope {

// Shows or hides them; says why not if these inputs have none.
void fold_tensors(Session& session, BenchState& bench);
// Acts on a key: shows them with the cell cursor in Q, then moves it to K and V, then hides them.
void step_through_tensors(Session& session, BenchState& bench);

// Handles arrow keys while the cell cursor is in Q, K or V; false if it is not.
bool move_in_tensors(Session& session, BenchState& bench,
                     const std::optional<Presenting>& presenting, Index down, Index right);
// Handles Escape: the cell cursor returns to the scores; false if it was there.
bool leave_tensors(BenchState& bench);

// Returns the cell cursor to the scores if an edit or a step removed its cell.
void keep_cursor_within(const Session& session, BenchState& bench);

// Moves the cell cursor to a press on the bench; cell: the pressed one.
void take_cursor_to(BenchState& bench, const CellRef& cell);

}  // namespace maskscope
