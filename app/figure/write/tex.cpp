#include "app/figure/write/tex.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <string_view>

#include "app/figure/cell_pixels.h"
#include "app/figure/draw_cell.h"
#include "app/figure/style.h"
#include "app/figure/write/cell_areas.h"
#include "app/style/labels.h"
#include "core/base/error.h"

namespace maskscope {

namespace {

constexpr Index most_drawn = 64;  // rows, and columns, of a heatmap that is drawn as shapes

bool is_large(const Heatmap& map) {
    const SeenCells seen = seen_cells(map);
    return seen.end.i - seen.begin.i > most_drawn || seen.end.j - seen.begin.j > most_drawn;
}

// Names of its own, gone with the picture. Lengths in bp: 72 to the inch, as everywhere in figures.
constexpr std::string_view head =
    R"(% A figure by Maskscope: \usepackage{tikz} and \input{} this file.
\begin{tikzpicture}
\def\msC#1{\definecolor{msC}{HTML}{#1}\pgfsetfillcolor{msC}\pgfsetstrokecolor{msC}}
\def\msO#1{\pgfsetfillopacity{#1}}
\def\msW#1{\pgfsetlinewidth{#1bp}}
\def\msR#1 #2 #3 #4 {\pgfpathrectangle{\pgfqpoint{#1bp}{#2bp}}{\pgfqpoint{#3bp}{#4bp}}}
\def\msA#1{\pgfsetcornersarced{\pgfqpoint{#1bp}{#1bp}}}
\def\msM#1 #2 {\pgfpathmoveto{\pgfqpoint{#1bp}{#2bp}}}
\def\msL#1 #2 {\pgfpathlineto{\pgfqpoint{#1bp}{#2bp}}}
\def\msD#1 #2 #3 {\pgfpathcircle{\pgfqpoint{#1bp}{#2bp}}{#3bp}}
\def\msZ{\pgfpathclose}
\def\msF{\pgfusepath{fill}}
\def\msS{\pgfusepath{stroke}}
\def\msX{\pgfusepath{clip}}
\def\msT#1 #2 #3 #4#5{\pgftext[#4,at=\pgfqpoint{#1bp}{#2bp}]{\fontsize{#3bp}{#3bp}\selectfont\color{msC}#5}}
)";

// Three decimals at most.
std::string n3(double x) {
    std::string text = fmt::format("{:.3f}", x);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
}

// --- text

// Characters with a meaning in TeX, and those that many fonts of documents lack.
constexpr std::array<std::pair<std::string_view, std::string_view>, 42> replacements = {{
    {"\\", "\\textbackslash{}"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"$", "\\$"},
    {"&", "\\&"},
    {"#", "\\#"},
    {"%", "\\%"},
    {"_", "\\_"},
    {"^", "\\textasciicircum{}"},
    {"~", "\\textasciitilde{}"},
    {"<", "\\textless{}"},
    {">", "\\textgreater{}"},
    {"|", "\\textbar{}"},
    {"\"", "{\\char34}"},
    {"`", "\\textasciigrave{}"},
    {"'", "\\textquotesingle{}"},
    {"-", "-{}"},
    {" ", "\\ "},
    {"−", "$-$"},
    {"∞", "$\\infty$"},
    {"√", "$\\surd$"},
    {"×", "$\\times$"},
    {"÷", "$\\div$"},
    {"·", "$\\cdot$"},
    {"±", "$\\pm$"},
    {"≤", "$\\leq$"},
    {"≥", "$\\geq$"},
    {"≠", "$\\neq$"},
    {"→", "$\\to$"},
    {"←", "$\\gets$"},
    {"↑", "$\\uparrow$"},
    {"↓", "$\\downarrow$"},
    {"Σ", "$\\Sigma$"},
    {"σ", "$\\sigma$"},
    {"ᵀ", "$^{\\mathsf{T}}$"},
    {"²", "$^2$"},
    {"₁", "$_1$"},
    {"₂", "$_2$"},
    {"‖", "$\\Vert$"},
    {"°", "$^\\circ$"},
    {"½", "$\\frac12$"},
    {"…", "\\ldots{}"},
}};

std::string escaped_for_tex(std::string_view text) {
    std::string safe;
    while (!text.empty()) {
        const auto found = std::ranges::find_if(
            replacements, [&](const auto& one) { return text.starts_with(one.first); });
        if (found != replacements.end()) {
            safe += found->second;
            text.remove_prefix(found->first.size());
            continue;
        }
        const auto byte = static_cast<unsigned char>(text[0]);
        if (byte >= 0x20 && byte != 0x7f) safe += text[0];
        text.remove_prefix(1);
    }
    return safe;
}

// --- shapes, from the top left as everywhere; TeX counts from the bottom

struct Tex {
    const Theme& theme;
    double height;
    std::string body{};
    std::string colour{};  // that is set

