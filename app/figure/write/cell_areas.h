#pragma once
// The cells of a heatmap as areas of one colour each, for writers that draw shapes. Adjacent equal
// cells of a row become one rectangle.

#include <cstdint>
#include <map>
#include <vector>

#include "app/figure/pen.h"

namespace maskscope {

using Areas = std::map<std::uint32_t, std::vector<Rect>>;  // by colour, 0xrrggbb

struct FramedCell {
    Rect cell;
    Colour frame, edge;  // edge: between the frame and the fill
};

struct DottedCell {
    Rect cell;
    Colour dot, edge;  // edge: the ring around the dot
};

// The areas in the order of drawing; frames and dots follow, then numbers.
struct CellAreas {
    Areas lines;             // under plain cells, and larger by the gap: seen as lines around them
    Areas fills;             // the cells' colours
    Areas hatches, crosses;  // lines "/" and "\" over the fills, spaced by style.hatch_pitch
    std::vector<FramedCell> framed;
    std::vector<DottedCell> dotted;
    style::CellStyle style;
};

CellAreas cell_areas(const Heatmap& heatmap, const Theme& theme);

void draw_marks(Pen& pen, const CellAreas& areas);  // draws frames and dots

constexpr std::uint32_t rgb(Colour c) {
    return std::uint32_t{c.r} << 16 | std::uint32_t{c.g} << 8 | c.b;
}
constexpr Colour colour_of(std::uint32_t rgb) {
    return {std::uint8_t(rgb >> 16), std::uint8_t(rgb >> 8 & 0xff), std::uint8_t(rgb & 0xff)};
}

}  // namespace maskscope
