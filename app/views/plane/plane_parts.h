#pragma once
// The pieces of lay_out_plane.

#include <vector>

#include "app/figure/layout/lay_out.h"
#include "app/figure/plots/plot.h"
#include "app/views/plane/plane_view.h"

namespace maskscope {

// The extent that all plots share: values, outputs, the tips of parts, and always the origin.
struct PlaneExtent {
    double x0 = 0, x1 = 0, y0 = 0, y1 = 0;
    void add(PlanePoint p);
};
PlaneExtent extent_of(const PlaneView& plane);

// Scales a plot. Both axes have the same unit of length, and the content fills the rectangle, which
// shrinks if it is much longer than the content.
void scale_plot(Plot& plot, const PlaneExtent& extent);

// Returns the tips of a row's parts in order, the origin first: head h ends at index h + 1.
std::vector<PlanePoint> tips_of(const PlanePlot& plot, Index i);

// Draws one variant's plot: axes, hull, values and outputs, names, and the words above and below.
// head: the space for the words above it or, while presenting, beside it. `row`: the one whose hull
// is drawn unless the pointer is at another.
void draw_plane_plot(Figure& figure, const PlanePlot& data, const Plot& plot,
                     const PlaneView& plane, const View& view, Index row, const Rect& head,
                     const LayoutOptions& options);

// Returns the width of the words beside a plot while presenting: as wide as they need, in points;
// the names of variants in at most two lines.
double plane_words_width(const PlaneView& plane);
inline constexpr double plane_words_height = 100;  // points: name, title and count

// Draws the explanation of the signs, in as many lines as the space requires; returns where it ends
// on the right.
double draw_plane_legend(Figure& figure, const PlaneView& plane, const View& view,
                         const LayoutOptions& options, Point at);
double plane_legend_room(const LayoutOptions& options);  // its height, in pixels

}  // namespace maskscope
