#pragma once
// A small matrix whose numbers can be edited with one click.

#include <optional>
#include <string>

#include "app/window/paint/gui.h"
#include "core/base/matrix.h"

namespace maskscope {

// Larger ones show only their size.
inline constexpr Index most_grid_rows = 12, most_grid_columns = 6;

struct MatrixEntry {
    Index row = 0, column = 0;
    double x = 0;
};
// Draws it at the cursor, as wide as possible. Returns the number that was typed; Tab goes on to
// the next. The message line reports text that is not a finite number.
std::optional<MatrixEntry> matrix_grid(Gui& gui, const std::string& id, const Matrix& matrix);

}  // namespace maskscope
