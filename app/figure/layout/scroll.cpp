#include "app/figure/layout/scroll.h"

#include <algorithm>

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

double cell_height(const Heatmap& map) { return map.rect.h / double(map.cells->rows); }
double cell_width(const Heatmap& map) { return map.rect.w / double(map.cells->columns); }

}  // namespace

Rect whole_cells(const Figure& figure, Point from, double width, double height) {
    std::vector<const Heatmap*> maps;
    for (const auto* all : {&figure.heatmaps, &figure.hidden})
        for (const Heatmap& map : *all) maps.push_back(&map);
    for (const PinnedPart& pinned : figure.pinned)
        for (const Heatmap* map : maps) {
            const Rect& r = map->rect;
            if (!overlap(r, pinned.within)) continue;
            double top = from.y + pinned.corner + pinned.rect.h;
            double left = from.x + pinned.rect.w;
            if (r.bottom() - top < least_beside_tokens) top = from.y;
            if (r.right() - left < least_beside_tokens) left = from.x;
            const double down = into_cell(top, r.y, r.h, map->cells->rows);
            const double right = into_cell(left, r.x, r.w, map->cells->columns);
            if (pinned.kind == PinnedPart::Kind::keys && down > 0)
                from.y += cell_height(*map) - down;
            if (pinned.kind == PinnedPart::Kind::queries && right > 0)
                from.x += cell_width(*map) - right;
        }
    for (const Heatmap* map : maps) {
        const Rect& r = map->rect;
        height -= into_cell(from.y + height, r.y, r.h, map->cells->rows);
        width -= into_cell(from.x + width, r.x, r.w, map->cells->columns);
    }
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
    std::erase_if(figure.sums, [&](const SumBar& bar) {
        const Rect text = text_rect(style::sum_text(bar));
        return !holds(room, bar.rect) || !holds(room, text) || is_below(bar.rect) || is_below(text);
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

Point place_to_see(const Figure& figure, const std::vector<Rect>& parts, const Rect& seen) {
    double beside = 0, above = 0;
    for (const PinnedPart& pinned : figure.pinned) {
        if (pinned.kind == PinnedPart::Kind::queries) beside = std::max(beside, pinned.rect.w);
        if (pinned.kind == PinnedPart::Kind::keys)
            above = std::max(above, pinned.corner + pinned.rect.h);
    }
    const auto along = [](double& at, double from, double to, double room) {
        if (to - at > room) at = to - room;
        at = std::min(at, from);
    };
    Point at{seen.x, seen.y};
    for (const Rect& part : parts) {
        along(at.x, part.x - beside, part.right(), seen.w);
        along(at.y, part.y - above, part.bottom(), seen.h);
    }
    at.x = std::clamp(at.x, 0.0, std::max(0.0, figure.width - seen.w));
    at.y = std::clamp(at.y, 0.0, std::max(0.0, figure.height - seen.h));
    return at;
}

}  // namespace maskscope
