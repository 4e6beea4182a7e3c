#include "app/figure/write/tex.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "app/figure/draw_cell.h"
#include "app/figure/pen.h"
#include "app/figure/write/cell_areas.h"
#include "app/style/labels.h"
#include "app/style/scripts.h"
#include "core/base/error.h"

namespace maskscope {

namespace {

constexpr Index most_drawn = 64;  // rows or columns of a heatmap that is drawn as shapes

bool is_large(const Heatmap& map) {
    const SeenCells seen = seen_cells(map);
    return seen.end.i - seen.begin.i > most_drawn || seen.end.j - seen.begin.j > most_drawn;
}

// Macros are local to the picture. Lengths are in bp, of which 72 are an inch, as in figures.
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

// Writes at most three decimals.
std::string n3(double x) {
    std::string text = fmt::format("{:.3f}", x);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
}

// --- text

// Characters with a meaning in TeX, and characters that many document fonts lack.
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

std::string with_scripts(std::string_view text) {
    std::string words;
    for (const ScriptRun& run : script_runs(text)) {
        const std::string safe = escaped_for_tex(run.text);
        words += run.level == ScriptRun::Level::base  ? safe
                 : run.level == ScriptRun::Level::sub ? "\\textsubscript{" + safe + "}"
                                                      : "\\textsuperscript{" + safe + "}";
    }
    return words;
}

// --- shapes, measured from the top left as in figures; TeX measures from the bottom

class TexPen final : public Pen {
public:
    // include: the command that includes the picture of tex_picture(); written before the first
    // heatmap.
    TexPen(const Theme& theme, double height, std::string include)
        : Pen(theme), height_(height), include_(std::move(include)) {}
    std::string body;

    void add(const std::string& words) { body += words + "%\n"; }
    std::string rect(const Rect& r) const {
        return fmt::format("\\msR{} {} {} {} ", n3(r.x), y(r.bottom()), n3(r.w), n3(r.h));
    }

    void fill(const Rect& r, double radius, Colour c) override {
        set(c);
        add(rounded(r, radius) + "\\msF");
    }
    void outline(const Rect& r, double radius, double line_width, Colour c) override {
        const double width = std::max(1.0, line_width), in = width / 2;
        add_stroke(
            rounded({r.x + in, r.y + in, r.w - width, r.h - width}, std::max(0.0, radius - in)),
            width, c);
    }
    void hatch(const Rect& r, const style::HatchLines& lines) override {
        begin_clip(r, 0);
        add_segments(style::lines_across(r, lines), lines.width, lines.colour);
        end_clip();
    }
    void gradient(const Rect& r, ColourMap map) override {
        constexpr int steps = 64;
        const bool upright = r.h > r.w;
        for (int k = 0; k < steps; ++k) {  // extend each strip under all that follow, so that there
                                           // are no seams
            const double from = double(k) / steps;
            const Rect strip = upright ? Rect{r.x, r.y, r.w, (1 - from) * r.h}
                                       : Rect{r.x + from * r.w, r.y, (1 - from) * r.w, r.h};
            fill(strip, 0, map_colour(map, k / (steps - 1.0)));
        }
    }
    void polygon(std::span<const Point> points, Colour c) override {
        set(c);
        if (c.a < 255) add("\\msO{" + n3(c.a / 255.0) + "}");
        add(path(points) + "\\msZ\\msF");
        if (c.a < 255) add("\\msO{1}");
    }
    void line(const Stroke& stroke) override {
        const Colour colour = theme[stroke.role];
        if (stroke.dashed)
            add_segments(style::dashes_of(stroke), stroke.width, colour);
        else
            add_stroke(path(stroke.points) + (stroke.closed ? "\\msZ" : ""), stroke.width, colour);
    }
    void dot(const Dot& dot) override {
        const auto circle = [&](double radius) {
            return fmt::format("\\msD{} {} {} ", n3(dot.at.x), y(dot.at.y), n3(radius));
        };
        set(theme[dot.filled ? dot.role : Role::ground]);
        add(circle(dot.radius) + "\\msF");
        if (!dot.filled) add_stroke(circle(dot.radius - dot.width / 2), dot.width, theme[dot.role]);
    }
    void text(const Text& t, Colour c) override {
        if (t.text.empty() || !(t.style.size > 0)) return;
        constexpr std::array anchors{",left", "", ",right"};
        const double down = baseline_below_middle(t.style);
        const double at_x = t.vertical ? t.at.x + down : t.at.x;
        const double at_y = t.vertical ? t.at.y : t.at.y + down;
        std::string words = with_scripts(shortened(t));
        if (t.style.mono) words = "\\ttfamily " + words;
        if (t.style.weight >= Weight::semibold) words = "\\bfseries " + words;
        set(c);
        add(fmt::format("\\msT{} {} {} {{base{}{}}}{{{}}}", n3(at_x), y(at_y), n3(t.style.size),
                        anchors[static_cast<std::size_t>(t.anchor)], t.vertical ? ",rotate=90" : "",
                        words));
    }
    bool cells(const Heatmap& map) override {
        if (!include_.empty()) add(std::exchange(include_, {}));
        if (!is_large(map)) add_cells(cell_areas(map, theme), map.rect);
        return true;
    }
    void begin_clip(const Rect& r, double radius) override { begin_clip(rounded(r, radius)); }
    void end_clip() override {
        add("\\end{pgfscope}");
        colour_.clear();
    }

private:
    std::string y(double down) const { return n3(height_ - down); }
    void set(Colour c) {
        const std::string wanted = fmt::format("{:06X}", rgb(c));
        if (wanted != colour_) add("\\msC{" + wanted + "}");
        colour_ = wanted;
    }
    // Returns a rectangle with rounded corners: \msA sets their radius, and then resets it.
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
    void add_stroke(const std::string& path, double width, Colour c) {
        set(c);
        add("\\msW{" + n3(width) + "}" + path + "\\msS");
    }
    void add_segments(const style::Lines& lines, double width, Colour c) {
        std::string drawn;
        for (const auto& [from, to] : lines) drawn += path(std::array{from, to});
        if (!drawn.empty()) add_stroke(drawn, width, c);
    }
    void begin_clip(const std::string& path) {
        add("\\begin{pgfscope}" + path + "\\msX");
        colour_.clear();
    }

