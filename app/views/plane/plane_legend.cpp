// Draws the legend of the output plane.

#include <algorithm>
#include <cmath>

#include "app/figure/layout/lay_out_parts.h"
#include "app/views/plane/plane_parts.h"
#include "app/views/plane/plane_view.h"

namespace maskscope {

namespace {

// Explains the signs, in as many lines as the space requires.
class Legend {
public:
    Legend(Figure& figure, Point at, const LayoutOptions& options)
        : figure_(figure), u_(options.scale), left_(at.x), room_(options.width), at_(at) {}

    // Moves to where a sign of this width is to be drawn, and explains it.
    Point entry(double width, const std::string& text) {
        Text words{.at = {}, .text = text, .style = {12 * u_}, .role = Role::dim};
        const double whole = (width + 7) * u_ + figure_text_width(words);
        if (room_ > 0 && at_.x > left_ && at_.x + whole > room_) at_ = {left_, at_.y + 20 * u_};
        const Point sign = at_;
        words.at = {at_.x + (width + 7) * u_, at_.y};
        figure_.texts.push_back(std::move(words));
        right_ = std::max(right_, at_.x + whole);
        at_.x += whole + 20 * u_;
        return sign;
    }
    void dot(const std::string& text, double radius, Role role, bool filled) {
        const Point at = entry(12, text);
        figure_.dots.push_back({{at.x + 6 * u_, at.y}, radius * u_, role, filled, 2 * u_});
    }
    void hull(const std::string& text, Role role) {
        const Point at = entry(20, text);
        const double x0 = at.x, x1 = x0 + 20 * u_, y0 = at.y - 7 * u_, y1 = at.y + 7 * u_;
        const std::vector<Point> corners{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}};
        figure_.areas.push_back({corners, role, 0.16});
        figure_.strokes.push_back({corners, role, 1.5 * u_, false, true});
    }
    void way(const std::string& text, Role role) {
        const Point at = entry(32, text);
        figure_.strokes.push_back(
            {{{at.x + 12 * u_, at.y}, {at.x + 32 * u_, at.y}}, Role::wrong, 2 * u_});
        figure_.dots.push_back({{at.x + 6 * u_, at.y}, 5.5 * u_, role, false, 2 * u_});
    }
    double right() const { return right_; }

private:
    Figure& figure_;
    double u_, left_, room_, right_ = 0;
    Point at_;
};

bool has_blocked(const PlanePlot& plot) {
    return std::ranges::any_of(plot.allowed,
                               [](const auto& row) { return std::ranges::count(row, false) > 0; });
}

}  // namespace

double draw_plane_legend(Figure& figure, const PlaneView& plane, const View& view,
                         const LayoutOptions& options, Point at) {
    const auto any = [&](auto holds) { return std::ranges::any_of(plane.plots, holds); };
    const Role role = lane_role(plane.plots.empty() ? 0 : plane.plots.front().lane);
    Legend legend(figure, at, options);
    const auto joined =
        std::ranges::find_if(plane.plots, [](const PlanePlot& p) { return !p.parts.empty(); });
    if (joined != plane.plots.end())
        legend.dot(
            "output: the heads’ parts, tip to tail" + some_of(joined->rows.size(), joined->n_q),
            5.5, role, true);
    const auto mixed =
        std::ranges::find_if(plane.plots, [](const PlanePlot& p) { return !p.values.empty(); });
    if (mixed == plane.plots.end()) return legend.right();
    legend.dot("value" + some_of(mixed->columns.size(), mixed->n_k), 4, Role::ink, true);
    if (any(has_blocked)) legend.dot("blocked value", 4, Role::hatch, false);
    legend.dot("output" + some_of(mixed->rows.size(), mixed->n_q), 5.5, role, true);
    const auto is_open = [&](const PlanePlot& p) { return !view.hides(p.lane); };
    if (!any(is_open)) return legend.right();
    legend.hull("what the row may attend to", role);
    if (any([&](const PlanePlot& p) { return is_open(p) && count_outside(p) > 0; }))
        legend.way("outside, and the way back", role);
    return legend.right();
}

double plane_legend_room(const LayoutOptions& options) {
    if (options.in_hall) return 0;
    constexpr double line = 30, second = 20, narrow_room = 640;  // points
    const bool narrow = options.width > 0 && options.width < narrow_room * options.scale;
    return (narrow ? line + second : line) * options.scale;
}

// Finds one scale for all plots of the output plane.

void PlaneExtent::add(PlanePoint p) {
    if (!is_drawable(p)) return;
    x0 = std::min(x0, p[0]);
    x1 = std::max(x1, p[0]);
    y0 = std::min(y0, p[1]);
    y1 = std::max(y1, p[1]);
}

std::vector<PlanePoint> tips_of(const PlanePlot& plot, Index i) {
    std::vector<PlanePoint> tips{{0, 0}};
    for (const auto& part : plot.parts) {
        const PlanePoint& step = part[i];
        tips.push_back({tips.back()[0] + step[0], tips.back()[1] + step[1]});
    }
    return tips;
}

PlaneExtent extent_of(const PlaneView& plane) {
    PlaneExtent extent;
    for (const PlanePlot& plot : plane.plots) {
        for (const PlanePoint& p : plot.values) extent.add(p);
        for (const PlanePoint& p : plot.outputs) extent.add(p);
        if (is_sampled(plot))  // the hull's corners need not be among the values
            for (const auto& hull : plot.hulls)
                for (const PlanePoint& p : hull) extent.add(p);
        if (plot.parts.empty()) continue;
        for (std::size_t i = 0; i < plot.outputs.size(); ++i)
            for (const PlanePoint& p : tips_of(plot, static_cast<Index>(i))) extent.add(p);
    }
    return extent;
}

void scale_plot(Plot& plot, const PlaneExtent& extent) {
    constexpr double least_ratio = 0.8;  // of the sides, unless the content is longer
    const double widest = std::max(extent.x1 - extent.x0, extent.y1 - extent.y0);
    constexpr double least = 1e-100;  // closer points count as one
    const double room = widest > least ? 0.09 * widest : 1;
    const double w = extent.x1 - extent.x0 + 2 * room, h = extent.y1 - extent.y0 + 2 * room;
    const double points = std::min(plot.rect.w / w, plot.rect.h / h);  // per unit of the values
    const double width = std::max(w * points, least_ratio * plot.rect.h);
    const double height = std::max(h * points, least_ratio * plot.rect.w);
    plot.rect.w = std::min(plot.rect.w, std::round(width));
    plot.rect.h = std::min(plot.rect.h, std::round(height));
    const double half_x = plot.rect.w / points / 2, half_y = plot.rect.h / points / 2;
    const double x = (extent.x0 + extent.x1) / 2, y = (extent.y0 + extent.y1) / 2;
    plot.x = {x - half_x, x + half_x};
    plot.y = {y - half_y, y + half_y};
}

}  // namespace maskscope
