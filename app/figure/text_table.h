#pragma once
// Lays out a table of words as parts of a figure.

#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure.h"

namespace maskscope {

// Rows with the same number of cells; the first row is the header.
using TextTable = std::vector<std::vector<std::string>>;

// Returns the width of the table with each cell in one line, in type of this size.
double text_table_width(const TextTable& table, double size);
// Lays out a table with its upper left corner at 0, 0. Text that is wider than its column is broken
// into lines.
Figure text_table(const TextTable& table, double width, double size);
// Returns the table in the largest type, between the two sizes, at which it fits the space and no
// word is wider than its column; failing that, at which it fits. nullopt if even the smallest type
// is too large, or the table is empty.
std::optional<Figure> fitted_table(const TextTable& table, double width, double height,
                                   double smallest, double largest);

}  // namespace maskscope