    // Adds areas. overlap: how far cells without gaps extend under their neighbours, so that no
    // viewer shows seams.
    void add_areas(const Areas& areas, double overlap) {
        for (const auto& [colour, rects] : areas) {
            std::string path;
            for (const Rect& r : rects) path += rect({r.x, r.y, r.w + overlap, r.h + overlap});
            set(colour_of(colour));
            add(path + "\\msF");
        }
    }
    // Adds lines that continue from cell to cell, clipped to the cells.
    void add_hatches(const Areas& areas, const Rect& all, const style::CellStyle& style,
                     bool back) {
        const double pitch = style.hatch_pitch;
        for (const auto& [colour, rects] : areas) {
            std::string within;
            for (const Rect& r : rects) within += rect(r);
            begin_clip(within);
            style::Lines lines;
            const double side = back ? all.x - all.bottom() : all.x + all.y;
            const double end = back ? all.right() - all.y : all.right() + all.bottom();
            for (double k = std::ceil(side / pitch) * pitch; k <= end; k += pitch)
                lines.push_back(
                    back ? std::pair(Point{k + all.y, all.y}, Point{k + all.bottom(), all.bottom()})
                         : std::pair(Point{k - all.y, all.y},
                                     Point{k - all.bottom(), all.bottom()}));
            add_segments(lines, style.hatch_width, colour_of(colour));
            end_clip();
        }
    }
    void add_cells(const CellAreas& areas, const Rect& all) {
        add_areas(areas.lines, 0);
        add_areas(areas.fills, areas.style.gap > 0 ? 0 : 0.1);
        add_hatches(areas.hatches, all, areas.style, false);
        add_hatches(areas.crosses, all, areas.style, true);
        draw_marks(*this, areas);
    }

    double height_;
    std::string include_;
    std::string colour_;  // the current colour
};

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
    constexpr double longest = 16383 / 72.27 * 72;  // points: the longest length in TeX
    if (std::max(figure.width, figure.height) > longest)
        throw WorkError(fmt::format("the figure would be {:.0f} × {:.0f} points; TeX allows {:.0f}",
                                    figure.width, figure.height, longest));
    std::string include;
    if (tex_picture(figure))
        include =
            fmt::format("\\pgftext[left,bottom]{{\\includegraphics[width={}bp,height={}bp]{{{}}}}}",
                        n3(figure.width), n3(figure.height), options.picture);
    TexPen pen(theme(options.theme), figure.height, include);
    const Rect page{0, 0, figure.width, figure.height};
    pen.add(pen.rect(page) + "\\pgfusepath{use as bounding box}");
    if (!options.transparent) pen.fill(page, 0, pen.theme[Role::ground]);
    draw(pen, figure);
    return std::string(head) + pen.body + "\\end{tikzpicture}%\n";
}

}  // namespace maskscope
