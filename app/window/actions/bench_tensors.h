#pragma once
// Q, K and V fold out left of the scores, by a chip and by a key, and have a cell cursor there.

#include "app/window/context/ui_state.h"
#include "app/window/paint/gui.h"

namespace maskscope {

// Out, and back in; in one sentence why not, where these inputs have none.
void fold_tensors(Session& session, BenchState& bench);
// The same by the keyboard alone: out, with the cell cursor in Q, then in K, in V, and back in.
void step_through_tensors(Session& session, BenchState& bench);

// Arrow keys while the cell cursor stands in Q, K or V. False where it does not.
bool move_in_tensors(Session& session, BenchState& bench,
                     const std::optional<Presenting>& presenting, Index down, Index right);
// Escape: the cell cursor goes back to the scores. False where it was there.
bool leave_tensors(BenchState& bench);

// Where an edit or a step took away what the cell cursor stood in, it is back at the scores.
void keep_cursor_within(const Session& session, BenchState& bench);

// A press on the bench takes the cell cursor along; cell: what was pressed.
void take_cursor_to(BenchState& bench, const CellRef& cell);

}  // namespace maskscope