    std::string y(double down) const { return n3(height - down); }
    void line(const std::string& words) { body += words + "%\n"; }
    void set(Colour c) {
        const std::string wanted = fmt::format("{:06X}", rgb(c));
        if (wanted != colour) line("\\msC{" + wanted + "}");
        colour = wanted;
    }
    std::string rect(const Rect& r) const {
        return fmt::format("\\msR{} {} {} {} ", n3(r.x), y(r.bottom()), n3(r.w), n3(r.h));
    }
    // Paths within have round corners.
    std::string rounded(const Rect& r, double radius) const {
        const double most = std::min({radius, r.w / 2, r.h / 2});
        if (!(most > 0)) return rect(r);
        return "\\msA{" + n3(most) + "}" + rect(r) + "\\msA{0}";
    }
    std::string path(std::span<const Point> points) const {
        std::string text;
        for (const Point& p : points)
            text += fmt::format("{}{} {} ", text.empty() ? "\\msM" : "\\msL", n3(p.x), y(p.y));
        return text;
    }
    void fill(const Rect& r, double radius, Colour c) {
        set(c);
        line(rounded(r, radius) + "\\msF");
    }
    void outline(const Rect& r, double radius, double width, Colour c) {
        const double in = width / 2;
        set(c);
        line("\\msW{" + n3(width) + "}" +
             rounded({r.x + in, r.y + in, r.w - width, r.h - width}, std::max(0.0, radius - in)) +
             "\\msS");
    }
    void polygon(std::span<const Point> points, Colour c) {
        set(c);
        if (c.a < 255) line("\\msO{" + n3(c.a / 255.0) + "}");
        line(path(points) + "\\msZ\\msF");
        if (c.a < 255) line("\\msO{1}");
    }
    void stroke(const std::string& drawn, double width, Colour c) {
        set(c);
        line("\\msW{" + n3(width) + "}" + drawn + "\\msS");
    }
    void segments(const style::Lines& lines, double width, Colour c) {
        std::string drawn;
        for (const auto& [from, to] : lines) drawn += path(std::array{from, to});
        if (!drawn.empty()) stroke(drawn, width, c);
    }
    // What follows, up to end_clip(), is seen within this path alone.
    void begin_clip(const std::string& within) {
        line("\\begin{pgfscope}" + within + "\\msX");
        colour.clear();
    }
    void end_clip() {
        line("\\end{pgfscope}");
        colour.clear();
    }
    void hatched(const Rect& r, const style::HatchLines& lines) {
        begin_clip(rect(r));
        segments(style::lines_across(r, lines), lines.width, lines.colour);
        end_clip();
    }
    void text(const Text& t, Colour c) {
        if (t.text.empty() || !(t.style.size > 0)) return;
        constexpr std::array anchors{",left", "", ",right"};
        const double down = baseline_below_middle(t.style);
        const double at_x = t.vertical ? t.at.x + down : t.at.x;
        const double at_y = t.vertical ? t.at.y : t.at.y + down;
        std::string words = escaped_for_tex(shortened(t));
        if (t.style.mono) words = "\\ttfamily " + words;
        if (t.style.weight >= Weight::semibold) words = "\\bfseries " + words;
        set(c);
        line(fmt::format("\\msT{} {} {} {{base{}{}}}{{{}}}", n3(at_x), y(at_y), n3(t.style.size),
                         anchors[static_cast<std::size_t>(t.anchor)],
                         t.vertical ? ",rotate=90" : "", words));
    }
};

// --- heatmaps

Colour colour_of(std::uint32_t c) {
    return {std::uint8_t(c >> 16), std::uint8_t(c >> 8 & 0xff), std::uint8_t(c & 0xff)};
}

// overlap: cells without gaps reach under their neighbours, lest a viewer shows seams.
void draw_areas(Tex& tex, const Areas& areas, double overlap) {
    for (const auto& [colour, rects] : areas) {
        std::string path;
        for (const Rect& r : rects) path += tex.rect({r.x, r.y, r.w + overlap, r.h + overlap});
        tex.set(colour_of(colour));
        tex.line(path + "\\msF");
    }
}

// Lines that run on from cell to cell, seen within the cells.
void draw_hatches(Tex& tex, const Rect& all, const Areas& areas, const style::CellStyle& style,
                  bool back) {
    const double pitch = style.hatch_pitch;
    for (const auto& [colour, rects] : areas) {
        std::string within;
        for (const Rect& r : rects) within += tex.rect(r);
        tex.begin_clip(within);
        style::Lines lines;
        const double side = back ? all.x - all.bottom() : all.x + all.y;
        const double end = back ? all.right() - all.y : all.right() + all.bottom();
        for (double k = std::ceil(side / pitch) * pitch; k <= end; k += pitch)
            lines.push_back(
                back ? std::pair(Point{k + all.y, all.y}, Point{k + all.bottom(), all.bottom()})
                     : std::pair(Point{k - all.y, all.y}, Point{k - all.bottom(), all.bottom()}));
        tex.segments(lines, style.hatch_width, colour_of(colour));
        tex.end_clip();
    }
}

void draw_map(Tex& tex, const Heatmap& map) {
    const CellAreas areas = cell_areas(map, tex.theme);
    const style::CellStyle& s = areas.style;
    draw_areas(tex, areas.lines, 0);
    draw_areas(tex, areas.fills, s.gap > 0 ? 0 : 0.1);
    draw_hatches(tex, map.rect, areas.hatches, s, false);
    draw_hatches(tex, map.rect, areas.crosses, s, true);
    for (const FramedCell& framed : areas.framed) {
        tex.outline(framed.cell, 0, s.frame, framed.frame);
        if (const auto edge = edge_within(framed, s))
            tex.outline(*edge, 0, s.frame_edge, framed.edge);
    }
}

void draw_cell_numbers(Tex& tex, const Heatmap& map) {
    if (!(map.number_size > 0)) return;
    const SeenCells seen = seen_cells(map);
    for (Index i = seen.begin.i; i < seen.end.i; ++i)
        for (Index j = seen.begin.j; j < seen.end.j; ++j) {
            const CellLook look = look_of(map, i, j, tex.theme);
            if (!look.numbered) continue;
            const CellNumber number = number_of(map, i, j, look, inner_rect(map, i, j, 1));
            if (number.cleared) tex.fill(*number.cleared, 0, look.ground);
            tex.text(number.text, look.ink);
        }
}

// --- the rest

void add_box(Tex& tex, const Box& box) {
    if (box.filled) tex.fill(box.rect, box.radius, tex.theme[box.fill]);
    if (box.outlined)
        tex.outline(box.rect, box.radius, std::max(1.0, box.line_width), tex.theme[box.outline]);
}

void add_hatch(Tex& tex, const Hatch& hatch) {
    const style::CellStyle cell = style::cell_style(std::min(hatch.rect.w, hatch.rect.h));
    const bool crossed = hatch.ground == Ground::cross_hatch;
    tex.fill(hatch.rect, 0, crossed ? nan_ground(tex.theme) : tex.theme[Role::panel]);
    tex.hatched(hatch.rect, {cell.hatch_pitch, cell.hatch_width,
                             crossed ? nan_lines(tex.theme) : tex.theme[hatch.role], crossed});
    if (!crossed) tex.outline(hatch.rect, 0, cell.gap, tex.theme[Role::line]);
}

void add_shares(Tex& tex, const SumBar& bar) {
    const Rect& r = bar.rect;
    const double kept = std::clamp(bar.kept, 0.0, 1.0);
    const double leaked = std::clamp(bar.leaked, 0.0, 1 - kept);
    tex.begin_clip(tex.rounded(r, style::sum_radius(r)));
    if (kept > 0) tex.fill({r.x, r.y, kept * r.w, r.h}, 0, tex.theme[style::kept_role(bar)]);
    if (leaked > 0) {
        const Rect part{r.x + kept * r.w, r.y, leaked * r.w, r.h};
        tex.fill(part, 0, nan_ground(tex.theme));
        tex.hatched(part, style::leak_hatch(r, tex.theme));
    }
    tex.end_clip();
    tex.outline(r, style::sum_radius(r), style::sum_line(r), tex.theme[style::outline_role(bar)]);
}

void add_sum(Tex& tex, const SumBar& bar) {
    const Rect& r = bar.rect;
    if (bar.mark == SumBar::Mark::nan) {
        tex.begin_clip(tex.rounded(r, style::sum_radius(r)));
        tex.fill(r, 0, nan_ground(tex.theme));
        tex.hatched(r, style::nan_hatch(r, nan_lines(tex.theme)));
        tex.end_clip();
    } else if (bar.mark == SumBar::Mark::empty) {
        tex.outline(r, style::sum_radius(r), style::sum_line(r), tex.theme[Role::dim]);
    } else {
        if (bar.mark == SumBar::Mark::above_one)
            tex.polygon(style::overflow_tip(r, 1), tex.theme[style::kept_role(bar)]);
        add_shares(tex, bar);
    }
    if (bar.text.empty()) return;
    const Text text = style::sum_text(bar);
    tex.text(text, tex.theme[text.role]);
}

void add_colour_bar(Tex& tex, const ColourBar& bar) {
    constexpr int steps = 64;
    const Rect& r = bar.rect;
    const bool upright = r.h > r.w;
    for (int k = 0; k < steps; ++k) {  // each reaches under all that follow: no seams
        const double from = double(k) / steps;
        const Rect strip = upright ? Rect{r.x, r.y, r.w, (1 - from) * r.h}
                                   : Rect{r.x + from * r.w, r.y, (1 - from) * r.w, r.h};
        tex.fill(strip, 0, map_colour(shown_map(bar.map, tex.theme), k / (steps - 1.0)));
    }
}

void add_connector(Tex& tex, const Connector& connector, double unit) {
    const auto tip = style::tip_of(connector, unit);
    if (!tip) return;
    std::vector<Point> points = style::path_of(connector, *tip, unit);
    points.insert(points.begin(), connector.points.front());
    const Colour colour = tex.theme[Role::dim];
    tex.stroke(tex.path(points), style::connector_line * unit, colour);
    if (connector.arrow) tex.polygon(style::arrow_head(*tip, unit), colour);
}

void add_stroke(Tex& tex, const Stroke& stroke) {
    const Colour colour = tex.theme[stroke.role];
    if (stroke.dashed)
        tex.segments(style::dashes_of(stroke), stroke.width, colour);
    else
        tex.stroke(tex.path(stroke.points) + (stroke.closed ? "\\msZ" : ""), stroke.width, colour);
}

void add_dot(Tex& tex, const Dot& dot) {
    const auto circle = [&](double radius) {
        return fmt::format("\\msD{} {} {} ", n3(dot.at.x), tex.y(dot.at.y), n3(radius));
    };
    tex.set(tex.theme[dot.filled ? dot.role : Role::ground]);
    tex.line(circle(dot.radius) + "\\msF");
    if (!dot.filled) tex.stroke(circle(dot.radius - dot.width / 2), dot.width, tex.theme[dot.role]);
}

}  // namespace

