// Draws the numbers of the columns of Q, K and V, and their axes.

#include <algorithm>
#include <cmath>

#include "app/figure/layout/lay_out_parts.h"
#include "app/style/labels.h"

namespace maskscope {

namespace {

constexpr double type_size = 12;  // points

double width_of(const std::string& text, double unit) {
    return measure(text, {type_size * unit}).width;
}

}  // namespace

void draw_components(Figure& figure, const Table& t, const PlacedHeatmap& placed,
                     const Heatmap& map) {
    const std::vector<std::string>& names = t.tokens_of(placed).keys;
    const Rect cell = cell_rect(map, 0, 0);
    const double widest = width_of(names.back(), t.unit) + 6 * t.unit;
    const auto every = std::max<std::size_t>(1, std::size_t(std::ceil(widest / cell.w)));
    for (std::size_t c = 0; c < names.size(); c += every) {
        const double x = cell.x + (double(c) + 0.5) * cell.w;
        const double half = width_of(names[c], t.unit) / 2;
        if (x - half < map.rect.x - 4 * t.unit || x + half > map.rect.right() + 4 * t.unit)
            continue;
        figure.texts.push_back({{x, map.rect.y - 10 * t.unit},
                                names[c],
                                {type_size * t.unit},
                                Role::dim,
                                Anchor::centre});
    }
}

void draw_tensor_axes(Figure& figure, const Table& t, const PlacedHeatmap& placed) {
    if (!t.has_labels(placed)) return;
    const double x = placed.rect.x - t.axis_gap(), y = placed.rect.y - 14 * t.unit;
    const char* rows = placed.lane == queries_lane ? "queries ↓" : "keys ↓";
    figure.texts.push_back(
        {{x, y - 15 * t.unit}, "d →", {type_size * t.unit}, Role::dim, Anchor::right});
    figure.texts.push_back({{x, y}, rows, {type_size * t.unit}, Role::dim, Anchor::right});
}

}  // namespace maskscope
