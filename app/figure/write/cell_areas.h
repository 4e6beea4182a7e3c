#pragma once
// The cells of a heatmap as areas of one colour each, for the writers that draw shapes: adjacent
// equal cells of a row are one rectangle.

#include <cstdint>
#include <map>
#include <vector>

#include "app/figure/pen.h"

namespace maskscope {

using Areas = std::map<std::uint32_t, std::vector<Rect>>;  // by colour, 0xrrggbb

struct FramedCell {
    Rect cell;
    Colour frame, edge;  // edge: within the frame
};

struct DottedCell {
    Rect cell;
    Colour dot, edge;  // edge: around it
};

// The areas in the order of drawing; frames and dots, then numbers, follow.
struct CellAreas {
    Areas lines;             // the background, around cells that have no colour
    Areas fills;             // of the cells
    Areas hatches, crosses;  // lines "/" and "\" over them, every style.hatch_pitch along a row
    std::vector<FramedCell> framed;
    std::vector<DottedCell> dotted;
    style::CellStyle style;
};

CellAreas cell_areas(const Heatmap& heatmap, const Theme& theme);

void draw_marks(Pen& pen, const CellAreas& areas);  // frames and dots

constexpr std::uint32_t rgb(Colour c) {
    return std::uint32_t{c.r} << 16 | std::uint32_t{c.g} << 8 | c.b;
}
constexpr Colour colour_of(std::uint32_t rgb) {
    return {std::uint8_t(rgb >> 16), std::uint8_t(rgb >> 8 & 0xff), std::uint8_t(rgb & 0xff)};
}

}  // namespace maskscope
