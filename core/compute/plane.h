#pragma once
// Compares outputs with values in the plane: d_v = 2, or two chosen components.

#include <array>
#include <vector>

#include "core/result/result.h"

namespace maskscope {

using PlanePoint = std::array<double, 2>;

// Returns the corners of the smallest convex polygon around the points, counterclockwise, without
// repetition; at most two if the points lie on one line. NaN and infinite points are left out.
std::vector<PlanePoint> convex_hull(std::vector<PlanePoint> points);
// Does the same for points whose finite ones are already in ascending order.
std::vector<PlanePoint> convex_hull_of_sorted(std::vector<PlanePoint> points);

// The distance of a point from the hull (0 inside), and the nearest point of its edge (inside, the
// point itself). NaN for a NaN point, and for a hull without corners.
struct HullDistance {
    double distance = 0;
    PlanePoint nearest{};
};
HullDistance outside_of(const std::vector<PlanePoint>& hull, PlanePoint point);

// --- the statistic `outside` of a row

// Returns how far from the hull of these values a point may lie and still count as inside: 1e-5 of
// the larger side of the box around them, 1e-2 for the 16-bit types.
double outside_tolerance(const std::vector<PlanePoint>& values, Dtype dtype);

// Returns how far the output of one row lies outside the hull of the values of its allowed keys; 0
// within the tolerance. NaN without values, and if the output is NaN or a value is not finite.
double outside_row(const std::vector<PlanePoint>& values, PlanePoint output, Dtype dtype);

// True if the variant has this statistic. It needs d_v = 2, and the output `values`, or
// `alternative` with d_out = 2.
bool has_outside(const Scene& scene, int variant);

// The statistic of a variant, computed row by row. The variant must have it, and the result must
// outlive this object.
class OutsideRows {
public:
    OutsideRows(const Result& result, int variant);
    double at(Index b, Index h, Index i) const;

private:
    Dtype dtype_;
    std::vector<std::vector<PlanePoint>> values_;  // [b, h] of [n_k], rounded
    const VariantResult* result_;
};

}  // namespace maskscope
