#pragma once
// Writes Python as text.

#include <string>
#include <string_view>
#include <vector>

#include "core/scene/scene.h"

namespace maskscope::python {

std::string string_literal(std::string_view text);  // "…", with \ and " escaped
// Writes the shortest text that reads back as the same double; nan, inf and -inf as the script
// names them.
std::string number(double value);
std::string indices(const std::vector<Index>& values);        // [0, 2]
std::string strings(const std::vector<std::string>& values);  // ["a", "b"]
// Writes [[1, 2], [3, 4]]; if the numbers are rounded to float32 anyway, the shortest texts that
// round to it.
std::string nested(const double* values, const std::vector<Index>& axes, Dtype dtype);

}  // namespace maskscope::python
