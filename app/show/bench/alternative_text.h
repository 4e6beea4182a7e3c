#pragma once
// Describes a figure in short plain sentences, for readers who cannot see it.

#include <string>
#include <vector>

#include "app/show/cells/view.h"
#include "core/result/request.h"
#include "core/result/result.h"

namespace maskscope {

// Counts of rows that differ from what a softmax gives, out of `rows` rows from one on.
struct RowCounts {
    Index rows = 0;
    Index nan = 0, empty = 0;
    Index leaking = 0;  // weight on blocked keys or pad tokens, at least least_leak
    Index faint = 0;    // less, but not 0
    Index against = 0;  // weight on keys that the reference blocks, at least least_leak
    Index missing = 0;  // a key that the reference allows is blocked
    Index losing = 0;   // they sum to less than 1
    Index above = 0;    // they sum to more than 1
};
RowCounts count_rows(const Result& result, int lane, const std::vector<Index>& sequences,
                     const std::vector<Index>& heads, const Rows& rows);

// --- for the views
std::string in_quotes(const std::string& token);  // “is”, shortened
// Returns "every row sums to 1", "2 of 4 rows are".
std::string rows_are(Index count, Index all, const std::string& one, const std::string& many);

inline constexpr std::size_t longest_alternative = 1000;  // bytes

// Returns the title, which tokens attend to which, what is drawn, and for each variant the rows
// that lose weight, leak, are NaN or empty, within view.zoom; the row of the focus cell by its
// token. It is made from the scene and its numbers, not from the picture. Variants that would make
// it longer than longest_alternative are only counted. is_alone: heatmaps of one stage and nothing
// else, see single_heatmaps().
std::string alternative_text(const Result& result, const View& view, bool is_alone = false);

}  // namespace maskscope
