#include "app/show/views/plane_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/attention/attention.h"
#include "core/base/error.h"

namespace maskscope {

bool is_drawable(PlanePoint point) {
    constexpr double most = 1e100;
    return std::abs(point[0]) <= most && std::abs(point[1]) <= most;  // not for NaN
}

namespace {

struct Making {
    const Result& result;
    const BatchInputs& inputs;
    Cell components;
    const View& view;

    const Variant& variant(int lane) const { return result.scene.variants[lane]; }
    const VariantResult& of(int lane) const { return result.variants[lane]; }
};

std::vector<PlanePoint> seen_by(const PlanePlot& plot, Index i) {
    if (plot.values.empty()) return {};
    const std::vector<bool>& allowed = plot.allowed[i];
    std::vector<PlanePoint> seen;
    for (std::size_t j = 0; j < plot.values.size(); ++j)
        if (allowed[j]) seen.push_back(plot.values[j]);
    return seen;
}

std::vector<PlanePoint> points_of(const Matrix& rows, Cell components) {
    std::vector<PlanePoint> points;
    points.reserve(static_cast<std::size_t>(rows.rows()));
    for (Index i = 0; i < rows.rows(); ++i)
        points.push_back({rows(i, components.i), rows(i, components.j)});
    return points;
}

// Of one head: its weights times its values times its rows of W_o, [n_q, d_out].
Matrix part_of(const Making& m, const PlanePlot& plot, Index h, const Matrix& w) {
    const Rounding rounded(m.variant(plot.lane).dtype);
    const Matrix v = rounded(m.inputs.at(plot.b, h).values);
    const Matrix weights = m.of(plot.lane).stage(StageKind::weights).head(plot.b, h);
    return product(product(weights, v), w.middleRows(h * v.cols(), v.cols()));
}

void add_parts(const Making& m, PlanePlot& plot, Progress& progress) {
    const Matrix w = parameters_of(m.result.scene, m.variant(plot.lane)).w;
    for (Index h = 0; h < m.inputs.shape.h; ++h) {
        if (progress.cancel) throw Cancelled{};
        plot.parts.push_back(points_of(part_of(m, plot, h, w), m.components));
    }
}

// nullopt if the figure `outside` is NaN.
std::optional<Outside> outside_of_row(const PlanePlot& plot, Index i, Dtype dtype) {
    const std::vector<PlanePoint> seen = seen_by(plot, i);
    const PlanePoint output = plot.outputs[i];
    if (seen.empty() || !is_drawable(output) || !std::ranges::all_of(seen, is_drawable))
        return std::nullopt;
    Outside outside = outside_of(convex_hull(seen), output);
    if (outside.distance <= outside_tolerance(seen, dtype)) outside.distance = 0;
    return outside;
}

void add_hulls(const Making& m, PlanePlot& plot, Progress& progress) {
    const auto n_q = static_cast<Index>(plot.queries.size());
    for (Index i = 0; i < n_q; ++i) {
        if (progress.cancel) throw Cancelled{};
        plot.outside.push_back(outside_of_row(plot, i, m.variant(plot.lane).dtype));
    }
}

void add_allowed(const Making& m, PlanePlot& plot) {
    const Shape& shape = m.inputs.shape;
    plot.allowed.assign(static_cast<std::size_t>(shape.n_q),
                        std::vector<bool>(static_cast<std::size_t>(shape.n_k)));
    for (Index i = 0; i < shape.n_q; ++i)
        for (Index j = 0; j < shape.n_k; ++j)
            plot.allowed[i][j] = m.of(plot.lane).is_allowed(plot.b, plot.h, i, j);
}

// Only as many as one line of arithmetic could show.
void add_weights(const Making& m, PlanePlot& plot) {
    constexpr Index most = 4096;
    const Shape& shape = m.inputs.shape;
    if (shape.n_q * shape.n_k > most) return;
    const Matrix weights = m.of(plot.lane).stage(StageKind::weights).head(plot.b, plot.h);
    plot.weights.assign(weights.data(), weights.data() + weights.size());
}

// "" if the outputs lie in the plane of the chosen components.
std::string why_missing(const Making& m, int lane) {
    const Stage& output = m.of(lane).stage(StageKind::output);
    const Index d_v = *d_v_of(m.result.scene.inputs);
    if (!output.exists()) return "These inputs have no values, so there is no output.";
    if (m.variant(lane).output.kind == OutputKind::alternative && output.columns() != d_v)
        return fmt::format("The outputs have {} components and the values {}: no common plane.",
                           output.columns(), d_v);
    if (std::max(m.components.i, m.components.j) >= output.columns())
        return fmt::format("The outputs have {} components: choose two of them.", output.columns());
    return "";
}

PlanePlot plot_of(const Making& m, int lane, Index b, Index h, Progress& progress) {
    PlanePlot plot;
    plot.lane = lane;
    plot.name = lane_title(m.view, m.result.scene, lane);
    plot.b = b;
    plot.h = h;
    plot.queries = m.of(lane).queries[b];
    plot.keys = m.of(lane).keys[b];
    plot.missing = why_missing(m, lane);
    if (!plot.missing.empty()) return plot;
    add_allowed(m, plot);
    const bool joined = m.variant(lane).output.kind == OutputKind::projected;
    plot.outputs =
        points_of(m.of(lane).stage(StageKind::output).head(b, joined ? 0 : h), m.components);
    if (joined) {
        add_parts(m, plot, progress);
    } else {
        const Rounding rounded(m.variant(lane).dtype);
        plot.values = points_of(rounded(inputs_of(m.result, lane)->part(b, h, &HeadInputs::values)),
                                m.components);
        add_hulls(m, plot, progress);
        add_weights(m, plot);
        plot.turned = m.variant(lane).output.kind == OutputKind::alternative;
    }
    return plot;
}

std::string title_of(const PlanePlot& plot, bool sequences, bool heads) {
    std::string title = sequences ? fmt::format("sentence {}", plot.b + 1) : "";
    if (heads) title += fmt::format("{}head {}", title.empty() ? "" : " · ", plot.h + 1);
    return title;
}

}  // namespace

Cell shown_components(const View& view, Index d_v) {
    const auto& chosen = view.show.components;
    const bool there = chosen && chosen->i < d_v && chosen->j < d_v && chosen->i != chosen->j;
    return there ? *chosen : Cell{0, 1};
}

PlaneView make_plane(const Result& result, const View& view, Progress& progress) {
    for (const int lane : shown_lanes(view, result.scene))
        if (result.variants[lane].computed)
            throw WorkError("This text is too long for the output plane, which needs all weights.");
    PlaneView plane;
    plane.d_v = d_v_of(result.scene.inputs).value_or(0);
    plane.components = shown_components(view, plane.d_v);
    const BatchInputs& inputs = *inputs_of(result, shown_lanes(view, result.scene).front());
    const Making making{result, inputs, plane.components, view};
    const auto sequences = shown_sequences(view, inputs.shape);
    const auto heads = shown_heads(view, inputs.shape);
    for (const Index b : sequences)
        for (const Index h : heads)
            for (const int lane : shown_lanes(view, result.scene)) {
                const bool joined = making.variant(lane).output.kind == OutputKind::projected;
                if (joined && h != heads.front()) continue;
                PlanePlot plot = plot_of(making, lane, b, h, progress);
                plot.title = title_of(plot, sequences.size() > 1, heads.size() > 1 && !joined);
                plane.plots.push_back(std::move(plot));
            }
    return plane;
}

std::vector<PlanePoint> hull_of(const PlanePlot& plot, Index i) {
    return convex_hull(seen_by(plot, i));
}

Index count_outside(const PlanePlot& plot) {
    return std::ranges::count_if(plot.outside,
                                 [](const auto& row) { return row && row->distance > 0; });
}

Index count_unknown(const PlanePlot& plot) {
    return std::ranges::count_if(plot.outside, [](const auto& row) { return !row; });
}

}  // namespace maskscope
