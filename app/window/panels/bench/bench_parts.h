#pragma once
// Parts of the bench, and what is drawn in its place, one file each.

#include "app/figure/plots/lay_out_view.h"
#include "app/window/context/ui_state.h"
#include "app/window/paint/gui.h"

namespace maskscope {

struct ViewEntry;

// Returns the text in place of a bench that has not been computed yet, or could not be.
inline const char* opening_text(const Session& session) {
    return session.computing() ? "Computing…"
                               : "Could not be computed. Edit anything to try again.";
}

void draw_bench(Gui& gui, Session& session, BenchState& bench, const Rect& rect);
// Draws the lesson in full screen, in place of all panels: title, lanes, caption and fact, large
// enough for the last row of a lecture hall. Every length is a share of the screen's height;
// nothing needs the mouse.
void draw_presenting(Gui& window, Session& session, Ui& ui);

// Returns where a figure that is larger than its space is seen first: at the stages of the step's
// fact and the weights with their sums, first of all those of the fact's own variant with its mask,
// and then at the cell cursor.
Point place_of_claim(const Session& session, const Figure& figure, const Rect& room);

// Draws the chips above the bench: which stages are drawn, the difference, heads, sequences, and
// how numbers become colours. They are in one line; chips that do not fit are in a list at its end.
// low: they are in the line of tabs. Only for views of heatmaps.
void draw_bench_tools(Gui& gui, Session& session, BenchState& bench, bool low);
// True if a bench in this rectangle has no space for tools in a line of their own.
bool has_low_tools(const Gui& gui, const Rect& bench);

// --- what only a window has over the figure
// Returns the pointer of this frame in the figure's coordinates; `over`: nothing is above the
// figure.
BenchPointer bench_pointer(const Gui& gui, Point origin, bool over);
// Draws the frames of cells that are pointed at or pinned, and the ring.
void draw_bench_marks(Gui& gui, const Session& session, BenchState& bench);

// Returns where the pinned cell is drawn.
std::optional<Rect> pinned_on_screen(const Session& session, const BenchState& bench);
// Draws the card beside the pinned cell, within `room`; returns its place, empty if there is none.
Rect draw_cell_card(Gui& gui, Session& session, const BenchState& bench, const Rect& room);

// Draws the card with the four tests of a mask, at the lower right of `room`, or at the left if the
// pinned cell would be below it; returns its place, empty while it is closed, and while the step
// asks a question.
Rect draw_mask_card(Gui& gui, Session& session, Ui& ui, const Rect& room);

// Draws the mask border that can be dragged, or is being dragged, and sets the pointer's shape.
void draw_border(Gui& gui, const Session& session, const BenchState& bench,
                 std::optional<Point> at);

// --- typing over a number, in its own cell within `room`: a double click or Enter begins; Enter,
// Tab, Up and Down commit; Escape cancels
// True if the pointer is over the field. The bench then ignores it.
bool is_over_number_field(const Gui& gui, const BenchState& bench, const Rect& room);
// Draws the field, or says why no other number can be typed.
void draw_number_field(Gui& gui, Session& session, BenchState& bench, const Rect& room);

// Returns the shown view if it is drawn above the bench, else nullptr.
const ViewEntry* entry_above(const Session& session);

// --- views in place of the bench
bool shows_plots(const Session& session);          // one of these
void draw_plot_tools(Gui& gui, Session& session);  // its fields, beside the tabs
// Draws plots that fill the space at the cursor. Pointing at something names it.
void draw_plots(Gui& gui, Session& session, BenchState& bench);
// Does what the shown view does with the pointer; `spot` and `grabbed` are filled in.
void use_view_pointer(const Gui& gui, Session& session, BenchState& bench, const Figure& figure,
                      PlotPointer pointer);

}  // namespace maskscope
