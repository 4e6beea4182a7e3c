#include "core/compute/plane.h"

#include <algorithm>
#include <cmath>

#include "core/attention/head_inputs.h"

namespace maskscope {

namespace {

bool is_finite(PlanePoint point) { return std::isfinite(point[0]) && std::isfinite(point[1]); }
bool is_nan(PlanePoint point) { return std::isnan(point[0]) || std::isnan(point[1]); }

PlanePoint from(PlanePoint a, PlanePoint b) { return {b[0] - a[0], b[1] - a[1]}; }
double length(PlanePoint a) { return std::hypot(a[0], a[1]); }

// Returns a positive number if c is to the left of the line from a to b.
double turn(PlanePoint a, PlanePoint b, PlanePoint c) {
    const PlanePoint ab = from(a, b), ac = from(a, c);
    return ab[0] * ac[1] - ab[1] * ac[0];
}

// Adds one half of Andrew's monotone chain: the corners to the right of the line from the first of
// the sorted points to the last, without the last point.
template <class Points>
void add_chain(const Points& sorted, std::vector<PlanePoint>& hull) {
    const std::size_t before = hull.size();
    for (const PlanePoint& point : sorted) {
        while (hull.size() >= before + 2 && turn(hull[hull.size() - 2], hull.back(), point) <= 0)
            hull.pop_back();
        hull.push_back(point);
    }
    hull.pop_back();
}

PlanePoint nearest_on_edge(PlanePoint a, PlanePoint b, PlanePoint point) {
    const PlanePoint edge = from(a, b), way = from(a, point);
    const double squared = edge[0] * edge[0] + edge[1] * edge[1];
    if (squared == 0) return a;
    const double share = std::clamp((edge[0] * way[0] + edge[1] * way[1]) / squared, 0.0, 1.0);
    return {a[0] + share * edge[0], a[1] + share * edge[1]};
}

bool is_inside(const std::vector<PlanePoint>& hull, PlanePoint point) {
    if (hull.size() < 3) return false;
    for (std::size_t k = 0; k < hull.size(); ++k)
        if (turn(hull[k], hull[(k + 1) % hull.size()], point) < 0) return false;
    return true;
}

// Returns the larger side of the box around the points.
double extent(const std::vector<PlanePoint>& points) {
    double largest = 0;
    for (const std::size_t axis : {0U, 1U}) {
        const auto [low, high] =
            std::ranges::minmax(points, {}, [&](const PlanePoint& point) { return point[axis]; });
        largest = std::max(largest, high[axis] - low[axis]);
    }
    return largest;
}

}  // namespace

std::vector<PlanePoint> convex_hull(std::vector<PlanePoint> points) {
    std::erase_if(points, [](PlanePoint point) { return !is_finite(point); });
    std::ranges::sort(points);
    return convex_hull_of_sorted(std::move(points));
}

std::vector<PlanePoint> convex_hull_of_sorted(std::vector<PlanePoint> points) {
    std::erase_if(points, [](PlanePoint point) { return !is_finite(point); });
    points.erase(std::unique(points.begin(), points.end()), points.end());
    if (points.size() < 3) return points;
    std::vector<PlanePoint> hull;
    add_chain(points, hull);
    std::ranges::reverse(points);
    add_chain(points, hull);
    return hull;
}

HullDistance outside_of(const std::vector<PlanePoint>& hull, PlanePoint point) {
    if (hull.empty() || is_nan(point)) return {not_a_number, {not_a_number, not_a_number}};
    HullDistance outside{infinity, hull.front()};
    if (!is_finite(point)) return outside;
    if (is_inside(hull, point)) return {0, point};
    for (std::size_t k = 0; k < hull.size(); ++k) {
        const PlanePoint nearest = nearest_on_edge(hull[k], hull[(k + 1) % hull.size()], point);
        const double distance = length(from(nearest, point));
        if (distance < outside.distance) outside = {distance, nearest};
    }
    return outside;
}

double outside_tolerance(const std::vector<PlanePoint>& values, Dtype dtype) {
    const bool wide = dtype == Dtype::float32 || dtype == Dtype::float64;
    return values.empty() ? 0 : (wide ? 1e-5 : 1e-2) * extent(values);
}

double outside_row(const std::vector<PlanePoint>& values, PlanePoint output, Dtype dtype) {
    if (!std::ranges::all_of(values, is_finite)) return not_a_number;
    const double distance = outside_of(convex_hull(values), output).distance;
    return distance <= outside_tolerance(values, dtype) ? 0 : distance;
}

bool has_outside(const Scene& scene, int variant) {
    if (d_v_of(scene.inputs) != 2) return false;
    const Output& output = scene.variants[variant].output;
    if (output.kind == OutputKind::values) return true;
    return output.kind == OutputKind::alternative && (!output.w || output.w->axes.front() == 2);
}

OutsideRows::OutsideRows(const Result& result, int variant)
    : dtype_(result.scene.variants[variant].dtype), result_(&result.variants[variant]) {
    const Rounding rounded(dtype_);
    const BatchInputs& inputs = *result.inputs;
    for (Index b = 0; b < inputs.shape.b; ++b)
        for (Index h = 0; h < inputs.shape.h; ++h) {
            std::vector<PlanePoint>& points = values_.emplace_back();
            const Matrix values = inputs.part(b, h, &HeadInputs::values);
            for (const auto row : values.rowwise())
                points.push_back({rounded(row(0)), rounded(row(1))});
        }
}

double OutsideRows::at(Index b, Index h, Index i) const {
    const VariantResult& variant = *result_;
    const std::vector<PlanePoint>& values = values_[b * variant.shape.h + h];
    std::vector<PlanePoint> seen;
    for (std::size_t j = 0; j < values.size(); ++j)
        if (variant.is_allowed(b, h, i, static_cast<Index>(j))) seen.push_back(values[j]);
    const Stage& output = variant.stage(StageKind::output);
    return outside_row(seen, {output.at(b, h, i, 0), output.at(b, h, i, 1)}, dtype_);
}

}  // namespace maskscope
