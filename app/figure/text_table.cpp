#include "app/figure/text_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "app/style/labels.h"

namespace maskscope {

namespace {

// × the type size
constexpr double line_of_cell = 1.35, above_cell = 0.35, between_columns = 1.1;
constexpr double least_column = 4;
constexpr double size_step = 0.94;  // each size that is tried, × the one before

TextStyle style_of(std::size_t row, double size) {
    return {.size = size, .weight = row == 0 ? Weight::semibold : Weight::regular};
}

std::vector<double> natural_widths(const TextTable& table, double size) {
    std::vector<double> widths(table.front().size(), 0);
    for (std::size_t r = 0; r < table.size(); ++r)
        for (std::size_t k = 0; k < widths.size(); ++k)
            widths[k] = std::max(
                widths[k], measure(table[r][k], style_of(r, size)).width + between_columns * size);
    return widths;
}

double sum_of(const std::vector<double>& widths) {
    return std::accumulate(widths.begin(), widths.end(), 0.0);
}

// Returns the widths of the columns. If space is short, the widest ones are narrowed.
std::vector<double> column_widths(const TextTable& table, double width, double size) {
    std::vector<double> widths = natural_widths(table, size);
    for (int rounds = 0; rounds < 64 && sum_of(widths) > width + 0.5; ++rounds) {
        const auto widest = std::ranges::max_element(widths);
        *widest = std::max(2 * size, *widest - std::max(size, sum_of(widths) - width) / 2);
    }
    return widths;
}

bool keeps_words(const TextTable& table, double width, double size) {
    const std::vector<double> widths = column_widths(table, width, size);
    for (std::size_t r = 0; r < table.size(); ++r)
        for (std::size_t k = 0; k < widths.size(); ++k) {
            const double room = widths[k] - between_columns * size + 0.5;
            std::istringstream words(table[r][k]);
            for (std::string word; words >> word;)
                if (measure(word, style_of(r, size)).width > room) return false;
        }
    return true;
}

}  // namespace

double text_table_width(const TextTable& table, double size) {
    return table.empty() ? 0 : sum_of(natural_widths(table, size));
}

Figure text_table(const TextTable& table, double width, double size) {
    Figure figure;
    if (table.empty()) return figure;
    const std::vector<double> widths = column_widths(table, width, size);
    const double line = line_of_cell * size, pad = above_cell * size;
    figure.width = sum_of(widths) - between_columns * size;
    double y = 0;
    for (std::size_t r = 0; r < table.size(); ++r) {
        const TextStyle style = style_of(r, size);
        double x = 0, bottom = y + pad + line;
        for (std::size_t k = 0; k < widths.size(); ++k) {
            const double room = std::max(1.0, widths[k] - between_columns * size);
            double middle = y + pad + line / 2;
            for (const std::string& text : broken_into_lines(table[r][k], style, room + 0.5)) {
                figure.texts.push_back({.at = {x, middle},
                                        .text = text,
                                        .style = style,
                                        .role = r == 0 ? Role::dim : Role::ink,
                                        .max_width = widths[k]});
                middle += line;
            }
            bottom = std::max(bottom, middle - line / 2);
            x += widths[k];
        }
        y = bottom + pad;
        const double thick = std::max(1.0, std::round(size / 13));
        figure.boxes.push_back(
            {.rect = {0, y, figure.width, thick}, .filled = true, .fill = Role::line});
    }
    figure.height = y;
    return figure;
}

std::optional<Figure> fitted_table(const TextTable& table, double width, double height,
                                   double smallest, double largest) {
    if (table.empty()) return std::nullopt;
    // Prefer smaller type to columns that are narrower than a word, because such a table is hard to
    // read.
    for (const bool breaks_words : {false, true})
        for (double size = largest;; size = std::max(smallest, size_step * size)) {
            const double room = width + between_columns * size;
            const double least = double(table.front().size()) * least_column * size;
            const Figure figure = text_table(table, room, size);
            if (width >= least && figure.width <= width + 1 && figure.height <= height &&
                (breaks_words || keeps_words(table, room, size)))
                return figure;
            if (size <= smallest) break;
        }
    return std::nullopt;
}

}  // namespace maskscope
