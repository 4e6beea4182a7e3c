#pragma once
// Computes Root d: the statistics of every width, for each scale among the variants.

#include <string>
#include <vector>

#include "app/figure/layout/lay_out.h"
#include "app/show/views/view_entry.h"
#include "core/compute/root_d.h"

namespace maskscope {

// A curve, shared by all variants of one scale. If all variants have the same scale, a second curve
// without variants shows the case without the scale, or with 1/√d.
struct RootDCurve {
    std::vector<int> variants;  // may be empty
    Scale factor;
    std::string name;            // the variant's name; "" if there are several, or none
    std::string scale;           // such as "× 1/√d" or "not scaled"
    std::vector<double> theory;  // [width - 1]: the variance if components are independent, with
                                 // mean 0 and variance 1: d · scale²
    std::vector<RootDFigures> figures;  // [width - 1]
};

struct RootDView {
    std::string missing;  // why there is nothing to show, as a sentence; otherwise ""
    std::uint64_t seed = 0;
    std::vector<RootDCurve> curves;
    const RootDFigures& at(std::size_t curve, Index d) const {
        return curves[curve].figures[d - 1];
    }
};

// Computes the curves for the variants of the view. Takes about a second, so call it on a worker
// thread. Throws Cancellation.
RootDView make_root_d(const Scene& scene, const View& view, Progress& progress);

// Returns the marked width: view.show.d, or 64.
Index shown_width(const View& view);

// Lays out the view. stages: shows only the plots that measure these: the variance of scaled
// scores, the largest weight and the entropy of weights, or the sensitivity; empty = all plots.
Figure lay_out_root_d(const RootDView& root_d, const View& view,
                      const std::vector<StageKind>& stages, const std::string& title,
                      const LayoutOptions& options);

extern const ViewEntry root_d_entry;

}  // namespace maskscope
