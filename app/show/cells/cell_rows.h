#pragma once
// Rows of cells as stored in memory, for code that scans all of them.

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "app/show/cells/cells.h"

// Compiles a function for AVX-512 and AVX2, too, and chooses one when the program starts; for loops
// over millions of cells. ThreadSanitizer cannot start a program that chooses functions so early.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define MASKSCOPE_WIDE __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define MASKSCOPE_WIDE
#endif

namespace maskscope {

// True if the cells of this stage depend on the mask. Scores do not, because variants with
// different masks may share them; nor does influence, which combines all heads.
bool shows_blocked(StageKind stage);

// One row of a source. Pointers are null if there is no such data.
struct RawRow {
    std::span<const float> float32;
    std::span<const double> float64;        // float32, float64 or, for the mask itself, neither
    const std::uint8_t* allowed = nullptr;  // [columns], 0 = blocked
    // [columns], marked keys. In weights: pad tokens and keys that the reference blocks, which leak
    // if they get weight. In the mask: missing keys.
    const std::uint8_t* marked = nullptr;
    std::shared_ptr<const std::vector<std::uint8_t>> made;  // owns `marked` if that was computed
};
// Returns a row. Numbers on the GPU are read once, all together.
RawRow raw_row(const CellSource& source, Index b, Index h, Index i);

// Returns the keys that the reference marks in a row. allowed: [columns], the row's mask.
std::vector<std::uint8_t> marked_by_reference(const CellSource& source, Index b, Index h, Index i,
                                              const std::uint8_t* allowed);

// True if key j is marked; for any source.
bool is_marked(const CellSource& source, Index b, Index j, bool is_allowed, bool is_by_reference);

bool shows_marks(StageKind stage);  // true if the reference marks keys in it

bool is_remote(const CellSource& source);

// Reads consecutive numbers of a stage that is not in memory, all at once.
void read_numbers(const Stage& stage, std::size_t first, std::span<double> numbers);

// True if both rows share their numbers in memory, and have equal masks and marked keys.
bool is_same_row(const CellSource& x, const CellSource& y, Index b, Index h, Index i);

RowSummary look_at(const CellSource& source, const RawRow& row);

std::uint8_t sign_of_number(double value);

// Calls pass(begin, end) for parts of the rows, in the threads of the pool unless it is null.
void each_part(Pool* pool, Index rows, const std::function<void(Index begin, Index end)>& pass);

}  // namespace maskscope
