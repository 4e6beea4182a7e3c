#pragma once
// Rows of cells as they stand in memory, for what looks at all of them.

#include <span>

#include "app/show/cells/cells.h"

namespace maskscope {

// Do the cells of this stage know the mask? Scores do not yet: lanes with other masks may share
// them.
bool shows_blocked(StageKind stage);

// One row of a source. Pointers are null where there is nothing.
struct RawRow {
    std::span<const float> float32;
    std::span<const double> float64;        // one of the two, or none: the mask itself
    const std::uint8_t* allowed = nullptr;  // [columns], 0 = blocked
    const std::uint8_t* pads = nullptr;     // [columns], where a pad with weight leaks
};
// Numbers that stand on the GPU are all read, once.
RawRow raw_row(const CellSource& source, Index b, Index h, Index i);

bool is_remote(const CellSource& source);

// The same numbers, mask and pads at the same place?
bool is_same_row(const CellSource& x, const CellSource& y, Index b, Index h, Index i);

RowSummary look_at(const CellSource& source, const RawRow& row);

std::uint8_t sign_of_number(double value);

}  // namespace maskscope
