// Q, K and V before the scores.

#include <fmt/format.h>

#include <algorithm>

#include "app/figure/style/labels.h"
#include "app/show/bench/bench_parts.h"
#include "app/show/bench/stage_operations.h"
#include "core/compute/embedding.h"

namespace maskscope {

namespace {

struct TensorKind {
    int lane;
    const char* title;
    Matrix HeadInputs::*member;
};
constexpr std::array<TensorKind, 3> kinds{{{queries_lane, "Q", &HeadInputs::queries},
                                           {keys_lane, "K", &HeadInputs::keys},
                                           {values_lane, "V", &HeadInputs::values}}};

// More numbers than these are no picture that somebody edits, and would hold up a frame.
constexpr Index most_numbers = 4'000'000;

Index size_of(const Scene& scene) {
    const Shape shape = shape_of(scene);
    const auto width = [](std::optional<Index> d) { return d.value_or(0); };
    const Index d_k = width(d_k_of(scene.inputs)), d_v = width(d_v_of(scene.inputs));
    const Index of_layer =
        std::holds_alternative<OutputInputs>(scene.inputs) ? shape.n_q * shape.n_k : 0;
    return shape.b * shape.h *
           (shape.n_q * width(d_q_of(scene.inputs)) + shape.n_k * (d_k + d_v) + of_layer);
}

// One tensor of all heads, as a source of cells like those of a stage.
SharedSource source_of_tensor(const BatchInputs& inputs, Matrix HeadInputs::*member,
                              const SharedSource& before) {
    const Matrix& first = inputs.heads.front().*member;
    if (first.size() == 0) return nullptr;
    VariantResult holder;
    Stage& numbers = holder.stage(StageKind::output) =
        Stage(inputs.shape.b, inputs.shape.h, first.rows(), first.cols(), true);
    for (Index b = 0; b < inputs.shape.b; ++b)
        for (Index h = 0; h < inputs.shape.h; ++h) numbers.set_head(b, h, inputs.at(b, h).*member);
    return source_of(holder, StageKind::output, before);
}

bool belongs_to(const TensorSources& made, const Scene& scene) {
    return made.inputs == scene.inputs && made.sequences == scene.sequences &&
           made.pad_token == scene.pad_token;
}

// Rows are queries or keys, columns the components, counted from 0.
BenchTokens labels_of(const BenchTokens& tokens, bool of_keys, Index columns) {
    BenchTokens labels;
    labels.queries = of_keys ? tokens.keys : tokens.queries;
    labels.query_ems = of_keys ? tokens.key_ems : tokens.query_ems;
    for (Index c = 0; c < columns; ++c) labels.keys.push_back(fmt::format("{}", c));
    return labels;
}

BenchStage stage_of(const SharedSource& source, const TensorKind& kind, const BenchBlock& block) {
    BenchStage stage;
    stage.stage = StageKind::output;
    stage.lane = kind.lane;
    stage.cells = cells_of(source, block.b, block.h);
    stage.limits = limits_of_sources({source}, StageKind::output);
    stage.map = map_of(StageKind::output, ThemeKind::dark);
    stage.title = kind.title;
    stage.tokens = std::make_shared<BenchTokens>(
        labels_of(block.tokens, kind.lane != queries_lane, stage.cells->columns));
    return stage;
}

// What is done with Q and K on the way to a stage: "QKᵀ, × 1/√d".
std::string operation_into(const BenchSource& d, StageKind stage) {
    const Variant& variant = d.variant(d.lanes.front());
    const Inputs& inputs = d.result.scene.inputs;
    std::string operation = variant.score.kind == ScoreKind::dot ? "QKᵀ" : "score(Q, K)";
    if (stage == StageKind::scores) return operation;
    const std::string scale = operations_between(inputs, variant, StageKind::scores, stage);
    return scale.empty() ? operation : operation + ", " + scale;
}

}  // namespace

std::shared_ptr<const TensorSources> tensor_sources(
    const Scene& scene, const std::shared_ptr<const TensorSources>& before) {
    if (before && belongs_to(*before, scene)) return before;
    auto made = std::make_shared<TensorSources>();
    made->inputs = scene.inputs;
    made->sequences = scene.sequences;
    made->pad_token = scene.pad_token;
    if (why_no_tensors(scene)) return made;
    Progress progress;
    const BatchInputs inputs = make_inputs(scene, progress);
    for (std::size_t k = 0; k < kinds.size(); ++k)
        made->sources[k] =
            source_of_tensor(inputs, kinds[k].member, before ? before->sources[k] : SharedSource());
    return made;
}

std::optional<std::string> why_no_tensors(const Scene& scene) {
    if (!has_score(scene.inputs) && !d_v_of(scene.inputs))
        return std::holds_alternative<WeightsInputs>(scene.inputs)
                   ? "These inputs are weights: there are no Q, K and V."
                   : "These inputs are scores: there are no Q, K and V.";
    if (size_of(scene) > most_numbers)
        return fmt::format("Q, K and V hold {} numbers: too many to be typed over.",
                           size_of(scene));
    return std::nullopt;
}

void add_tensors(const BenchSource& d, const TensorSources& sources, BenchBlock& block) {
    for (std::size_t k = 0; k < kinds.size(); ++k)
        if (sources.sources[k])
            block.tensors.push_back(stage_of(sources.sources[k], kinds[k], block));
    if (!sources.sources.front() || block.shared.empty()) return;
    BenchStage& first = block.shared.front();
    first.operation = operation_into(d, first.stage);
}

}  // namespace maskscope
