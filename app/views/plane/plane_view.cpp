#include "app/views/plane/plane_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>

#include "app/figure/plots/lay_out_view.h"
#include "app/session/session.h"
#include "app/show/views/view_entry.h"
#include "core/attention/attention.h"
#include "core/base/number_text.h"
#include "core/base/progress.h"
#include "core/result/request.h"

namespace maskscope {

bool is_drawable(PlanePoint point) {
    constexpr double most = 1e100;
    return std::abs(point[0]) <= most && std::abs(point[1]) <= most;  // false for NaN
}

namespace {

struct PlaneSource {
    const Result& result;
    Cell components;
    const View& view;

    const Variant& variant(int index) const { return result.scene.variants[index]; }
    const VariantResult& of(int variant) const { return result.variants[variant]; }
    // Returns the inputs of a variant. Variants have different inputs only in a translator, whose
    // masks decide how long its sentences are.
    const BatchInputs& inputs(int variant) const { return *inputs_of(result, variant); }
};

std::vector<PlanePoint> points_of(const Matrix& rows, Cell components) {
    std::vector<PlanePoint> points;
    points.reserve(static_cast<std::size_t>(rows.rows()));
    for (Index i = 0; i < rows.rows(); ++i)
        points.push_back({rows(i, components.i), rows(i, components.j)});
    return points;
}

// The sizes of samples from a long text. They are primes, so that they do not coincide with a
// mask's period.
constexpr Index most_rows = 509, most_columns = 1021;
constexpr Index most_joined_rows = 61;  // for `projected`: each row needs a row of every head

// Returns at most `most` of n indices, spread evenly, including the first and the last.
std::vector<Index> spread(Index n, Index most) {
    const Index count = std::min(n, most);
    std::vector<Index> places(static_cast<std::size_t>(count));
    for (Index k = 1; k < count; ++k) places[k] = k * (n - 1) / (count - 1);
    return places;
}

bool is_joined(const Result& result, int variant) {
    return result.scene.variants[variant].output.kind == OutputKind::projected;
}

// The numbers from which a plot is made, in its own rows.
struct PlaneRows {
    Matrix numbers;                          // [rows, columns of the stage]
    std::vector<std::vector<bool>> allowed;  // [rows][n_k]
};

PlaneRows rows_of(const PlaneSource& m, const PlanePlot& plot, StageKind stage, Index h,
                  Progress& progress) {
    const VariantResult& variant = m.of(plot.variant);
    const bool one_for_all = variant.stage(stage).h() == 1;
    PlaneRows rows;
    if (variant.computed)
        rows.numbers.resize(std::ssize(plot.rows), variant.stage(stage).columns());
    else
        rows.numbers = variant.stage(stage).head(plot.b, one_for_all ? 0 : h);
    for (const Index i : plot.rows) {
        if (progress.cancel) throw Cancellation{};
        std::vector<bool>& allowed = rows.allowed.emplace_back(plot.n_k);
        if (!variant.computed) {
            for (Index j = 0; j < plot.n_k; ++j) allowed[j] = variant.is_allowed(plot.b, h, i, j);
            continue;
        }
        const auto one = std::bitset<stage_count>().set(static_cast<std::size_t>(stage));
        const VariantResult row = variant.computed->block(plot.b, h, {i, 1}, one, progress);
        rows.numbers.row(std::ssize(rows.allowed) - 1) = row.stage(stage).head(0, 0);
        for (Index j = 0; j < plot.n_k; ++j) allowed[j] = row.is_allowed(0, 0, 0, j);
    }
    return rows;
}

// Adds for each head weights × values × its rows of W_o, [rows, d_out].
void add_parts(const PlaneSource& m, PlanePlot& plot, Progress& progress) {
    const Rounding rounded(m.variant(plot.variant).dtype);
    const Matrix w = parameters_of(m.result.scene, m.variant(plot.variant)).w;
    for (Index h = 0; h < m.of(plot.variant).shape.h; ++h) {
        const Matrix weights = rows_of(m, plot, StageKind::weights, h, progress).numbers;
        const Matrix v = rounded(m.inputs(plot.variant).part(plot.b, h, &HeadInputs::values));
        plot.parts.push_back(points_of(
            product(product(weights, v), w.middleRows(h * v.cols(), v.cols())), m.components));
    }
}

// Returns values as the dtype stores them. Converts the values of some keys at a time, because only
// two components of each are kept.
std::vector<PlanePoint> values_of(const PlaneSource& m, const PlanePlot& plot) {
    constexpr Index at_once = 4096;
    const Rounding rounded(m.variant(plot.variant).dtype);
    const BatchInputs& inputs = m.inputs(plot.variant);
    std::vector<PlanePoint> values;
    for (Index j = 0; j < plot.n_k; j += at_once) {
        const Matrix part =
            inputs.part(plot.b, plot.h, &HeadInputs::values, j, std::min(at_once, plot.n_k - j));
        const auto points = points_of(rounded(part), m.components);
        values.insert(values.end(), points.begin(), points.end());
    }
    return values;
}

// Returns the keys in ascending order of their values; those that are not finite come last.
std::vector<Index> in_order(const std::vector<PlanePoint>& values) {
    std::vector<Index> keys(values.size());
    std::iota(keys.begin(), keys.end(), 0);
    const auto end =
        std::partition(keys.begin(), keys.end(), [&](Index j) { return is_drawable(values[j]); });
    std::sort(keys.begin(), end, [&](Index x, Index y) { return values[x] < values[y]; });
    return keys;
}

// Returns how far an output is outside the hull; nullopt if the statistic `outside` is NaN.
std::optional<HullDistance> outside_of_row(const std::vector<PlanePoint>& seen,
                                           const std::vector<PlanePoint>& hull, PlanePoint output,
                                           Dtype dtype) {
    if (seen.empty() || !is_drawable(output) || !std::ranges::all_of(seen, is_drawable))
        return std::nullopt;
    HullDistance outside = outside_of(hull, output);
    if (outside.distance <= outside_tolerance(seen, dtype)) outside.distance = 0;
    return outside;
}

void add_hulls(const PlaneSource& m, PlanePlot& plot, const std::vector<PlanePoint>& values,
               const std::vector<std::vector<bool>>& allowed, Progress& progress) {
    const std::vector<Index> keys = in_order(values);
    for (std::size_t k = 0; k < plot.rows.size(); ++k) {
        if (progress.cancel) throw Cancellation{};
        std::vector<PlanePoint> seen;
        for (const Index j : keys)
            if (allowed[k][j]) seen.push_back(values[j]);
        plot.hulls.push_back(convex_hull_of_sorted(seen));
        plot.outside.push_back(outside_of_row(seen, plot.hulls.back(), plot.outputs[k],
                                              m.variant(plot.variant).dtype));
    }
}

template <class T>
std::vector<T> at_places(const auto& all, const std::vector<Index>& places) {
    std::vector<T> some;
    for (const Index place : places) some.push_back(all[place]);
    return some;
}

// Adds weights if there are few enough for one line of arithmetic.
void add_weights(const PlaneSource& m, PlanePlot& plot) {
    constexpr Index most = 4096;
    if (plot.n_q * plot.n_k > most) return;
    const Matrix weights = m.of(plot.variant).stage(StageKind::weights).head(plot.b, plot.h);
    plot.weights.assign(weights.data(), weights.data() + weights.size());
}

// Returns why there are no points, as a sentence; "" if the outputs can be drawn in the plane of
// the chosen components.
std::string why_missing(const PlaneSource& m, int variant) {
    const Stage& output = m.of(variant).stage(StageKind::output);
    const Index d_v = *d_v_of(m.result.scene.inputs);
    if (!output.exists()) return "These inputs have no values, so there is no output.";
    if (m.variant(variant).output.kind == OutputKind::alternative && output.columns() != d_v)
        return fmt::format(
            "The outputs have {} components and the values {}, so they cannot be drawn in one "
            "plane.",
            output.columns(), d_v);
    if (std::max(m.components.i, m.components.j) >= output.columns())
        return fmt::format("The outputs have {} components. Choose two of them.", output.columns());
    return "";
}

PlanePlot plot_of(const PlaneSource& m, int variant, Index b, Index h, Progress& progress) {
    const VariantResult& of = m.of(variant);
    PlanePlot plot;
    plot.variant = variant;
    plot.name = variant_title(m.view, m.result.scene, variant);
    plot.b = b;
    plot.h = h;
    plot.n_q = of.shape.n_q;
    plot.n_k = of.shape.n_k;
    plot.rows = plane_rows(m.result, variant, row_in_view(m.view, of.shape));
    plot.columns = spread(plot.n_k, of.computed ? most_columns : plot.n_k);
    plot.queries = at_places<std::string>(of.queries[b], plot.rows);
    plot.keys = at_places<std::string>(of.keys[b], plot.columns);
    plot.missing = why_missing(m, variant);
    if (!plot.missing.empty()) return plot;
    PlaneRows rows = rows_of(m, plot, StageKind::output, h, progress);
    plot.outputs = points_of(rows.numbers, m.components);
    if (is_joined(m.result, variant)) {
        add_parts(m, plot, progress);
    } else {
        const std::vector<PlanePoint> values = values_of(m, plot);
        add_hulls(m, plot, values, rows.allowed, progress);
        plot.values = at_places<PlanePoint>(values, plot.columns);
        add_weights(m, plot);
        plot.turned = m.variant(variant).output.kind == OutputKind::alternative;
    }
    for (std::vector<bool>& row : rows.allowed)
        plot.allowed.push_back(at_places<bool>(row, plot.columns));
    return plot;
}

std::string title_of(const PlanePlot& plot, bool sequences, bool heads) {
    std::string title = sequences ? fmt::format("sequence {}", plot.b + 1) : "";
    if (heads) title += fmt::format("{}head {}", title.empty() ? "" : " · ", plot.h + 1);
    return title;
}

}  // namespace

Cell shown_components(const View& view, Index d_v) {
    const auto& chosen = view.show.components;
    const bool there = chosen && chosen->i < d_v && chosen->j < d_v && chosen->i != chosen->j;
    return there ? *chosen : Cell{0, 1};
}

std::vector<Index> plane_rows(const Result& result, int variant, Index focus) {
    const VariantResult& of = result.variants[variant];
    const Index most = !of.computed                 ? of.shape.n_q
                       : is_joined(result, variant) ? most_joined_rows
                                                    : most_rows;
    std::vector<Index> rows = spread(of.shape.n_q, most);
    const auto at = std::ranges::lower_bound(rows, focus);
    if (at != rows.end() && *at != focus) rows.insert(at, focus);
    return rows;
}

PlaneView make_plane(const Result& result, const View& view, Progress& progress) {
    PlaneView plane;
    plane.d_v = d_v_of(result.scene.inputs).value_or(0);
    plane.components = shown_components(view, plane.d_v);
    const PlaneSource making{result, plane.components, view};
    const Shape& shape = making.of(shown_variants(view, result.scene).front()).shape;
    const auto sequences = shown_sequences(view, shape);
    const auto heads = shown_heads(view, shape);
    for (const Index b : sequences)
        for (const Index h : heads)
            for (const int variant : shown_variants(view, result.scene)) {
                const bool joined = is_joined(result, variant);
                if (joined && h != heads.front()) continue;
                PlanePlot plot = plot_of(making, variant, b, h, progress);
                plot.title = title_of(plot, sequences.size() > 1, heads.size() > 1 && !joined);
                plane.plots.push_back(std::move(plot));
            }
    return plane;
}

Index place_of_row(const PlanePlot& plot, Index query) {
    const auto after = std::ranges::upper_bound(plot.rows, query);
    return std::max<Index>(0, after - plot.rows.begin() - 1);
}

bool is_sampled(const PlanePlot& plot) {
    return std::ssize(plot.rows) < plot.n_q || std::ssize(plot.columns) < plot.n_k;
}

Index count_outside(const PlanePlot& plot) {
    return std::ranges::count_if(plot.outside,
                                 [](const auto& row) { return row && row->distance > 0; });
}

Index count_unknown(const PlanePlot& plot) {
    return std::ranges::count_if(plot.outside, [](const auto& row) { return !row; });
}

// The user's actions in the output plane: choose points, and the two components that are its axes.

namespace {

Index output_width(const Variant& variant, const Scene& scene) {
    const Index d_v = d_v_of(scene.inputs).value_or(0);
    const Output& output = variant.output;
    if (output.kind == OutputKind::values) return d_v;
    if (output.w) return output.w->axes[output.kind == OutputKind::projected ? 1 : 0];
    return output.kind == OutputKind::projected ? heads_of(scene.inputs) * d_v : d_v;
}

std::string unavailable_reason(const Scene& scene) {
    const bool has_plane = d_v_of(scene.inputs).value_or(0) >= 2 &&
                           std::ranges::any_of(scene.variants, [&](const Variant& variant) {
                               return output_width(variant, scene) >= 2;
                           });
    return has_plane ? "" : "The output plane needs outputs with at least two components.";
}

void adapt_key(ViewKey& key, const View& view) {
    const Scene& scene = key.result->scene;
    const Cell components = shown_components(view, d_v_of(scene.inputs).value_or(0));
    Index row = 0;  // the shown row, which may not be in the sample
    for (const int variant : key.variants)
        if (const Index shown = row_in_view(view, shape_of(scene));
            !std::ranges::binary_search(plane_rows(*key.result, variant, 0), shown))
            row = shown;
    key.rest = fmt::format("{} {} {}", components.i, components.j, row);
}

ViewContent make(const Result& result, const View& view, Progress& progress) {
    return std::make_shared<const PlaneView>(make_plane(result, view, progress));
}

Figure lay_out(const void* content, const Result& result, const Bench& bench, const View& view,
               const LayoutOptions& options) {
    return lay_out_plane(*static_cast<const PlaneView*>(content), view,
                         row_in_view(view, shape_of(result.scene)), bench.title, options);
}

// Returns a field for each axis, with a chip for each component if there are few. Choosing the
// component of the other axis swaps them.
std::vector<ViewField> fields(const Result& result, const View& view) {
    constexpr Index most_chips = 4;
    const Index d_v = d_v_of(result.scene.inputs).value_or(0);
    if (d_v <= 2) return {};
    const Cell shown = shown_components(view, d_v);
    std::vector<ViewField> fields;
    for (const bool is_y : {false, true}) {
        const Index mine = is_y ? shown.j : shown.i, other = is_y ? shown.i : shown.j;
        ViewField field{.words = is_y ? "v ↑" : "v →",
                        .name = is_y ? "component y" : "component x",
                        .value = mine + 1,
                        .high = d_v};
        if (d_v <= most_chips)
            for (Index k = 0; k < d_v; ++k)
                field.chips.push_back(component_name(k, false) + (is_y ? " ↑##" : " →##") +
                                      std::to_string(k));
        field.set = [=](View& to, Index component) {
            const Index k = component - 1, rest = k == other ? mine : other;
            to.show.components = is_y ? Cell{rest, k} : Cell{k, rest};
        };
        fields.push_back(std::move(field));
    }
    return fields;
}

// Handles the pointer. The inspector shows the point under it as a cell of the weights; a click
// focuses its row and column.
void use_pointer(Session& session, const Figure& figure, const PlotPointer& pointer) {
    View& view = session.view();
    view.hovered.reset();
    const auto& spot = pointer.spot;
    if (spot && (spot->kind == Spot::Kind::output || spot->kind == Spot::Kind::value)) {
        const Index j = spot->kind == Spot::Kind::value ? spot->key
                        : view.show.focus               ? view.show.focus->j
                                                        : 0;
        view.hovered = CellRef{spot->variant, StageKind::weights, spot->b, spot->h, spot->row, j};
    }
    if (pointer.pressed && spot_at(figure.spots, pointer.at) && view.hovered)
        view.show.focus = Cell{view.hovered->i, view.hovered->j};
}

}  // namespace

const ViewEntry plane_entry = {.kind = ViewKind::plane,
                               .label = "Output plane",
                               .unavailable_reason = unavailable_reason,
                               .adapt_key = adapt_key,
                               .make = make,
                               .lay_out = lay_out,
                               .fields = fields,
                               .use_pointer = use_pointer};

namespace {

std::string point_words(PlanePoint point) {
    return fmt::format("({}, {})", cell_text(point[0], false), cell_text(point[1], false));
}

std::string why_not_drawn(PlanePoint point) {
    if (std::isnan(point[0]) || std::isnan(point[1])) return "NaN";
    return std::isinf(point[0]) || std::isinf(point[1]) ? "infinite" : "too large";
}

// Adds the points that cannot be drawn, counting equal tokens: "row “a” is NaN, 2 rows “b” are
// infinite".
void add_words(std::string& words, const std::string& what, const std::vector<PlanePoint>& points,
               const std::vector<std::string>& tokens) {
    std::map<std::pair<std::string, std::string>, int> counts;
    for (std::size_t k = 0; k < points.size(); ++k)
        if (!is_drawable(points[k])) ++counts[{tokens[k], why_not_drawn(points[k])}];
    for (const auto& [point, count] : counts) {
        const auto& [token, how] = point;
        const std::string start = words.empty() ? "not drawn: " : ", ";
        words += count == 1 ? fmt::format("{}{} “{}” is {}", start, what, token, how)
                            : fmt::format("{}{} {}s “{}” are {}", start, count, what, token, how);
    }
}

std::string sum_of_heads(const PlanePlot& plot, std::size_t row) {
    constexpr std::size_t most = 4;
    std::string words;
    for (std::size_t h = 0; h < plot.parts.size(); ++h) {
        if (h == most) return words + " + …";
        words += fmt::format("{}head {} {}", h == 0 ? "" : " + ", h + 1,
                             point_words(plot.parts[h][row]));
    }
    return words;
}

// Returns the sum of weighted values, without keys of weight 0.
std::string sum_of_values(const PlanePlot& plot, std::size_t row) {
    const std::size_t keys = plot.keys.size();
    const std::span weights = std::span(plot.weights).subspan(row * keys, keys);
    std::string words;
    for (std::size_t j = 0; j < keys; ++j) {
        if (weights[j] == 0) continue;
        words += fmt::format("{}{} {}", words.empty() ? "" : " + ", cell_text(weights[j], true),
                             plot.keys[j]);
    }
    return words.empty() ? "0" : words;
}

}  // namespace

std::string component_name(Index component, bool projected) {
    std::string name = projected ? "o" : "v";
    for (const char digit : std::to_string(component + 1)) {
        name += "\xe2\x82";  // subscripts: U+2080 to U+2089
        name += static_cast<char>(0x80 + (digit - '0'));
    }
    return name;
}

std::string some_of(std::size_t drawn, Index all) {
    return Index(drawn) < all ? fmt::format(", {} of {}", drawn, all) : "";
}

PlaneCount count_words(const PlanePlot& plot) {
    const char* sampled = is_sampled(plot) ? ", sampled" : "";
    if (!plot.parts.empty())
        return {0, plot.parts.size() == 1
                       ? std::string("one head") + sampled
                       : fmt::format("the sum of {} heads{}", plot.parts.size(), sampled)};
    const Index outside = count_outside(plot);
    if (outside == 0 && plot.outputs.size() == 1) return {0, ""};  // a single point needs no count
    const Index known = static_cast<Index>(plot.outside.size()) - count_unknown(plot);
    return {outside, fmt::format("{} of {} outside{}", outside, known, sampled)};
}

std::string not_drawn_words(const PlanePlot& plot) {
    std::string words;
    add_words(words, "row", plot.outputs, plot.queries);
    add_words(words, "value", plot.values, plot.keys);
    Index count = 0;  // rows without an allowed key, which have no hull
    for (std::size_t i = 0; i < plot.outside.size(); ++i)
        if (!plot.outside[i] && is_drawable(plot.outputs[i])) ++count;
    if (count > 0)
        words += fmt::format("{}{} without an allowed key", words.empty() ? "" : ", ", count);
    return words;
}

std::string row_words(const PlanePlot& plot, Index row) {
    const auto at = static_cast<std::size_t>(row);
    std::string words = fmt::format("“{}” at {}", plot.queries[at], point_words(plot.outputs[at]));
    if (at < plot.outside.size() && plot.outside[at] && plot.outside[at]->distance > 0)
        words += fmt::format(", {} outside", cell_text(plot.outside[at]->distance, false));
    if (!plot.parts.empty()) return words + ": " + sum_of_heads(plot, at);
    if (plot.weights.empty()) return words;
    const std::string sum = sum_of_values(plot, at);
    return words + ": " + (plot.turned ? "(" + sum + ") · Wᵀ/√d" : sum);
}

}  // namespace maskscope
