#pragma once
// Cells as 32-bit words, ordered so that the larger one is shown: one place can represent
// thousands of cells without losing a NaN among them. Shaders write and read the same words.

#include <cstdint>
#include <span>
#include <vector>

#include "app/show/cells/cells.h"

namespace maskscope {

// The bits of a word, from the highest: missing; 27 bits of magnitude, those of a float without its
// sign and its last four, + 1, or 0 if no number shows (a blocked 0 or −∞); not negative (0, not
// −∞, if no number shows); allowed; NaN; leaks.
namespace word {
inline constexpr int magnitude_shift = 4;
inline constexpr std::uint32_t not_negative = 8, allowed = 4, nan = 2, leaks = 1,
                               missing = 1U << 31U;
inline constexpr std::uint32_t of_any = nan | leaks | missing;
inline constexpr std::uint32_t infinity = 0x7f800000U >> magnitude_shift;
}  // namespace word

// Returns the bits of signs and of words for a shader: SIGN_NAN, WORD_NAN, …
std::vector<std::pair<std::string, int>> cell_defines();

// Combines two words: the number of larger magnitude, and NaN, leaks and missing of either.
inline std::uint32_t merged(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t x = a & ~word::of_any, y = b & ~word::of_any;
    return (x > y ? x : y) | ((a | b) & word::of_any);
}

// The number (to 19 bits; ±∞; NaN) and the signs of a word.
struct ShownCell {
    double value = 0;
    std::uint8_t signs = 0;
};
ShownCell shown_cell(std::uint32_t word, double scale);

// Cells from begin to end − 1, at least one.
struct CellSpan {
    Index begin = 0, end = 1;
    bool operator==(const CellSpan&) const = default;
};

// The cells that each place of a picture shows. If it shows many, spans begin and end on multiples
// of 2^level, or with the last cell.
struct CellPlaces {
    int level = 0;
    std::vector<CellSpan> rows, columns;
    bool operator==(const CellPlaces&) const = default;
};

// Returns how coarse the level is: cells_a_place on the axis that has fewer; at each place one or
// two cells of that level are read.
int level_of(double cells_a_place);
// Returns the span of a place that begins at cell `from` and ends at `to`, out of `cells`.
CellSpan span_of(double from, double to, Index cells, int level);
// Returns how many words along an axis of a survey are fine enough for this many pixels.
Index words_along(double pixels);

// Returns the factor of the numbers before they become words: 1 if they are float32, or computed
// when they are read; else a power of two that makes them fit.
double scale_of(const Cells& cells);

// Returns [places.rows, places.columns] words. Repeatedly halved sizes of a large matrix are made
// once.
std::vector<std::uint32_t> texels_of(const Cells& cells, const CellPlaces& places);

// Does what texels_of() does, with this scale, for cells in memory.
std::vector<std::uint32_t> texels_of(const Cells& cells, const CellPlaces& places, double scale);

// The known part of cells that are computed on reading.
struct SurveyedCells {
    int row_level = 0, column_level = 0;  // a word stands for 2^level rows and columns
    Index rows = 0, columns = 0;          // of words
    std::shared_ptr<const std::vector<std::uint32_t>> words;  // [rows, columns]
    CellPlaces closer;  // places of a picture for which these words are too coarse, and its words
    std::vector<std::uint32_t> close;
};

// Reuses the levels of `before` (same shape) if all but a few rows are equal; else does nothing.
void prepare_levels(const Cells& cells, const Cells& before, Pool* pool = nullptr);
// Prepares the levels of large cells ahead of their first picture, in the threads of `pool` if it
// is not null.
void prepare_levels(const Cells& cells, Pool* pool = nullptr);

}  // namespace maskscope
