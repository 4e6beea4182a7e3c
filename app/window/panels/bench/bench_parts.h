#pragma once
// Parts of the bench, and what is drawn in its place, one file each.

#include "app/figure/plots/lay_out_view.h"
#include "app/window/context/ui_state.h"
#include "app/window/paint/gui.h"

namespace maskscope {

struct ViewEntry;

// In the place of a bench that is not computed yet, or was not.
inline const char* opening_text(const Session& session) {
    return session.computing() ? "Computing…"
                               : "Could not be computed. Edit anything to try again.";
}

void draw_bench(Gui& gui, Session& session, BenchState& bench, const Rect& rect);
// The lesson in full screen, in place of all panels: title, lanes, caption and fact, large enough
// for the last row of a lecture room. Every length is a share of the screen's height; nothing needs
// the mouse.
void draw_presenting(Gui& window, Session& session, Ui& ui);

// The chips above the bench: which stages are drawn, the difference, heads, sequences, and how
// numbers become colours. In one line, what has no room there in a list at its end; low: in the
// line of tabs. Only for views of heatmaps.
void draw_bench_tools(Gui& gui, Session& session, BenchState& bench, bool low);
// True if a bench in this rectangle has no room for a line of tools of their own.
bool has_low_tools(const Gui& gui, const Rect& bench);

// --- what only a window has over the figure
// The pointer of this frame in the figure's coordinates; `over`: nothing is above the figure.
BenchPointer bench_pointer(const Gui& gui, Point origin, bool over);
// The frames of what is pointed at, or pinned, and the ring.
void draw_bench_marks(Gui& gui, const Session& session, BenchState& bench);

// Where the cell that was clicked is drawn.
std::optional<Rect> pinned_on_screen(const Session& session, const BenchState& bench);
// The card beside the pinned cell, within `room`; returns its place, empty if there is none.
Rect draw_cell_card(Gui& gui, Session& session, const BenchState& bench, const Rect& room);

// The card with the four tests of a mask, at the lower right of `room`, or at the left if the
// pinned cell would be below it; returns its place, empty while it is closed, and while the step
// asks.
Rect draw_mask_card(Gui& gui, Session& session, Ui& ui, const Rect& room);

// The border of the mask that can be dragged, or is: a line, and the pointer's shape.
void draw_border(Gui& gui, const Session& session, const BenchState& bench,
                 std::optional<Point> at);

// --- typing over a number, in its own cell within `room`: a double click or Enter begins, Enter,
// Tab and the arrows up and down commit, Escape leaves
// Is the pointer over the field? The bench has no use for it then.
bool is_over_number_field(const Gui& gui, const BenchState& bench, const Rect& room);
// The field, and why another number cannot be typed.
void draw_number_field(Gui& gui, Session& session, BenchState& bench, const Rect& room);

// The view that is shown if it is drawn above the bench, else nullptr.
const ViewEntry* entry_above(const Session& session);

// --- views in place of the bench
bool shows_plots(const Session& session);          // one of these
void draw_plot_tools(Gui& gui, Session& session);  // its fields, beside the tabs
// Fills the room at the cursor. Pointing at something names it.
void draw_plots(Gui& gui, Session& session, BenchState& bench);
// Does what the shown view does with the pointer; `spot` and `grabbed` are filled in.
void use_view_pointer(const Gui& gui, Session& session, BenchState& bench, const Figure& figure,
                      PlotPointer pointer);

}  // namespace maskscope
