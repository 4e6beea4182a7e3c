// Lays out the output plane: one plot per variant, all at the same scale.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/figure/layout/lay_out.h"
#include "app/figure/layout/lay_out_parts.h"
#include "app/figure/plots/lay_out_view.h"
#include "app/figure/plots/plot.h"
#include "app/views/plane/plane_view.h"

namespace maskscope {

namespace {

// --- one scale for all plots

// The extent that all plots share: values, outputs, tips of arrows, and always the origin.
struct PlaneExtent {
    double x0 = 0, x1 = 0, y0 = 0, y1 = 0;
    void add(PlanePoint p) {
        if (!is_drawable(p)) return;
        x0 = std::min(x0, p[0]);
        x1 = std::max(x1, p[0]);
        y0 = std::min(y0, p[1]);
        y1 = std::max(y1, p[1]);
    }
};

// Returns the tips of the arrows for a row's heads, with the origin first: head h ends at index h +
// 1.
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
        if (is_sampled(plot))  // the hull's corners may not be among the sampled values
            for (const auto& hull : plot.hulls)
                for (const PlanePoint& p : hull) extent.add(p);
        if (plot.parts.empty()) continue;
        for (std::size_t i = 0; i < plot.outputs.size(); ++i)
            for (const PlanePoint& p : tips_of(plot, static_cast<Index>(i))) extent.add(p);
    }
    return extent;
}

// Scales a plot. Both axes have the same unit of length. The content fills the rectangle, which
// shrinks if its proportions are too different from the content's.
void scale_plot(Plot& plot, const PlaneExtent& extent) {
    constexpr double least_ratio = 0.8;  // least ratio of the sides, unless the content is narrower
    const double widest = std::max(extent.x1 - extent.x0, extent.y1 - extent.y0);
    constexpr double least = 1e-100;  // points closer than that count as one
    const double room = widest > least ? 0.09 * widest : 1;
    const double w = extent.x1 - extent.x0 + 2 * room, h = extent.y1 - extent.y0 + 2 * room;
    const double points = std::min(plot.rect.w / w, plot.rect.h / h);  // points per unit of value
    const double width = std::max(w * points, least_ratio * plot.rect.h);
    const double height = std::max(h * points, least_ratio * plot.rect.w);
    plot.rect.w = std::min(plot.rect.w, std::round(width));
    plot.rect.h = std::min(plot.rect.h, std::round(height));
    const double half_x = plot.rect.w / points / 2, half_y = plot.rect.h / points / 2;
    const double x = (extent.x0 + extent.x1) / 2, y = (extent.y0 + extent.y1) / 2;
    plot.x = {x - half_x, x + half_x};
    plot.y = {y - half_y, y + half_y};
}

// --- one plot

struct PlaneDrawing {
    Figure& figure;
    const PlanePlot& data;
    const Plot& plot;
    const LayoutOptions& options;
    Index row = 0;  // index in the plot's rows: the one whose hull is drawn
    Role role = Role::variant_a;
    PlotLabels labels;
    Point centre;  // names are placed on the side away from it
    Rect head;     // the space for words
    bool hidden = false;

    double u() const { return plot.unit; }
    bool words_beside() const { return head.right() < plot.rect.x; }
    Point at(PlanePoint p) const { return plot.at(p[0], p[1]); }
    bool is_pointed(Spot::Kind kind, std::size_t k) const {
        const auto& spot = options.spot;
        if (!spot || spot->kind != kind || spot->b != data.b) return false;
        return kind == Spot::Kind::output ? spot->row == data.rows[k]
                                          : spot->key == data.columns[k];
    }
};

void draw_line(PlaneDrawing& d, Point from, Point to, Role role, double width,
               bool dashed = false) {
    d.figure.strokes.push_back(
        {.points = {from, to}, .role = role, .width = width * d.u(), .dashed = dashed});
}

