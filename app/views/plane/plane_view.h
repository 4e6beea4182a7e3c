#pragma once
// Computes the output plane: values and outputs as points with two components each.

#include <optional>
#include <string>
#include <vector>

#include "app/figure/layout/lay_out.h"
#include "app/show/views/view_entry.h"
#include "core/compute/plane.h"

namespace maskscope {

// One variant, for one sequence and head: all of its rows and keys, or samples of them if the
// result computes its rows when they are read. The numbers of a sampled row are exact.
struct PlanePlot {
    int variant = 0;
    std::string name;
    Index b = 0, h = 0;
    std::string title;  // "" for a single sequence and head, otherwise "sequence 2 · head 1"
    Index n_q = 0, n_k = 0;
    std::vector<Index> rows, columns;        // the queries and keys that are drawn, ascending
    std::vector<std::string> queries, keys;  // [rows], [columns]: their tokens

    // [columns], as the variant's dtype stores them; empty for `projected`
    std::vector<PlanePoint> values;
    std::vector<PlanePoint> outputs;  // [rows]
    // [h][rows]: for `projected`, what each head adds to the output, A_h V_h W_o,h
    std::vector<std::vector<PlanePoint>> parts;
    // [rows], empty for `projected`. hulls: around all drawable values of keys that a row may
    // attend to. outside: how far the row's output is from its hull, 0 within the tolerance of the
    // statistic `outside`; nullopt if that statistic is NaN.
    std::vector<std::vector<PlanePoint>> hulls;
    std::vector<std::optional<HullDistance>> outside;
    std::vector<std::vector<bool>> allowed;  // [rows][columns]
    std::vector<double> weights;             // [n_q, n_k]; empty if there are many
    bool turned = false;  // if `alternative`: Wᵀ rotates and scales the outputs
    std::string missing;  // why there are no points, as a sentence; "" if there are
};

struct PlaneView {
    Cell components;  // indices of x and y, out of d_v
    Index d_v = 2;
    std::vector<PlanePlot> plots;
};

// Returns the two components that are shown: view.show.components, or the first two.
Cell shown_components(const View& view, Index d_v);

// Returns the rows of a variant that its plots show: all, or a sample with row `focus` among them.
std::vector<Index> plane_rows(const Result& result, int variant, Index focus);

// Makes the plots for variants, sequences and heads of the view; for `projected`, one head stands
// for all. Throws Cancellation, WorkError.
PlaneView make_plane(const Result& result, const View& view, Progress& progress);

// Lays out one plot for each variant, all at the same scale. row: the query whose hull is drawn. If
// the options have no size, as for a file, plots have a default size.
Figure lay_out_plane(const PlaneView& plane, const View& view, Index row, const std::string& title,
                     const LayoutOptions& options);

extern const ViewEntry plane_entry;
// Returns the view's content; nullptr if it was not made.
inline const PlaneView* plane_of(const ViewData& data) {
    return static_cast<const PlaneView*>(data.content(ViewKind::plane));
}

// True if the point can be drawn: finite, and so near that lengths stay finite.
bool is_drawable(PlanePoint point);
// Returns the index in plot.rows of a query, or of the last one before it.
Index place_of_row(const PlanePlot& plot, Index query);
bool is_sampled(const PlanePlot& plot);
// Count the drawn rows whose output is outside, and those for which that is unknown.
Index count_outside(const PlanePlot& plot);
Index count_unknown(const PlanePlot& plot);

// --- texts of the output plane

// Returns "v₁", or "o₁" for a projected output.
std::string component_name(Index component, bool projected);

struct PlaneCount {
    Index outside = 0;
    // "3 of 6 outside"; for a projected output "the sum of 2 heads"; for a sample followed by ",
    // sampled"
    std::string text;
};
std::string some_of(std::size_t drawn, Index all);  // such as ", 509 of 32768"; "" if all are drawn
PlaneCount count_words(const PlanePlot& plot);      // the text is "" for a single output inside

// Returns the outputs and values that cannot be drawn ("not drawn: row “<pad>” is NaN"), and the
// number of rows without an allowed key, which have no hull; "" if there are none.
std::string not_drawn_words(const PlanePlot& plot);

// Returns the position of one output and its sum: "“is” at (0.31, −1.2): 0.43 <sos> + 0.25 My".
// row: index in the plot's rows.
std::string row_words(const PlanePlot& plot, Index row);

}  // namespace maskscope
