#pragma once
// The cells of a heatmap as areas of one colour each, for the writers that draw shapes: the runs of
// a row that touch are one rectangle.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "app/figure/style.h"

namespace maskscope {

using Areas = std::map<std::uint32_t, std::vector<Rect>>;  // by colour, 0xrrggbb

struct FramedCell {
    Rect cell;
    Colour frame, edge;  // edge: within the frame
};

// In the order of drawing; then the frames, then the numbers.
struct CellAreas {
    Areas lines;             // the grounds of lines around cells that have no colour
    Areas fills;             // of the cells
    Areas hatches, crosses;  // lines "/" and "\" over them, every style.hatch_pitch along a row
    std::vector<FramedCell> framed;
    style::CellStyle style;
};

CellAreas cell_areas(const Heatmap& heatmap, const Theme& theme);

// The rectangle of a frame's edge; absent where it has no room.
std::optional<Rect> edge_within(const FramedCell& framed, const style::CellStyle& style);

constexpr std::uint32_t rgb(Colour c) {
    return std::uint32_t{c.r} << 16 | std::uint32_t{c.g} << 8 | c.b;
}

}  // namespace maskscope