void draw_arrow(PlaneDrawing& d, Point from, Point to, double width) {
    const double away = std::hypot(to.x - from.x, to.y - from.y), size = (4 + 2.5 * width) * d.u();
    if (!(away > 0)) return;
    const double dx = (to.x - from.x) / away, dy = (to.y - from.y) / away;
    const double length = std::min(size, away), half = 0.42 * length;
    const Point base{to.x - length * dx, to.y - length * dy};
    draw_line(d, from, base, d.role, width);
    d.figure.areas.push_back(
        {{to, {base.x - half * dy, base.y + half * dx}, {base.x + half * dy, base.y - half * dx}},
         d.role,
         1});
}

void draw_origin(PlaneDrawing& d) {
    const Rect& r = d.plot.rect;
    const Point zero = d.plot.at(0, 0);
    draw_line(d, {r.x, zero.y}, {r.right(), zero.y}, Role::hatch, 1);
    draw_line(d, {zero.x, r.y}, {zero.x, r.bottom()}, Role::hatch, 1);
    d.figure.dots.push_back({zero, 3 * d.u(), Role::dim});
    d.labels.keep_clear({zero.x - 4 * d.u(), zero.y - 4 * d.u(), 8 * d.u(), 8 * d.u()});
}

void draw_hull(PlaneDrawing& d) {
    if (d.data.hulls.empty()) return;
    std::vector<Point> corners;
    for (const PlanePoint& corner : d.data.hulls[d.row]) corners.push_back(d.at(corner));
    if (corners.size() < 2) return;
    if (corners.size() > 2) d.figure.areas.push_back({corners, d.role, 0.16});
    for (std::size_t k = 0; k < corners.size(); ++k)
        d.labels.keep_off(corners[k], corners[(k + 1) % corners.size()]);
    d.figure.strokes.push_back({corners, d.role, 1.5 * d.u(), false, true});
}

bool has_rays(const PlaneDrawing& d, std::size_t i) {
    constexpr std::size_t most = 64;  // more arrows could not be told apart
    return d.data.outputs.size() <= most || Index(i) == d.row;
}

void draw_ray(PlaneDrawing& d, std::size_t i) {
    const Point zero = d.plot.at(0, 0), tip = d.at(d.data.outputs[i]);
    if (!has_rays(d, i)) return;
    draw_line(d, zero, tip, d.role, Index(i) == d.row ? 2.5 : 1);
    d.labels.keep_off(zero, tip);
}

double output_radius(bool focused) { return focused ? 7 : 5.5; }

// Returns the point on the line from `from` to `to` that is `distance` before `to`.
Point before(Point to, Point from, double distance) {
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    if (!(length > distance)) return from;
    const double t = distance / length;
    return {to.x + t * (from.x - to.x), to.y + t * (from.y - to.y)};
}

// Draws an arrow for each head, one after the other, from the origin to the output.
void draw_parts(PlaneDrawing& d, std::size_t i) {
    if (!has_rays(d, i)) return;
    const bool focused = Index(i) == d.row;
    const std::vector<PlanePoint> tips = tips_of(d.data, Index(i));
    if (!std::ranges::all_of(tips, is_drawable)) return;
    for (std::size_t k = 0; k + 1 < tips.size(); ++k) {
        const Point from = d.at(tips[k]), to = d.at(tips[k + 1]);
        const bool is_last = k + 2 == tips.size();
        draw_arrow(d, from, is_last ? before(to, from, output_radius(focused) * d.u()) : to,
                   focused ? 2.5 : 1);
        d.labels.keep_off(from, to);
    }
}

// Draws the line from an output outside the hull to the nearest edge.
void draw_distance_line(PlaneDrawing& d, std::size_t i) {
    if (i >= d.data.outside.size()) return;
    const auto& outside = d.data.outside[i];
    if (!outside || !(outside->distance > 0)) return;
    const Point tip = d.at(d.data.outputs[i]), edge = d.at(outside->nearest);
    draw_line(d, tip, edge, Role::wrong, 2);
    d.labels.keep_off(tip, edge);
}

