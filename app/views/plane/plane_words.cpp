#include "app/views/plane/plane_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "core/base/number_text.h"

namespace maskscope {

namespace {

std::string point_words(PlanePoint point) {
    return fmt::format("({}, {})", cell_text(point[0], false), cell_text(point[1], false));
}

std::string why_not_drawn(PlanePoint point) {
    if (std::isnan(point[0]) || std::isnan(point[1])) return "NaN";
    return std::isinf(point[0]) || std::isinf(point[1]) ? "infinite" : "too large";
}

// Adds the points that cannot be drawn, equal tokens once: row “a” is NaN, 2 rows “b” are infinite.
void add_words(std::string& words, const std::string& what, const std::vector<PlanePoint>& points,
               const std::vector<std::string>& tokens) {
    std::map<std::pair<std::string, std::string>, int> counts;
    for (std::size_t k = 0; k < points.size(); ++k)
        if (!is_drawable(points[k])) ++counts[{tokens[k], why_not_drawn(points[k])}];
    for (const auto& [point, count] : counts) {
        const auto& [token, how] = point;
        const std::string start = words.empty() ? "not drawn: " : ", ";
        words += count == 1 ? fmt::format("{}{} “{}” is {}", start, what, token, how)
                            : fmt::format("{}{} {}s “{}” are {}", start, count, what, token, how);
    }
}

std::string sum_of_heads(const PlanePlot& plot, std::size_t row) {
    constexpr std::size_t most = 4;
    std::string words;
    for (std::size_t h = 0; h < plot.parts.size(); ++h) {
        if (h == most) return words + " + …";
        words += fmt::format("{}head {} {}", h == 0 ? "" : " + ", h + 1,
                             point_words(plot.parts[h][row]));
    }
    return words;
}

// Returns the weighted values; keys of weight 0 are left out.
std::string sum_of_values(const PlanePlot& plot, std::size_t row) {
    const std::size_t keys = plot.keys.size();
    const std::span weights = std::span(plot.weights).subspan(row * keys, keys);
    std::string words;
    for (std::size_t j = 0; j < keys; ++j) {
        if (weights[j] == 0) continue;
        words += fmt::format("{}{} {}", words.empty() ? "" : " + ", cell_text(weights[j], true),
                             plot.keys[j]);
    }
    return words.empty() ? "0" : words;
}

}  // namespace

std::string component_name(Index component, bool projected) {
    std::string name = projected ? "o" : "v";
    for (const char digit : std::to_string(component + 1)) {
        name += "\xe2\x82";  // subscripts: U+2080 to U+2089
        name += static_cast<char>(0x80 + (digit - '0'));
    }
    return name;
}

std::string some_of(std::size_t drawn, Index all) {
    return Index(drawn) < all ? fmt::format(", {} of {}", drawn, all) : "";
}

PlaneCount count_words(const PlanePlot& plot) {
    const char* sampled = is_sampled(plot) ? ", sampled" : "";
    if (!plot.parts.empty())
        return {0, plot.parts.size() == 1
                       ? std::string("one head") + sampled
                       : fmt::format("the sum of {} heads{}", plot.parts.size(), sampled)};
    const Index outside = count_outside(plot);
    if (outside == 0 && plot.outputs.size() == 1) return {0, ""};  // one point needs no count
    const Index known = static_cast<Index>(plot.outside.size()) - count_unknown(plot);
    return {outside, fmt::format("{} of {} outside{}", outside, known, sampled)};
}

std::string not_drawn_words(const PlanePlot& plot) {
    std::string words;
    add_words(words, "row", plot.outputs, plot.queries);
    add_words(words, "value", plot.values, plot.keys);
    Index count = 0;  // for rows without an allowed key: they have no hull
    for (std::size_t i = 0; i < plot.outside.size(); ++i)
        if (!plot.outside[i] && is_drawable(plot.outputs[i])) ++count;
    if (count > 0) words += fmt::format("{}{} without a hull", words.empty() ? "" : ", ", count);
    return words;
}

std::string row_words(const PlanePlot& plot, Index row) {
    const auto at = static_cast<std::size_t>(row);
    std::string words = fmt::format("“{}” at {}", plot.queries[at], point_words(plot.outputs[at]));
    if (at < plot.outside.size() && plot.outside[at] && plot.outside[at]->distance > 0)
        words += fmt::format(", {} outside", cell_text(plot.outside[at]->distance, false));
    if (!plot.parts.empty()) return words + ": " + sum_of_heads(plot, at);
    if (plot.weights.empty()) return words;
    const std::string sum = sum_of_values(plot, at);
    return words + ": " + (plot.turned ? "(" + sum + ") · Wᵀ/√d" : sum);
}

}  // namespace maskscope
