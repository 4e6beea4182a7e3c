#pragma once
// A matrix at halved and halved sizes, so that one pixel can show thousands of cells and lose no
// NaN among them.

#include <cstdint>
#include <vector>

#include "app/figure/cells.h"

namespace maskscope {

// Where a texel stands for several cells: the number of largest magnitude among those that show
// one (a blocked 0 or −∞ shows none), with its signs, and NaN and leaks of any of them.
struct Level {
    Index rows = 0, columns = 0;
    std::vector<float> values;        // [rows, columns], divided by `magnitude`: -1 to 1; 0 for NaN
    std::vector<std::uint8_t> signs;  // [rows, columns], as in Cells
};

struct Levels {
    double magnitude = 1;  // the largest finite one
    // 0: every cell. Each next has half the rows and columns, rounded down, and at least 1; its
    // last row and column stand for up to three of those before.
    std::vector<Level> levels;
};

Levels levels_of(const Cells& cells);

}  // namespace maskscope
