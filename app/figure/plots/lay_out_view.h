#pragma once
// Lays out the shown view, for the window and for files.

#include "app/figure/layout/lay_out.h"

namespace maskscope {

// Lays out the view that view.show.view names: the pipeline from `bench`, and other views from the
// result. A view that the scene does not have (such as Plane without values) is replaced with the
// pipeline, unless it says why it is missing: see shown_view().
Figure lay_out_view(const Result& result, const Bench& bench, const View& view,
                    const LayoutOptions& options);

// --- for the views

// Lays out a sentence in place of a view that cannot be shown, or not yet.
Figure lay_out_sentence(const std::string& sentence, const std::string& title,
                        const LayoutOptions& options);
// Lays out a cover in place of a view that a step asks about.
Figure lay_out_hidden(const std::string& title, const LayoutOptions& options);
// Draws the title of a figure in a file; returns the y below it.
double draw_figure_title(Figure& figure, const std::string& title, const LayoutOptions& options);

// The pointer in a view.
struct PlotPointer {
    Point at;             // in the figure's coordinates
    bool inside = false;  // over the figure, with nothing above it
    bool pressed = false;
    std::optional<Spot> spot{};     // the spot under the pointer, or chosen by keys
    std::optional<Spot> grabbed{};  // while the button is down, the spot where it was pressed
};

}  // namespace maskscope
