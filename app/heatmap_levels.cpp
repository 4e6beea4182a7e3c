#include "app/heatmap_levels.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace maskscope {
namespace {

// The loops here run over millions of cells: they are written without branches.

double largest_magnitude(const std::vector<double>& values) {
    constexpr double finite = std::numeric_limits<double>::max();
    double largest = 0;
    for (const double value : values) {
        const double magnitude = std::abs(value);
        largest = magnitude <= finite && magnitude > largest ? magnitude : largest;
    }
    return largest > 0 ? largest : 1;
}

Level first_level(const Cells& cells, double magnitude) {
    Level level{cells.rows, cells.columns, {}, cells.signs};
    level.values.resize(cells.values.size());
    for (std::size_t k = 0; k < cells.values.size(); ++k) {
        const double share = cells.values[k] / magnitude;
        const double limited = share > 1 ? 1 : share < -1 ? -1 : share;  // ±∞
        level.values[k] = static_cast<float>(limited == limited ? limited : 0);
    }
    return level;
}

struct Texel {
    float value = 0;
    std::uint8_t signs = 0;
};

// By which the texel that shows is chosen.
float rank_of(Texel texel) {
    constexpr std::uint8_t number_free = sign::zero | sign::minus_infinity;
    const bool shows_none =
        ((texel.signs & sign::blocked) != 0) & ((texel.signs & number_free) != 0);
    return shows_none ? -0.5F : std::abs(texel.value);
}

Texel merged(Texel a, Texel b) {
    constexpr std::uint8_t of_any = sign::nan | sign::leaks;
    const auto kept = static_cast<std::uint8_t>((a.signs | b.signs) & of_any);
    const Texel shown = rank_of(b) > rank_of(a) ? b : a;
    return {shown.value, static_cast<std::uint8_t>(shown.signs | kept)};
}

// One row of texels, in a level or in between.
struct Row {
    float* values;
    std::uint8_t* signs;
    Texel at(Index k) const { return {values[k], signs[k]}; }
    void set(Index k, Texel texel) const {
        values[k] = texel.value;
        signs[k] = texel.signs;
    }
};

Row row_of(Level& level, Index row) {
    const auto at = static_cast<std::size_t>(row * level.columns);
    return {level.values.data() + at, level.signs.data() + at};
}

void merge_into(const Row& row, const Row& other, Index columns) {
    for (Index k = 0; k < columns; ++k) row.set(k, merged(row.at(k), other.at(k)));
}

void copy_into(const Row& row, const Row& other, Index columns) {
    std::copy_n(other.values, columns, row.values);
    std::copy_n(other.signs, columns, row.signs);
}

void halve_into(const Row& halved, Index half, const Row& row, Index columns) {
    if (columns == 1) return halved.set(0, row.at(0));
    for (Index k = 0; k < half; ++k) halved.set(k, merged(row.at(2 * k), row.at(2 * k + 1)));
    if (columns > 2 * half) halved.set(half - 1, merged(halved.at(half - 1), row.at(columns - 1)));
}

Level halved(Level& before) {
    Level level{
        std::max<Index>(1, before.rows / 2), std::max<Index>(1, before.columns / 2), {}, {}};
    level.values.resize(static_cast<std::size_t>(level.rows * level.columns));
    level.signs.resize(level.values.size());
    Level line{1, before.columns, {}, {}};  // rows that fall together
    line.values.resize(static_cast<std::size_t>(before.columns));
    line.signs.resize(line.values.size());
    for (Index i = 0; i < level.rows; ++i) {
        const Index end = i + 1 == level.rows ? before.rows : 2 * i + 2;
        copy_into(row_of(line, 0), row_of(before, 2 * i), before.columns);
        for (Index r = 2 * i + 1; r < end; ++r)
            merge_into(row_of(line, 0), row_of(before, r), before.columns);
        halve_into(row_of(level, i), level.columns, row_of(line, 0), before.columns);
    }
    return level;
}

}  // namespace

Levels levels_of(const Cells& cells) {
    Levels levels;
    levels.magnitude = largest_magnitude(cells.values);
    levels.levels.push_back(first_level(cells, levels.magnitude));
    while (levels.levels.back().rows > 1 || levels.levels.back().columns > 1) {
        Level next = halved(levels.levels.back());
        levels.levels.push_back(std::move(next));
    }
    return levels;
}

}  // namespace maskscope
