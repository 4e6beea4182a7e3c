#pragma once
// True if two rectangles share any of their area.

#include "app/style/shapes.h"

namespace maskscope {

inline bool overlap(const Rect& x, const Rect& y) {
    return x.x < y.right() && y.x < x.right() && x.y < y.bottom() && y.y < x.bottom();
}

}  // namespace maskscope
