#pragma once
// Paints a Figure in the window, and the marks over its cells.

#include "app/figure/figure.h"
#include "app/window/paint/gui.h"

struct ImDrawList;

namespace maskscope {

// Paints the figure, its top left at `offset` (rounded to whole pixels), `scale` pixels per unit.
void paint(Gui& gui, ImDrawList& list, Figure figure, Point offset, double scale = 1);

// Returns the heatmap as it is on the screen, in pixels: for cell_at(), cell_rect() and the like.
Heatmap on_screen(Heatmap heatmap, Point offset, double scale = 1);

// Frames a cell in white within black, so that it shows on any colour. The heatmap is in pixels
// (on_screen); what is zoomed out of view is left out.
void frame_cell(Gui& gui, ImDrawList& list, const Heatmap& heatmap, Cell cell);
void frame_row(Gui& gui, ImDrawList& list, const Heatmap& heatmap, Index i);
void frame_column(Gui& gui, ImDrawList& list, const Heatmap& heatmap, Index j);
void frame_changed(Gui& gui, ImDrawList& list, const Heatmap& heatmap, Cell cell);
// Draws the ring that means "click me".
void ring_cell(Gui& gui, ImDrawList& list, const Heatmap& heatmap, Cell cell);

}  // namespace maskscope
