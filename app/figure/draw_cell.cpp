#include "app/figure/draw_cell.h"

#include <algorithm>
#include <cmath>

#include "app/figure/style.h"
#include "app/show/cells/view.h"
#include "app/style/labels.h"
#include "core/base/number_text.h"

namespace maskscope {
namespace {

// True for a blocked cell of the mask, and for one whose share is exactly 0. In other stages a
// blocked 0 is a number like any other: a score times 0.
bool is_hatch_alone(StageKind stage, std::uint8_t signs) {
    if ((signs & sign::blocked) == 0) return false;
    if (stage == StageKind::allowed) return true;
    return (is_share(stage) || stage == StageKind::sensitivity) && (signs & sign::zero) != 0;
}

// Would a part of a number in the middle of its cell be beyond the heatmap? It would read as
// another number.
bool reaches_beyond(const Text& text, const Rect& map) {
    constexpr double rounding = 0.5, half_of_digit = 0.37;  // pixels; × the size
    const double h = half_of_digit * text.style.size - rounding;
    if (text.at.y - h < map.y || text.at.y + h > map.bottom()) return true;
    const double room = std::min(text.at.x - map.x, map.right() - text.at.x);
    if (room > 3 * text.style.size) return false;  // no number is wider
    return measure(text.text, text.style).width / 2 - rounding > room;
}

}  // namespace

std::optional<Role> infinity_role(std::uint8_t signs) {
    if ((signs & sign::plus_infinity) != 0) return Role::hatch;
    const bool seen = (signs & sign::minus_infinity) != 0 && (signs & sign::blocked) == 0;
    return seen ? std::optional(Role::line) : std::nullopt;
}

Colour hatch_on(Colour fill) {
    const Colour ink = ink_on(fill);
    double low = 0, high = 1;
    for (int k = 0; k < 6; ++k) {
        const double share = (low + high) / 2;
        (contrast(fill, mix(fill, ink, share)) < hatch_contrast ? low : high) = share;
    }
    return mix(fill, ink, high);
}

Colour nan_background(const Theme& theme) {
    return mix(theme[Role::ground], theme[Role::wrong], 0.08);
}
Colour nan_lines(const Theme& theme) { return mix(theme[Role::ground], theme[Role::wrong], 0.63); }

CellLook look_of(const Heatmap& heatmap, Index i, Index j, const Theme& theme) {
    return look_of_number(heatmap, value_at(*heatmap.cells, i, j), signs_at(*heatmap.cells, i, j),
                          theme);
}

CellLook look_of_number(const Heatmap& heatmap, double value, std::uint8_t signs,
                        const Theme& theme) {
    const Cells& cells = *heatmap.cells;
    const bool blocked = (signs & sign::blocked) != 0, alone = is_hatch_alone(cells.stage, signs);
    const Colour fill = fill_of(value, cells.stage, heatmap.limits, shown_map(heatmap.map, theme));
    CellLook look;
    look.numbered = !alone;
    if ((signs & sign::nan) != 0) {
        look.background = nan_background(theme);
        look.cross = nan_lines(theme);
        // blocked and NaN: one of the two hatches is that of a blocked cell
        look.hatch = blocked ? theme[Role::hatch] : look.cross;
        look.ink = theme[Role::wrong];
    } else if (alone || fill.a == 0) {
        const bool is_mask = cells.stage == StageKind::allowed;
        look.background = theme[is_mask && !blocked ? Role::raised : Role::panel];
        look.ink = theme[is_mask ? Role::dim : Role::ink];
        if (blocked) look.hatch = theme[Role::hatch];
        if (const auto role = infinity_role(signs)) {
            look.background = theme[*role];
            look.ink = ink_on(look.background);
            if (blocked) look.hatch = hatch_on(look.background);
        }
    } else {
        look.plain = false;
        look.background = fill;
        look.ink = ink_on(fill);
        if (blocked) look.hatch = hatch_on(fill);
    }
    if ((signs & sign::leaks) != 0) {
        look.frame = theme[Role::wrong];
        look.frame_edge = ink_on(look.frame);
    }
    if ((signs & sign::missing) != 0) look.dot = theme[Role::wrong];
    return look;
}

bool is_tinted(const CellLook& look, const style::CellStyle& style) {
    return look.hatch.a != 0 && style.tint > 0 && !look.plain;
}

Colour fill_colour(const CellLook& look, const style::CellStyle& style, const Theme& theme) {
    Colour colour = look.background;
    if (is_tinted(look, style)) colour = mix(colour, theme[Role::line], style.tint);
    if (style.frame > 0) return colour;
    if (look.cross.a != 0) colour = mix(colour, look.cross, tiny_mark);
    if (look.frame.a != 0) colour = mix(colour, look.frame, tiny_mark);
    if (look.dot.a != 0) colour = mix(colour, look.dot, tiny_mark);
    return colour;
}

std::string text_of(const Heatmap& heatmap, Index i, Index j) {
    const Cells& cells = *heatmap.cells;
    if (is_hatch_alone(cells.stage, signs_at(cells, i, j))) return "";
    if (cells.stage == StageKind::allowed) return "1";
    return cell_text(value_at(cells, i, j), cells.has_shares(), heatmap.number_form);
}

TextStyle text_style_of(const Heatmap& heatmap, Index i, Index j) {
    const bool is_nan = (signs_at(*heatmap.cells, i, j) & sign::nan) != 0;
    return is_nan ? style::word_style(heatmap.number_size)
                  : style::number_style(heatmap.number_size);
}

CellNumber number_of(const Heatmap& heatmap, Index i, Index j, const CellLook& look,
                     const Rect& cell) {
    CellNumber number;
    const Point middle{cell.x + cell.w / 2, cell.y + cell.h / 2};
    number.text = {middle, text_of(heatmap, i, j), text_style_of(heatmap, i, j)};
    number.text.anchor = Anchor::centre;
    if (reaches_beyond(number.text, heatmap.rect)) return {};
    if (look.hatch.a == 0 && look.cross.a == 0) return number;
    const double frame = look.frame.a != 0 ? 3 : 0, size = heatmap.number_size;
    const double text = measure(number.text.text, number.text.style).width;
    if (look.cross.a != 0 && text > cell.w) return {};
    const double w = std::min(text + 2 * style::number_padding * size, cell.w - 2 * frame);
    const double h = std::min(style::number_room * size, cell.h - 2 * frame);
    number.cleared = Rect{middle.x - w / 2, middle.y - h / 2, w, h};
    return number;
}

SeenCells seen_cells(const Heatmap& heatmap) {
    const Zoom& z = heatmap.zoom;
    const SeenSpan rows = seen_span(z.y0, z.y1, heatmap.cells->rows),
                   columns = seen_span(z.x0, z.x1, heatmap.cells->columns);
    return {{rows.begin, columns.begin}, {rows.end, columns.end}};
}

}  // namespace maskscope
