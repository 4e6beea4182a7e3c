#pragma once
// The output plane: values and outputs as points, [n] of two components each.

#include <optional>
#include <string>
#include <vector>

#include "app/show/cells/view.h"
#include "core/compute/plane.h"
#include "core/result/backend.h"

namespace maskscope {

// One lane over one sequence and head.
struct PlanePlot {
    int lane = 0;
    std::string name;
    Index b = 0, h = 0;
    std::string title;  // "" for a single sentence and head, else "sentence 2 · head 1"
    std::vector<std::string> queries, keys;

    std::vector<PlanePoint> values;   // [n_k], as the lane's dtype holds them; none for `projected`
    std::vector<PlanePoint> outputs;  // [n_q]
    // projected: what each head adds to the output, A_h V_h W_o,h; [h][n_q]
    std::vector<std::vector<PlanePoint>> parts;
    // How far each output lies outside the hull of its row's allowed values, within the tolerance
    // of the figure `outside`; nullopt if that is NaN. [n_q], or none for `projected`.
    std::vector<std::optional<Outside>> outside;
    std::vector<std::vector<bool>> allowed;  // [n_q][n_k]
    std::vector<double> weights;             // [n_q, n_k] if they are few; else none
    bool turned = false;  // alternative: the outputs are turned by Wᵀ, and scaled
    std::string missing;  // why there are no points, in a sentence; "" if there are
};

struct PlaneView {
    Cell components;  // x and y, of d_v
    Index d_v = 2;
    std::vector<PlanePlot> plots;
};

// The two components that are shown: view.show.components, or the first two.
Cell shown_components(const View& view, Index d_v);

// Lanes, sequences and heads of the view (for `projected` one head represents all). Throws
// Cancelled.
PlaneView make_plane(const Result& result, const View& view, Progress& progress);

// Whether it can be drawn: finite, and small enough that lengths stay finite.
bool is_drawable(PlanePoint point);
// The hull of the finite values that row i may attend to.
std::vector<PlanePoint> hull_of(const PlanePlot& plot, Index i);
// The rows whose output lies outside, and those for which that is unknown.
Index count_outside(const PlanePlot& plot);
Index count_unknown(const PlanePlot& plot);

}  // namespace maskscope
