// Decides which stages of the variants are drawn, which are shared by all, and the operations
// between them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/show/bench/bench.h"
#include "app/show/bench/bench_parts.h"
#include "app/style/labels.h"
#include "core/attention/head_inputs.h"
#include "core/result/request.h"
#include "core/scene/mask_rules.h"
#include "core/scene/scene.h"
#include "core/settings/setting.h"

namespace maskscope {

namespace {

using enum StageKind;
using Words = std::vector<std::string>;

// Puts the scores S before an operation: "S + M"; "S, M where blocked"; "S, cap 50".
std::string with_scores(const std::string& operation) {
    const bool apart = operation.front() >= 'A' && operation.front() <= 'z';
    return (apart ? "S, " : "S ") + operation;
}

Words step_into(StageKind stage, const Variant& variant) {
    Words words;
    for (const Operation& operation : operations_into(stage, variant)) {
        words.push_back(operation.words);
        if (stage != logits || operation.order != 0 || !masks_first(variant)) continue;
        words.back() = with_scores(words.back());  // the scores S are masked, then scaled
        for (const Operation& scale : operations_into(scaled, variant))
            words.back() = fmt::format("({}) {}", words.back(), scale.words);
    }
    return words;
}

}  // namespace

std::vector<std::string> operations_between(const Inputs& inputs, const Variant& variant,
                                            StageKind from, StageKind to) {
    if (is_aside(to)) return {};
    Words words;
    for (int k = int(from) + 1; k <= int(to); ++k) {
        if (!has_stage(inputs, StageKind(k))) continue;
        // The scale is then named after the mask, in the step to the softmax input.
        if (StageKind(k) == scaled && to > scaled && masks_first(variant)) continue;
        std::ranges::move(step_into(StageKind(k), variant), std::back_inserter(words));
    }
    return words;
}

std::vector<std::string> operations_with_mask(const Inputs& inputs, const Variant& variant,
                                              StageKind to) {
    const bool masks_before = masks_logits(variant.mask.apply);
    if (to < logits || (to < weights && !masks_before) || variant.mask.apply == Apply::none)
        return {};
    // S stands for scaled scores; but in "(S + M) × 1/√d", for unscaled ones.
    Words words = operations_between(inputs, variant, scaled, to);
    if (words.empty() || words.front().starts_with("(")) return words;
    const bool is_given = !has_stage(inputs, scaled);  // true if the weights are given
    const bool normalized = step_into(softmax, variant).front() == words.front();
    if (normalized)
        words.front() += " of S";
    else
        words.front() = is_given ? "w " + words.front() : with_scores(words.front());
    return words;
}

std::string stage_note(const Scene& scene, const Variant& variant, StageKind stage) {
    if (!has_score(scene.inputs) || variant.score.kind != ScoreKind::dot) return "";
    // The product of a single query is not a matrix.
    const std::string product = shape_of(scene).n_q == 1 ? "q · k" : "QKᵀ";
    if (stage == scores) return product;
    if (stage != scaled) return "";
    switch (variant.scale.kind) {
        case ScaleKind::sqrt_d_k:
            return product + "/√d";
        case ScaleKind::sqrt_n_k:
            return product + "/√n";
        case ScaleKind::none:
            return product;
        case ScaleKind::number:
            return fmt::format("{:.4g} · {}", variant.scale.number, product);
        case ScaleKind::formula:
            return "f(i) · " + product;
    }
    return "";
}

namespace {

bool all_variants_share(const BenchSource& d, StageKind stage) {
    const VariantResult& first = d.of(d.variants.front());
    return variants_have_one_labelling(d) && std::ranges::all_of(d.variants, [&](int variant) {
               return have_same_numbers(first, stage, d.of(variant), stage);
           });
}

// Returns the stages of one variant that are drawn, in order.
std::vector<StageKind> connector(const BenchSource& d, int variant) {
    std::vector<StageKind> drawn_stages;
    for (const StageKind stage : d.stages)
        if (stage != allowed && d.of(variant).stage(stage).exists()) drawn_stages.push_back(stage);
    return drawn_stages;
}

}  // namespace

bool have_same_numbers(const VariantResult& x, StageKind of_x, const VariantResult& y,
                       StageKind of_y) {
    const Stage &one = x.stage(of_x), &other = y.stage(of_y);
    if (!x.computed && !y.computed) return same_numbers(one, other);
    return one.exists() && other.exists() && one.shares(other);
}

bool variants_have_one_labelling(const BenchSource& d) {
    const VariantResult& first = d.of(d.variants.front());
    return !first.run || std::ranges::all_of(d.variants, [&](int variant) {
        return d.of(variant).queries == first.queries && d.of(variant).keys == first.keys;
    });
}

// Returns the stages up to the scaled scores that are equal in all variants.
std::vector<StageKind> shared_stages(const BenchSource& d) {
    std::vector<StageKind> shared;
    for (StageKind stage : {scores, scaled}) {
        if (!all_variants_share(d, stage)) break;
        shared.push_back(stage);
    }
    return shared;
}

namespace {

// Returns the statistics of a row. If rows are computed when they are read, and this one is not
// known, returns `above`: those of the last known row.
RowFigures figures_of(const VariantResult& result, Index b, Index h, Index i, RowFigures& above) {
    if (!result.computed) return result.row(b, h, i);
    if (const auto known = result.computed->known_figures(b, h, i)) above = *known;
    return above;
}

}  // namespace

// True if a mask that multiplies the weights takes weight from this row.
bool is_multiplied(const VariantResult& result, const Variant& variant, Index b, Index h, Index i) {
    if (!masks_weights(variant.mask.apply)) return false;
    for (Index j = 0; j < result.shape.n_k; ++j)
        if (!result.is_allowed(b, h, i, j)) return true;
    return false;
}

RowSums sums_of(const BenchSource& d, int index, Index b, Index h) {
    const VariantResult& result = d.of(index);
    const Variant& variant = d.variant(index);
    RowSums sums;
    sums.rows.reserve(static_cast<std::size_t>(result.shape.n_q));
    RowFigures above{.sum = 1};
    for (Index i = 0; i < result.shape.n_q; ++i) {
        RowSum sum;
        sum.figures = figures_of(result, b, h, i, above);
        sum.tolerance = tolerance_of(variant.dtype);
        sum.by_cell = weighs_cells_alone(variant);
        sum.by_design =
            sum.by_cell || (!rows_sum_to_one(variant) && !is_multiplied(result, variant, b, h, i));
        sum.zeroed = sum.figures.empty && zeroes_empty_rows(variant.mask.apply, variant.empty_rows);
        const bool sinks = sink_of(variant, h) && !masks_weights(variant.mask.apply);
        if (sinks && !sum.zeroed && !sum.figures.nan) sum.sink = std::max(0.0, 1 - sum.figures.sum);
        const bool is_off = std::abs(sum.figures.sum - 1) > sum.tolerance;
        sums.has_sinks |= sum.sink.has_value();
        sums.has_zeroed |= sum.zeroed;
        sums.is_off_by_design |= sum.by_design && is_off;
        sums.loses_weight |= sum.figures.sum < 1 - sum.tolerance && !sum.by_design && !sum.zeroed &&
                             masks_weights(variant.mask.apply);
        sums.rows.push_back(sum);
    }
    return sums;
}

BenchVariant variant_of(const BenchSource& d, int index, const std::vector<StageKind>& shared,
                        bool own_mask, Index b, Index h, std::optional<StageKind> from) {
    const Variant& variant = d.variant(index);
    const Inputs& inputs = d.result.scene.inputs;
    BenchVariant l;
    l.index = index;
    l.name = variant.name;
    l.changes = d.changes[index];
    if (own_mask) l.stages.push_back(drawn(d, index, allowed, b, h));
    std::optional<StageKind> before = from;
    for (StageKind stage : connector(d, index)) {
        const bool is_shared = std::ranges::find(shared, stage) != shared.end();
        if (!is_shared) {
            l.stages.push_back(drawn(d, index, stage, b, h));
            if (before)
                l.stages.back().operations = operations_between(inputs, variant, *before, stage);
            else if (own_mask)  // the connector begins at the variant's own mask
                l.stages.back().operations = operations_with_mask(inputs, variant, stage);
            if (stage == weights) l.sums = sums_of(d, index, b, h);
        }
        before = stage;
    }
    return l;
}

std::vector<BenchStage> shared_of(const BenchSource& d, const std::vector<StageKind>& shared,
                                  Index b, Index h) {
    std::vector<BenchStage> stages;
    const int variant = d.variants.front();
    std::optional<StageKind> before;
    for (StageKind stage : connector(d, variant)) {
        if (std::ranges::find(shared, stage) == shared.end()) continue;
        stages.push_back(drawn(d, variant, stage, b, h));
        if (before)
            stages.back().operations =
                operations_between(d.result.scene.inputs, d.variant(variant), *before, stage);
        before = stage;
    }
    return stages;
}

// --- the marks beside a mask: the groups or documents of its tokens, and its tree

namespace {

// Returns the first rule of one of these kinds that applies to head h, also within groups.
const MaskLayer* first_of(const std::vector<MaskLayer>& layers, Index h,
                          std::initializer_list<LayerKind> kinds) {
    for (const MaskLayer& layer : layers) {
        if (!holds_for(layer, h)) continue;
        if (std::ranges::find(kinds, layer.kind) != kinds.end()) return &layer;
        if (const MaskLayer* inner = first_of(layer.layers, h, kinds)) return inner;
    }
    return nullptr;
}

// Returns the number of each key's group, as typed, or of its document, counted from 1.
std::vector<Index> groups_of(const MaskLayer& layer, Index b) {
    if (layer.kind == LayerKind::groups) return ids_of(layer, b);
    const std::vector<Index>& lengths = lengths_of(layer, b);
    std::vector<Index> numbers;
    for (std::size_t k = 0; k < lengths.size(); ++k)
        numbers.insert(numbers.end(), static_cast<std::size_t>(lengths[k]),
                       static_cast<Index>(k) + 1);
    return numbers;
}

// Adds the rules on groups or documents that must all allow a key of head h.
void add_required(const std::vector<MaskLayer>& layers, Index h,
                  std::vector<const MaskLayer*>& required) {
    for (const MaskLayer& layer : layers) {
        if (!holds_for(layer, h) || layer.invert) continue;
        if (layer.kind == LayerKind::groups || layer.kind == LayerKind::documents)
            required.push_back(&layer);
        if (layer.kind == LayerKind::all) add_required(layer.layers, h, required);
    }
}

// Returns the groups of keys that several rules form together, numbered in their order from 1; −1
// for a key that some rule puts in no group.
std::vector<Index> common_groups(const std::vector<const MaskLayer*>& layers, Index b) {
    std::vector<std::vector<Index>> of_layers;
    for (const MaskLayer* layer : layers) of_layers.push_back(groups_of(*layer, b));
    std::map<std::vector<Index>, Index> numbers;
    std::vector<Index> groups;
    for (std::size_t j = 0; j < of_layers.front().size(); ++j) {
        std::vector<Index> key;
        for (const auto& ids : of_layers) key.push_back(ids[j]);
        const bool is_in_none = std::ranges::count(key, -1) > 0;
        const auto next = static_cast<Index>(numbers.size()) + 1;
        groups.push_back(is_in_none ? -1 : numbers.emplace(key, next).first->second);
    }
    return groups;
}

}  // namespace

std::shared_ptr<const MaskMarks> marks_of(const BenchSource& d, int variant, Index b, Index h) {
    const std::vector<MaskLayer>& layers = d.variant(variant).mask.layers;
    const MaskLayer* groups = first_of(layers, h, {LayerKind::groups, LayerKind::documents});
    const MaskLayer* tree = first_of(layers, h, {LayerKind::tree});
    // Rows are not next to their own keys if positions are listed.
    if ((!groups && !tree) || lists_positions(d.result.scene)) return nullptr;
    auto marks = std::make_shared<MaskMarks>();
    marks->start = d.result.scene.sequences[b].start;
    std::vector<const MaskLayer*> required;
    add_required(layers, h, required);
    if (required.size() > 1) {
        marks->groups = common_groups(required, b);
    } else if (groups) {
        marks->groups = groups_of(*groups, b);
        if (groups->kind == LayerKind::documents) marks->group = "document";
    }
    if (tree) marks->parents = tree->parents;
    marks->focus = d.focus;
    return marks;
}

// --- Q, K and V, which are drawn before the scores

namespace {

struct TensorKind {
    int variant;
    const char* title;
    InputPart part;
};
constexpr std::array<TensorKind, 3> kinds{{{queries_variant, "Q", &HeadInputs::queries},
                                           {keys_variant, "K", &HeadInputs::keys},
                                           {values_variant, "V", &HeadInputs::values}}};

// Returns one tensor of all heads as a source of cells, like those of stages. Copies it, unless the
// previous bench has a copy of the same numbers. Null if the inputs have no such tensor.
SharedSource source_of_tensor(const BenchSource& d, const TensorKind& kind) {
    const auto& numbers_of_variant = inputs_of(d.result, d.variants.front());
    const BatchInputs& inputs = *numbers_of_variant;
    const auto [rows, columns] = inputs.size_of(kind.part);
    if (rows == 0) return nullptr;
    const std::pair key(kind.variant, StageKind::output);
    SharedSource& made = d.sources[key];
    if (made) return made;
    const auto old = d.before.find(key);
    const SharedSource before = old != d.before.end() ? old->second : nullptr;
    if (before && before->inputs == numbers_of_variant) return made = before;
    const Shape shape{inputs.shape.b, inputs.shape.h, rows, columns};
    Stage numbers(shape.b, shape.h, shape.n_q, shape.n_k, true);
    for (Index b = 0; b < shape.b; ++b)
        for (Index h = 0; h < shape.h; ++h) numbers.set_head(b, h, inputs.part(b, h, kind.part));
    auto source = std::make_shared<CellSource>(StageKind::output, numbers, shape);
    source->inputs = numbers_of_variant;
    return made = source;
}

// Returns the labels: queries or keys for rows, and component numbers from 0 for columns.
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
    stage.variant = kind.variant;
    stage.cells = cells_of(source, block.b, block.h);
    stage.limits = limits_of_sources({source}, StageKind::output);
    stage.map = map_of(StageKind::output, ThemeKind::dark);
    stage.title = kind.title;
    stage.tokens = std::make_shared<BenchTokens>(
        labels_of(*block.tokens, kind.variant != queries_variant, stage.cells->columns));
    return stage;
}

// Returns the operations that turn Q and K into a stage: "QKᵀ", "× 1/√d".
std::vector<std::string> operations_into(const BenchSource& d, StageKind stage) {
    const Variant& variant = d.variant(d.variants.front());
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
