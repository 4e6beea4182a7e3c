#include "app/figure/write/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "app/figure/cell_pixels.h"
#include "app/figure/draw_cell.h"
#include "app/figure/style.h"
#include "app/figure/write/base64.h"
#include "app/figure/write/cell_areas.h"
#include "app/figure/write/png.h"
#include "app/style/labels.h"
#include "core/base/error.h"

namespace maskscope {

namespace {

constexpr std::string_view payload_begin = "<maskscope:scene", payload_end = "</maskscope:scene>";
constexpr Index most_rectangles = 65536;  // cells of a heatmap; more become a picture

// Two decimals at most: "12", "0.5", "-3.25".
std::string n(double x) {
    std::string text = fmt::format("{:.2f}", x);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
}

std::string escaped(const std::string& text) {
    std::string safe;
    for (const char c : writable(text)) {
        if (c == '&')
            safe += "&amp;";
        else if (c == '<')
            safe += "&lt;";
        else if (c == '>')
            safe += "&gt;";
        else if (static_cast<unsigned char>(c) >= 0x20)  // no control character is allowed in XML
            safe += c;
    }
    return safe;
}

std::string hex(Colour c) { return fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b); }

// A colour as the value of fill or stroke, with its opacity.
std::string paint(const char* attribute, Colour c) {
    std::string text = fmt::format(" {}=\"{}\"", attribute, hex(c));
    if (c.a < 255) text += fmt::format(" {}-opacity=\"{}\"", attribute, n(c.a / 255.0));
    return text;
}

std::string points_of(std::span<const Point> points) {
    std::string text;
    for (const Point& p : points)
        text += fmt::format("{}{},{}", text.empty() ? "" : " ", n(p.x), n(p.y));
    return text;
}

std::string rect_of(const Rect& r, double radius = 0) {
    std::string text =
        fmt::format("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", n(r.x), n(r.y), n(r.w), n(r.h));
    if (radius > 0) text += fmt::format(" rx=\"{}\"", n(radius));
    return text;
}

std::string path_of_rect(const Rect& r) {
    return fmt::format("M{} {}h{}v{}h{}z", n(r.x), n(r.y), n(r.w), n(r.h), n(-r.w));
}

// What is written: definitions first, then the body in the order of drawing.
struct Svg {
    const Theme& theme;
    std::string defs, body;
    std::map<std::tuple<std::string, double, double, bool>, std::string> hatches;
    int clips = 0, gradients = 0;

    void line(const std::string& element) { body += element + '\n'; }

