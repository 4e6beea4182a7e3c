#pragma once
// The space that a window, or the screen of a lecture hall, leaves for a figure.

#include <ostream>

#include "app/figure/layout/lay_out.h"

namespace maskscope {

struct FigureRoom {
    const char* window;
    double width, height, scale;
    bool in_hall = false;
};

inline void PrintTo(const FigureRoom& room, std::ostream* out) {
    *out << room.window << " × " << room.scale << (room.in_hall ? ", presented" : "");
}

inline LayoutOptions options_in(const FigureRoom& room) {
    LayoutOptions options;
    options.width = room.width;
    options.height = room.height;
    options.scale = room.scale;
    options.with_title = false;
    options.in_hall = room.in_hall;
    return options;
}

}  // namespace maskscope
