// Draws the legend of the output plane.

#include <algorithm>

#include "app/figure/layout/lay_out_parts.h"
#include "app/views/plane/plane_parts.h"
#include "app/views/plane/plane_words.h"

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

double draw_plane_legend(Figure& figure, const PlaneView& plane, const LayoutOptions& options,
                         Point at) {
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
    const auto is_open = [&](const PlanePlot& p) { return !is_covered(options, p); };
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

}  // namespace maskscope