    void fill(const Rect& rect, double radius, Colour colour) {
        line(fmt::format("<rect {}{}/>", rect_of(rect, radius), paint("fill", colour)));
    }
    void outline(const Rect& rect, double radius, double width, Colour colour) {
        const double in = width / 2;
        line(fmt::format("<rect {} fill=\"none\"{} stroke-width=\"{}\"/>",
                         rect_of({rect.x + in, rect.y + in, rect.w - width, rect.h - width},
                                 std::max(0.0, radius - in)),
                         paint("stroke", colour), n(width)));
    }
    // The name of a pattern of lines that run on from one area to the next: "/", or back: "\\".
    std::string hatch(double pitch, double width, Colour colour, bool back = false) {
        std::string& id = hatches[{hex(colour), pitch, width, back}];
        if (!id.empty()) return id;
        id = fmt::format("h{}", hatches.size());
        // Measured along a row, a pattern of lines at 45° is as high as it is wide.
        const char* const d = back ? "M-1 {1}L1 {2}M0 0L{0} {0}M{1} -1L{2} 1"
                                   : "M-1 1L1 -1M0 {0}L{0} 0M{1} {2}L{2} {1}";
        defs += fmt::format(
            "<pattern id=\"{0}\" width=\"{1}\" height=\"{1}\" patternUnits="
            "\"userSpaceOnUse\"><path d=\"{2}\"{3} stroke-width=\"{4}\"/></pattern>\n",
            id, n(pitch), fmt::format(fmt::runtime(d), n(pitch), n(pitch - 1), n(pitch + 1)),
            paint("stroke", colour), n(width));
        return id;
    }
    void hatched(const Rect& rect, const style::HatchLines& lines) {
        for (const bool back : {false, true})
            if (lines.crossed || !back)
                line(fmt::format("<rect {} fill=\"url(#{})\"/>", rect_of(rect),
                                 hatch(lines.pitch, lines.width, lines.colour, back)));
    }
    // Opens a group that is cut at a rounded rectangle.
    void begin_clip(const Rect& rect, double radius) {
        defs += fmt::format("<clipPath id=\"c{}\"><rect {}/></clipPath>\n", ++clips,
                            rect_of(rect, radius));
        line(fmt::format("<g clip-path=\"url(#c{})\">", clips));
    }
    void end_clip() { line("</g>"); }
};

// --- text

void write_text(Svg& svg, const Text& text, Colour colour) {
    if (text.text.empty() || !(text.style.size > 0)) return;
    constexpr const char* anchors[] = {"start", "middle", "end"};
    constexpr int weights[] = {400, 500, 600, 700};
    const double down = baseline_below_middle(text.style);
    const double x = text.vertical ? text.at.x + down : text.at.x;
    const double y = text.vertical ? text.at.y : text.at.y + down;
    const std::string turn =
        text.vertical ? fmt::format(" transform=\"rotate(-90 {} {})\"", n(x), n(y)) : "";
    svg.line(fmt::format(
        "<text x=\"{}\" y=\"{}\" font-size=\"{}\" font-weight=\"{}\"{}"
        "{} text-anchor=\"{}\"{}{}>{}</text>",
        n(x), n(y), n(text.style.size), weights[int(text.style.weight)],
        text.style.mono ? " font-family=\"DejaVu Sans Mono, monospace\"" : "",
        paint("fill", colour), anchors[int(text.anchor)], turn,
        would_be_other_letters(text.text) ? " style=\"font-feature-settings:'calt' 0,'liga' 0\""
                                          : "",
        escaped(shortened(text))));
}

// --- heatmaps

// Areas by colour, each one path.
void write_areas(Svg& svg, const Areas& areas,
                 const std::function<std::string(std::uint32_t)>& fill_of) {
    for (const auto& [colour, rects] : areas) {
        std::string path;
        for (const Rect& rect : rects) path += path_of_rect(rect);
        svg.line(fmt::format("<path fill=\"{}\" d=\"{}\"/>", fill_of(colour), path));
    }
}

void write_cells(Svg& svg, const Heatmap& map) {
    const CellAreas areas = cell_areas(map, svg.theme);
    const style::CellStyle& s = areas.style;
    const auto plain = [](std::uint32_t colour) { return fmt::format("#{:06x}", colour); };
    const auto hatched = [&](bool back) {
        return [&svg, &s, back](std::uint32_t colour) {
            const Colour c{std::uint8_t(colour >> 16), std::uint8_t(colour >> 8 & 0xff),
                           std::uint8_t(colour & 0xff)};
            return "url(#" + svg.hatch(s.hatch_pitch, s.hatch_width, c, back) + ")";
        };
    };
    svg.line("<g shape-rendering=\"crispEdges\">");
    write_areas(svg, areas.lines, plain);
    write_areas(svg, areas.fills, plain);
    svg.line("</g>");
    write_areas(svg, areas.hatches, hatched(false));
    write_areas(svg, areas.crosses, hatched(true));
    for (const FramedCell& framed : areas.framed) {
        svg.outline(framed.cell, 0, s.frame, framed.frame);
        if (const auto edge = edge_within(framed, s))
            svg.outline(*edge, 0, s.frame_edge, framed.edge);
    }
}

void write_numbers(Svg& svg, const Heatmap& map) {
    if (!(map.number_size > 0)) return;
    const SeenCells seen = seen_cells(map);
    for (Index i = seen.begin.i; i < seen.end.i; ++i)
        for (Index j = seen.begin.j; j < seen.end.j; ++j) {
            const CellLook look = look_of(map, i, j, svg.theme);
            if (!look.numbered) continue;
            const CellNumber number = number_of(map, i, j, look, inner_rect(map, i, j, 1));
            if (number.cleared) svg.fill(*number.cleared, 0, look.ground);
            write_text(svg, number.text, look.ink);
        }
}

struct SeenSize {
    Index rows = 0, columns = 0;
};

SeenSize seen_size(const Heatmap& map) {
    const SeenCells seen = seen_cells(map);
    return {seen.end.i - seen.begin.i, seen.end.j - seen.begin.j};
}

// The cells of a large heatmap as a picture of two pixels a cell or more, unless they are too many.
void write_picture(Svg& svg, const Heatmap& map, ThemeKind theme, const Progress& progress) {
    Figure alone;
    alone.width = map.rect.w;
    alone.height = map.rect.h;
    alone.heatmaps.push_back(map);
    alone.heatmaps[0].rect = {0, 0, map.rect.w, map.rect.h};
    alone.heatmaps[0].number_size = 0;
    const SeenSize seen = seen_size(map);
    const Index cells = std::max(seen.rows, seen.columns);
    const double finest = pixels_of_cells(cells) / std::max(map.rect.w, map.rect.h);
    const std::string png = png_bytes(alone,
                                      {.dpi = std::clamp(72 * finest, 72.0, 1200.0),
                                       .theme = theme,
                                       .transparent = true,
                                       .level = 4},  // base64 makes each byte dearer
                                      progress);
    svg.line(
        fmt::format("<image {} preserveAspectRatio=\"none\" image-rendering=\"pixelated\" "
                    "href=\"data:image/png;base64,{}\"/>",
                    rect_of(map.rect), base64(png)));
}

void write_heatmap(Svg& svg, const Heatmap& map, ThemeKind theme, const Progress& progress) {
    const SeenSize seen = seen_size(map);
    if (seen.rows * seen.columns > most_rectangles)
        write_picture(svg, map, theme, progress);
    else
        write_cells(svg, map);
    write_numbers(svg, map);
}

// --- the rest

void write_box(Svg& svg, const Box& box) {
    if (box.filled) svg.fill(box.rect, box.radius, svg.theme[box.fill]);
    if (box.outlined)
        svg.outline(box.rect, box.radius, std::max(1.0, box.line_width), svg.theme[box.outline]);
}

void write_hatch(Svg& svg, const Hatch& hatch) {
    const style::CellStyle cell = style::cell_style(std::min(hatch.rect.w, hatch.rect.h));
    const bool crossed = hatch.ground == Ground::cross_hatch;
    svg.fill(hatch.rect, 0, crossed ? nan_ground(svg.theme) : svg.theme[Role::panel]);
    svg.hatched(hatch.rect, {cell.hatch_pitch, cell.hatch_width,
                             crossed ? nan_lines(svg.theme) : svg.theme[hatch.role], crossed});
    if (!crossed) svg.outline(hatch.rect, 0, cell.gap, svg.theme[Role::line]);
}

void write_shares(Svg& svg, const SumBar& bar) {
    const Rect& r = bar.rect;
    const double kept = std::clamp(bar.kept, 0.0, 1.0);
    const double leaked = std::clamp(bar.leaked, 0.0, 1 - kept);
    svg.begin_clip(r, style::sum_radius(r));
    if (kept > 0) svg.fill({r.x, r.y, kept * r.w, r.h}, 0, svg.theme[style::kept_role(bar)]);
    if (leaked > 0) {
        const Rect part{r.x + kept * r.w, r.y, leaked * r.w, r.h};
        svg.fill(part, 0, nan_ground(svg.theme));
        svg.hatched(part, style::leak_hatch(r, svg.theme));
    }
    svg.end_clip();
    svg.outline(r, style::sum_radius(r), style::sum_line(r), svg.theme[style::outline_role(bar)]);
}

void write_sum(Svg& svg, const SumBar& bar) {
    const Rect& r = bar.rect;
    if (bar.mark == SumBar::Mark::nan) {
        svg.begin_clip(r, style::sum_radius(r));
        svg.fill(r, 0, nan_ground(svg.theme));
        svg.hatched(r, style::nan_hatch(r, nan_lines(svg.theme)));
        svg.end_clip();
    } else if (bar.mark == SumBar::Mark::empty) {
        svg.outline(r, style::sum_radius(r), style::sum_line(r), svg.theme[Role::dim]);
    } else {
        if (bar.mark == SumBar::Mark::above_one)
            svg.line(fmt::format("<polygon points=\"{}\"{}/>", points_of(style::overflow_tip(r, 1)),
                                 paint("fill", svg.theme[style::kept_role(bar)])));
        write_shares(svg, bar);
    }
    if (bar.text.empty()) return;
    const Text text = style::sum_text(bar);
    write_text(svg, text, svg.theme[text.role]);
}

void write_colour_bar(Svg& svg, const ColourBar& bar) {
    constexpr int stops = 64;
    const bool upright = bar.rect.h > bar.rect.w;
    svg.defs += fmt::format("<linearGradient id=\"g{}\"{}>\n", ++svg.gradients,
                            upright ? " x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\"" : "");
    for (int k = 0; k <= stops; ++k)
        svg.defs += fmt::format("<stop offset=\"{}\" stop-color=\"{}\"/>", n(double(k) / stops),
                                hex(map_colour(shown_map(bar.map, svg.theme), double(k) / stops)));
    svg.defs += "\n</linearGradient>\n";
    svg.line(fmt::format("<rect {} fill=\"url(#g{})\"/>", rect_of(bar.rect), svg.gradients));
}

void write_connector(Svg& svg, const Connector& connector, double unit) {
    const auto tip = style::tip_of(connector, unit);
    if (!tip) return;
    std::vector<Point> points = style::path_of(connector, *tip, unit);
    points.insert(points.begin(), connector.points.front());
    const Colour colour = svg.theme[Role::dim];
    svg.line(
        fmt::format("<polyline points=\"{}\" fill=\"none\"{} stroke-width=\"{}\" "
                    "stroke-linejoin=\"round\"/>",
                    points_of(points), paint("stroke", colour), n(style::connector_line * unit)));
    if (connector.arrow)
        svg.line(fmt::format("<polygon points=\"{}\"{}/>", points_of(style::arrow_head(*tip, unit)),
                             paint("fill", colour)));
}

void write_stroke(Svg& svg, const Stroke& stroke) {
    const double w = stroke.width;
    svg.line(fmt::format(
        "<{} points=\"{}\" fill=\"none\"{} stroke-width=\"{}\" stroke-linejoin=\"round\"{}/>",
        stroke.closed ? "polygon" : "polyline", points_of(stroke.points),
        paint("stroke", svg.theme[stroke.role]), n(w),
        stroke.dashed ? fmt::format(" stroke-dasharray=\"{} {}\"", n(4 * w), n(3 * w)) : ""));
}

void write_dot(Svg& svg, const Dot& dot) {
    const double radius = dot.filled ? dot.radius : dot.radius - dot.width / 2;
    svg.line(fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}{}/>", n(dot.at.x), n(dot.at.y),
                         n(radius), paint("fill", svg.theme[dot.filled ? dot.role : Role::ground]),
                         dot.filled ? ""
                                    : paint("stroke", svg.theme[dot.role]) +
                                          fmt::format(" stroke-width=\"{}\"", n(dot.width))));
}

}  // namespace

