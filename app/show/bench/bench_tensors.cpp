// Makes Q, K and V, which are drawn before the scores.

#include <fmt/format.h>

#include <algorithm>

#include "app/show/bench/bench_parts.h"
#include "app/style/labels.h"
#include "core/attention/head_inputs.h"

namespace maskscope {

namespace {

struct TensorKind {
    int lane;
    const char* title;
    InputPart part;
};
constexpr std::array<TensorKind, 3> kinds{{{queries_lane, "Q", &HeadInputs::queries},
                                           {keys_lane, "K", &HeadInputs::keys},
                                           {values_lane, "V", &HeadInputs::values}}};

// Returns one tensor of all heads, as a source of cells like those of a stage: copied, unless the
// previous bench has a copy of the same numbers. Null if the inputs have none.
SharedSource source_of_tensor(const BenchSource& d, const TensorKind& kind) {
    const auto& numbers_of_lane = inputs_of(d.result, d.lanes.front());
    const BatchInputs& inputs = *numbers_of_lane;
    const auto [rows, columns] = inputs.size_of(kind.part);
    if (rows == 0) return nullptr;
    const std::pair key(kind.lane, StageKind::output);
    SharedSource& made = d.sources[key];
    if (made) return made;
    const auto old = d.before.find(key);
    const SharedSource before = old != d.before.end() ? old->second : nullptr;
    if (before && before->inputs == numbers_of_lane) return made = before;
    const Shape shape{inputs.shape.b, inputs.shape.h, rows, columns};
    Stage numbers(shape.b, shape.h, shape.n_q, shape.n_k, true);
    for (Index b = 0; b < shape.b; ++b)
        for (Index h = 0; h < shape.h; ++h) numbers.set_head(b, h, inputs.part(b, h, kind.part));
    auto source = std::make_shared<CellSource>(StageKind::output, numbers, shape);
    source->inputs = numbers_of_lane;
    return made = source;
}

// Returns the labels: rows are queries or keys, columns the components, counted from 0.
BenchTokens labels_of(const BenchTokens& tokens, bool of_keys, Index columns) {
    BenchTokens labels;
    labels.queries = of_keys ? tokens.keys : tokens.queries;
    labels.query_ems = of_keys ? tokens.key_ems : tokens.query_ems;
    for (Index c = 0; c < columns; ++c) labels.keys.push_back(fmt::format("{}", c));
    find_longest(labels);
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
        labels_of(*block.tokens, kind.lane != queries_lane, stage.cells->columns));
    return stage;
}

// Returns the operations that turn Q and K into a stage: "QKᵀ", "× 1/√d".
std::vector<std::string> operations_into(const BenchSource& d, StageKind stage) {
    const Variant& variant = d.variant(d.lanes.front());
    const Inputs& inputs = d.result.scene.inputs;
    auto operations = operations_between(inputs, variant, StageKind::scores, stage);
    operations.insert(operations.begin(),
                      variant.score.kind == ScoreKind::dot ? "QKᵀ" : "score(Q, K)");
    return operations;
}

}  // namespace

std::optional<std::string> why_no_tensors(const Scene& scene) {
    if (has_score(scene.inputs) || d_v_of(scene.inputs)) return std::nullopt;
    return std::holds_alternative<WeightsInputs>(scene.inputs)
               ? "These inputs are weights, so there are no Q, K and V."
               : "These inputs are scores, so there are no Q, K and V.";
}

void add_tensors(const BenchSource& d, BenchBlock& block) {
    for (const TensorKind& kind : kinds)
        if (const SharedSource source = source_of_tensor(d, kind))
            block.tensors.push_back(stage_of(source, kind, block));
    if (!has_score(d.result.scene.inputs) || block.shared.empty()) return;
    BenchStage& first = block.shared.front();
    first.operations = operations_into(d, first.stage);
}

}  // namespace maskscope
