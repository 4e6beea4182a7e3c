// The output plane: one plot per lane, all at the same scale.

#include <algorithm>
#include <cmath>

#include "app/figure/layout/lay_out_parts.h"
#include "app/figure/plots/lay_out_view.h"
#include "app/figure/plots/plot.h"
#include "app/views/plane/plane_parts.h"
#include "app/views/plane/plane_view.h"

namespace maskscope {

namespace {

// Points between plots.
double gap_of(const LayoutOptions& options) { return options.in_hall ? 10 : 28; }

// Points above a plot, and below its ticks.
double head_height(const PlaneView& plane, const LayoutOptions& options) {
    if (!options.in_hall) return 56;
    const bool titled =
        std::ranges::any_of(plane.plots, [](const PlanePlot& plot) { return !plot.title.empty(); });
    return titled ? 64 : 46;
}
double foot_height(const LayoutOptions& options) { return options.in_hall ? 4 : 26; }

struct Grid {
    std::size_t across = 1, down = 1;
    double cell_w = 0, cell_h = 0;  // with head and foot
    bool beside = false;            // the words are beside the plot, not above it
    double words = 0;               // their width, if they are beside it
};

// The plot in its cell, and the words above or beside it. Beside them, a plot has no ticks.
struct PlaneCell {
    Plot plot;
    Rect head;
};

PlaneCell cell_of(const PlaneView& plane, const Grid& grid, Point at, const PlaneExtent& extent,
                  const LayoutOptions& options) {
    const double u = options.scale;
    PlaneCell cell;
    const double above = (grid.beside ? 2 : head_height(plane, options)) * u;
    const double left = grid.words + (grid.beside ? 30 : tick_room_left) * u;
    const double below = (grid.beside ? 2 : tick_room_below + foot_height(options)) * u;
    const double least = options.in_hall ? 12 : 40;
    cell.plot.unit = u;
    cell.plot.rect = {std::round(at.x + left), std::round(at.y + above),
                      std::max(least, std::round(grid.cell_w - left)),
                      std::max(least, std::round(grid.cell_h - above - below))};
    const double end = cell.plot.rect.right();
    scale_plot(cell.plot, extent);
    if (options.in_hall) cell.plot.rect.x += std::round((end - cell.plot.rect.right()) / 2);
    const double right = options.in_hall ? at.x + grid.cell_w : cell.plot.rect.right();
    const double head = cell.plot.rect.x - tick_room_left * u;
    if (grid.beside)
        cell.head = {at.x, at.y, grid.words - 6 * u, grid.cell_h};
    else
        cell.head = {head, at.y, right - head, above};
    return cell;
}

// Pixels per unit of the values: what makes a plot large.
double scale_of(const Plot& plot) { return plot.rect.w / (plot.x.high - plot.x.low); }

// Returns the arrangement with the largest plots.
Grid grid_of(const PlaneView& plane, double room_w, double room_h, const PlaneExtent& extent,
             const LayoutOptions& options) {
    const std::size_t count = std::max<std::size_t>(1, plane.plots.size());
    const double u = options.scale, around_w = tick_room_left * u;
    const double around_h =
        (head_height(plane, options) + tick_room_below + foot_height(options)) * u;
    if (options.width <= 0) {
        const std::size_t across = std::min<std::size_t>(count, 3);
        return {across, (count + across - 1) / across, 400 * u + around_w, 360 * u + around_h};
    }
    Grid best;
    double largest = -1;
    for (std::size_t across = 1; across <= count; ++across)
        for (const bool beside : {false, true}) {
            const std::size_t down = (count + across - 1) / across;
            Grid grid{across, down};
            grid.cell_w = (room_w - gap_of(options) * u * double(across - 1)) / double(across);
            grid.cell_h = (room_h - gap_of(options) * u * double(down - 1)) / double(down);
            grid.beside = beside;
            if (beside) grid.words = (plane_words_width(plane) + 6) * u;
            if (beside && (!options.in_hall || grid.cell_h < plane_words_height * u)) continue;
            const double w = grid.cell_w - grid.words - (beside ? 30 * u : around_w);
            const double h = grid.cell_h - (beside ? 4 * u : around_h);
            if (!options.in_hall)
                grid.cell_w =
                    std::min(grid.cell_w, std::max(1.6 * std::min(w, h), 200 * u) + around_w);
            // A plot without space shows nothing at any scale.
            const double shown = scale_of(cell_of(plane, grid, {}, extent, options).plot);
            const double size = std::min(w, h) < 40 ? 1e-9 * std::min(w, h) : shown;
            if (largest < 0 || size > largest) best = grid, largest = size;
        }
    return best;
}

}  // namespace

Figure lay_out_plane(const PlaneView& plane, const View& view, Index row, const std::string& title,
                     const LayoutOptions& options) {
    Figure figure;
    figure.unit = options.scale;
    const double u = options.scale, margin = options.width > 0 ? 0 : 20 * u;
    const double top = draw_figure_title(figure, title, options);
    const double room_h = options.height - top - plane_legend_room(options);
    const PlaneExtent extent = extent_of(plane);
    const Grid grid = grid_of(plane, options.width, room_h, extent, options);
    double right = margin, bottom = top, y = top;
    for (std::size_t k = 0; k < plane.plots.size(); ++k) {
        const double x = margin + double(k % grid.across) * (grid.cell_w + gap_of(options) * u);
        if (k % grid.across == 0 && k > 0) y = bottom + gap_of(options) * u;
        const auto [plot, head] = cell_of(plane, grid, {x, y}, extent, options);
        draw_plane_plot(figure, plane.plots[k], plot, plane, view, row, head, options);
        right = std::max(right, plot.rect.right());
        bottom = std::max(bottom, grid.beside ? y + grid.cell_h
                                              : plot.rect.bottom() +
                                                    (tick_room_below + foot_height(options)) * u);
    }
    if (options.with_legend)
        right = std::max(
            right, draw_plane_legend(figure, plane, view, options, {margin, bottom + 14 * u}));
    figure.width = options.width > 0 ? options.width : right + margin;
    figure.height =
        options.height > 0 ? options.height : bottom + plane_legend_room(options) + margin;
    return figure;
}

}  // namespace maskscope
