#pragma once
// Writes the texts of the output plane.

#include <string>

#include "app/views/plane/plane_view.h"

namespace maskscope {

// Returns "v₁", or "o₁" for a projected output.
std::string component_name(Index component, bool projected);

struct PlaneCount {
    Index outside = 0;
    // "3 of 6 outside"; for a projected output "the sum of 2 heads"; for a sample: "…, sampled"
    std::string text;
};
std::string some_of(std::size_t drawn, Index all);  // ", 509 of 32768"; "" if all are drawn
PlaneCount count_words(const PlanePlot& plot);      // empty for a single output inside

// Returns the outputs and values that no plot can show: "not drawn: row “<pad>” is NaN"; and those
// whose row has no allowed key. "" if there are none.
std::string not_drawn_words(const PlanePlot& plot);

// Returns where one output is, and how it is made: "“is” at (0.31, −1.2): 0.43 <sos> + 0.25 My".
// row: among those of the plot.
std::string row_words(const PlanePlot& plot, Index row);

}  // namespace maskscope
