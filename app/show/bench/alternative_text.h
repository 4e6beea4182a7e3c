#pragma once
// Describes a figure in short plain sentences, for readers who cannot see it.

#include <string>
#include <vector>

#include "app/show/cells/view.h"
#include "core/result/backend.h"
#include "core/result/result.h"

namespace maskscope {

// How many rows are unlike what a softmax gives, of those from one row on, as many as there are.
struct RowCounts {
    Index rows = 0;
    Index nan = 0, empty = 0;
    Index leaking = 0;  // weight on blocked keys or pads, from least_leak on
    Index faint = 0;    // less, but not 0
    Index against = 0;  // weight on keys that the reference blocks, from least_leak on
    Index missing = 0;  // a key that the reference allows is blocked
    Index losing = 0;   // they sum to less than 1
    Index above = 0;    // to more
};
RowCounts count_rows(const Result& result, int lane, const std::vector<Index>& sequences,
                     const std::vector<Index>& heads, const Rows& rows);

// --- for the views
std::string in_quotes(const std::string& token);  // “is”, shortened
// "every row sums to 1", "2 of 4 rows are"
std::string rows_are(Index count, Index all, const std::string& one, const std::string& many);

inline constexpr std::size_t longest_alternative = 1000;  // bytes

// The title, who attends to whom, what is drawn, and of each lane the rows that lose weight, leak,
// are NaN or empty, within view.zoom; the row of the focus cell by its token. From the scene and
// its numbers, not from the picture. Lanes that would make it longer than longest_alternative are
// only counted, and nothing is longer. is_alone: heatmaps of one stage and nothing else, see
// single_heatmaps().
std::string alternative_text(const Result& result, const View& view, bool is_alone = false);

}  // namespace maskscope
