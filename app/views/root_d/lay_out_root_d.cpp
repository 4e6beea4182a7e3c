// Lays out Root d: plots over the width d, with one curve per scale and the numbers at the marked
// width.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/figure/layout/lay_out_parts.h"
#include "app/figure/plots/lay_out_view.h"
#include "app/figure/plots/plot.h"
#include "app/views/root_d/root_d_view.h"
#include "core/base/number_text.h"

namespace maskscope {

namespace {

constexpr double plot_head = 52, gap = 20;              // points: above a plot, and between plots
constexpr double variants_height = 34, plot_foot = 30;  // for the whole view
constexpr double number_line = 17;                      // the height for each curve
constexpr double after_title = 8, after_number = 6;     // the space after them in a line
constexpr double right_room = 16;                       // half the width of the last tick's number
constexpr std::array widths{1, 4, 16, 64, 256, 1024};

// The statistic that one plot shows for each width.
struct Measure {
    const char* title;
    const char* note;
    StageKind stage;  // the stage that it measures
    bool logarithmic = false;
    double (*middle)(const RootDFigures&) = nullptr;
    const Spread* (*spread)(const RootDFigures&) = nullptr;  // nullptr: no band
};

constexpr std::array measures{
    Measure{"Variance of q·k", "with the variant's scale", StageKind::scaled, true,
            [](const RootDFigures& f) { return f.variance; }, nullptr},
    Measure{"Largest weight", "median row", StageKind::weights, false,
            [](const RootDFigures& f) { return f.largest.median; },
            [](const RootDFigures& f) { return &f.largest; }},
    Measure{"Entropy", "nats, median row", StageKind::weights, false,
            [](const RootDFigures& f) { return f.entropy.median; },
            [](const RootDFigures& f) { return &f.entropy; }},
    Measure{"Sensitivity", "of the row, median row", StageKind::sensitivity, true,
            [](const RootDFigures& f) { return f.sensitivity.median; },
            [](const RootDFigures& f) { return &f.sensitivity; }}};

using Measures = std::vector<std::size_t>;  // indices in `measures`

Measures measures_of(const std::vector<StageKind>& stages) {
    Measures shown;
    for (std::size_t k = 0; k < measures.size(); ++k)
        if (stages.empty() || std::ranges::count(stages, measures[k].stage) > 0) shown.push_back(k);
    return shown;
}

constexpr double least_sensitivity = 1e-6;  // lower end of the axis; less is outside

PlotAxis axis_of(const RootDView& view, std::size_t measure) {
    if (measure == 1) return {0, 1};
    if (measure == 2) return {0, 1.08 * std::log(static_cast<double>(root_d_keys))};
    if (measure == 3) return {least_sensitivity, 3, true};
    double low = 1, high = 1;  // limits of all variances
    for (const RootDCurve& curve : view.curves)
        for (std::size_t k = 0; k < curve.figures.size(); ++k)
            for (const double variance : {curve.figures[k].variance, curve.theory[k]})
                if (std::isfinite(variance) && variance > 0) {
                    low = std::min(low, variance);
                    high = std::max(high, variance);
                }
    return {low / 2, 2 * high, true};
}

// The place of the numbers at the marked width: beside the title, in a row below it, or in a line
// each.
enum class Numbers { beside_title, in_a_row, a_line_each };

struct Drawing {
    Figure& figure;
    const RootDView& view;
    const Measure& measure;
    const Plot& plot;
    Index d = 64;
    Numbers numbers = Numbers::in_a_row;
    const View& shown;
};

// True if the curve is hidden. A curve without variants is hidden only if all others are.
bool hides(const View& shown, const Measure& measure, const RootDCurve& curve) {
    if (curve.variants.empty()) return shown.hides(measure.stage, shared_variant);
    return std::ranges::any_of(curve.variants,
                               [&](int variant) { return shown.hides(measure.stage, variant); });
}

Role role_of(const RootDCurve& curve) {
    return curve.variants.empty() ? Role::dim : variant_role(curve.variants.front());
}

// Returns the widths to be drawn. Large ones are so close together that a line through all of them
// would look like a scribble.
std::vector<Index> drawn_widths(const Plot& plot) {
    std::vector<Index> drawn;
    double x = 0;
    for (Index width = 1; width <= root_d_most; ++width) {
        const double at = plot.at(static_cast<double>(width), 1).x;
        if (!drawn.empty() && at - x < 1.5 * plot.unit && width < root_d_most) continue;
        drawn.push_back(width);
        x = at;
    }
    return drawn;
}

void draw_line(const Drawing& d, const std::vector<double>& numbers, Role role, double width,
               bool dashed) {
    std::vector<Point> line;
    for (const Index at : drawn_widths(d.plot))
        line.push_back(d.plot.at(static_cast<double>(at), numbers[at - 1]));
    for (auto& part : cut_between(line, d.plot.rect.y, d.plot.rect.bottom()))
        d.figure.strokes.push_back({std::move(part), role, width * d.plot.unit, dashed});
}

void draw_band(const Drawing& d, const RootDCurve& curve) {
    const Rect& r = d.plot.rect;
    std::vector<Point> there, back;
    for (const Index at : drawn_widths(d.plot)) {
        const Spread& spread = *d.measure.spread(curve.figures[at - 1]);
        if (!std::isfinite(spread.low) || !std::isfinite(spread.high)) return;
        const auto width = static_cast<double>(at);
        Point high = d.plot.at(width, spread.high), low = d.plot.at(width, spread.low);
        high.y = std::clamp(high.y, r.y, r.bottom());
        low.y = std::clamp(low.y, r.y, r.bottom());
        there.push_back(high);
        back.push_back(low);
    }
    there.insert(there.end(), back.rbegin(), back.rend());
    d.figure.areas.push_back({std::move(there), role_of(curve), 0.2});
}

void draw_curve(const Drawing& d, const RootDCurve& curve) {
    std::vector<double> numbers;
    for (const RootDFigures& figures : curve.figures) numbers.push_back(d.measure.middle(figures));
    if (d.measure.spread != nullptr) draw_band(d, curve);
    draw_line(d, numbers, role_of(curve), 2, false);
    if (d.measure.spread == nullptr) draw_line(d, curve.theory, Role::ink, 1.2, true);
    for (const int width : widths) {
        const Point at = d.plot.at(width, numbers[width - 1]);
        if (std::isfinite(at.y) && at.y >= d.plot.rect.y && at.y <= d.plot.rect.bottom())
            d.figure.dots.push_back({at, 4 * d.plot.unit, role_of(curve)});
    }
}

void draw_marked_width(const Drawing& d) {
    const Rect& r = d.plot.rect;
    const double u = d.plot.unit, x = d.plot.at(static_cast<double>(d.d), 1).x;
    d.figure.strokes.push_back({{{x, r.y}, {x, r.bottom()}}, Role::ink, 1.5 * u});
    d.figure.dots.push_back({{x, r.y}, 5 * u, Role::ink});
    const double knob = 10 * u;  // height above the plot that reacts to the pointer
    d.figure.spots.push_back(
        {.kind = Spot::Kind::width, .rect = {r.x, r.y - knob, r.w, r.h + knob}});
}

std::string theory_text(double theory) {
    return std::abs(theory - std::round(theory)) < 1e-9 ? typed_text(std::round(theory))
                                                        : exact_text(theory);
}

// Returns the letters of a curve's variants and its number at the marked width: "A 64.3".
Text number_of(const RootDView& view, const Measure& measure, std::size_t k, Index d, double u) {
    const RootDCurve& curve = view.curves[k];
    std::string words;
    for (const int variant : curve.variants) words += std::string(1, variant_letter(variant)) + " ";
    if (curve.variants.empty()) words = curve.scale + " ";
    words += exact_text(measure.middle(view.at(k, d)));
    return {.at = {},
            .text = std::move(words),
            .style = {13 * u, Weight::semibold},
            .role = role_of(curve)};
}

Text theory_of(const RootDCurve& curve, Index d, double u) {
    return {.at = {},
            .text = fmt::format("theory {}", theory_text(curve.theory[d - 1])),
            .style = {12 * u},
            .role = Role::dim};
}

bool fits_with_theory(const Drawing& d, double left, double end) {
    const double u = d.plot.unit;
    double right = left - after_number * u;
    for (std::size_t k = 0; k < d.view.curves.size(); ++k)
        right += figure_text_width(number_of(d.view, d.measure, k, d.d, u)) + 6 * u +
                 figure_text_width(theory_of(d.view.curves[k], d.d, u)) + after_number * u;
    return right <= end;
}

// Draws the numbers of all curves: "A 64.3 theory 64   B 1.00 …"; includes the theory only if it
// fits.
void draw_numbers(const Drawing& d, Point at) {
    const double u = d.plot.unit, end = d.plot.rect.right() + right_room * u;
    const Point first = at;
    const bool has_theory = d.measure.spread == nullptr &&
                            (d.numbers != Numbers::beside_title || fits_with_theory(d, at.x, end));
    for (std::size_t k = 0; k < d.view.curves.size(); ++k) {
        if (hides(d.shown, d.measure, d.view.curves[k])) continue;
        if (d.numbers == Numbers::a_line_each)
            at = {first.x, first.y + double(k) * number_line * u};
        Text number = number_of(d.view, d.measure, k, d.d, u);
        number.at = at;
        if (at.x + figure_text_width(number) > end + u) return;
        at.x += figure_text_width(number) + 6 * u;
        d.figure.texts.push_back(std::move(number));
        if (has_theory) {
            Text theory = theory_of(d.view.curves[k], d.d, u);
            theory.at = at;
            const double theory_end = at.x + figure_text_width(theory);
            if (theory_end <= end) {
                at.x = theory_end;
                d.figure.texts.push_back(std::move(theory));
            }
        }
        at.x += after_number * u;
    }
}

Text title_of(const Measure& measure, Numbers numbers, double u) {
    const double size = numbers == Numbers::beside_title ? 13 : 14;
    return {.at = {}, .text = measure.title, .style = {size * u, Weight::semibold}};
}

// Draws title and note; returns the end of the title.
Point draw_titles(const Drawing& d, double top) {
    const double u = d.plot.unit, left = d.plot.rect.x - tick_room_left * u;
    Text title = title_of(d.measure, d.numbers, u);
    title.at = {left, top + 12 * u};
    const Point end{left + figure_text_width(title) + after_title * u, title.at.y};
    Text note{.at = {left + figure_text_width(title) + 10 * u, title.at.y},
              .text = d.measure.note,
              .style = {12 * u},
              .role = Role::dim};
    const bool fits = d.numbers != Numbers::beside_title &&
                      note.at.x + figure_text_width(note) <= d.plot.rect.right();
    d.figure.texts.push_back(std::move(title));
    if (fits) d.figure.texts.push_back(std::move(note));
    return end;
}

// True if the numbers of every plot fit in one line, beside the title or below it.
bool fit_on_line(const RootDView& view, const Measures& shown, Index d, Numbers numbers,
                 double width, double u) {
    return std::ranges::all_of(shown, [&](std::size_t k) {
        const Measure& measure = measures[k];
        const bool beside = numbers == Numbers::beside_title;
        double used = -after_number * u;
        if (beside) used += figure_text_width(title_of(measure, numbers, u)) + after_title * u;
        for (std::size_t k = 0; k < view.curves.size(); ++k) {
            used += figure_text_width(number_of(view, measure, k, d, u)) + (6 + after_number) * u;
            if (!beside && measure.spread == nullptr)
                used += figure_text_width(theory_of(view.curves[k], d, u));
        }
        return used <= width;
    });
}

AxisOptions ticks(const Drawing& d, std::size_t measure) {
    AxisOptions options;
    const double room = d.plot.rect.w / d.plot.unit / double(widths.size());  // points per width
    const std::size_t every = room < 11 ? 3 : room < 24 ? 2 : 1;
    for (std::size_t k = 0; k < widths.size(); k += every) options.x.push_back(widths[k]);
    const double lines = d.plot.rect.h / d.plot.unit / 20;
    options.y = ticks_of(d.plot.y, std::clamp(static_cast<int>(lines), 1, 6));
    if (measure == 2) {
        const double even = std::log(static_cast<double>(root_d_keys));
        options.y = {0, 0.5, 1, 1.5, even};
        options.y_words = {"0", "0.5", "1", "1.5", "ln 8"};
    }
    return options;
}

void draw_plot(Figure& figure, const RootDView& view, std::size_t measure, const Plot& plot,
               const View& shown, double top, Numbers numbers, const LayoutOptions& options) {
    const Drawing drawing{figure,  view, measures[measure], plot, shown_width(shown),
                          numbers, shown};
    const Point title_end = draw_titles(drawing, top);
    const auto is_hidden = [&](const RootDCurve& curve) {
        return hides(shown, drawing.measure, curve);
    };
    const bool hidden = std::ranges::all_of(view.curves, is_hidden);
    if (draw_hidden(figure, hidden, plot.rect, plot.unit)) return;
    const double below = top + (options.in_hall ? 30 : 32) * plot.unit;
    draw_numbers(drawing, numbers == Numbers::beside_title
                              ? title_end
                              : Point{plot.rect.x - tick_room_left * plot.unit, below});
    draw_axes(figure, plot, ticks(drawing, measure));
    const Rect& r = plot.rect;
    figure.texts.push_back({.at = {r.x - 7 * plot.unit, r.bottom() + 12 * plot.unit},
                            .text = "d =",
                            .style = {12 * plot.unit},
                            .role = Role::dim,
                            .anchor = Anchor::right});
    for (const RootDCurve& curve : view.curves)
        if (!is_hidden(curve)) draw_curve(drawing, curve);
    draw_marked_width(drawing);
}

// Draws each variant with its scale, and after them the marked width if it fits; returns the right
// end.
double draw_variants(Figure& figure, const RootDView& view, Index d, Point at, double room,
                     double u) {
    for (const RootDCurve& curve : view.curves) {
        at.x = draw_letters(figure, curve.variants, at, u);
        if (!curve.name.empty()) {
            Text name{.at = at, .text = curve.name, .style = {15 * u, Weight::semibold}};
            at.x += figure_text_width(name) + 8 * u;
            figure.texts.push_back(std::move(name));
        }
        Text scale{.at = at, .text = curve.scale, .style = {13 * u}, .role = Role::dim};
        at.x += figure_text_width(scale) + 24 * u;
        figure.texts.push_back(std::move(scale));
    }
    Text width{
        .at = at, .text = fmt::format("numbers at d = {}", d), .style = {13 * u, Weight::semibold}};
    if (room > 0 && at.x + figure_text_width(width) > room) return at.x;
    at.x += figure_text_width(width);
    figure.texts.push_back(std::move(width));
    return at.x;
}

double draw_foot(Figure& figure, const Measures& shown, Point at, double u) {
    const double line = 26 * u;
    const auto words = [&](const std::string& text) {
        Text entry{
            .at = {at.x + line + 7 * u, at.y}, .text = text, .style = {12 * u}, .role = Role::dim};
        at.x = entry.at.x + figure_text_width(entry) + 20 * u;
        figure.texts.push_back(std::move(entry));
    };
    const auto has_band = [](std::size_t k) { return measures[k].spread != nullptr; };
    if (!std::ranges::all_of(shown, has_band)) {
        figure.strokes.push_back({{at, {at.x + line, at.y}}, Role::ink, 1.2 * u, true});
        words("theory: d × scale²");
    }
    if (!std::ranges::any_of(shown, has_band)) return at.x;
    figure.areas.push_back({{{at.x, at.y - 6 * u},
                             {at.x + line, at.y - 6 * u},
                             {at.x + line, at.y + 6 * u},
                             {at.x, at.y + 6 * u}},
                            Role::dim,
                            0.3});
    words("the middle half of 1024 rows, 8 keys each");
    return at.x;
}

struct RootDGrid {
    int across = 2, down = 2;
    double cell_w = 0, cell_h = 0;  // the plot with head and ticks
    double head = plot_head;        // points
    double space = 0;               // between rows of plots
    Numbers numbers = Numbers::in_a_row;
};

// Returns the arrangement with the largest plots; a wide one counts as two squares.
RootDGrid grid_of(const RootDView& view, const Measures& shown, Index d, double width,
                  double room_h, const LayoutOptions& options) {
    const double u = options.scale;
    const auto count = static_cast<int>(shown.size());
    RootDGrid best;
    double largest = -1;
    for (const int most : {2, 1, 4}) {
        const int across = std::min(most, count);
        RootDGrid grid{across, (count + across - 1) / across};
        grid.space = (options.in_hall ? 8 : gap) * u;
        grid.cell_w = (width - gap * u * (across - 1)) / across;
        grid.cell_h = std::max((options.in_hall ? 20 : 120) * u,
                               (room_h - grid.space * (grid.down - 1)) / grid.down);
        grid.numbers = options.in_hall ? Numbers::beside_title : Numbers::in_a_row;
        if (!fit_on_line(view, shown, d, grid.numbers, grid.cell_w, u))
            grid.numbers = Numbers::a_line_each;
        if (grid.numbers == Numbers::a_line_each)
            grid.head = (options.in_hall ? 26 : 36) + number_line * double(view.curves.size());
        else if (options.in_hall)
            grid.head = 28;
        const double w = grid.cell_w - (tick_room_left + right_room) * u;
        const double h = grid.cell_h - (grid.head + tick_room_below) * u;
        const double size = w > 0 && h > 0 ? std::min(w, 2 * h) * std::min(h, 2 * w) : 0;
        if (size > largest) best = grid, largest = size;
        if (options.width <= 0) break;
    }
    return best;
}

}  // namespace

Figure lay_out_root_d(const RootDView& root_d, const View& view,
                      const std::vector<StageKind>& stages, const std::string& title,
                      const LayoutOptions& options) {
    const Index d = shown_width(view);
    Figure figure;
    figure.unit = options.scale;
    const double u = options.scale, margin = options.width > 0 ? 0 : 20 * u;
    const double above = draw_figure_title(figure, title, options);
    const double width = options.width > 0 ? options.width : 900 * u;
    const double height = options.height > 0 ? options.height : 700 * u + above;
    double right = draw_variants(figure, root_d, d, {margin, above + 12 * u}, options.width, u);
    const double top = above + variants_height * u;
    const double foot = options.in_hall ? 0 : plot_foot * u;
    const Measures shown = measures_of(stages);
    const RootDGrid grid = grid_of(root_d, shown, d, width, height - top - foot, options);
    const auto& [across, down, cell_w, cell_h, head, space, numbers] = grid;
    for (std::size_t k = 0; k < shown.size(); ++k) {
        const int row = static_cast<int>(k) / across, column = static_cast<int>(k) % across;
        const double x = margin + column * (cell_w + gap * u), y = top + row * (cell_h + space);
        Plot plot;
        plot.unit = u;
        plot.rect = {std::round(x + tick_room_left * u), std::round(y + head * u),
                     std::max(40.0, std::round(cell_w - (tick_room_left + right_room) * u)),
                     std::max(40.0, std::round(cell_h - (head + tick_room_below) * u))};
        plot.x = {1, root_d_most, true};
        plot.y = axis_of(root_d, shown[k]);
        draw_plot(figure, root_d, shown[k], plot, view, y, numbers, options);
        right = std::max(right, plot.rect.right() + right_room * u);
    }
    const double bottom = top + down * cell_h + (down - 1) * space;
    Measures open = shown;  // omit hidden plots, because their legend would give the answer away
    std::erase_if(open, [&](std::size_t measure) {
        return std::ranges::all_of(root_d.curves, [&](const RootDCurve& curve) {
            return hides(view, measures[measure], curve);
        });
    });
    if (options.with_legend && !open.empty())
        right = std::max(right, draw_foot(figure, open, {margin, bottom + 16 * u}, u));
    figure.width = options.width > 0 ? options.width : right + margin;
    figure.height = std::max(options.height, bottom + foot + margin);
    return figure;
}

}  // namespace maskscope
