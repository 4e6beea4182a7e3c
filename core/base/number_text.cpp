#include "core/base/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace maskscope {

namespace {

const std::string minus = "\u2212";

// Writes "1.2e5" for "1.2e+05", "1e9" for "1.0e+09", "3.7e-6" for "3.70e-06".
std::string with_exponent(double magnitude, int decimals) {
    const std::string text = fmt::format("{:.{}e}", magnitude, decimals);
    const std::size_t e = text.find('e');
    std::string mantissa = text.substr(0, e);
    if (mantissa.find('.') != std::string::npos) {
        mantissa.erase(mantissa.find_last_not_of('0') + 1);
        if (mantissa.back() == '.') mantissa.pop_back();
    }
    return fmt::format("{}e{}", mantissa, std::stoi(text.substr(e + 1)));
}

std::string not_finite(double value) {
    if (std::isnan(value)) return "NaN";
    return value < 0 ? minus + "∞" : "+∞";
}

// Writes a magnitude for a cell. A number takes the form of what it rounds to: rounded to an
// integer, 99999.7 is 1e5; rounded to two decimals, 999.996 is 1000.
std::string cell_magnitude(double magnitude) {
    if (std::round(magnitude) >= 1e5) return with_exponent(magnitude, 1);
    if (magnitude >= 999.995) return fmt::format("{:.0f}", magnitude);
    return fmt::format("{:.2f}", magnitude);
}

// Shortens "10000" to "1e4", "120000" to "1.2e5", "1e+16" to "1e16", "1e-05" to "1e-5".
std::string without_zeros(const std::string& digits) {
    const std::size_t e = digits.find('e');
    if (e != std::string::npos)
        return fmt::format("{}e{}", digits.substr(0, e), std::stoi(digits.substr(e + 1)));
    const std::size_t last = digits.find_last_not_of('0');
    if (digits.find('.') != std::string::npos || last == std::string::npos ||
        digits.size() - last < 5)
        return digits;
    const std::string point = last > 0 ? "." : "";
    return fmt::format("{}{}{}e{}", digits[0], point, digits.substr(1, last), digits.size() - 1);
}

std::string percent_magnitude(double percent) {
    if (percent < 1e-4) return with_exponent(percent, 1);
    if (percent >= 99.5) return fmt::format("{:.0f}", percent);
    // The exponent of the rounded number tells how many decimals show two digits.
    const std::string rounded = fmt::format("{:.1e}", percent);
    const int exponent = std::stoi(rounded.substr(rounded.find('e') + 1));
    return fmt::format("{:.{}f}", percent, std::max(0, 1 - exponent));
}

}  // namespace

std::string cell_text(double value, bool is_share) {
    if (!std::isfinite(value)) return not_finite(value);
    if (value == 0) return "0";
    if (is_share && value >= 0.995 && value < 1) return ">.99";
    if (std::abs(value) < 0.005) return value < 0 ? "0.00" : "<.01";
    const std::string text = cell_magnitude(std::abs(value));
    return value < 0 ? minus + text : text;
}

std::string cell_text(double value, bool is_share, NumberForm form) {
    std::string text = cell_text(value, is_share);
    const double magnitude = std::abs(value);
    const std::string sign = value < 0 ? minus : "";
    if (form == NumberForm::one_decimal && std::isfinite(value) && magnitude >= 999.5)
        return sign + with_exponent(magnitude, 1);
    if (form == NumberForm::two_decimals || value == 0 || !(magnitude < 999.95)) return text;
    if (magnitude == std::round(magnitude)) return sign + fmt::format("{:.0f}", magnitude);
    if (form == NumberForm::one_decimal) {
        if (magnitude < 0.05) return value < 0 ? ".0" : "<.1";
        if (is_share && value >= 0.95 && value < 1) return ">.9";
        text = sign + fmt::format("{:.{}f}", magnitude, magnitude < 9.95 ? 1 : 0);
    }
    if (const std::size_t zero = text.find("0."); zero == 0 || text.compare(0, zero, minus) == 0)
        text.erase(zero, 1);
    return text;
}

std::string exact_text(double value, int digits) {
    if (!std::isfinite(value)) return not_finite(value);
    if (value == 0) return "0";
    const double magnitude = std::abs(value);
    std::string text = fmt::format("{:.{}f}", magnitude, digits);
    if (magnitude < 0.5 * std::pow(10.0, -digits)) text = with_exponent(magnitude, 1);
    if (magnitude >= 1e5) text = with_exponent(magnitude, digits);
    return value < 0 ? minus + text : text;
}

std::string exact_share(double value) {
    return value >= 0.9995 && value < 1 ? ">.999" : exact_text(value);
}

std::string typed_text(double value) {
    if (!std::isfinite(value)) return not_finite(value);
    // This is the shortest text that reads back as the same number.
    const std::string digits = fmt::format("{}", std::abs(value));
    return fmt::format("{}{}", value < 0 ? minus : "", without_zeros(digits));
}

std::string percent_text(double value) {
    if (!std::isfinite(value)) return not_finite(value);
    if (value == 0) return "0%";
    if (value >= 0.995 && value < 1) return ">99%";
    return (value < 0 ? minus : "") + percent_magnitude(std::abs(value) * 100) + "%";
}

}  // namespace maskscope
