#include "app/show/arithmetic/arithmetic_numbers.h"

#include <fmt/format.h>

#include <cmath>

#include "core/attention/precision.h"
#include "core/base/number_text.h"

namespace maskscope {

std::string typed_magnitude(double value) {
    if (std::isinf(value)) return "∞";
    constexpr std::size_t most_digits = 8;
    const std::string typed = typed_text(std::abs(value));
    return typed.size() <= most_digits ? typed : cell_text(std::abs(value), false);
}

std::string signed_text(double value) {
    return fmt::format("{}{}", value < 0 ? "−" : "", typed_magnitude(value));
}

std::string sum_text(double a, double b, const std::string& magnitude_of_b) {
    return fmt::format("{} {} {}", exact_text(a), b < 0 ? "−" : "+", magnitude_of_b);
}

std::string in_brackets(double value) {
    return value < 0 ? fmt::format("({})", exact_text(value)) : exact_text(value);
}

bool is_drastic(double exact, double rounded, Dtype dtype) {
    if (exact_text(exact) == exact_text(rounded) || std::isnan(exact)) return false;
    if (!std::isfinite(exact) || !std::isfinite(rounded)) return true;
    return std::abs(exact - rounded) > 2 * epsilon(dtype) * std::abs(exact);
}

}  // namespace maskscope
