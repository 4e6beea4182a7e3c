#pragma once
// Describes a figure in short plain sentences, for readers who cannot see it.

#include <string>
#include <vector>

#include "app/show/cells/view.h"
#include "core/result/request.h"
#include "core/result/result.h"

namespace maskscope {

// The numbers of rows that differ from what a softmax gives, among `rows` rows.
struct RowCounts {
    Index rows = 0;
    Index nan = 0, empty = 0;
    Index leaking = 0;  // with weight of at least least_leak on blocked keys or pad tokens
    Index faint = 0;    // with less weight on them, but not 0
    Index against = 0;  // with weight of at least least_leak on keys that the reference blocks
    Index missing = 0;  // with a blocked key that the reference allows
    Index losing = 0;   // with a sum below 1
    Index above = 0;    // with a sum above 1
};
RowCounts count_rows(const Result& result, int variant, const std::vector<Index>& sequences,
                     const std::vector<Index>& heads, const Rows& rows);

// --- for the views
std::string in_quotes(const std::string& token);  // such as “is”; shortened if long
// Returns a clause: "every row sums to 1", or "2 of 4 rows are".
std::string rows_are(Index count, Index all, const std::string& one, const std::string& many);

inline constexpr std::size_t longest_alternative = 1000;  // bytes

// Returns the title, which tokens attend to which, what is drawn, and for each variant the rows
// that lose weight, leak, are NaN or empty, within view.zoom; also the row of the focus cell.
// Derived from the scene and its numbers, not from the picture. Variants for which
// longest_alternative leaves no space are only counted. is_alone: the figure shows only heatmaps of
// one stage, see single_heatmaps().
std::string alternative_text(const Result& result, const View& view, bool is_alone = false);

}  // namespace maskscope
