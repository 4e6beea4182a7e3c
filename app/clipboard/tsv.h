#pragma once

#include <string>
#include <vector>

#include "app/show/cells/cells.h"

namespace maskscope {

// Writes one heatmap as a table to be pasted into a spreadsheet: a line with the names of the
// columns, then one for each row, its name first; tabs between them, \n at the ends. Numbers have
// all their digits; besides them there are inf, -inf and NaN, blocked or not; the mask is 1 and 0.
// Names are written as table_field() does. rows, columns: as many names as the cells have.
std::string tsv_text(const Cells& cells, const std::vector<std::string>& rows,
                     const std::vector<std::string>& columns);

}  // namespace maskscope
