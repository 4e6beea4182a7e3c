#include "app/figure/write/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "app/figure/draw_cell.h"
#include "app/figure/pen.h"
#include "app/figure/write/cell_areas.h"
#include "app/figure/write/payload.h"
#include "app/figure/write/png.h"
#include "app/style/labels.h"
#include "app/style/scripts.h"
#include "core/base/error.h"

namespace maskscope {

namespace {

constexpr std::string_view payload_begin = "<maskscope:scene", payload_end = "</maskscope:scene>";
constexpr Index most_rectangles = 65536;  // cells of a heatmap; more become a picture

// Writes at most two decimals: "12", "0.5", "-3.25".
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
        else if (static_cast<unsigned char>(c) >= 0x20)  // XML allows no control characters
            safe += c;
    }
    return safe;
}

// Writes a text with its subscripts and superscripts; after each, the baseline returns to that of
// the line.
std::string with_scripts(const std::string& text, double size) {
    const std::vector<ScriptRun> runs = script_runs(text);
    if (runs.size() == 1) return escaped(text);
    std::string written;
    double up = 0;
    for (const ScriptRun& run : runs) {
        if (run.text.empty()) continue;
        const double wanted = rise_of(run.level) * size;
        const bool small = run.level != ScriptRun::Level::base;
        written += fmt::format("<tspan dy=\"{}\"{}>{}</tspan>", n(up - wanted),
                               small ? fmt::format(" font-size=\"{}\"", n(script_size * size)) : "",
                               escaped(run.text));
        up = wanted;
    }
    return written;
}

std::string hex(Colour c) { return fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b); }

// Writes a colour as the value of fill or stroke, with its opacity.
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

struct SeenSize {
    Index rows = 0, columns = 0;
};

SeenSize seen_size(const Heatmap& map) {
    const SeenCells seen = seen_cells(map);
    return {seen.end.i - seen.begin.i, seen.end.j - seen.begin.j};
}

// Returns the cells of a large heatmap as a PNG with at least two pixels for each cell, unless
// there are very many cells.
std::string picture_of(const Heatmap& map, ThemeKind theme, const Progress& progress) {
    Figure alone;
    alone.width = map.rect.w;
    alone.height = map.rect.h;
    alone.heatmaps.push_back(map);
    alone.heatmaps[0].rect = {0, 0, map.rect.w, map.rect.h};
    alone.heatmaps[0].number_size = 0;
    const SeenSize seen = seen_size(map);
    const Index cells = std::max(seen.rows, seen.columns);
    const double finest = pixels_of_cells(cells) / std::max(map.rect.w, map.rect.h);
    return png_bytes(alone,
                     {.dpi = std::clamp(72 * finest, 72.0, 1200.0),
                      .theme = theme,
                      .transparent = true,
                      .level = 4},  // compress more, because base64 makes the file larger
                     progress);
}

// Writes definitions, and a body with the shapes in the order of drawing.
class SvgPen final : public Pen {
public:
    SvgPen(ThemeKind kind, const Progress& progress)
        : Pen(maskscope::theme(kind)), progress_(progress) {}
    std::string defs, body;

    void fill(const Rect& rect, double radius, Colour colour) override {
        add(fmt::format("<rect {}{}/>", rect_of(rect, radius), paint("fill", colour)));
    }
    void outline(const Rect& rect, double radius, double line_width, Colour colour) override {
        const double width = std::max(1.0, line_width), in = width / 2;
        add(fmt::format("<rect {} fill=\"none\"{} stroke-width=\"{}\"/>",
                        rect_of({rect.x + in, rect.y + in, rect.w - width, rect.h - width},
                                std::max(0.0, radius - in)),
                        paint("stroke", colour), n(width)));
    }
    void hatch(const Rect& rect, const style::HatchLines& lines) override {
        for (const bool back : {false, true})
            if (lines.crossed || !back)
                add(fmt::format("<rect {} fill=\"url(#{})\"/>", rect_of(rect),
                                pattern(lines.pitch, lines.width, lines.colour, back)));
    }
    void gradient(const Rect& rect, ColourMap map) override {
        constexpr int stops = 64;
        const bool upright = rect.h > rect.w;
        defs += fmt::format("<linearGradient id=\"g{}\"{}>\n", ++gradients_,
                            upright ? " x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\"" : "");
        for (int k = 0; k <= stops; ++k)
            defs += fmt::format("<stop offset=\"{}\" stop-color=\"{}\"/>", n(double(k) / stops),
                                hex(map_colour(map, double(k) / stops)));
        defs += "\n</linearGradient>\n";
        add(fmt::format("<rect {} fill=\"url(#g{})\"/>", rect_of(rect), gradients_));
    }
    void polygon(std::span<const Point> points, Colour colour) override {
        add(fmt::format("<polygon points=\"{}\"{}/>", points_of(points), paint("fill", colour)));
    }
    void line(const Stroke& stroke) override {
        const double w = stroke.width;
        add(fmt::format(
            "<{} points=\"{}\" fill=\"none\"{} stroke-width=\"{}\" stroke-linejoin=\"round\"{}/>",
            stroke.closed ? "polygon" : "polyline", points_of(stroke.points),
            paint("stroke", theme[stroke.role]), n(w),
            stroke.dashed ? fmt::format(" stroke-dasharray=\"{} {}\"", n(4 * w), n(3 * w)) : ""));
    }
    void dot(const Dot& dot) override {
        const double radius = dot.filled ? dot.radius : dot.radius - dot.width / 2;
        add(fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}{}/>", n(dot.at.x), n(dot.at.y),
                        n(radius), paint("fill", theme[dot.filled ? dot.role : Role::ground]),
                        dot.filled ? ""
                                   : paint("stroke", theme[dot.role]) +
                                         fmt::format(" stroke-width=\"{}\"", n(dot.width))));
    }
    void text(const Text& text, Colour colour) override {
        if (text.text.empty() || !(text.style.size > 0)) return;
        constexpr const char* anchors[] = {"start", "middle", "end"};
        constexpr int weights[] = {400, 500, 600, 700};
        const double down = baseline_below_middle(text.style);
        const double x = text.vertical ? text.at.x + down : text.at.x;
        const double y = text.vertical ? text.at.y : text.at.y + down;
        const std::string turn =
            text.vertical ? fmt::format(" transform=\"rotate(-90 {} {})\"", n(x), n(y)) : "";
        add(fmt::format(
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\" font-weight=\"{}\"{}"
            "{} text-anchor=\"{}\"{}{}>{}</text>",
            n(x), n(y), n(text.style.size), weights[int(text.style.weight)],
            text.style.mono ? " font-family=\"DejaVu Sans Mono, monospace\"" : "",
            paint("fill", colour), anchors[int(text.anchor)], turn,
            would_be_other_letters(text.text) ? " style=\"font-feature-settings:'calt' 0,'liga' 0\""
                                              : "",
            with_scripts(shortened(text), text.style.size)));
    }
    bool cells(const Heatmap& map) override {
        const SeenSize seen = seen_size(map);
        if (seen.rows * seen.columns > most_rectangles)
            add(
                fmt::format("<image {} preserveAspectRatio=\"none\" image-rendering=\"pixelated\" "
                            "href=\"data:image/png;base64,{}\"/>",
                            rect_of(map.rect), base64(picture_of(map, theme.kind, progress_))));
        else
            add_cells(cell_areas(map, theme));
        return true;
    }
    void begin_clip(const Rect& rect, double radius) override {
        defs += fmt::format("<clipPath id=\"c{}\"><rect {}/></clipPath>\n", ++clips_,
                            rect_of(rect, radius));
        add(fmt::format("<g clip-path=\"url(#c{})\">", clips_));
    }
    void end_clip() override { add("</g>"); }

