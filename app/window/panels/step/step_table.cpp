// The table of a step.

#include <algorithm>
#include <vector>

#include "app/style/labels.h"
#include "app/window/panels/step/step_parts.h"
#include "app/window/widgets/widgets.h"

namespace maskscope {

namespace {

// × the size of the type.
constexpr double line_of_cell = 1.35, above_cell = 0.35, between_columns = 1.1;

Weight weight_of(std::size_t row) { return row == 0 ? Weight::semibold : Weight::regular; }

std::vector<double> natural_widths(const StepTable& table, double size) {
    std::vector<double> widths(table.front().size(), 0);
    for (std::size_t r = 0; r < table.size(); ++r)
        for (std::size_t k = 0; k < widths.size(); ++k)
            widths[k] = std::max(
                widths[k], measure(table[r][k], {.size = size, .weight = weight_of(r)}).width +
                               between_columns * size);
    return widths;
}

double sum_of(const std::vector<double>& widths) {
    double sum = 0;
    for (const double width : widths) sum += width;
    return sum;
}

// Returns the widths. If there is not enough space, the widest columns get narrower.
std::vector<double> column_widths(const StepTable& table, double room, double size) {
    std::vector<double> widths = natural_widths(table, size);
    for (int rounds = 0; rounds < 64 && sum_of(widths) > room + 0.5; ++rounds) {
        const auto widest = std::ranges::max_element(widths);
        *widest = std::max(2 * size, *widest - std::max(size, sum_of(widths) - room) / 2);
    }
    return widths;
}

}  // namespace

double step_table_width(const StepTable& table, double size) {
    return table.empty() ? 0 : sum_of(natural_widths(table, size));
}

namespace {

// Calls `put` with each line of each cell, and `rule` with the y below each row; returns the last
// y.
template <class Put, class Rule>
double each_line(const StepTable& table, double width, double size, Put put, Rule rule) {
    if (table.empty()) return 0;
    const std::vector<double> widths = column_widths(table, width, size);
    const double line = line_of_cell * size, pad = above_cell * size;
    double y = 0;
    for (std::size_t r = 0; r < table.size(); ++r) {
        const TextStyle style{.size = size, .weight = weight_of(r)};
        double x = 0, bottom = y + pad + line;
        for (std::size_t k = 0; k < widths.size(); ++k) {
            double middle = y + pad + line / 2;
            const double room = std::max(1.0, widths[k] - between_columns * size);
            for (const std::string& text : broken_into_lines(table[r][k], style, room + 0.5)) {
                put(Point{x, middle}, text, style, widths[k]);
                middle += line;
            }
            bottom = std::max(bottom, middle - line / 2);
            x += widths[k];
        }
        y = bottom + pad;
        rule(y, x - between_columns * size);
    }
    return y;
}

}  // namespace

double step_table_height(const StepTable& table, double width, double size) {
    return each_line(
        table, width, size, [](Point, const std::string&, const TextStyle&, double) {},
        [](double, double) {});
}

void draw_step_table(Gui& gui, const StepTable& table, Point at, double width, double size) {
    each_line(
        table, width, size,
        [&](Point from, const std::string& text, const TextStyle& style, double room) {
            draw_text(gui, {.at = {at.x + from.x, at.y + from.y},
                            .text = text,
                            .style = style,
                            .role = style.weight == weight_of(0) ? Role::dim : Role::ink,
                            .max_width = room});
        },
        [&](double y, double length) {
            draw_box(gui, {.rect = {at.x, at.y + y, length, std::max(1.0, size / 13)},
                           .filled = true,
                           .fill = Role::line});
        });
}

}  // namespace maskscope
