#pragma once
// Lengths and weights used by both the window's painter and the writers of figures, in points
// (pixels at scale 1). Lengths that grow with the cells are functions of a cell's side, so that a
// figure at twice the scale is the same picture at twice the size.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "app/figure/figure.h"

namespace maskscope::style {

// --- cells

struct CellStyle {
    double gap = 1;          // between cells: at least a device pixel; 0 for tiny cells
    double hatch_pitch = 8;  // between two lines, measured along a row; it divides the side, so
                             // that lines continue from cell to cell
    double hatch_width = 1;  // width of a line
    double frame = 2;        // along the cell's edge, for a leak, in "wrong"
    double frame_edge = 1;   // black or white, between the frame and the fill
    double dot = 2;          // radius of the dot for a missing key
    double dot_edge = 1;     // width of the ring between the dot and the hatch
    double tint = 0;         // share of Role::line in a blocked cell's fill; 0: lines instead
};

inline constexpr double tiny_cell = 6;  // smaller cells have no gap and no frame, and a fixed hatch
// Blocked cells that are filled and smaller than small_cell are tinted, because hatch lines would
// be noise.
inline constexpr double small_cell = 12, small_tint = 0.5;

// Returns the style of a cell. side: its shorter side.
inline CellStyle cell_style(double side) {
    if (!(side >= tiny_cell))
        return {.gap = 0,
                .hatch_pitch = 6,
                .frame = 0,
                .frame_edge = 0,
                .dot = 0,
                .dot_edge = 0,
                .tint = small_tint};
    const double wanted = std::clamp(side / 4, 5.0, 16.0);
    const double large = std::clamp(side / 44, 0.5, 4.0);
    return {.gap = std::max(1.0, large),
            .hatch_pitch = side / std::max(1.0, std::round(side / wanted)),
            .hatch_width = std::max(1.0, 1.1 * large),
            .frame = std::clamp(2 * large, 1.0, 6.0),
            .frame_edge = 1,
            .dot = std::clamp(side / 7, 1.5, 12.0),
            .dot_edge = std::clamp(side / 20, 0.5, 3.0),
            .tint = side < small_cell ? small_tint : 0};
}

inline constexpr double number_padding = 0.23;  // ems on either side of a number, free of hatch
inline constexpr double number_room = 1.1;      // ems of height around a number, free of hatch
inline TextStyle number_style(double size) { return {.size = size, .weight = Weight::medium}; }
inline TextStyle word_style(double size) { return {.size = size, .weight = Weight::bold}; }  // NaN

// --- row sums

inline double sum_radius(const Rect& bar) { return 0.12 * bar.h; }
inline double sum_line(const Rect& bar) { return std::max(1.0, bar.h / 15); }
inline double sum_hatch_pitch(const Rect& bar) { return std::max(3.0, bar.h / 4); }
inline double sum_text_gap(const Rect& bar) { return 0.4 * bar.h; }
inline double sum_overflow(const Rect& bar) { return 0.3 * bar.h; }  // the tip of a sum above 1

using Triangle = std::array<Point, 3>;
// Returns the tip at the end of a bar whose sum is above 1.
inline Triangle overflow_tip(const Rect& bar, double gap) {
    const double x = bar.right() + gap;
    return {{{x, bar.y}, {x + sum_overflow(bar), bar.y + bar.h / 2}, {x, bar.bottom()}}};
}

// Returns the colour of a bar with this status. On a light background, the colours of statuses are
// dark enough for text; bars are brighter, with a contrast of about 3:1.
inline Colour fill_of(Role status, const Theme& theme) {
    if (theme.kind != ThemeKind::light && theme.kind != ThemeKind::print) return theme[status];
    if (status == Role::right) return {0x2e, 0x9e, 0x4f};
    return status == Role::odd ? Colour{0xc9, 0x79, 0x00} : theme[status];
}
inline Colour kept_colour(const SumBar& bar, const Theme& theme) {
    return fill_of(bar.status == Role::right ? Role::right : Role::odd, theme);
}
inline Colour outline_colour(const SumBar& bar, const Theme& theme) {
    return bar.kept > 0 || !(bar.leaked > 0) ? kept_colour(bar, theme) : theme[Role::wrong];
}

// --- hatches

struct HatchLines {
    double pitch = 8;  // measured along a row
    double width = 1;
    Colour colour;
    bool crossed = false;
};
inline HatchLines leak_hatch(const Rect& bar, const Theme& theme) {
    return {sum_hatch_pitch(bar), sum_line(bar), theme[Role::wrong]};
}
inline HatchLines nan_hatch(const Rect& bar, Colour lines) {
    return {1.5 * sum_hatch_pitch(bar), 0.8 * sum_line(bar), lines, true};
}

using Lines = std::vector<std::pair<Point, Point>>;
// Returns hatch lines. They extend beyond the rectangle, to which the caller clips them.
Lines lines_across(const Rect& rect, const HatchLines& hatch);

// --- connectors: lengths × Figure::unit

inline constexpr double connector_line = 1.6;
inline constexpr double arrow_length = 9, arrow_width = 8;

// The end of a connector: its line ends at line_end, where its arrow head begins; the arrow head
// ends at `to`.
struct Tip {
    Point line_end, to;
    double length = 0;      // the length of the arrow head; 0 if there is none
    double dx = 0, dy = 0;  // the direction, a vector of length 1
};
// Returns the arrow tip; nullopt if the connector has no length. unit: as Figure::unit.
inline std::optional<Tip> tip_of(const Connector& connector, double unit) {
    if (connector.points.size() < 2) return std::nullopt;
    const Point to = connector.points.back();
    const Point before = connector.points[connector.points.size() - 2];
    const double distance = std::hypot(to.x - before.x, to.y - before.y);
    if (!(distance > 0)) return std::nullopt;
    const double length = connector.arrow ? arrow_length * unit : 0;
    const double dx = (to.x - before.x) / distance, dy = (to.y - before.y) / distance;
    return Tip{{to.x - length * dx, to.y - length * dy}, to, length, dx, dy};
}

// Returns the line of a connector up to its arrow head, with rounded corners as short segments.
std::vector<Point> path_of(const Connector& connector, const Tip& tip, double unit);

inline Triangle arrow_head(const Tip& tip, double unit) {
    const double length = arrow_length * unit, half = arrow_width * unit / 2;
    const Point base{tip.to.x - length * tip.dx, tip.to.y - length * tip.dy};
    return {{tip.to,
             {base.x + half * tip.dy, base.y - half * tip.dx},
             {base.x - half * tip.dy, base.y + half * tip.dx}}};
}

// --- plots

// Returns the dashes of a line as pairs of end points. Dashes are four line widths long with gaps
// of three, and continue around corners.
Lines dashes_of(const Stroke& stroke);

inline Colour area_colour(const Area& area, const Theme& theme) {
    Colour colour = theme[area.role];
    colour.a = static_cast<std::uint8_t>(std::lround(255 * std::clamp(area.share, 0.0, 1.0)));
    return colour;
}

// Returns the text beside a row sum's bar.
inline Text sum_text(const SumBar& bar) {
    const bool calm = bar.status == Role::right || bar.status == Role::dim;
    const bool above = bar.mark == SumBar::Mark::above_one;
    const double overflow = above ? 0.8 * sum_overflow(bar.rect) : 0;
    return {{bar.rect.right() + overflow + sum_text_gap(bar.rect), bar.rect.y + bar.rect.h / 2},
            bar.text,
            {bar.text_size, calm ? Weight::regular : Weight::semibold},
            calm ? Role::dim : bar.status};
}

}  // namespace maskscope::style
