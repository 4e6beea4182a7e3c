#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "app/figure/draw_cell.h"
#include "app/figure/lay_out_parts.h"
#include "app/figure/style.h"
#include "app/labels.h"

namespace maskscope {

namespace {

// Widths of numbers at one point; measuring text costs more than a frame has for thousands.
double number_width(const std::string& text) {
    static thread_local std::unordered_map<std::string, double> widths;
    if (widths.size() > 20000) widths.clear();
    const auto [entry, is_new] = widths.try_emplace(text, 0);
    if (is_new) entry->second = measure(text, style::number_style(100)).width / 100;
    return entry->second;
}

// Numbers stand in all cells of a heatmap or in none: at the wished size, or at 12 points.
double number_size(const Heatmap& heatmap, double wished, double unit) {
    const Rect cell = cell_rect(heatmap, 0, 0);
    const double room = cell.w - 6 * unit, smallest = 12 * unit;  // 3 either side
    if (cell.h < smallest + 2 * unit || room < number_width("1") * smallest) return 0;
    double widest = 0;
    for (Index i = 0; i < heatmap.cells->rows; ++i)
        for (Index j = 0; j < heatmap.cells->columns; ++j)
            widest = std::max(widest, number_width(text_of(heatmap, i, j)));
    for (double size : {wished * unit, smallest})
        if (widest * size <= room + 0.5 && size + 2 * unit <= cell.h) return size;
    return 0;
}

void draw_titles(Figure& figure, const Table& t, const Placed& placed, bool interactive) {
    const Rect& r = placed.rect;
    const double y = r.y - t.token_height() - 11 * t.unit;
    const bool is_mask = placed.stage.stage == StageKind::allowed;
    const std::string note = is_mask && interactive ? "click or drag" : placed.stage.note;
    Text title{{r.x, y}, placed.stage.title, {14 * t.unit, Weight::semibold}, Role::ink};
    title.max_width = r.w + 30 * t.unit;
    Text side{{r.right(), y}, note, {12 * t.unit}, Role::dim, Anchor::right};
    const bool fits = figure_text_width(title) + figure_text_width(side) + 8 * t.unit <= r.w;
    figure.texts.push_back(std::move(title));
    if (!note.empty() && fits) figure.texts.push_back(std::move(side));
}

void draw_lane_title(Figure& figure, const Table& t, const Placed& placed) {
    const Lane& lane = t.block.lanes[std::size_t(placed.lane)];
    const double y = placed.rect.y - t.head_height() + 15 * t.unit, side = 20 * t.unit;
    const Rect chip{placed.rect.x, y - side / 2, side, side};
    const Role role = lane_role(lane.variant);
    figure.chips.push_back({chip, 4 * t.unit, true, false, role, role});
    figure.texts.push_back({{chip.x + side / 2, y},
                            std::string(1, lane_letter(lane.variant)),
                            {13 * t.unit, Weight::bold},
                            Role::ground,
                            Anchor::centre});
    Text name{{chip.right() + 8 * t.unit, y}, lane.name, {15 * t.unit, Weight::semibold}};
    name.max_width = t.one_row ? placed.rect.w + t.sums_width() - 30 * t.unit : 0;
    figure.texts.push_back(std::move(name));
}

Heatmap heatmap_of(const Table& t, const Placed& placed, const LayoutOptions& options) {
    Heatmap map;
    map.rect = placed.rect;
    map.cells = placed.stage.cells;
    map.limits = placed.stage.limits;
    map.map = placed.stage.map;
    map.zoom = options.zoom;
    map.lane = placed.lane < 0 ? -1 : t.block.lanes[std::size_t(placed.lane)].variant;
    map.b = t.block.b;
    map.h = t.block.h;
    map.number_size = number_size(map, options.number_size, t.unit);
    return map;
}

bool lies_after_fork(const Placed& placed) {
    return placed.lane >= 0 && placed.stage.stage != StageKind::allowed;
}

// Where a heatmap will stand once the class has predicted it.
void draw_cover(Figure& figure, const Table& t, const Placed& placed) {
    const Rect& r = placed.rect;
    figure.boxes.push_back({r, 6 * t.unit, true, true, Role::panel, Role::line});
    figure.texts.push_back({{r.x + r.w / 2, r.y + r.h / 2},
                            "?",
                            {32 * t.unit, Weight::semibold},
                            Role::dim,
                            Anchor::centre});
}

// The road from a heatmap to the next: straight in its own row, a curve to a lane below.
void connect(Figure& figure, const Table& t, const Placed& from, const Placed& to) {
    const bool sums_between = from.stage.stage == StageKind::weights;
    const double gap = 5 * t.unit;
    Point start{from.rect.right() + gap + (sums_between ? t.sums_width() : 0),
                from.rect.y + from.rect.h / 2};
    const bool falls = to.row != from.row;
    const double labels = t.is_leftmost(to) ? t.label_width() : 0;
    const Point end{to.rect.x - gap - labels, to.rect.y + to.rect.h / 2};
    if (falls) start.y += std::min(20 * t.unit, from.rect.h / 4);
    figure.connectors.push_back({{start, end}, falls, true});
    if (to.stage.operation.empty()) return;

    Text words{{(start.x + end.x) / 2, start.y - 10 * t.unit},
               to.stage.operation,
               {12 * t.unit, Weight::semibold},
               Role::ink,
               Anchor::centre};
    if (falls) {
        words.at = {start.x, to.rect.y - t.head_height() + 4 * t.unit};
        const double w = figure_text_width(words) + 12 * t.unit, h = 20 * t.unit;
        figure.chips.push_back({{words.at.x - w / 2, words.at.y - h / 2, w, h},
                                5 * t.unit,
                                true,
                                true,
                                Role::ground,
                                Role::line});
    }
    figure.texts.push_back(std::move(words));
}

}  // namespace

void draw_connectors(Figure& figure, const Table& t) {
    const Placed* fork = nullptr;
    for (const Placed& placed : t.heatmaps) {
        if (placed.lane >= 0 || placed.stage.stage == StageKind::allowed) continue;
        if (fork) connect(figure, t, *fork, placed);
        fork = &placed;
    }
    const Placed* before = nullptr;
    for (const Placed& placed : t.heatmaps) {
        if (placed.lane < 0) continue;
        const bool same_lane = before && before->lane == placed.lane;
        const Placed* from = same_lane ? before : fork;
        if (from && placed.stage.stage != StageKind::sensitivity) connect(figure, t, *from, placed);
        before = &placed;
    }
}

namespace {

// A key may reach over the cells beside it as far as their own tokens leave room.
double key_room(const Table& t, Index j, double cell_w) {
    const double gap = 4 * t.unit, own = cell_w - gap;
    double room = 2 * cell_w;
    for (Index other : {j - 1, j + 1}) {
        if (other < 0 || other >= Index(t.block.keys.size())) continue;
        const TextStyle style{t.token_size * t.unit};
        const double taken = measure(t.block.keys[std::size_t(other)], style).width;
        room = std::min(room, 2 * (cell_w - gap) - std::min(taken, own));
    }
    return std::max(own, room);
}

}  // namespace

void draw_tokens(Figure& figure, const Table& t, const Placed& placed,
                 const LayoutOptions& options) {
    const Heatmap& map = figure.heatmaps.back();
    const Rect cell = cell_rect(map, 0, 0);
    const double size = t.token_size * t.unit, line = size + 2 * t.unit;
    const auto label = [&](Point at, const std::string& token, bool bold, Anchor anchor) {
        Text text{at, token, {size}, bold ? Role::ink : Role::dim, anchor};
        if (bold) text.style.weight = Weight::bold;
        return text;
    };
    const bool pointed = options.hovered && options.hovered->b == map.b;
    if (t.is_leftmost(placed) || t.one_row) {
        const Index every = Index(std::ceil(line / cell.h));
        for (Index i = 0; i < map.cells->rows; i += every) {
            const double y = cell.y + (double(i) + 0.5) * cell.h;
            if (y < map.rect.y || y > map.rect.bottom()) continue;
            Text text = label({map.rect.x - 8 * t.unit, y}, t.block.queries[std::size_t(i)],
                              pointed && options.hovered->i == i, Anchor::right);
            text.max_width = t.label_width() - 8 * t.unit;
            figure.texts.push_back(std::move(text));
        }
    }
    if (placed.stage.stage == StageKind::output) return;
    const Index every = t.vertical_tokens ? Index(std::ceil(line / cell.w)) : 1;
    for (Index j = 0; j < map.cells->columns; j += every) {
        const double x = cell.x + (double(j) + 0.5) * cell.w;
        if (x < map.rect.x || x > map.rect.right()) continue;
        Text text = label({x, map.rect.y - 10 * t.unit}, t.block.keys[std::size_t(j)],
                          pointed && options.hovered->j == j, Anchor::centre);
        text.max_width = t.vertical_tokens ? t.token_height() - 6 * t.unit : key_room(t, j, cell.w);
        if (t.vertical_tokens) {
            text.at.y = map.rect.y - 4 * t.unit;
            text.anchor = Anchor::left;
            text.vertical = true;
        }
        figure.texts.push_back(std::move(text));
    }
}

void draw_table(Figure& figure, const Table& t, const LayoutOptions& options) {
    if (!t.block.title.empty() && !t.heatmaps.empty()) {
        const Rect& first = t.heatmaps.front().rect;
        const Point at{first.x - t.label_width(), first.y - t.head_height() - 10 * t.unit};
        const TextStyle style{14 * t.unit, Weight::semibold};
        figure.texts.push_back({at, t.block.title, style, Role::dim});
    }
    int titled = -1;
    for (const Placed& placed : t.heatmaps) {
        if (options.covered && lies_after_fork(placed)) {
            draw_cover(figure, t, placed);
            if (placed.lane > titled) draw_lane_title(figure, t, placed);
            titled = std::max(titled, placed.lane);
            continue;
        }
        figure.heatmaps.push_back(heatmap_of(t, placed, options));
        draw_titles(figure, t, placed, options.interactive);
        draw_tokens(figure, t, placed, options);
        if (placed.lane > titled) draw_lane_title(figure, t, placed);
        titled = std::max(titled, placed.lane);
        if (placed.stage.stage == StageKind::weights) draw_sums(figure, t, placed);
        if (t.is_leftmost(placed) && placed.stage.stage != StageKind::output) {
            const double x = placed.rect.x - 8 * t.unit;
            const double y = placed.rect.y - 10 * t.unit;
            figure.texts.push_back(
                {{x, y - 15 * t.unit}, "keys →", {12 * t.unit}, Role::dim, Anchor::right});
            figure.texts.push_back({{x, y}, "queries ↓", {12 * t.unit}, Role::dim, Anchor::right});
        }
    }
    draw_connectors(figure, t);
    draw_colour_bars(figure, t);
}

}  // namespace maskscope
