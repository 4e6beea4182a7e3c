#include "app/session/edits/bench_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/attention/scoring.h"
#include "core/base/number_text.h"
#include "core/scene/mask_rules.h"

namespace maskscope {

namespace {

Tensor tensor_of(int lane) {
    if (lane == queries_lane) return Tensor::queries;
    return lane == keys_lane ? Tensor::keys : Tensor::values;
}

// Returns the variant whose stage a heatmap shows; for shared stages, the first shown one.
int variant_of(const Session& session, const CellRef& cell) {
    if (cell.lane >= 0) return cell.lane;
    return shown_lanes(session.view(), session.scene()).front();
}

double scale_of(const Session& session, const CellRef& cell) {
    const Scene& scene = session.scene();
    const auto lane = static_cast<std::size_t>(variant_of(session, cell));
    const Variant& variant = scene.variants.at(lane);
    if (variant.mask.order == Order::queries_first) return 1;
    const auto of_rows =
        row_scales(scene, variant.scale, attending(scene, cell.b, cell.h), cell.i, 1);
    if (!of_rows.empty()) return of_rows.front();
    return scale_factor(variant.scale, d_k_of(scene.inputs), shape_of(scene).n_k);
}

// Returns the score that becomes x: for scaled scores, the one that the scale turns into x.
double score_for(const Session& session, const CellRef& cell, double x) {
    return cell.stage == StageKind::scaled ? x / scale_of(session, cell) : x;
}

bool is_score(const CellRef& cell) {
    return cell.stage == StageKind::scores || cell.stage == StageKind::scaled;
}

void write_number(const Session& session, Scene& scene, const CellRef& cell, double x) {
    if (is_tensor_lane(cell.lane))
        set_number(scene, tensor_of(cell.lane), cell.b, cell.h, cell.i, cell.j, x);
    else
        set_score(scene, session.shown(), cell.b, cell.h, {cell.i, cell.j},
                  score_for(session, cell, x));
}

// The most numbers that are written into a scene as lists.
constexpr Index most_written = 4'000'000;

bool writes_too_many(const Scene& scene, const CellRef& cell) {
    const Shape shape = shape_of(scene);
    if (!is_tensor_lane(cell.lane))
        return !std::holds_alternative<ScoresInputs>(scene.inputs) &&
               shape.b * shape.h * shape.n_q * shape.n_k > most_written;
    const Index d = std::max(d_k_of(scene.inputs).value_or(0), d_v_of(scene.inputs).value_or(0));
    return std::holds_alternative<EmbeddingInputs>(scene.inputs) &&
           shape.b * shape.h * std::max(shape.n_q, shape.n_k) * d > most_written;
}

// Returns why the number cannot be typed, and what can be typed instead.
std::optional<std::string> why_computed(const Session& session, const CellRef& cell) {
    if (writes_too_many(session.scene(), cell))
        return "There are too many numbers to store in a scene.";
    if (is_tensor_lane(cell.lane)) return std::nullopt;
    if (cell.lane == difference_lane)
        return "A difference is computed and cannot be edited. Edit one of its two variants.";
    if (std::holds_alternative<WeightsInputs>(session.scene().inputs))
        return "These inputs are weights, so there are no scores to edit.";
    if (!is_score(cell))
        return "This number is computed and cannot be edited. Edit a score, or a number in Q, K or "
               "V.";
    if (cell.stage == StageKind::scaled && scale_of(session, cell) == 0)
        return "The scale is 0, so every score gives the same number.";
    return std::nullopt;
}

bool needs_all_digits(const Scene& scene) {
    return std::ranges::any_of(scene.variants,
                               [](const Variant& lane) { return lane.dtype == Dtype::float64; });
}

}  // namespace

std::optional<std::string> why_not_typed(const Session& session, const CellRef& cell) {
    if (const auto why = why_computed(session, cell)) return why;
    try {  // on a copy, which shares its arrays with the scene
        Scene scene = session.scene();
        write_number(session, scene, cell, 0);
    } catch (const EditError& error) {
        return error.what();
    }
    return std::nullopt;
}

std::string number_text(const Scene& scene, double x) {
    constexpr std::size_t short_text = 6;
    const std::string all =
        needs_all_digits(scene) ? fmt::format("{}", x) : fmt::format("{}", static_cast<float>(x));
    return all.size() <= short_text ? all : exact_text(x, 2);
}

bool type_number(Session& session, const CellRef& cell, double x) {
    const std::string what = is_tensor_lane(cell.lane) ? "type a number" : "type a score";
    if (const auto why = why_computed(session, cell)) {
        session.say(*why, true);
        return false;
    }
    if (!std::isfinite(score_for(session, cell, x))) {
        session.say(
            fmt::format("No score can give {} here; it would exceed 1.8e308.", typed_text(x)),
            true);
        return false;
    }
    return session.edit(what, [&](Scene& scene) { write_number(session, scene, cell, x); });
}

}  // namespace maskscope