void draw_point(PlaneDrawing& d, Spot::Kind kind, std::size_t k, const Dot& dot) {
    d.figure.dots.push_back(dot);
    const double r = dot.radius;
    d.labels.keep_clear({dot.at.x - r, dot.at.y - r, 2 * r, 2 * r});
    const double reach = 9 * d.u();
    d.figure.spots.push_back({.kind = kind,
                              .rect = {dot.at.x - reach, dot.at.y - reach, 2 * reach, 2 * reach},
                              .variant = d.data.variant,
                              .b = d.data.b,
                              .h = d.data.h,
                              .row = d.data.rows[kind == Spot::Kind::output ? Index(k) : d.row],
                              .key = kind == Spot::Kind::value ? d.data.columns[k] : 0});
    if (!d.is_pointed(kind, k)) return;
    d.figure.dots.insert(d.figure.dots.end() - 1, {dot.at, r + 3 * d.u(), Role::ink, false});
}

void draw_values(PlaneDrawing& d) {
    const auto& allowed = d.data.allowed[d.row];
    const double radius = is_sampled(d.data) ? 2.5 : 4;
    for (std::size_t j = 0; j < d.data.values.size(); ++j) {
        if (!is_drawable(d.data.values[j])) continue;
        const Dot dot{d.at(d.data.values[j]), radius * d.u(), allowed[j] ? Role::ink : Role::hatch,
                      allowed[j], 1.5 * d.u()};
        draw_point(d, Spot::Kind::value, j, dot);
    }
}

void draw_outputs(PlaneDrawing& d) {
    for (std::size_t i = 0; i < d.data.outputs.size(); ++i) {
        if (!is_drawable(d.data.outputs[i])) continue;
        const bool inside =
            i >= d.data.outside.size() || (d.data.outside[i] && !(d.data.outside[i]->distance > 0));
        const double radius = output_radius(Index(i) == d.row);
        draw_point(d, Spot::Kind::output, i,
                   {d.at(d.data.outputs[i]), radius * d.u(), d.role, inside, 2 * d.u()});
    }
}

// --- names

void name_point(PlaneDrawing& d, Point at, double radius, const std::string& token, Role role,
                bool bold) {
    const TextStyle style{12 * d.u(), bold ? Weight::bold : Weight::medium};
    d.labels.place(d.figure, at, radius * d.u(), d.centre,
                   {.at = at, .text = token, .style = style, .role = role});
}

// Names a single output “output”, because its query may have the same name as a value.
void name_output(PlaneDrawing& d, std::size_t i, bool bold) {
    const bool is_only = d.data.outputs.size() == 1;
    if (is_drawable(d.data.outputs[i]))
        name_point(d, d.at(d.data.outputs[i]), 7, is_only ? "output" : d.data.queries[i], d.role,
                   bold);
}

void name_value(PlaneDrawing& d, std::size_t j, bool bold) {
    const bool allowed = d.data.allowed[d.row][j];
    if (is_drawable(d.data.values[j]))
        name_point(d, d.at(d.data.values[j]), 4, d.data.keys[j], allowed ? Role::ink : Role::dim,
                   bold);
}

// Names the output of the row in focus first, then the value under the pointer, and then all other
// points, unless there are too many to tell apart.
void name_points(PlaneDrawing& d) {
    constexpr std::size_t most = 160;
    const std::size_t values = d.data.values.size(), outputs = d.data.outputs.size();
    const auto focused = static_cast<std::size_t>(d.row);
    const auto pointed = [&](std::size_t j) { return d.is_pointed(Spot::Kind::value, j); };
    name_output(d, focused, true);
    for (std::size_t j = 0; j < values; ++j)
        if (pointed(j)) name_value(d, j, true);
    if (values + outputs > most) return;
    for (std::size_t j = 0; j < values; ++j)
        if (!pointed(j)) name_value(d, j, false);
    for (std::size_t i = 0; i < outputs; ++i)
        if (i != focused) name_output(d, i, false);
}

// Names heads beside their arrows, on the side away from the middle of the chain.
void name_parts(PlaneDrawing& d) {
    const std::vector<PlanePoint> tips = tips_of(d.data, d.row);
    if (!std::ranges::all_of(tips, is_drawable)) return;
    const Point before = d.centre;
    const auto count = static_cast<double>(tips.size());
    d.centre = {};
    for (const PlanePoint& tip : tips) {
        d.centre.x += d.at(tip).x / count;
        d.centre.y += d.at(tip).y / count;
    }
    for (std::size_t h = 0; h + 1 < tips.size(); ++h) {
        const Point from = d.at(tips[h]), to = d.at(tips[h + 1]);
        name_point(d, {(from.x + to.x) / 2, (from.y + to.y) / 2}, 2, fmt::format("head {}", h + 1),
                   Role::ink, true);
    }
    d.centre = before;
}

