#pragma once
// The output plane: values and outputs as points, [n] of two components each.

#include <optional>
#include <string>
#include <vector>

#include "app/figure/layout/lay_out.h"
#include "app/show/views/view_entry.h"
#include "core/compute/plane.h"

namespace maskscope {

// One variant over one sequence and head: all of its rows and keys, or a sample of either if the
// result computes its rows when they are read. The numbers of a sampled row are still exact.
struct PlanePlot {
    int lane = 0;
    std::string name;
    Index b = 0, h = 0;
    std::string title;  // "" for a single sentence and head, else "sentence 2 · head 1"
    Index n_q = 0, n_k = 0;
    std::vector<Index> rows, columns;        // the queries and keys that are drawn, ascending
    std::vector<std::string> queries, keys;  // [rows], [columns]: their tokens

    // [columns], as the variant's dtype holds them; none for `projected`
    std::vector<PlanePoint> values;
    std::vector<PlanePoint> outputs;  // [rows]
    // projected: what each head adds to the output, A_h V_h W_o,h; [h][rows]
    std::vector<std::vector<PlanePoint>> parts;
    // [rows], or none for `projected`: the hull of all drawable values that a row may attend to,
    // and how far its output is outside, within the tolerance of the statistic `outside`; nullopt
    // if that is NaN.
    std::vector<std::vector<PlanePoint>> hulls;
    std::vector<std::optional<Outside>> outside;
    std::vector<std::vector<bool>> allowed;  // [rows][columns]
    std::vector<double> weights;             // [n_q, n_k] if they are few; else empty
    bool turned = false;                     // alternative: Wᵀ turns and scales the outputs
    std::string missing;  // why there are no points, in a sentence; "" if there are
};

struct PlaneView {
    Cell components;  // x and y, out of d_v
    Index d_v = 2;
    std::vector<PlanePlot> plots;
};

// Returns the two components that are shown: view.show.components, or the first two.
Cell shown_components(const View& view, Index d_v);

// Returns the rows of a variant that its plots show: all, or a sample with row `focus` among them.
std::vector<Index> plane_rows(const Result& result, int lane, Index focus);

// Makes the plots for variants, sequences and heads of the view (for `projected` one head
// represents all). Throws Cancelled, WorkError.
PlaneView make_plane(const Result& result, const View& view, Progress& progress);

// Lays out one plot for each variant, all at the same scale; row: the one whose hull is drawn.
// Without a size in the options, as for a file, plots have a default size.
Figure lay_out_plane(const PlaneView& plane, const View& view, Index row, const std::string& title,
                     const LayoutOptions& options);

extern const ViewEntry plane_entry;
// Returns nullptr if it is not made.
inline const PlaneView* plane_of(const ViewData& data) {
    return static_cast<const PlaneView*>(data.content(ViewKind::plane));
}

// True if it can be drawn: finite, and small enough that lengths stay finite.
bool is_drawable(PlanePoint point);
// Returns where in plot.rows a query is, or the last one before it.
Index place_of_row(const PlanePlot& plot, Index query);
bool is_sampled(const PlanePlot& plot);
// Count, among the rows that are drawn, those whose output is outside, and those for which that is
// unknown.
Index count_outside(const PlanePlot& plot);
Index count_unknown(const PlanePlot& plot);

// Writes the texts of the output plane.

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
