#include "app/figure/draw_cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "app/figure/style.h"
#include "app/show/cells/cell_texels.h"
#include "app/show/cells/view.h"
#include "app/style/labels.h"
#include "core/base/number_text.h"

namespace maskscope {

namespace {

// True for a blocked cell of the mask, and for one whose share or sensitivity is exactly 0. In
// other stages a blocked 0 is a number like any other: a score times 0.
bool is_hatch_alone(StageKind stage, std::uint8_t signs) {
    if ((signs & sign::blocked) == 0) return false;
    if (stage == StageKind::allowed) return true;
    return (is_share(stage) || stage == StageKind::sensitivity) && (signs & sign::zero) != 0;
}

// True if part of a number centred in its cell would be cut off by the heatmap's edge, so that the
// rest would be read as a different number.
bool reaches_beyond(const Text& text, const Rect& map) {
    constexpr double rounding = 0.5, half_of_digit = 0.37;  // pixels; × type size
    const double h = half_of_digit * text.style.size - rounding;
    if (text.at.y - h < map.y || text.at.y + h > map.bottom()) return true;
    const double room = std::min(text.at.x - map.x, map.right() - text.at.x);
    if (room > 3 * text.style.size) return false;  // no number is wider than that
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
        // blocked and NaN: one of the two hatches marks the blocked cell
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

namespace {

// Reads a text such as "−1e9" as a number.
double number_in(std::string text) {
    const std::string minus = "\u2212";
    const bool negative = text.starts_with(minus);
    if (negative) text.erase(0, minus.size());
    const double number = std::strtod(text.c_str(), nullptr);
    return negative ? -number : number;
}

// Returns `text`, a rounded large number, with what the exact number adds to it, "−1e9+3", if its
// row has another number that is rounded to the same text. Returns "" otherwise, or if there are
// too many columns to compare.
std::string large_text(const Cells& cells, Index i, Index j, const std::string& text) {
    constexpr double large = 1e5;
    constexpr Index most = 64;  // the most columns that are compared
    const double value = value_at(cells, i, j);
    if (!std::isfinite(value) || std::abs(value) < large || cells.columns > most) return "";
    bool is_alike = false;
    for (Index k = 0; k < cells.columns && !is_alike; ++k) {
        const double other = value_at(cells, i, k);
        is_alike = other != value && cell_text(other, false) == text;
    }
    if (!is_alike) return "";
    const double rest = value - number_in(text);
    const bool is_whole = rest == std::round(rest);
    return fmt::format("{}{}{:.{}f}", text, rest < 0 ? "\u2212" : "+", std::abs(rest),
                       is_whole ? 0 : 2);
}

}  // namespace

std::string text_of(const Heatmap& heatmap, Index i, Index j) {
    const Cells& cells = *heatmap.cells;
    if (is_hatch_alone(cells.stage, signs_at(cells, i, j))) return "";
    if (cells.stage == StageKind::allowed) return "1";
    std::string text = cell_text(value_at(cells, i, j), cells.has_shares(), heatmap.number_form);
    if (heatmap.number_form == NumberForm::one_decimal) {
        if (const std::size_t e = text.find('e'); e != std::string::npos) text.insert(e, 1, '\n');
        return text;
    }
    const std::string large = large_text(cells, i, j, text);
    return large.empty() ? text : large;
}

std::vector<std::string> lines_of_number(const std::string& text) {
    const std::size_t end = text.find('\n');
    if (end == std::string::npos) return {text};
    return {text.substr(0, end), text.substr(end + 1)};
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
    const std::string written = text_of(heatmap, i, j);
    const std::vector<std::string> lines = lines_of_number(written);
    const double size = heatmap.number_size, count = double(lines.size());
    double width = 0;
    for (std::size_t k = 0; k < lines.size(); ++k) {
        const Point at{middle.x, middle.y + (double(k) - (count - 1) / 2) * size};
        Text& line = number.lines.emplace_back(
            Text{at, lines[k], text_style_of(heatmap, i, j), Role::ink, Anchor::centre});
        if (reaches_beyond(line, heatmap.rect)) return {};
        width = std::max(width, measure(line.text, line.style).width);
    }
    const bool is_large = written.find('e') != std::string::npos;  // "−1e9"
    if (is_large && (width > cell.w || count * size > cell.h)) return {};
    if (look.hatch.a == 0 && look.cross.a == 0) return number;
    const double frame = look.frame.a != 0 ? 3 : 0;
    if (look.cross.a != 0 && width > cell.w) return {};
    const double w = std::min(width + 2 * style::number_padding * size, cell.w - 2 * frame);
    const double h = std::min((count - 1 + style::number_room) * size, cell.h - 2 * frame);
    number.cleared = Rect{middle.x - w / 2, middle.y - h / 2, w, h};
    return number;
}

SeenCells seen_cells(const Heatmap& heatmap) {
    const Zoom& z = heatmap.zoom;
    const SeenSpan rows = seen_span(z.y0, z.y1, heatmap.cells->rows),
                   columns = seen_span(z.x0, z.x1, heatmap.cells->columns);
    return {{rows.begin, columns.begin}, {rows.end, columns.end}};
}

namespace {

int pixels_of(double points, double scale) {
    return points > 0 ? std::max(1, static_cast<int>(std::lround(points * scale))) : 0;
}

// One axis of a heatmap in pixels: cell c extends from edge(c) to edge(c + 1) − gap.
struct Axis {
    double start = 0, step = 0;      // pixels: where cell 0 begins, and its size
    int low = 0, high = 0, gap = 0;  // the visible pixels, [low, high), and the width of a gap
    Index cells = 0;

    bool is_fine() const { return step < 1; }  // a pixel shows several cells
    int edge(Index c) const {
        return static_cast<int>(std::lround(start + static_cast<double>(c) * step));
    }
};

Axis axis_of(double at, double length, double first, double last, Index cells, double scale,
             int gap) {
    const double step = length / ((last - first) * static_cast<double>(cells)) * scale;
    return {.start = at * scale - first * static_cast<double>(cells) * step,
            .step = step,
            .low = static_cast<int>(std::lround(at * scale)),
            .high = static_cast<int>(std::lround((at + length) * scale)),
            .gap = gap,
            .cells = cells};
}

double side_of(const Heatmap& heatmap) {
    const Rect cell = cell_rect(heatmap, 0, 0);
    return std::min(cell.w, cell.h);
}

struct Axes {
    Axis x, y;
};

Axes axes_of(const Heatmap& heatmap, double scale) {
    const Rect& r = heatmap.rect;
    const Zoom& z = heatmap.zoom;
    constexpr double fewest = 4;  // pixels: smaller cells have no gap
    const double side = side_of(heatmap);
    const int gap = side * scale < fewest ? 0 : pixels_of(style::cell_style(side).gap, scale);
    return {axis_of(r.x, r.w, z.x0, z.x1, heatmap.cells->columns, scale, gap),
            axis_of(r.y, r.h, z.y0, z.y1, heatmap.cells->rows, scale, gap)};
}

// The part of a cell or gap at one pixel of an axis.
struct Place {
    std::size_t slot = 0;  // index among the cells that have a pixel (`seen`)
    int depth = 0;         // pixels to the cell's nearer edge; 0 = the outermost
    bool in_gap = false;   // the pixel is in the gap after the cell of this slot
    double from_middle = 0;
};

struct Line {
    std::vector<Place> places;  // for the pixels from low − gap to high − 1
    std::vector<Index> seen;    // the cell of each slot; -1 = the gap before the first
};

// Assigns every pixel of an axis to a cell or a gap. If a cell is smaller than a pixel, each pixel
// is its own slot: see spans_of().
Line line_of(const Axis& axis) {
    Line line;
    if (axis.is_fine()) {
        for (int p = axis.low; p < axis.high; ++p) {
            line.places.push_back({line.seen.size(), 0, false});
            line.seen.push_back(p - axis.low);
        }
        return line;
    }
    if (axis.gap > 0) line.seen.push_back(-1);
    line.places.resize(static_cast<std::size_t>(axis.gap), {0, 0, true});
    Index cell = 0;
    for (int p = axis.low; p < axis.high; ++p) {
        while (cell + 1 < axis.cells && axis.edge(cell + 1) <= p) ++cell;
        if (line.seen.empty() || line.seen.back() != cell) line.seen.push_back(cell);
        const int before = p - axis.edge(cell), after = axis.edge(cell + 1) - axis.gap - 1 - p;
        line.places.push_back(
            {line.seen.size() - 1, std::min(before, after), after < 0, 0.5 * (before - after)});
    }
    return line;
}

// Returns the cells that each slot of an axis shows. The axis must have no gaps.
std::vector<CellSpan> spans_of(const Axis& axis, const Line& line, int level) {
    std::vector<CellSpan> spans;
    for (const Index slot : line.seen) {
        const double from = axis.low + static_cast<double>(slot) - axis.start;
        spans.push_back(axis.is_fine()
                            ? span_of(from / axis.step, (from + 1) / axis.step, axis.cells, level)
                            : CellSpan{slot, slot + 1});
    }
    return spans;
}

std::uint32_t argb_of(Colour c) {
    return 0xff000000U | static_cast<std::uint32_t>(c.r) << 16 |
           static_cast<std::uint32_t>(c.g) << 8 | c.b;
}

// Returns the share of a pixel that a hatch covers, for `count` values of k from `first` on, where
// k = x + y for "/", and x − y for "\". The hatch repeats along both axes, so that its lines
// continue from cell to cell.
std::vector<double> coverage(int first, int count, double pitch, double width) {
    std::vector<double> coverage(static_cast<std::size_t>(count));
    for (int k = 0; k < count; ++k) {
        const double along = first + k + 0.5 * pitch;
        const double past = along - std::floor(along / pitch) * pitch;
        const double distance = std::min(past, pitch - past) / std::sqrt(2.0);
        coverage[k] = std::clamp(width / 2 + 0.5 - distance, 0.0, 1.0);
    }
    return coverage;
}

class Painter {
public:
    Painter(const Heatmap& heatmap, const Theme& theme, double scale)
        : heatmap_(heatmap),
          theme_(theme),
          axes_(axes_of(heatmap, scale)),
          columns_(line_of(axes_.x)),
          rows_(line_of(axes_.y)) {
        const double side = side_of(heatmap);
        style_ = style::cell_style(side);
        const int widest = static_cast<int>(side * scale / 6);  // a frame leaves space for the fill
        const int frame = std::min(pixels_of(style_.frame, scale), widest);
        edge_ = frame + std::min(pixels_of(style_.frame_edge, scale), frame);
        style_.frame = frame;
        style_.dot *= scale;
        style_.dot_edge *= scale;
        const int width = static_cast<int>(columns_.places.size());
        const int height = static_cast<int>(rows_.places.size());
        const double pitch = style_.hatch_pitch * scale, thick = style_.hatch_width * scale;
        if (axes_.x.is_fine() || axes_.y.is_fine()) reduce();
        hatch_ = coverage(1 - 2 * axes_.x.gap, width + height, pitch, thick);
        cross_ = coverage(-height, width + height, pitch, thick);
    }

    CellPixels paint() {
        CellPixels image;
        image.x = axes_.x.low - axes_.x.gap;
        image.y = axes_.y.low - axes_.y.gap;
        image.width = static_cast<int>(columns_.places.size());
        image.height = static_cast<int>(rows_.places.size());
        image.argb.reserve(columns_.places.size() * rows_.places.size());
        for (std::size_t y = 0; y < rows_.places.size(); ++y)
            for (std::size_t x = 0; x < columns_.places.size(); ++x)
                image.argb.push_back(pixel(x, y));
        return image;
    }

private:
    struct CellPaint {
        CellLook look;
        Colour fill;  // without marks
        bool hatched = false, dotted = false;
    };
    struct RowSummaries {
        std::size_t slot = static_cast<std::size_t>(-1);
        std::vector<CellPaint> cells;
    };

    void reduce() {
        const int level = level_of(1 / std::max(axes_.x.step, axes_.y.step));
        texels_ = texels_of(*heatmap_.cells, {level, spans_of(axes_.y, rows_, level),
                                              spans_of(axes_.x, columns_, level)});
        scale_ = scale_of(*heatmap_.cells);
    }

    CellLook look_in(const CellRow& row, std::size_t slot, std::size_t column) const {
        if (!texels_.empty()) {
            const auto at = slot * columns_.seen.size() + column;
            const ShownCell shown = shown_cell(texels_[at], scale_);
            return look_of_number(heatmap_, shown.value, shown.signs, theme_);
        }
        if (columns_.seen[column] < 0) return {};
        const auto j = static_cast<std::size_t>(columns_.seen[column]);
        return look_of_number(heatmap_, row.values[j], row.signs[j], theme_);
    }

    CellPaint paint_of(const CellLook& look) const {
        return {look, fill_colour(look, style_, theme_),
                look.hatch.a != 0 && !is_tinted(look, style_), look.dot.a != 0 && style_.dot > 0};
    }

    // Returns one row of cells. Keeps two rows, because drawing a gap needs both.
    const std::vector<CellPaint>& cells_of(std::size_t slot) {
        RowSummaries& row = kept_[slot % 2];
        if (row.slot == slot) return row.cells;
        row.slot = slot;
        row.cells.clear();
        const bool whole = texels_.empty() && rows_.seen[slot] >= 0;
        const CellRow cells = whole ? row_of(*heatmap_.cells, rows_.seen[slot]) : CellRow{};
        for (std::size_t k = 0; k < columns_.seen.size(); ++k)
            row.cells.push_back(paint_of(look_in(cells, slot, k)));
        return row.cells;
    }

    std::uint32_t pixel(std::size_t x, std::size_t y) {
        const Place& across = columns_.places[x];
        const Place& down = rows_.places[y];
        if (across.in_gap || down.in_gap) return gap_pixel(across, down);
        const CellPaint& cell = cells_of(down.slot)[across.slot];
        const CellLook& look = cell.look;
        const int depth = std::min(across.depth, down.depth);
        if (look.frame.a != 0 && depth < edge_)
            return argb_of(depth < style_.frame ? look.frame : look.frame_edge);
        Colour colour = cell.fill;
        if (cell.hatched) colour = mix(colour, look.hatch, hatch_[x + y]);
        if (look.cross.a != 0)
            colour = mix(colour, look.cross, cross_[x + rows_.places.size() - y]);
        if (cell.dotted) {
            const double inside =
                style_.dot + 0.5 - std::hypot(across.from_middle, down.from_middle);
            colour = mix(colour, look.background, std::clamp(inside + style_.dot_edge, 0.0, 1.0));
            colour = mix(colour, look.dot, std::clamp(inside, 0.0, 1.0));
        }
        return argb_of(colour);
    }

    // Returns the colour of a pixel in a gap: that of a line if a plain cell is beside the gap,
    // otherwise 0, so that the background shows.
    std::uint32_t gap_pixel(const Place& across, const Place& down) {
        for (std::size_t r = down.slot; r <= down.slot + (down.in_gap ? 1 : 0); ++r)
            for (std::size_t c = across.slot; c <= across.slot + (across.in_gap ? 1 : 0); ++c)
                if (is_plain(r, c)) return argb_of(theme_[Role::line]);
        return 0;
    }

    bool is_plain(std::size_t row_slot, std::size_t column_slot) {
        if (row_slot >= rows_.seen.size() || column_slot >= columns_.seen.size()) return false;
        if (rows_.seen[row_slot] < 0 || columns_.seen[column_slot] < 0) return false;
        return cells_of(row_slot)[column_slot].look.plain;
    }

    const Heatmap& heatmap_;
    const Theme& theme_;
    Axes axes_;
    Line columns_, rows_;
    std::vector<std::uint32_t> texels_;  // [rows_.seen, columns_.seen], if a pixel shows many cells
    double scale_ = 1;                   // the scale for which texels_ was made
    style::CellStyle style_;             // the frame in pixels: the depth at which it ends,
    int edge_ = 0;                       // and that at which its edge ends
    std::vector<double> hatch_, cross_;
    std::array<RowSummaries, 2> kept_;
};

bool is_drawable(const Heatmap& heatmap, double scale) {
    return heatmap.cells && heatmap.cells->rows > 0 && heatmap.cells->columns > 0 &&
           heatmap.rect.w > 0 && heatmap.rect.h > 0 && heatmap.zoom.x1 > heatmap.zoom.x0 &&
           heatmap.zoom.y1 > heatmap.zoom.y0 && scale > 0;
}

}  // namespace

CellPixels cell_pixels(const Heatmap& heatmap, const Theme& theme, double scale) {
    if (!is_drawable(heatmap, scale)) return {};
    return Painter(heatmap, theme, scale).paint();
}

Rect inner_rect(const Heatmap& heatmap, Index i, Index j, double scale) {
    const Axes axes = axes_of(heatmap, scale);
    const double left = axes.x.edge(j) / scale, top = axes.y.edge(i) / scale;
    return {left, top, (axes.x.edge(j + 1) - axes.x.gap) / scale - left,
            (axes.y.edge(i + 1) - axes.y.gap) / scale - top};
}

}  // namespace maskscope