void draw_count(PlaneDrawing& d, Point at) {
    if (d.hidden || !d.data.missing.empty()) return;
    const double u = d.u(), right = d.head.right();
    const PlaneCount count = count_words(d.data);
    if (count.text.empty()) return;
    Text words{.at = at,
               .text = count.text,
               .style = {14 * u, Weight::semibold},
               .role = count.outside > 0 ? Role::wrong : Role::dim};
    if (figure_text_width(words) > right - at.x) words.style.size = 12 * u;
    words.max_width = std::max(1.0, right - at.x);
    const double end = at.x + figure_text_width(words) + 16 * u;
    d.figure.texts.push_back(words);
    const std::string gone = not_drawn_words(d.data);
    if (!gone.empty() && right - end > 60 * u)
        d.figure.texts.push_back({.at = {end, at.y},
                                  .text = gone,
                                  .style = {12 * u},
                                  .role = Role::wrong,
                                  .max_width = right - end});
}

// Draws the words above the plot: the variant, how many outputs are outside, and what cannot be
// drawn.
void draw_head_above(PlaneDrawing& d) {
    const double u = d.u(), left = d.head.x, top = d.head.y, right = d.head.right();
    const double line = (d.options.in_hall ? 11 : 14) * u,
                 second = line + (d.options.in_hall ? 22 : 24) * u;
    const double x = draw_letters(d.figure, {d.data.variant}, {left, top + line}, u);
    const bool beside = !d.data.title.empty() && !d.options.in_hall;
    const std::string name = beside ? d.data.name + " · " + d.data.title : d.data.name;
    if (d.options.in_hall && !d.data.title.empty())
        d.figure.texts.push_back({.at = {left, top + second + 20 * u},
                                  .text = d.data.title,
                                  .style = {12 * u},
                                  .role = Role::dim,
                                  .max_width = right - left});
    Text variant{.at = {x, top + line},
                 .text = name,
                 .style = {15 * u, Weight::semibold},
                 .max_width = right - x};
    if (d.options.in_hall && figure_text_width(variant) > variant.max_width)
        variant.style.size = 12 * u;
    d.figure.texts.push_back(std::move(variant));
    draw_count(d, {left, top + second});
}

// Draws the same words beside the plot, in lines.
void draw_head_beside(PlaneDrawing& d) {
    const double u = d.u(), left = d.head.x, line = 11 * u;
    const double x = draw_letters(d.figure, {d.data.variant}, {left, d.head.y + line}, u);
    Text name{.at = {x, d.head.y + line}, .text = d.data.name, .style = {12 * u, Weight::semibold}};
    double y = d.head.y + 26 * u;
    if (figure_text_width(name) <= d.head.right() - x) {
        d.figure.texts.push_back(std::move(name));
    } else {
        name.at = {left, y};
        y += draw_paragraph(d.figure, std::move(name), d.head.w);
    }
    if (!d.data.title.empty()) {
        d.figure.texts.push_back({.at = {left, y + 9 * u},
                                  .text = d.data.title,
                                  .style = {12 * u},
                                  .role = Role::dim,
                                  .max_width = d.head.w});
        y += 18 * u;
    }
    draw_count(d, {left, y + 10 * u});
}

// Draws only the frame and the names of the axes, so that the plot gets the space that ticks would
// take.
void draw_bare_axes(PlaneDrawing& d, const std::string& x, const std::string& y) {
    const Rect& r = d.plot.rect;
    const double u = d.u();
    d.figure.boxes.push_back({r, 0, false, true, Role::ground, Role::line, u});
    const TextStyle style{12 * u};
    const double zero = d.plot.at(0, 0).y, low = r.bottom() - 9 * u;
    const Point corner{r.right() - 4 * u, std::abs(zero - low) < 9 * u ? zero - 9 * u : low};
    const Text across{corner, x + " →", style, Role::dim, Anchor::right};
    d.labels.keep_clear(text_rect(across));
    d.figure.texts.push_back(across);
    d.figure.texts.push_back(
        {{r.x - 5 * u, r.y + 9 * u}, y + " ↑", style, Role::dim, Anchor::right});
}

