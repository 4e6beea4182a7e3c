#pragma once
// Writes the numbers of the inspector's lines.

#include <string>

#include "core/scene/scene.h"

namespace maskscope {

// Writes a typed number without its sign: 2, 0.125, 1e9, ∞; a dtype's lowest number in few digits.
std::string typed_magnitude(double value);
std::string signed_text(double value);  // the same with its sign
// Writes "a − b" or "a + b", depending on the sign of b.
std::string sum_text(double a, double b, const std::string& magnitude_of_b);
std::string in_brackets(double value);  // "3.000", "(−3.000)"
// Did rounding to the dtype change more than the last digit: overflow, underflow, or a lost
// summand?
bool is_drastic(double exact, double rounded, Dtype dtype);

}  // namespace maskscope