private:
    void add(const std::string& element) { body += element + '\n'; }

    // Returns the name of a pattern of lines that continue from one area to the next: "/", or with
    // `back` "\\".
    std::string pattern(double pitch, double width, Colour colour, bool back) {
        std::string& id = patterns_[{hex(colour), pitch, width, back}];
        if (!id.empty()) return id;
        id = fmt::format("h{}", patterns_.size());
        // A pattern of lines at 45° is as high as it is wide, because its width is measured along a
        // row.
        const char* const d = back ? "M-1 {1}L1 {2}M0 0L{0} {0}M{1} -1L{2} 1"
                                   : "M-1 1L1 -1M0 {0}L{0} 0M{1} {2}L{2} {1}";
        defs += fmt::format(
            "<pattern id=\"{0}\" width=\"{1}\" height=\"{1}\" patternUnits="
            "\"userSpaceOnUse\"><path d=\"{2}\"{3} stroke-width=\"{4}\"/></pattern>\n",
            id, n(pitch), fmt::format(fmt::runtime(d), n(pitch), n(pitch - 1), n(pitch + 1)),
            paint("stroke", colour), n(width));
        return id;
    }

    // Adds areas as one path for each colour.
    void add_areas(const Areas& areas, const std::function<std::string(Colour)>& fill_of) {
        for (const auto& [colour, rects] : areas) {
            std::string path;
            for (const Rect& r : rects)
                path += fmt::format("M{} {}h{}v{}h{}z", n(r.x), n(r.y), n(r.w), n(r.h), n(-r.w));
            add(fmt::format("<path fill=\"{}\" d=\"{}\"/>", fill_of(colour_of(colour)), path));
        }
    }
    void add_cells(const CellAreas& areas) {
        const style::CellStyle& s = areas.style;
        const auto hatched = [&](bool back) {
            return [this, &s, back](Colour c) {
                return "url(#" + pattern(s.hatch_pitch, s.hatch_width, c, back) + ")";
            };
        };
        add("<g shape-rendering=\"crispEdges\">");
        add_areas(areas.lines, hex);
        add_areas(areas.fills, hex);
        add("</g>");
        add_areas(areas.hatches, hatched(false));
        add_areas(areas.crosses, hatched(true));
        draw_marks(*this, areas);
    }

    std::map<std::tuple<std::string, double, double, bool>, std::string> patterns_;
    int clips_ = 0, gradients_ = 0;
    const Progress& progress_;
};

}  // namespace

std::string svg_text(const Figure& figure, const SvgOptions& options, const Progress& progress) {
    if (!(figure.width > 0) || !(figure.height > 0)) throw WorkError("the figure is empty");
    SvgPen pen(options.theme, progress);
    pen.fill({0, 0, figure.width, figure.height}, 0, pen.theme[Role::ground]);
    draw(pen, figure);
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
        n(figure.width), n(figure.height), named_by, words, metadata, pen.defs, pen.body);
}

std::optional<std::string> svg_payload(std::string_view svg) {
    const std::size_t element = svg.find(payload_begin);
    if (element == svg.npos) return std::nullopt;
    const std::size_t begin = svg.find('>', element), end = svg.find(payload_end, element);
    if (begin == svg.npos || end == svg.npos || end < begin)
        throw InputError("", "ends too early, or is damaged");
    return from_base64(std::string(svg.substr(begin + 1, end - begin - 1)));
}

}  // namespace maskscope