// Returns how many ticks fit if each needs this many points.
int most_ticks(double room, double each) { return std::clamp(int(room / each), 1, 5); }

void draw_content(PlaneDrawing& d, Cell components) {
    const bool projected = !d.data.parts.empty();
    if (d.words_beside())
        draw_bare_axes(d, component_name(components.i, projected),
                       component_name(components.j, projected));
    else
        draw_axes(d.figure, d.plot,
                  {.x = ticks_of(d.plot.x, most_ticks(d.plot.rect.w / d.u(), 44)),
                   .y = ticks_of(d.plot.y, most_ticks(d.plot.rect.h / d.u(), 24)),
                   .grid = false,
                   .x_name = component_name(components.i, projected),
                   .y_name = component_name(components.j, projected)});
    draw_hull(d);
    draw_origin(d);
    const std::size_t rows = d.data.outputs.size();
    for (std::size_t i = 0; i < rows; ++i) {
        if (!is_drawable(d.data.outputs[i])) continue;
        if (projected)
            draw_parts(d, i);
        else
            draw_ray(d, i);
        draw_distance_line(d, i);
    }
    if (is_sampled(d.data)) draw_values(d);  // below, as a thousand would cover the outputs
    draw_outputs(d);
    if (!is_sampled(d.data)) draw_values(d);  // above, because an output may coincide with a value
    if (projected) name_parts(d);
    name_points(d);
    if (d.options.in_hall) return;
    d.figure.texts.push_back({.at = {d.plot.rect.x - tick_room_left * d.u(),
                                     d.plot.rect.bottom() + (tick_room_below + 16) * d.u()},
                              .text = row_words(d.data, d.row),
                              .style = {12 * d.u()},
                              .role = Role::ink,
                              .max_width = d.plot.rect.w + tick_room_left * d.u()});
}

// Returns the index in the plot's rows of the row whose hull is drawn: the one under the pointer,
// else `row`.
Index row_of(const PlanePlot& data, Index row, const LayoutOptions& options) {
    const auto& spot = options.spot;
    if (spot && spot->kind == Spot::Kind::output && spot->b == data.b) row = spot->row;
    return place_of_row(data, row);
}

// Returns the width of the words beside a plot while presenting, in points: as much as they need,
// with names of variants in about two lines, but at most 150.
double plane_words_width(const PlaneView& plane) {
    double width = 96;
    for (const PlanePlot& plot : plane.plots) {
        const Text name{.at = {}, .text = plot.name, .style = {12, Weight::semibold}};
        const Text title{.at = {}, .text = plot.title, .style = {12}};
        const Text count{.at = {},
                         .text = plot.missing.empty() ? count_words(plot).text : "",
                         .style = {14, Weight::semibold}};
        width = std::max({width, 0.55 * figure_text_width(name), figure_text_width(title),
                          figure_text_width(count)});
    }
    return std::min(width, 150.0);
}

// Draws one variant's plot: axes, hull, values and outputs, names, and words. head: the space for
// the words above the plot or, while presenting, beside it. row: the query whose hull is drawn
// unless the pointer is at another.
void draw_plane_plot(Figure& figure, const PlanePlot& data, const Plot& plot,
                     const PlaneView& plane, const View& view, Index row, const Rect& head,
                     const LayoutOptions& options) {
    const Rect& r = plot.rect;
    PlaneDrawing d{figure,
                   data,
                   plot,
                   options,
                   row_of(data, row, options),
                   variant_role(data.variant),
                   PlotLabels(r, plot.unit),
                   {r.x + r.w / 2, r.y + r.h / 2},
                   head,
                   view.hides(data.variant)};
    if (d.words_beside())
        draw_head_beside(d);
    else
        draw_head_above(d);
    if (draw_hidden(figure, d.hidden, r, plot.unit)) return;
    if (data.missing.empty()) return draw_content(d, plane.components);
    figure.boxes.push_back({r, 0, false, true, Role::ground, Role::line, plot.unit});
    const double inset = 20 * plot.unit;
    draw_paragraph(figure,
                   {.at = {r.x + inset, r.y + inset},
                    .text = data.missing,
                    .style = {14 * plot.unit},
                    .role = Role::dim},
                   r.w - 2 * inset);
}

