#pragma once
// Lays out a table of words as parts of a figure.

#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure.h"

namespace maskscope {

// Rows of as many cells each; the first is the header.
using TextTable = std::vector<std::vector<std::string>>;

// Returns its width with each cell in one line, in type of this size.
double text_table_width(const TextTable& table, double size);
// Lays out a table with its upper left corner at 0, 0. Cells that are wider than their column are
// broken into lines.
Figure text_table(const TextTable& table, double width, double size);
// Returns the table in the largest type between the two sizes with which it fits the space; nullopt
// if it does not fit even in the smallest, or there is none.
std::optional<Figure> fitted_table(const TextTable& table, double width, double height,
                                   double smallest, double largest);

}  // namespace maskscope
