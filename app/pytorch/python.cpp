#include "app/pytorch/python.h"

#include <fmt/format.h>

#include <cmath>

namespace maskscope::python {

namespace {

// Appends the numbers axis by axis; advances `values`.
void append_nested(std::string& text, const double*& values, const Index* axis, const Index* end,
                   int depth, Dtype dtype) {
    if (axis == end) {
        const double value = *values++;
        const auto narrow = static_cast<float>(value);
        const bool shorter = dtype == Dtype::float32 && std::isfinite(narrow) && narrow == value;
        text += shorter ? fmt::format("{}", narrow) : number(value);
        return;
    }
    const bool rows = end - axis > 1;
    text += '[';
    for (Index k = 0; k < *axis; ++k) {
        if (k > 0) text += rows ? ",\n" + std::string(static_cast<std::size_t>(depth), ' ') : ", ";
        append_nested(text, values, axis + 1, end, depth + 1, dtype);
    }
    text += ']';
}

}  // namespace

std::string string_literal(std::string_view text) {
    std::string all = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') all += '\\';
        all += c;
    }
    return all + '"';
}

std::string number(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return fmt::format("{}", value);
}

std::string indices(const std::vector<Index>& values) {
    return fmt::format("[{}]", fmt::join(values, ", "));
}

std::string strings(const std::vector<std::string>& values) {
    std::vector<std::string> all;
    for (const std::string& value : values) all.push_back(string_literal(value));
    return fmt::format("[{}]", fmt::join(all, ", "));
}

std::string nested(const double* values, const std::vector<Index>& axes, Dtype dtype) {
    std::string text;
    append_nested(text, values, axes.data(), axes.data() + axes.size(), 1, dtype);
    return text;
}

}  // namespace maskscope::python