// --- the legend

// Draws symbols with their explanations, in as many lines as the width requires.
class Legend {
public:
    Legend(Figure& figure, Point at, const LayoutOptions& options)
        : figure_(figure), u_(options.scale), left_(at.x), room_(options.width), at_(at) {}

    // Returns the place for a symbol of this width, and writes its explanation after it.
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

// Draws the explanation of the symbols, in as many lines as the width requires; returns their right
// end.
double draw_plane_legend(Figure& figure, const PlaneView& plane, const View& view,
                         const LayoutOptions& options, Point at) {
    const auto any = [&](auto holds) { return std::ranges::any_of(plane.plots, holds); };
    const Role role = variant_role(plane.plots.empty() ? 0 : plane.plots.front().variant);
    Legend legend(figure, at, options);
    const auto joined =
        std::ranges::find_if(plane.plots, [](const PlanePlot& p) { return !p.parts.empty(); });
    if (joined != plane.plots.end())
        legend.dot(
            "output: the heads’ arrows, tip to tail" + some_of(joined->rows.size(), joined->n_q),
            5.5, role, true);
    const auto mixed =
        std::ranges::find_if(plane.plots, [](const PlanePlot& p) { return !p.values.empty(); });
    if (mixed == plane.plots.end()) return legend.right();
    legend.dot("value" + some_of(mixed->columns.size(), mixed->n_k), 4, Role::ink, true);
    if (any(has_blocked)) legend.dot("blocked value", 4, Role::hatch, false);
    legend.dot("output" + some_of(mixed->rows.size(), mixed->n_q), 5.5, role, true);
    const auto is_open = [&](const PlanePlot& p) { return !view.hides(p.variant); };
    if (!any(is_open)) return legend.right();
    legend.hull("hull of the allowed values", role);
    if (any([&](const PlanePlot& p) { return is_open(p) && count_outside(p) > 0; }))
        legend.way("outside the hull, with the distance", role);
    return legend.right();
}

// Returns the height of the legend, in pixels.
double plane_legend_room(const LayoutOptions& options) {
    if (options.in_hall) return 0;
    constexpr double line = 30, second = 20, narrow_room = 640;  // points
    const bool narrow = options.width > 0 && options.width < narrow_room * options.scale;
    return (narrow ? line + second : line) * options.scale;
}

// --- the arrangement of the plots

// Returns the gap between plots, in points.
double gap_of(const LayoutOptions& options) { return options.in_hall ? 10 : 28; }

// Return the height above a plot, and that below it, in points.
double head_height(const PlaneView& plane, const LayoutOptions& options) {
    if (!options.in_hall) return 56;
    const bool titled =
        std::ranges::any_of(plane.plots, [](const PlanePlot& plot) { return !plot.title.empty(); });
    return titled ? 64 : 46;
}
double foot_height(const LayoutOptions& options) { return options.in_hall ? 4 : 26; }

struct Grid {
    std::size_t across = 1, down = 1;
    double cell_w = 0, cell_h = 0;  // the plot with head and foot
    bool beside = false;            // words are beside the plot, not above it
    double words = 0;               // the width of words beside the plot
};

// The plot in its cell, and the words above or beside it. A plot with words beside it has no ticks.
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

// Returns pixels per unit of the values, which is what makes a plot large.
double scale_of(const Plot& plot) { return plot.rect.w / (plot.x.high - plot.x.low); }

// Returns the arrangement with the largest plots.
Grid grid_of(const PlaneView& plane, double room_w, double room_h, const PlaneExtent& extent,
             const LayoutOptions& options) {
    constexpr double plane_words_height = 100;  // points: the height of name, title and count
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
            // If there is no space for a plot, no scale helps.
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
