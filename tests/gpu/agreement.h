#pragma once
// Results of the GPU held to the plain backend, and stage by stage to what follows from the one
// before.

#include <string>

#include "core/result.h"

namespace maskscope::golden {

// "" where the GPU's result agrees with the plain one: infinities and NaN in the same places,
// blocked weights exactly 0 where they are 0 there, numbers as near as agreement.cpp says. Else the
// first place that differs.
std::string first_difference(const Result& gpu, const Result& plain);

}  // namespace maskscope::golden