std::string svg_text(const Figure& figure, const SvgOptions& options, const Progress& progress) {
    if (!(figure.width > 0) || !(figure.height > 0)) throw WorkError("the figure is empty");
    Svg svg{theme(options.theme), "", "", {}};
    svg.fill({0, 0, figure.width, figure.height}, 0, svg.theme[Role::ground]);
    for (const Box& box : figure.boxes) write_box(svg, box);
    for (const Hatch& hatch : figure.hatches) write_hatch(svg, hatch);
    for (const Heatmap& map : figure.heatmaps) write_heatmap(svg, map, options.theme, progress);
    for (const SumBar& bar : figure.sums) write_sum(svg, bar);
    for (const ColourBar& bar : figure.colour_bars) write_colour_bar(svg, bar);
    for (const Connector& connector : figure.connectors)
        write_connector(svg, connector, figure.unit);
    for (const Area& area : figure.areas)
        svg.line(fmt::format("<polygon points=\"{}\"{}/>", points_of(area.points),
                             paint("fill", style::area_colour(area, svg.theme))));
    for (const Stroke& stroke : figure.strokes) write_stroke(svg, stroke);
    for (const Dot& dot : figure.dots) write_dot(svg, dot);
    for (const Box& chip : figure.chips) write_box(svg, chip);
    for (const Text& text : figure.texts) write_text(svg, text, svg.theme[text.role]);
    std::string words, named_by;
    const auto tell = [&](const char* element, const std::string& text) {
        if (text.empty()) return;
        words += fmt::format("<{0} id=\"{0}\">{1}</{0}>\n", element, escaped(text));
        named_by += (named_by.empty() ? "" : " ") + std::string(element);
    };
    tell("title", options.title);
    tell("desc", options.description);
    if (!named_by.empty()) named_by = fmt::format(" aria-labelledby=\"{}\"", named_by);
    const std::string metadata =
        options.payload.empty()
            ? ""
            : fmt::format("<metadata>{} xmlns:maskscope=\"urn:maskscope\">{}{}</metadata>\n",
                          payload_begin, base64(options.payload), payload_end);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}pt\" height=\"{1}pt\" "
        "viewBox=\"0 0 {0} {1}\" role=\"img\"{2} lang=\"en\" font-family=\"Inter, DejaVu Sans, "
        "sans-serif\">\n{3}{4}<defs>\n{5}</defs>\n{6}</svg>\n",
        n(figure.width), n(figure.height), named_by, words, metadata, svg.defs, svg.body);
}

std::optional<std::string> svg_payload(std::string_view svg) {
    const std::size_t element = svg.find(payload_begin);
    if (element == svg.npos) return std::nullopt;
    const std::size_t begin = svg.find('>', element), end = svg.find(payload_end, element);
    if (begin == svg.npos || end == svg.npos || end < begin)
        throw InputError("", "is cut short, or damaged");
    return from_base64(std::string(svg.substr(begin + 1, end - begin - 1)));
}

}  // namespace maskscope