std::optional<Figure> tex_picture(const Figure& figure) {
    Figure picture;
    picture.width = figure.width;
    picture.height = figure.height;
    for (const Heatmap& map : figure.heatmaps)
        if (is_large(map)) picture.heatmaps.push_back(map);
    for (Heatmap& map : picture.heatmaps) map.number_size = 0;
    return picture.heatmaps.empty() ? std::nullopt : std::optional(picture);
}

std::string tex_text(const Figure& figure, const TexOptions& options) {
    if (!(figure.width > 0) || !(figure.height > 0)) throw WorkError("the figure is empty");
    constexpr double longest = 16383 / 72.27 * 72;  // points: TeX's longest length
    if (std::max(figure.width, figure.height) > longest)
        throw WorkError(fmt::format("the figure would be {:.0f} × {:.0f} points; TeX has {:.0f}",
                                    figure.width, figure.height, longest));
    Tex tex{theme(options.theme), figure.height};
    const Rect page{0, 0, figure.width, figure.height};
    tex.line(tex.rect(page) + "\\pgfusepath{use as bounding box}");
    if (!options.transparent) tex.fill(page, 0, tex.theme[Role::ground]);
    for (const Box& box : figure.boxes) add_box(tex, box);
    for (const Hatch& hatch : figure.hatches) add_hatch(tex, hatch);
    if (tex_picture(figure))
        tex.line(
            fmt::format("\\pgftext[left,bottom]{{\\includegraphics[width={}bp,height={}bp]{{{}}}}}",
                        n3(figure.width), n3(figure.height), options.picture));
    for (const Heatmap& map : figure.heatmaps) {
        if (!is_large(map)) draw_map(tex, map);
        draw_cell_numbers(tex, map);
    }
    for (const SumBar& bar : figure.sums) add_sum(tex, bar);
    for (const ColourBar& bar : figure.colour_bars) add_colour_bar(tex, bar);
    for (const Connector& connector : figure.connectors) add_connector(tex, connector, figure.unit);
    for (const Area& area : figure.areas)
        tex.polygon(area.points, style::area_colour(area, tex.theme));
    for (const Stroke& stroke : figure.strokes) add_stroke(tex, stroke);
    for (const Dot& dot : figure.dots) add_dot(tex, dot);
    for (const Box& chip : figure.chips) add_box(tex, chip);
    for (const Text& text : figure.texts) tex.text(text, tex.theme[text.role]);
    return std::string(head) + tex.body + "\\end{tikzpicture}%\n";
}

}  // namespace maskscope
