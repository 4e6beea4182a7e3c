#include "app/figure/layout/scroll.h"

#include <algorithm>
#include <cmath>

#include "app/figure/style.h"
#include "app/style/labels.h"

namespace maskscope {

namespace {

bool overlap(const Rect& a, const Rect& b) {
    return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

Point middle_of(const Rect& r) { return {r.x + r.w / 2, r.y + r.h / 2}; }

constexpr double least_beside_tokens = 4;  // pixels of a heatmap; if less is left, tokens go

// Moves a pinned part that is partly out of view to the edge of the view, but not beyond its
// heatmaps. Hides tokens that would cover all that is left of their heatmaps.
void hold(Figure& figure, PinnedPart& pinned) {
    using enum PinnedPart::Kind;
    const Rect &rect = pinned.rect, &within = pinned.within;
    bool ended = false;
    const auto back = [&](double out, double most) {
        const double by = out > 1 ? std::clamp(out, 0.0, std::max(0.0, most)) : 0;
        ended = ended || (by > 0 && most - by < least_beside_tokens);
        return by;
    };
    Point by;
    if (pinned.kind != keys) by.x = back(-rect.x, within.right() - rect.right());
    if (pinned.kind == name) ended = false;  // the next name pushes it out
    const double edge = pinned.kind == keys ? pinned.corner : 0;
    if (pinned.kind != queries) by.y = back(edge - rect.y, within.bottom() - rect.bottom());
    for (std::size_t k = pinned.texts; k < pinned.texts_end; ++k) {
        move_by(figure.texts[k], by);
        if (ended) figure.texts[k].text.clear();
    }
    for (std::size_t k = pinned.chips; k < pinned.chips_end; ++k) {
        move_by(figure.chips[k], by);
        if (ended) figure.chips[k].rect = {};
    }
    pinned.rect.x += by.x;
    pinned.rect.y += by.y;
    pinned.held = by != Point{} && !ended;
}

Rect common(const Rect& a, const Rect& b) {
    const double x = std::max(a.x, b.x), y = std::max(a.y, b.y);
    return {x, y, std::max(0.0, std::min(a.right(), b.right()) - x),
            std::max(0.0, std::min(a.bottom(), b.bottom()) - y)};
}

bool holds(const Rect& room, const Rect& line) {
    constexpr double rounding = 1;  // pixels
    return line.x >= room.x - rounding && line.y >= room.y - rounding &&
           line.right() <= room.right() + rounding && line.bottom() <= room.bottom() + rounding;
}

// Shortens names with an ellipsis at the right edge.
void shorten_names(Figure& figure, const Rect& room) {
    constexpr double least = 40;  // pixels
    for (const PinnedPart& pinned : figure.pinned) {
        if (pinned.kind != PinnedPart::Kind::name) continue;
        for (std::size_t k = pinned.texts; k < pinned.texts_end; ++k) {
            Text& text = figure.texts[k];
            const double left = room.right() - text.at.x;
            if (text.anchor != Anchor::left || text_rect(text).right() <= room.right()) continue;
            if (left > least) text.max_width = left;
        }
    }
}

bool is_opaque(const PinnedPart& pinned) {
    return pinned.held && pinned.kind != PinnedPart::Kind::name;
}

// Returns the background that is drawn under a pinned part, up to the name above the keys.
Rect ground_of(const PinnedPart& pinned) {
    const double more = pinned.kind == PinnedPart::Kind::keys ? pinned.corner : 0;
    const Rect& r = pinned.rect;
    return {r.x, r.y - more, r.w, r.h + more};
}

// Returns the part of a rectangle that is in view, beside and below the pinned parts.
Rect free_part(const Rect& rect, const std::vector<PinnedPart>& pinned, const Rect& room) {
    const Rect seen = common(rect, room);
    double left = seen.x, top = seen.y;
    for (const PinnedPart& over : pinned) {
        if (!is_opaque(over) || !overlap(over.rect, rect)) continue;
        if (over.kind == PinnedPart::Kind::keys)
            top = std::max(top, over.rect.bottom());
        else
            left = std::max(left, over.rect.right());
    }
    return {left, top, seen.right() - left, seen.bottom() - top};
}

void cut_to(Heatmap& map, const Rect& seen) {
    const Zoom z = map.zoom;
    const double w = (z.x1 - z.x0) / map.rect.w, h = (z.y1 - z.y0) / map.rect.h;
    map.zoom = {z.x0 + (seen.x - map.rect.x) * w, z.y0 + (seen.y - map.rect.y) * h,
                z.x0 + (seen.right() - map.rect.x) * w, z.y0 + (seen.bottom() - map.rect.y) * h};
    map.rect = seen;
}

void cut(std::vector<Heatmap>& maps, const std::vector<PinnedPart>& pinned, const Rect& room) {
    std::erase_if(maps, [&](Heatmap& map) {
        const Rect seen = free_part(map.rect, pinned, room);
        if (seen.w < 1 || seen.h < 1) return true;
        if (seen != map.rect) cut_to(map, seen);
        return false;
    });
}

void cut(std::vector<Box>& boxes, const std::vector<PinnedPart>& pinned, const Rect& room) {
    std::erase_if(boxes, [&](Box& box) {
        box.rect = free_part(box.rect, pinned, room);
        return box.rect.w <= 0 || box.rect.h <= 0;
    });
}

// Hides the title and the key tokens of a heatmap if pinned query tokens cover all of them.
void hide_titles(Figure& figure) {
    for (const PinnedPart& title : figure.pinned) {
        if (title.kind != PinnedPart::Kind::keys) continue;
        const bool is_below = std::ranges::any_of(figure.pinned, [&](const PinnedPart& over) {
            return over.kind == PinnedPart::Kind::queries && is_opaque(over) &&
                   overlap(over.rect, title.within) && title.rect.right() <= over.rect.right();
        });
        for (std::size_t k = title.texts; is_below && k < title.texts_end; ++k)
            figure.texts[k].text.clear();
    }
}

// Hides the query tokens whose cells are covered by pinned keys.
void hide_beside(Figure& figure, const Rect& keys) {
    for (const PinnedPart& pinned : figure.pinned) {
        if (pinned.kind != PinnedPart::Kind::queries) continue;
        for (std::size_t k = pinned.texts; k < pinned.texts_end; ++k) {
            const Rect text = text_rect(figure.texts[k]);
            if (text.y < keys.bottom() && keys.y < text.bottom()) figure.texts[k].text.clear();
        }
    }
}

// Hides texts that pinned tokens cover; names, and the tokens themselves, stay.
void hide_below(Figure& figure) {
    for (const PinnedPart& over : figure.pinned) {
        if (!is_opaque(over)) continue;
        const Rect below{over.rect.x, over.rect.y - over.corner, over.rect.w,
                         over.rect.h + over.corner};
        const auto stays = [&](std::size_t k, std::size_t PinnedPart::*begin,
                               std::size_t PinnedPart::*end) {
            return std::ranges::any_of(figure.pinned, [&](const PinnedPart& pinned) {
                const bool is_own = &pinned == &over || pinned.kind == PinnedPart::Kind::name;
                return is_own && k >= pinned.*begin && k < pinned.*end;
            });
        };
        for (std::size_t k = 0; k < figure.texts.size(); ++k)
            if (!stays(k, &PinnedPart::texts, &PinnedPart::texts_end) &&
                overlap(text_rect(figure.texts[k]), below))
                figure.texts[k].text.clear();
        if (over.kind == PinnedPart::Kind::keys) hide_beside(figure, below);
        for (std::size_t k = 0; k < figure.chips.size(); ++k)
            if (!stays(k, &PinnedPart::chips, &PinnedPart::chips_end) &&
                below.contains(middle_of(figure.chips[k].rect)))
                figure.chips[k].rect = {};
    }
}

// Returns how far into a row or column of cells an edge is; 0 at a boundary of cells, or beside the
// heatmap.
double into_cell(double edge, double from, double length, Index cells) {
    const double size = length / double(std::max<Index>(cells, 1));
    const double into = edge - from - std::floor((edge - from) / size + 0.02) * size;
    return edge <= from || edge >= from + length || into < 0.02 * size ? 0 : into;
}

// A heatmap on one axis of the figure.
struct Along {
    double begin = 0, end = 0;
    Index cells = 0;
    double tokens = 0, tokens_end = 0;  // the length of its pinned tokens, and where they end
    bool is_needed = true;              // something that must be seen is in it

    double cell() const { return (end - begin) / double(std::max<Index>(cells, 1)); }
};

struct AlongAxes {
    std::vector<Along> x, y;
};

// Returns all heatmaps. Those that hold none of the parts are not needed, if there are any parts.
AlongAxes heatmaps_along(const Figure& figure, const std::vector<Rect>& parts = {}) {
    AlongAxes axes;
    for (const auto* maps : {&figure.heatmaps, &figure.hidden})
        for (const Heatmap& map : *maps) {
            const Rect& r = map.rect;
            const bool is_needed =
                parts.empty() ||
                std::ranges::any_of(parts, [&](const Rect& part) { return overlap(part, r); });
            Along x{r.x, r.right(), map.cells->columns}, y{r.y, r.bottom(), map.cells->rows};
            x.is_needed = y.is_needed = is_needed;
            for (const PinnedPart& pinned : figure.pinned) {
                if (!overlap(r, pinned.within)) continue;
                if (pinned.kind == PinnedPart::Kind::queries)
                    x.tokens = pinned.rect.w, x.tokens_end = pinned.within.right();
                if (pinned.kind == PinnedPart::Kind::keys)
                    y.tokens = pinned.corner + pinned.rect.h, y.tokens_end = pinned.within.bottom();
            }
            axes.x.push_back(x);
            axes.y.push_back(y);
        }
    return axes;
}

// How a view cuts heatmaps where it begins, the worst last.
enum class Cut { none, between_cells, in_cell };

Cut cut_of(const std::vector<Along>& maps, double at) {
    Cut worst = Cut::none;
    for (const Along& map : maps) {
        double edge = at + map.tokens;
        if (map.tokens_end - edge < least_beside_tokens) edge = at;
        if (edge <= map.begin || edge >= map.end) continue;
        if (into_cell(edge, map.begin, map.end - map.begin, map.cells) > 0) return Cut::in_cell;
        if (!map.is_needed) worst = Cut::between_cells;
    }
    return worst;
}

// Returns the place nearest to `at`, from `low` to `high`, where a view cuts no cell at its
// beginning; if possible, one where it cuts only heatmaps that are needed. If there is none, `at`.
double whole_place(const std::vector<Along>& maps, double at, double low, double high) {
    double best = at;
    Cut least = cut_of(maps, at);
    const auto consider = [&](double place) {
        place = std::ceil(place - 1e-6);  // the window scrolls by whole pixels
        if (place < low || place > high + 1) return;
        const Cut cut = cut_of(maps, place);
        if (cut > least || (cut == least && std::abs(place - at) >= std::abs(best - at))) return;
        least = cut;
        best = place;
    };
    for (const Along& map : maps)
        for (const double first : {map.begin - map.tokens, map.begin}) {  // with tokens and without
            const double cell = map.cell(),
                         before = std::max(0.0, std::floor((low - first) / cell));
            for (double k = before; k <= double(map.cells) && first + k * cell <= high; ++k)
                consider(first + k * cell);
        }
    return best;
}

}  // namespace

Rect whole_cells(const Figure& figure, Point from, double width, double height) {
    const auto [x, y] = heatmaps_along(figure);
    const auto later = [](const std::vector<Along>& maps, double at) {
        return cut_of(maps, at) == Cut::none ? at : whole_place(maps, at, at, infinity);
    };
    from = {later(x, from.x), later(y, from.y)};
    for (const Along& map : x)
        width -= into_cell(from.x + width, map.begin, map.end - map.begin, map.cells);
    for (const Along& map : y)
        height -= into_cell(from.y + height, map.begin, map.end - map.begin, map.cells);
    return {from.x, from.y, width, height};
}

Figure scrolled(Figure figure, Point from, double width, double height) {
    const Rect room{0, 0, width, height};
    if (from == Point{} && figure.width <= width && figure.height <= height) return figure;
    move_by(figure, {-from.x, -from.y});
    for (PinnedPart& pinned : figure.pinned) hold(figure, pinned);
    hide_below(figure);
    hide_titles(figure);
    cut(figure.boxes, figure.pinned, room);
    cut(figure.heatmaps, figure.pinned, room);
    cut(figure.hidden, figure.pinned, room);
    const auto is_below = [&](const Rect& rect) {
        return std::ranges::any_of(figure.pinned, [&](const PinnedPart& over) {
            return is_opaque(over) && overlap(rect, ground_of(over));
        });
    };
    // A sum is in view if its row is. Its number is not drawn if it would be cut off.
    std::erase_if(figure.sums, [&](SumBar& bar) {
        const Rect text = text_rect(style::sum_text(bar));
        if (!holds(room, text) || is_below(text)) bar.text.clear();
        const Point middle = middle_of(bar.rect);
        return !room.contains(middle) || is_below({middle.x, middle.y, 1, 1});
    });
    std::erase_if(figure.chips,
                  [&](const Box& chip) { return chip.rect.w <= 0 || !holds(room, chip.rect); });
    std::vector<Box> grounds;
    for (const PinnedPart& pinned : figure.pinned)
        if (is_opaque(pinned))
            grounds.push_back({ground_of(pinned), 0, true, false, Role::ground, Role::ground});
    figure.chips.insert(figure.chips.begin(), grounds.begin(), grounds.end());
    shorten_names(figure, room);
    std::erase_if(figure.texts, [&](const Text& text) {  // hide texts that would be cut off
        return text.text.empty() || !holds(room, text_rect(text));
    });
    std::erase_if(figure.spots, [&](const Spot& spot) { return !overlap(spot.rect, room); });
    figure.pinned.clear();  // their ranges in the lists are no longer valid
    return figure;
}

namespace {

// A part on one axis, with the tokens before it.
struct PartAlong {
    double from = 0, to = 0;
};

// Returns where to scroll on one axis. last: the last place.
double place_along(const std::vector<Along>& maps, const std::vector<PartAlong>& parts, double at,
                   double room, double length, double last) {
    double place = at;
    for (const PartAlong& part : parts) {
        if (part.to - place > room) place = part.to - room;
        place = std::min(place, part.from);
    }
    place = std::clamp(place, 0.0, std::max(0.0, length - room));
    if (place == at) return at;
    double low = 0, high = last;
    for (const PartAlong& part : parts) {
        if (part.from < place || part.to - place > room) continue;  // it does not fit
        low = std::max(low, part.to - room);
        high = std::min(high, part.from);
    }
    return whole_place(maps, place, low, high);
}

}  // namespace

Point place_to_see(const Figure& figure, const std::vector<Rect>& parts, const Rect& seen) {
    double beside = 0, above = 0;
    for (const PinnedPart& pinned : figure.pinned) {
        if (pinned.kind == PinnedPart::Kind::queries) beside = std::max(beside, pinned.rect.w);
        if (pinned.kind == PinnedPart::Kind::keys)
            above = std::max(above, pinned.corner + pinned.rect.h);
    }
    std::vector<PartAlong> x, y;
    for (const Rect& part : parts) {
        x.push_back({part.x - beside, part.right()});
        y.push_back({part.y - above, part.bottom()});
    }
    const AlongAxes maps = heatmaps_along(figure, parts);
    const Point last = last_place(figure, seen.w, seen.h);
    return {place_along(maps.x, x, seen.x, seen.w, figure.width, last.x),
            place_along(maps.y, y, seen.y, seen.h, figure.height, last.y)};
}

Point last_place(const Figure& figure, double width, double height) {
    const Rect end = whole_cells(
        figure, {std::max(0.0, figure.width - width), std::max(0.0, figure.height - height)}, width,
        height);
    return {end.x, end.y};
}

}  // namespace maskscope
