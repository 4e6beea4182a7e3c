#pragma once
// Parts of the bench, and the panels that are drawn in its place.

#include "app/figure/plots/lay_out_view.h"
#include "app/window/context/ui_state.h"
#include "app/window/paint/gui.h"

namespace maskscope {

struct ViewEntry;

// Returns the text that replaces a bench that has not been computed yet, or could not be.
inline const char* opening_text(const Session& session) {
    return session.computing() ? "Computing…"
                               : "Could not be computed. Edit anything to try again.";
}

void draw_bench(Gui& gui, Session& session, BenchState& bench, const Rect& rect);
// Draws the lesson or scene in full screen instead of all panels: title, variants, caption and
// fact, large enough for the last row of a lecture hall. Every length is a share of the screen's
// height. It can be used without a mouse.
void draw_presenting(Gui& window, Session& session, Ui& ui);

// Returns where a figure that is larger than its space begins. If the step has a fact, these parts
// are visible, the last ones above all: the weights of the other variants, with their row sums, and
// the stage of the fact; the same of the fact's own variant, and its mask; the weight of the focus
// cell.
Point place_of_claim(const Session& session, const Figure& figure, const Rect& room);

// Draws the chips above the bench: which stages are drawn, the difference, heads, sequences, and
// how numbers become colours. They are in one line; a list at its end has those that do not fit.
// low: they share the line of the tabs. Draws nothing for views other than heatmaps.
void draw_bench_tools(Gui& gui, Session& session, BenchState& bench, bool low);
// True if a bench in this rectangle has no space for a separate line of tools.
bool has_low_tools(const Gui& gui, const Rect& bench);

// --- parts that only the window has over the figure
// Returns the pointer of this frame in the figure's coordinates. over: nothing covers the figure
// under the pointer.
BenchPointer bench_pointer(const Gui& gui, Point origin, bool over);
// Frames the cells that have just changed, and the row, column and cell at the pointer, or if it is
// elsewhere, those of the cell cursor. Draws the ring.
void draw_bench_marks(Gui& gui, const Session& session, BenchState& bench);

// Returns the place of the pinned cell on the screen; nullopt if it is not drawn.
std::optional<Rect> pinned_on_screen(const Session& session, const BenchState& bench);
// Draws the card beside the pinned cell, within `room`. Returns its place; empty if there is no
// card.
Rect draw_cell_card(Gui& gui, Session& session, const BenchState& bench, const Rect& room);

// Draws the mask border that can be dragged, or is being dragged, and has the pointer's shape show
// it. at: the pointer in the figure's coordinates; nullopt = elsewhere.
void draw_border(Gui& gui, const Session& session, const BenchState& bench,
                 std::optional<Point> at);

// --- typing a number in its cell, within `room`: a double click or Enter begins; Enter, Tab, Up
// and Down commit; Escape cancels
// True if the pointer is over the field; the bench then ignores the pointer.
bool is_over_number_field(const Gui& gui, const BenchState& bench, const Rect& room);
// Draws the field, or says why the number cannot be changed.
void draw_number_field(Gui& gui, Session& session, BenchState& bench, const Rect& room);

// Returns the shown view if it is drawn above the bench, otherwise nullptr.
const ViewEntry* entry_above(const Session& session);

// --- views in place of the bench
bool shows_plots(const Session& session);          // true if such a view is shown
void draw_plot_tools(Gui& gui, Session& session);  // the view's fields, next to the tabs
// Draws plots that fill the space at the cursor. Pointing at a part names it.
void draw_plots(Gui& gui, Session& session, BenchState& bench);
// Passes the pointer to the shown view, after setting the pointer's `spot` and `grabbed`.
void use_view_pointer(const Gui& gui, Session& session, BenchState& bench, const Figure& figure,
                      PlotPointer pointer);

}  // namespace maskscope
