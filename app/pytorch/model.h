#pragma once

#include <string>

#include "core/result/result.h"

namespace maskscope::python {

// Writes a whole pass of a model, from the definition of `inf` on. It reads the model's file beside
// the script, and defines weights, output and translation.
std::string model_lines(const Result& result, int variant);

}  // namespace maskscope::python
