// The output plane: one plot per lane, all at the same scale.

#include <algorithm>
#include <cmath>

#include "app/figure/layout/lay_out_parts.h"
#include "app/figure/plots/lay_out_views.h"
#include "app/figure/plots/plane_parts.h"
#include "app/figure/plots/plot.h"

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
};

Grid grid_of(const PlaneView& plane, double room_w, double room_h, const LayoutOptions& options) {
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
    for (std::size_t across = 1; across <= count; ++across) {
        const std::size_t down = (count + across - 1) / across;
        const double w = (room_w - gap_of(options) * u * double(across - 1)) / double(across);
        const double h = (room_h - gap_of(options) * u * double(down - 1)) / double(down);
        const double side = std::min(w - around_w, h - around_h);
        if (side > largest) best = {across, down, w, h}, largest = side;
    }
    if (options.in_hall) return best;
    best.cell_w = std::min(best.cell_w, std::max(1.6 * largest, 200 * u) + around_w);
    return best;
}

}  // namespace

Figure lay_out_plane(const PlaneView& plane, Index row, const std::string& title,
                     const LayoutOptions& options) {
    Figure figure;
    figure.unit = options.scale;
    const double u = options.scale, margin = options.width > 0 ? 0 : 20 * u;
    const double top = draw_figure_title(figure, title, options);
    const double room_h = options.height - top - plane_legend_room(options);
    const Grid grid = grid_of(plane, options.width, room_h, options);
    const PlaneExtent extent = extent_of(plane);
    double right = margin, bottom = top, y = top;
    for (std::size_t k = 0; k < plane.plots.size(); ++k) {
        const double x = margin + double(k % grid.across) * (grid.cell_w + gap_of(options) * u);
        if (k % grid.across == 0 && k > 0) y = bottom + gap_of(options) * u;
        Plot plot;
        plot.unit = u;
        plot.rect = {
            std::round(x + tick_room_left * u), std::round(y + head_height(plane, options) * u),
            std::max(40.0, std::round(grid.cell_w - tick_room_left * u)),
            std::max(40.0, std::round(grid.cell_h - (head_height(plane, options) + tick_room_below +
                                                     foot_height(options)) *
                                                        u))};
        scale_plot(plot, extent);
        double end = plot.rect.right();
        if (options.in_hall) {
            end = x + grid.cell_w;
            plot.rect.x += std::round((end - plot.rect.right()) / 2);
        }
        draw_plane_plot(figure, plane.plots[k], plot, plane, row, {end, y}, options);
        right = std::max(right, plot.rect.right());
        bottom =
            std::max(bottom, plot.rect.bottom() + (tick_room_below + foot_height(options)) * u);
    }
    if (options.with_legend)
        right =
            std::max(right, draw_plane_legend(figure, plane, options, {margin, bottom + 14 * u}));
    figure.width = options.width > 0 ? options.width : right + margin;
    figure.height =
        options.height > 0 ? options.height : bottom + plane_legend_room(options) + margin;
    return figure;
}

}  // namespace maskscope
