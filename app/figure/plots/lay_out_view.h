#pragma once
// Lays out the shown view, for the window and for files.

#include "app/figure/layout/lay_out.h"

namespace maskscope {

// Lays out the view that view.show.view names: the pipeline as `bench` holds it, and the other
// views from the result. A view that the scene does not have (the plane without values) is drawn as
// the pipeline.
Figure lay_out_view(const Result& result, const Bench& bench, const View& view,
                    const LayoutOptions& options);

// --- for the views

// Lays out a sentence in place of a view that cannot be shown (yet).
Figure lay_out_sentence(const std::string& sentence, const std::string& title,
                        const LayoutOptions& options);
// Lays out a cover in place of a view that a step asks about.
Figure lay_out_hidden(const std::string& title, const LayoutOptions& options);
// Draws the title of a file's figure; returns the y below it.
double draw_figure_title(Figure& figure, const std::string& title, const LayoutOptions& options);

// The pointer in a view.
struct PlotPointer {
    Point at;             // in the figure
    bool inside = false;  // over the figure, and nothing is above it
    bool pressed = false;
    std::optional<Spot> spot{};     // what is pointed at, or was chosen by keys
    std::optional<Spot> grabbed{};  // what was under it when the button went down, while it is down
};

}  // namespace maskscope
