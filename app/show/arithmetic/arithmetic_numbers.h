#pragma once
// How the inspector's lines write their numbers.

#include <string>

#include "core/scene/scene.h"

namespace maskscope {

// A number that somebody typed, without its sign: 2, 0.125, 1e9, ∞; a lowest number in few digits.
std::string typed_magnitude(double value);
std::string signed_text(double value);  // the same with its sign
// "a − b" or "a + b" as the sign of b asks for.
std::string sum_text(double a, double b, const std::string& magnitude_of_b);
std::string in_brackets(double value);  // "3.000", "(−3.000)"
// Did rounding to the dtype change more than the last digit: overflow, underflow, swallowed?
bool is_drastic(double exact, double rounded, Dtype dtype);

}  // namespace maskscope
