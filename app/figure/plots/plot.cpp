#include "app/figure/plots/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/figure/layout/lay_out_parts.h"
#include "core/base/number_text.h"
#include "core/scene/scene.h"

namespace maskscope {

namespace {

constexpr double text_size = 12;  // points

double round_step(double rough) {
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double step : {1.0, 2.0, 5.0})
        if (step * power >= rough) return step * power;
    return 10 * power;
}

std::vector<double> powers_of_ten(const PlotAxis& axis, int most) {
    const int first = static_cast<int>(std::ceil(std::log10(axis.low) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log10(axis.high) + 1e-9));
    const int every = std::max(1, (last - first + most) / most);
    std::vector<double> ticks;
    for (int k = last; k >= first; k -= every) ticks.push_back(std::pow(10.0, k));
    return ticks;
}

std::string tick_words(const std::vector<std::string>& words, std::size_t k, double value) {
    if (k < words.size()) return words[k];
    return value != 0 && std::abs(value) < 1e-3 ? exact_text(value, 3) : typed_text(value);
}

bool overlap(const Rect& a, const Rect& b) {
    return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

// True if the line crosses the rectangle (Liang-Barsky).
bool crosses(const std::pair<Point, Point>& line, const Rect& rect) {
    const auto& [a, b] = line;
    double enter = 0, leave = 1;
    const auto clip = [&](double from, double way, double low, double high) {
        if (way == 0) return from >= low && from <= high;
        const double t0 = (low - from) / way, t1 = (high - from) / way;
        enter = std::max(enter, std::min(t0, t1));
        leave = std::min(leave, std::max(t0, t1));
        return enter <= leave;
    };
    return clip(a.x, b.x - a.x, rect.x, rect.right()) &&
           clip(a.y, b.y - a.y, rect.y, rect.bottom());
}

// Writes the name of the x axis at the end of its numbers, and that of the y axis above its
// numbers. Returns the width of the x axis's name; 0 if the axes have no names.
double draw_axis_names(Figure& figure, const Plot& plot, const AxisOptions& options) {
    const Rect& r = plot.rect;
    const double u = plot.unit;
    if (options.x_name.empty()) return 0;
    Text x{.at = {r.right(), r.bottom() + 12 * u},
           .text = options.x_name + " →",
           .style = {text_size * u},
           .role = Role::dim,
           .anchor = Anchor::right};
    figure.texts.push_back({.at = {r.x - 6 * u, r.y + 7 * u},
                            .text = options.y_name + " ↑",
                            .style = {text_size * u},
                            .role = Role::dim,
                            .anchor = Anchor::right});
    const double width = figure_text_width(x);
    figure.texts.push_back(std::move(x));
    return width;
}

void draw_x_ticks(Figure& figure, const Plot& plot, const AxisOptions& options, double taken) {
    const Rect& r = plot.rect;
    const double u = plot.unit;
    const double end = taken > 0 ? r.right() - taken - 6 * u : 1e9;
    double clear = -1e9;  // where the previous number ends
    for (std::size_t k = 0; k < options.x.size(); ++k) {
        const double x = r.x + plot.x.share(options.x[k]) * r.w;
        const double reach = options.grid ? r.h : -4 * u;
        figure.strokes.push_back(
            {.points = {{x, r.bottom()}, {x, r.bottom() - reach}}, .role = Role::line, .width = u});
        Text number{.at = {x, r.bottom() + 12 * u},
                    .text = tick_words({}, k, options.x[k]),
                    .style = {text_size * u},
                    .role = Role::dim,
                    .anchor = Anchor::centre};
        const double half = figure_text_width(number) / 2;
        if (x > r.right() + u || x + half > end || x - half < clear) continue;
        clear = x + half + 5 * u;
        figure.texts.push_back(std::move(number));
    }
}

void draw_y_ticks(Figure& figure, const Plot& plot, const AxisOptions& options) {
    const Rect& r = plot.rect;
    const double u = plot.unit;
    double before = 1e9;  // the y of the previous number
    for (std::size_t k = 0; k < options.y.size(); ++k) {
        const double y = r.bottom() - plot.y.share(options.y[k]) * r.h;
        const double reach = options.grid ? r.w : -4 * u;
        figure.strokes.push_back(
            {.points = {{r.x, y}, {r.x + reach, y}}, .role = Role::line, .width = u});
        if (!options.y_name.empty() && y < r.y + 22 * u) continue;
        if (std::abs(y - before) < 1.1 * text_size * u) continue;
        before = y;
        figure.texts.push_back({.at = {r.x - 6 * u, y},
                                .text = tick_words(options.y_words, k, options.y[k]),
                                .style = {text_size * u},
                                .role = Role::dim,
                                .anchor = Anchor::right});
    }
}

}  // namespace

double PlotAxis::share(double value) const {
    if (!logarithmic) return (value - low) / (high - low);
    return value > 0 ? std::log(value / low) / std::log(high / low) : -1;
}

double PlotAxis::value(double share) const {
    return logarithmic ? low * std::pow(high / low, share) : low + share * (high - low);
}

Point Plot::at(double x_value, double y_value) const {
    return {rect.x + x.share(x_value) * rect.w, rect.bottom() - y.share(y_value) * rect.h};
}

std::vector<double> ticks_of(const PlotAxis& axis, int most) {
    if (axis.logarithmic) return powers_of_ten(axis, most);
    const double step = round_step((axis.high - axis.low) / std::max(1, most));
    std::vector<double> ticks;
    for (double k = std::ceil(axis.low / step - 1e-9); k * step <= axis.high + 1e-9 * step; ++k) {
        ticks.push_back(std::stod(fmt::format("{:.10g}", k * step)) + 0.0);  // 0.3, not 0.30000001
    }
    return ticks;
}

void draw_axes(Figure& figure, const Plot& plot, const AxisOptions& options) {
    figure.boxes.push_back({plot.rect, 0, false, true, Role::ground, Role::line, plot.unit});
    draw_x_ticks(figure, plot, options, draw_axis_names(figure, plot, options));
    draw_y_ticks(figure, plot, options);
}

double draw_letters(Figure& figure, const std::vector<int>& variants, Point at, double unit) {
    const double side = 20 * unit;
    for (const int variant : variants) {
        const Role role = variant_role(variant);
        figure.chips.push_back(
            {{at.x, at.y - side / 2, side, side}, 4 * unit, true, false, role, role});
        figure.texts.push_back({.at = {at.x + side / 2, at.y},
                                .text = std::string(1, variant_letter(variant)),
                                .style = {13 * unit, Weight::bold},
                                .role = Role::ground,
                                .anchor = Anchor::centre});
        at.x += side + 4 * unit;
    }
    return at.x + 4 * unit;
}

double draw_paragraph(Figure& figure, Text text, double width) {
    const std::string whole = text.text;
    const double line = 1.4 * text.style.size, top = text.at.y;
    text.at.y += line / 2;
    text.text.clear();
    for (std::size_t at = 0; at < whole.size();) {
        const std::size_t end = std::min(whole.find(' ', at), whole.size());
        Text longer = text;
        longer.text += (text.text.empty() ? "" : " ") + whole.substr(at, end - at);
        if (!text.text.empty() && figure_text_width(longer) > width) {
            figure.texts.push_back(text);
            text.at.y += line;
            longer.at = text.at;
            longer.text = whole.substr(at, end - at);
        }
        text = std::move(longer);
        at = end + 1;
    }
    text.max_width = width;
    const double bottom = text.at.y + line / 2;
    if (!text.text.empty()) figure.texts.push_back(std::move(text));
    return bottom - top;
}

std::vector<std::vector<Point>> cut_between(const std::vector<Point>& line, double top,
                                            double bottom) {
    std::vector<std::vector<Point>> parts(1);
    const auto inside = [&](Point p) { return p.y >= top && p.y <= bottom; };
    const auto edge = [&](Point in, Point out) {
        const double y = out.y < top ? top : bottom;
        const double t = (y - in.y) / (out.y - in.y);
        return Point{in.x + t * (out.x - in.x), y};
    };
    for (std::size_t k = 0; k < line.size(); ++k) {
        const bool here = std::isfinite(line[k].y) && inside(line[k]);
        const bool before = k > 0 && std::isfinite(line[k - 1].y) && inside(line[k - 1]);
        if (here && k > 0 && !before && std::isfinite(line[k - 1].y))
            parts.back().push_back(edge(line[k], line[k - 1]));
        if (here) parts.back().push_back(line[k]);
        if (!here && before) {
            if (std::isfinite(line[k].y)) parts.back().push_back(edge(line[k - 1], line[k]));
            parts.emplace_back();
        }
    }
    std::erase_if(parts, [](const auto& part) { return part.size() < 2; });
    return parts;
}

// --- labels

bool PlotLabels::is_free(const Rect& rect) const {
    if (rect.x < room_.x || rect.right() > room_.right() || rect.y < room_.y ||
        rect.bottom() > room_.bottom())
        return false;
    return std::ranges::none_of(taken_, [&](const Rect& other) { return overlap(rect, other); });
}

int PlotLabels::crossings(const Rect& rect) const {
    return static_cast<int>(
        std::ranges::count_if(lines_, [&](const auto& line) { return crosses(line, rect); }));
}

std::optional<Rect> PlotLabels::room_for(Point point, double radius, Point centre, double width,
                                         double height) const {
    constexpr int directions = 24, rings = 5;
    const double outwards = std::atan2(point.y - centre.y, point.x - centre.x);
    std::optional<Rect> best;
    double least = 0;
    for (int ring = 0; ring < rings; ++ring)
        for (int k = 0; k < directions; ++k) {
            const double angle = outwards + 2 * std::acos(-1.0) * k / directions;
            const double away = radius + (3 + 11 * ring) * unit_;
            const double dx = std::cos(angle), dy = std::sin(angle);
            // place the rectangle so that it touches the circle around the point from outside
            const Point middle{point.x + dx * away + width / 2 * std::clamp(1.6 * dx, -1.0, 1.0),
                               point.y + dy * away + height / 2 * std::clamp(1.6 * dy, -1.0, 1.0)};
            const Rect rect{middle.x - width / 2, middle.y - height / 2, width, height};
            if (!is_free(rect)) continue;
            const double cost = 1.5 * ring + 2 * crossings(rect) + 1 - std::cos(angle - outwards);
            if (!best || cost < least) best = rect, least = cost;
        }
    return best;
}

bool PlotLabels::place(Figure& figure, Point point, double radius, Point centre, Text text) {
    const double height = 1.15 * text.style.size, whole = figure_text_width(text);
    for (const double width : {whole, std::min(whole, 4 * text.style.size)}) {
        const auto rect = room_for(point, radius, centre, width + 2 * unit_, height);
        if (!rect) continue;
        const Point middle{rect->x + rect->w / 2, rect->y + rect->h / 2};
        const Point near{std::clamp(point.x, rect->x, rect->right()),
                         std::clamp(point.y, rect->y, rect->bottom())};
        if (std::hypot(near.x - point.x, near.y - point.y) > radius + 9 * unit_)
            figure.strokes.push_back(
                {.points = {point, near}, .role = Role::hatch, .width = unit_});
        text.at = middle;
        text.anchor = Anchor::centre;
        if (width < whole) text.max_width = width;
        figure.texts.push_back(text);
        taken_.push_back(*rect);
        return true;
    }
    return false;
}

}  // namespace maskscope
