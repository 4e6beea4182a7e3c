#pragma once
// Outputs among values, in the plane: d_v = 2, or two chosen components.

#include <array>
#include <vector>

#include "core/result.h"

namespace maskscope {

using PlanePoint = std::array<double, 2>;

// The corners of the smallest convex polygon around the points, counterclockwise, without
// repetition; one point or two where they are no more. NaN and infinite points are left out.
std::vector<PlanePoint> convex_hull(std::vector<PlanePoint> points);

// How far a point lies outside the hull (0 inside), and the nearest point of its edge.
struct Outside {
    double distance = 0;
    PlanePoint nearest{};
};
Outside outside_of(const std::vector<PlanePoint>& hull, PlanePoint point);

// The figure `outside` of the scene format of every row of a lane, [b, h, n_q]; empty where the
// scene has none (d_v other than 2, `projected`, d_out other than 2, no values).
std::vector<double> outside_rows(const Result& result, int lane, Progress& progress);

}  // namespace maskscope
