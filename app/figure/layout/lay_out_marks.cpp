// Draws what is beside and below a heatmap: strips for groups of tokens, the arcs of their tree,
// and the numbers of the columns of Q, K and V.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/figure/layout/lay_out_parts.h"
#include "app/style/labels.h"

namespace maskscope {

// --- strips for the groups of tokens beside and below a mask, and the arcs of its tree

namespace {

constexpr double strip = 14, strip_gap = 3, arcs = 40;  // points

// Neighbouring tokens of one group.
struct Run {
    Index group = -1, first = 0, end = 0;
};

std::vector<Run> runs_of(const std::vector<Index>& groups, Index start, Index count) {
    std::vector<Run> runs;
    for (Index k = 0; k < count && start + k < Index(groups.size()); ++k) {
        const Index group = groups[start + k];
        if (runs.empty() || runs.back().group != group) runs.push_back({group, k, k});
        runs.back().end = k + 1;
    }
    std::erase_if(runs, [](const Run& run) { return run.group < 0; });
    return runs;
}

// Returns each group once.
std::vector<Index> distinct(const std::vector<Index>& groups) {
    std::vector<Index> known;
    for (const Index one : groups)
        if (one >= 0 && std::ranges::count(known, one) == 0) known.push_back(one);
    return known;
}

// Draws a run in the colour of its group, and on it its name, "document 1", or only the number if
// the name does not fit. If there is only one group, its name has no number.
void draw_run(Figure& figure, const MaskMarks& marks, const Run& run, const Rect& rect,
              double unit) {
    if (rect.w <= 0 || rect.h <= 0) return;
    const std::vector<Index> known = distinct(marks.groups);
    const Role role = variant_role(int(std::ranges::find(known, run.group) - known.begin()));
    figure.boxes.push_back({rect, 2 * unit, true, false, role, role});
    const TextStyle style{12 * unit, Weight::bold};
    const std::string number = std::to_string(run.group);
    const auto fits = [&](const std::string& name) {
        return rect.h >= 13 * unit && rect.w >= measure(name, style).width + 2 * unit;
    };
    const bool is_alone = known.size() == 1;
    const std::string full = is_alone ? marks.group : marks.group + " " + number;
    const std::string& name = fits(full) || is_alone ? full : number;
    if (!fits(name)) return;
    figure.texts.push_back(
        {{rect.x + rect.w / 2, rect.y + rect.h / 2}, name, style, Role::ground, Anchor::centre});
}

void draw_strips(Figure& figure, const MaskMarks& marks, const Heatmap& map, double u) {
    const Rect& all = map.rect;
    const double between = std::min(2 * u, 0.2 * cell_rect(map, 0, 0).w);
    for (const Run& run : runs_of(marks.groups, marks.start, map.cells->rows)) {
        const double top = std::max(all.y, cell_rect(map, run.first, 0).y);
        const double bottom = std::min(all.bottom(), cell_rect(map, run.end - 1, 0).bottom());
        draw_run(figure, marks, run,
                 {all.right() + strip_gap * u, top, strip * u, bottom - between - top}, u);
    }
    for (const Run& run : runs_of(marks.groups, 0, map.cells->columns)) {
        const double left = std::max(all.x, cell_rect(map, 0, run.first).x);
        const double right = std::min(all.right(), cell_rect(map, 0, run.end - 1).right());
        draw_run(figure, marks, run,
                 {left, all.bottom() + strip_gap * u, right - between - left, strip * u}, u);
    }
}

// Returns a token, its parent, and so on up to the root.
std::vector<Index> path_of(const std::vector<Index>& parents, Index token) {
    std::vector<Index> path;
    for (; token >= 0 && token < Index(parents.size()); token = parents[token])
        path.push_back(token);
    return path;
}

// Makes an arc from the row of a parent to that of its child; the farther apart, the wider.
Stroke arc(Point parent, Point child, double width, double longest) {
    constexpr int pieces = 16;
    Stroke stroke;
    const double height = child.y - parent.y, bulge = width * (0.25 + 0.75 * height / longest);
    for (int k = 0; k <= pieces; ++k) {
        const double t = double(k) / pieces;
        stroke.points.push_back(
            {parent.x + bulge * std::sin(std::numbers::pi * t), parent.y + height * t});
    }
    return stroke;
}

void draw_tree(Figure& figure, const MaskMarks& marks, const Heatmap& map, double x, double u,
               std::optional<Index> focus) {
    const auto path = path_of(marks.parents, focus ? *focus + marks.start : -1);
    const auto is_lit = [&](Index token) { return std::ranges::count(path, token) > 0; };
    const auto place = [&](Index token) {
        const Rect row = cell_rect(map, token - marks.start, 0);
        return Point{x, row.y + row.h / 2};
    };
    const auto is_seen = [&](Index token) {
        const double y = place(token).y;
        return token >= marks.start && y >= map.rect.y && y <= map.rect.bottom();
    };
    const Index end = std::min(Index(marks.parents.size()), marks.start + map.cells->rows);
    for (const bool lit : {false, true})  // the lit path is drawn last, above the others
        for (Index token = marks.start; token < end; ++token) {
            const Index parent = marks.parents[token];
            if (is_lit(token) != lit || !is_seen(token)) continue;
            const Role role = lit ? Role::ink : Role::hatch;
            figure.dots.push_back({place(token), (lit ? 3.5 : 2.5) * u, role});
            if (parent < 0 || !is_seen(parent)) continue;
            Stroke stroke = arc(place(parent), place(token), (arcs - 10) * u, map.rect.h);
            stroke.role = role;
            stroke.width = (lit ? 2.5 : 1.25) * u;
            figure.strokes.push_back(std::move(stroke));
        }
}

bool has_strips(const BenchStage& stage) { return stage.marks && !stage.marks->groups.empty(); }

bool has_tree(const BenchStage& stage) { return stage.marks && !stage.marks->parents.empty(); }

}  // namespace

double marks_width(const Table& t, const BenchStage& stage) {
    return ((has_strips(stage) ? strip + strip_gap : 0) + (has_tree(stage) ? arcs : 0)) * t.unit;
}

double marks_height(const Table& t, const BenchStage& stage) {
    return has_strips(stage) ? (strip + strip_gap) * t.unit : 0;
}

void draw_marks(Figure& figure, const Table& t, const BenchStage& stage, const Heatmap& map,
                std::optional<Index> query) {
    const bool strips = has_strips(stage);
    if (strips) draw_strips(figure, *stage.marks, map, t.unit);
    if (!has_tree(stage)) return;
    const double left = strips ? strip + strip_gap + 6 : 6;
    draw_tree(figure, *stage.marks, map, map.rect.right() + left * t.unit, t.unit, query);
}

// --- the column numbers of Q, K and V, and their axes

namespace {

constexpr double type_size = 12;  // points

double width_of(const std::string& text, double unit) {
    return measure(text, {type_size * unit}).width;
}

}  // namespace

void draw_components(Figure& figure, const Table& t, const PlacedHeatmap& placed,
                     const Heatmap& map) {
    const std::vector<std::string>& names = t.tokens_of(placed).keys;
    const Rect cell = cell_rect(map, 0, 0);
    const double widest = width_of(names.back(), t.unit) + 6 * t.unit;
    const auto every = std::max<std::size_t>(1, std::size_t(std::ceil(widest / cell.w)));
    for (std::size_t c = 0; c < names.size(); c += every) {
        const double x = cell.x + (double(c) + 0.5) * cell.w;
        const double half = width_of(names[c], t.unit) / 2;
        if (x - half < map.rect.x - 4 * t.unit || x + half > map.rect.right() + 4 * t.unit)
            continue;
        figure.texts.push_back({{x, map.rect.y - 10 * t.unit},
                                names[c],
                                {type_size * t.unit},
                                Role::dim,
                                Anchor::centre});
    }
}

void draw_tensor_axes(Figure& figure, const Table& t, const PlacedHeatmap& placed) {
    if (!t.has_labels(placed)) return;
    const double x = placed.rect.x - t.axis_gap(), y = placed.rect.y - 14 * t.unit;
    const char* rows = placed.variant == queries_variant ? "queries ↓" : "keys ↓";
    figure.texts.push_back(
        {{x, y - 15 * t.unit}, "d →", {type_size * t.unit}, Role::dim, Anchor::right});
    figure.texts.push_back({{x, y}, rows, {type_size * t.unit}, Role::dim, Anchor::right});
}

}  // namespace maskscope
