#pragma once
// Cells as 32-bit words. Of two words, the larger is the one to show, so that one place can
// represent thousands of cells without losing a NaN among them. Shaders write and read the same
// words.

#include <cstdint>
#include <span>
#include <vector>

#include "app/show/cells/cells.h"

namespace maskscope {

// The bits of a word, from the highest: missing; 27 bits of magnitude (those of a float without its
// sign and its last four bits, plus 1; 0 if no number is shown, for a blocked 0 or −∞); not
// negative (1 for 0, 0 for −∞ if no number is shown); allowed; NaN; leaks.
namespace word {
inline constexpr int magnitude_shift = 4;
inline constexpr std::uint32_t not_negative = 8, allowed = 4, nan = 2, leaks = 1,
                               missing = 1U << 31U;
inline constexpr std::uint32_t of_any = nan | leaks | missing;
inline constexpr std::uint32_t infinity = 0x7f800000U >> magnitude_shift;
}  // namespace word

// Returns the bits of flags and of words as definitions for a shader: SIGN_NAN, WORD_NAN, …
std::vector<std::pair<std::string, int>> cell_defines();

// Combines two words: the number of larger magnitude, and NaN, leaks and missing if either has
// them.
inline std::uint32_t merged(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t x = a & ~word::of_any, y = b & ~word::of_any;
    return (x > y ? x : y) | ((a | b) & word::of_any);
}

// The number in a word (19 bits, ±∞ or NaN), and the cell's flags.
struct ShownCell {
    double value = 0;
    std::uint8_t signs = 0;
};
ShownCell shown_cell(std::uint32_t word, double scale);

// The cells from begin to end − 1, at least one.
struct CellSpan {
    Index begin = 0, end = 1;
    bool operator==(const CellSpan&) const = default;
};

// The cells that each place of a picture shows. If a place shows many, its spans begin and end at
// multiples of 2^level, or with the last cell.
struct CellPlaces {
    int level = 0;
    std::vector<CellSpan> rows, columns;
    bool operator==(const CellPlaces&) const = default;
};

// Returns the level of which each place reads one or two words along an axis. cells_a_place: the
// cells of a place, on the axis on which it has fewer.
int level_of(double cells_a_place);
// Returns the cells, out of `cells`, of a place that extends from `from` to `to`, in cells.
CellSpan span_of(double from, double to, Index cells, int level);
// Returns how many words along an axis of a survey are enough for this many pixels.
Index words_along(double pixels);

// Returns the factor by which numbers are multiplied before they become words: 1 if they are
// float32, or computed when they are read; otherwise a power of two that brings them into the range
// of float32.
double scale_of(const Cells& cells);

// Returns [places.rows, places.columns] words. Halved sizes of a large matrix are made only once.
std::vector<std::uint32_t> texels_of(const Cells& cells, const CellPlaces& places);

// Returns the same for cells in memory, with this scale.
std::vector<std::uint32_t> texels_of(const Cells& cells, const CellPlaces& places, double scale);

// The known part of cells that are computed when they are read.
struct SurveyedCells {
    int row_level = 0, column_level = 0;  // each word represents 2^level rows and columns
    Index rows = 0, columns = 0;          // the number of words
    std::shared_ptr<const std::vector<std::uint32_t>> words;  // [rows, columns]
    CellPlaces closer;  // places of a picture for which `words` is too coarse: see `close`
    std::vector<std::uint32_t> close;
};

// Reuses the levels of `before` (same shape) if only a few rows differ; otherwise does nothing.
void prepare_levels(const Cells& cells, const Cells& before, Pool* pool = nullptr);
// Prepares the levels of large cells before their first picture, in the threads of `pool` unless it
// is null.
void prepare_levels(const Cells& cells, Pool* pool = nullptr);

}  // namespace maskscope
