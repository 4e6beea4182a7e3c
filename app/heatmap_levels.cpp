#include "app/heatmap_levels.h"

#include <algorithm>
#include <cmath>

namespace maskscope {
namespace {

double largest_magnitude(const std::vector<double>& values) {
    double largest = 0;
    for (const double value : values)
        if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    return largest > 0 ? largest : 1;
}

float scaled(double value, double magnitude) {
    if (std::isnan(value)) return 0;
    if (std::isinf(value)) return value > 0 ? 2 : -2;
    return static_cast<float>(value / magnitude);
}

Level first_level(const Cells& cells, double magnitude) {
    Level level{cells.rows, cells.columns, {}, cells.signs};
    level.values.reserve(cells.values.size());
    for (const double value : cells.values) level.values.push_back(scaled(value, magnitude));
    return level;
}

struct Texel {
    float value = 0;
    std::uint8_t signs = 0;
    float rank = -1;  // by which the texel that shows is chosen
};

float rank_of(float value, std::uint8_t signs) {
    const bool shows_no_number =
        (signs & sign::blocked) != 0 && (signs & (sign::zero | sign::minus_infinity)) != 0;
    return shows_no_number ? -0.5F : std::abs(value);
}

void take(Texel& texel, float value, std::uint8_t signs) {
    constexpr std::uint8_t of_any = sign::nan | sign::leaks;
    const auto kept = static_cast<std::uint8_t>((texel.signs | signs) & of_any);
    if (const float rank = rank_of(value, signs); rank > texel.rank) texel = {value, signs, rank};
    texel.signs |= kept;
}

// The first and the one behind the last of those that the k-th of `halved` stands for.
struct Range {
    Index from = 0, to = 0;
};
Range covered(Index k, Index halved, Index count) {
    return {2 * k, k + 1 == halved ? count : 2 * k + 2};
}

Level halved(const Level& before) {
    Level level{
        std::max<Index>(1, before.rows / 2), std::max<Index>(1, before.columns / 2), {}, {}};
    level.values.reserve(static_cast<std::size_t>(level.rows * level.columns));
    level.signs.reserve(level.values.capacity());
    for (Index i = 0; i < level.rows; ++i) {
        const Range rows = covered(i, level.rows, before.rows);
        for (Index j = 0; j < level.columns; ++j) {
            const Range columns = covered(j, level.columns, before.columns);
            Texel texel;
            for (Index r = rows.from; r < rows.to; ++r)
                for (Index c = columns.from; c < columns.to; ++c) {
                    const auto k = static_cast<std::size_t>(r * before.columns + c);
                    take(texel, before.values[k], before.signs[k]);
                }
            level.values.push_back(texel.value);
            level.signs.push_back(texel.signs);
        }
    }
    return level;
}

}  // namespace

Levels levels_of(const Cells& cells) {
    Levels levels;
    levels.magnitude = largest_magnitude(cells.values);
    levels.levels.push_back(first_level(cells, levels.magnitude));
    while (levels.levels.back().rows > 1 || levels.levels.back().columns > 1)
        levels.levels.push_back(halved(levels.levels.back()));
    return levels;
}

}  // namespace maskscope
