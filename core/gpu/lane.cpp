#include "core/gpu/lane.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/attention/mask.h"
#include "core/compute/plain.h"
#include "core/gl/program.h"
#include "core/gpu/passes.h"
#include "core/scene/mask_rules.h"

namespace maskscope::gpu {
namespace {

bool wants(const Run& run, StageKind stage) {
    return maskscope::wants(run.request, run.scene.inputs, stage);
}

// --- what the variant starts from

// Returns the widest row of numbers that the variant keeps; it decides how all stages are split.
Index widest(const Run& run, const Lane& lane) {
    const Index d_v = d_v_of(run.scene.inputs).value_or(0);
    const Matrix& w = lane.parameters.w;
    return std::max({lane.shape.n_k, d_v, w.rows(), w.cols(), Index{figure_count}});
}

std::vector<Slice> slices_of(const Run& run, const Lane& lane) {
    const Shape& shape = lane.shape;
    const auto bits = static_cast<std::size_t>(lane.asked.heads * lane.asked.rows) *
                      static_cast<std::size_t>((shape.n_k + 31) / 32) * 4;
    SliceLimits limits;
    limits.bytes = run.device.buffer_limit;
    limits.bytes_of_head =
        4 * static_cast<std::size_t>(
                std::max(run.inputs.largest_stride(lane.variant), lane.parameters.w.size()));
    limits.one_head = bits > limits.bytes;
    return make_slices(lane.asked, widest(run, lane), limits);
}

std::vector<MaskLayer> masks_only(const std::vector<MaskLayer>& layers) {
    std::vector<MaskLayer> masks;
    std::ranges::remove_copy_if(layers, std::back_inserter(masks), is_bias);
    return masks;
}

void find_mask(Run& run, Lane& lane) {
    const auto layers = masks_only(lane.variant.mask.layers);
    for (const KnownMask& known : run.known.masks) {
        if (known.shape != lane.shape || known.asked != lane.asked || known.layers != layers ||
            known.pad_token != run.scene.pad_token || known.sequences != run.scene.sequences ||
            known.lists_positions != lists_positions(run.scene))
            continue;
        lane.mask = known.mask.lock();
        lane.sheet_of_head = known.sheet_of_head;
        if (lane.mask) return;
    }
    mask_pass(run, lane);
    run.clock.on_gpu("mask");
    std::erase_if(run.known.masks, [](const KnownMask& known) { return known.mask.expired(); });
    run.known.masks.push_back({layers, run.scene.sequences, lists_positions(run.scene),
                               run.scene.pad_token, lane.shape, lane.asked, lane.sheet_of_head,
                               lane.mask});
}

void find_scores(Run& run, Lane& lane) {
    for (const KnownScores& known : run.known.scores) {
        if (known.inputs != run.inputs.id() || known.dtype != lane.variant.dtype ||
            known.score != lane.variant.score || known.query_factor != lane.query_factor)
            continue;
        lane.scores = known.numbers.lock();
        lane.scores_known = lane.scores && lane.scores->slices() == lane.slices;
        if (lane.scores_known) return;
        lane.scores.reset();
    }
}

void find_inputs(Run& run, Lane& lane) {
    const Inputs& inputs = run.scene.inputs;
    const Dtype dtype = lane.variant.dtype;
    if (has_score(inputs)) {
        find_scores(run, lane);
        lane.query_keys = run.inputs.query_keys(run.device, lane.variant, lane.query_factor);
    } else {
        lane.given = run.inputs.given(run.device, dtype, lane.slices, lane.asked);
    }
    const bool decides = lane.parameters.w.size() > 0;  // see output_may_overflow()
    if (has_stage(inputs, StageKind::output) && (wants(run, StageKind::output) || decides))
        lane.values = run.inputs.values(run.device, dtype);
    lane.takes_softmax = !std::holds_alternative<WeightsInputs>(inputs);
    lane.tables = make_tables(run.scene, lane.variant, lane.asked, lane.sheet_of_head,
                              lane.query_keys ? lane.query_keys->factors : std::vector<double>());
    lane.tables_buffer = run.device.upload(lane.tables.words);
    run.clock.on_cpu("upload");
}

// --- which stages are kept, and which are the same numbers

// True if every rule allows key i to query i, for as many keys as there are queries. Then no row is
// empty; other masks may have empty rows.
bool opens_diagonal(const Scene& scene, const std::vector<MaskLayer>& layers) {
    return last_position(scene) < shape_of(scene).n_k &&
           std::ranges::all_of(scene.sequences,
                               [](const Sequence& sequence) { return sequence.start == 0; }) &&
           !lists_positions(scene) && std::ranges::all_of(layers, [](const MaskLayer& layer) {
               return is_bias(layer) || (rule_of(layer.kind).allows_diagonal && !layer.invert);
           });
}

bool weights_are_softmax(const Run& run, const Lane& lane) {
    const Mask& mask = lane.variant.mask;
    const bool zeroes = zeroes_empty_rows(mask.apply, lane.variant.empty_rows);
    return !masks_weights(mask.apply) && (!zeroes || opens_diagonal(run.scene, mask.layers));
}

bool logits_are_scaled(const Lane& lane) {
    return !masks_logits(lane.variant.mask.apply) && !lane.tables.biased &&
           !bends_scores(lane.variant);
}

bool wants_no_logits(const Run& run) {
    return !wants(run, StageKind::scores) && !wants(run, StageKind::scaled) &&
           !wants(run, StageKind::logits);
}

// True if whole tiles of blocked keys can be skipped: only stages after the softmax are requested,
// and the logits of blocked keys are -inf.
bool may_skip_blocked(const Run& run, const Lane& lane) {
    const Mask& mask = lane.variant.mask;
    const double scale = lane.parameters.scale;
    const bool minus_infinity =
        blocked_value(mask.value, lane.variant.dtype) == -infinity && uses_value(mask.apply);
    const bool finite = lane.query_keys && !lane.query_keys->careful && scale > 0 && scale < 1e6 &&
                        lane.variant.dtype != Dtype::float16;
    return minus_infinity && wants_no_logits(run) && finite && !lane.scores_known &&
           !bends_scores(lane.variant) && lane.variant.scale.kind != ScaleKind::formula &&
           !opens_empty_rows(mask.apply, lane.variant.empty_rows);
}

bool scales_nothing(const Lane& lane) {
    return lane.parameters.scale == 1 && lane.variant.scale.kind != ScaleKind::formula;
}

void choose_score_stages(Run& run, Lane& lane) {
    const auto numbers = [&] { return make_numbers(run, lane, lane.shape.n_k); };
    if (!has_stage(run.scene.inputs, StageKind::scores)) return;
    if (lane.given) lane.scores = lane.given->numbers;
    if (wants(run, StageKind::scores) && !lane.scores) lane.scores = numbers();
    if (wants(run, StageKind::scaled))
        lane.scaled = lane.scores && scales_nothing(lane) ? lane.scores : numbers();
    if (wants(run, StageKind::logits) && lane.scaled && logits_are_scaled(lane))
        lane.logits = lane.scaled;
    else if (wants(run, StageKind::logits))
        lane.logits = numbers();
    else  // the softmax works in place
        lane.logits = lane.weights ? lane.weights : lane.softmax ? lane.softmax : numbers();
}

void choose_stages(Run& run, Lane& lane) {
    const auto numbers = [&] { return make_numbers(run, lane, lane.shape.n_k); };
    if (!lane.takes_softmax)
        lane.softmax = lane.given->numbers;
    else if (wants(run, StageKind::softmax))
        lane.softmax = numbers();
    if (wants(run, StageKind::weights) || lane.values || !lane.takes_softmax)
        lane.weights = lane.softmax && weights_are_softmax(run, lane) ? lane.softmax : numbers();
    if (wants(run, StageKind::sensitivity)) lane.sensitivity = numbers();
    if (lane.takes_softmax && bends_scores(lane.variant)) lane.slope = numbers();
    choose_score_stages(run, lane);
    lane.figures = make_numbers(run, lane, figure_count);
    lane.skip_blocked = may_skip_blocked(run, lane);
}

// --- the result

void keep_stages(const Run& run, const Lane& lane, VariantResult& result) {
    const Shape& shape = result.shape;
    const auto keep = [&](StageKind kind, const std::shared_ptr<const GpuNumbers>& numbers) {
        if (numbers && wants(run, kind))
            result.stage(kind) = Stage(shape.b, shape.h, shape.n_q, numbers->columns(), numbers);
    };
    keep(StageKind::scores, lane.scores);
    keep(StageKind::scaled, lane.scaled);
    keep(StageKind::logits, lane.logits);
    keep(StageKind::softmax, lane.softmax);
    keep(StageKind::weights, lane.weights);
    keep(StageKind::sensitivity, lane.sensitivity);
    if (!lane.output) return;
    const Index h = lane.variant.output.kind == OutputKind::projected ? 1 : shape.h;
    result.stage(StageKind::output) =
        Stage(shape.b, h, shape.n_q, lane.output->columns(), lane.output);
}

RowFigures figures_at(const float* numbers) {
    RowFigures row;
    row.sum = numbers[0];
    row.max = numbers[1];
    row.entropy = numbers[2];
    row.leak = numbers[3];
    row.gradient_leak = numbers[4];
    row.pads = numbers[5];
    row.empty = numbers[6] != 0;
    row.nan = numbers[7] != 0;
    row.lse = numbers[8];
    return row;
}

void read_figures(const Lane& lane, VariantResult& result) {
    const auto rows = static_cast<std::size_t>(lane.asked.heads * lane.asked.rows);
    std::vector<float> numbers(rows * figure_count);
    lane.figures->read(0, numbers);
    result.rows.resize(rows);
    for (std::size_t row = 0; row < rows; ++row)
        result.rows[row] = figures_at(numbers.data() + row * figure_count);
}

MaskCells mask_of(const Lane& lane) {
    const auto n_k = static_cast<std::size_t>(lane.shape.n_k);
    return {static_cast<std::size_t>(lane.asked.heads * lane.asked.rows) * n_k, n_k, lane.mask};
}

// Reads the stages into memory, where any thread reads them; stages that are equal still share
// their numbers.
void read_back(VariantResult& result) {
    std::map<const RemoteNumbers*, Stage> known;
    for (Stage& stage : result.stages) {
        if (!stage.remote()) continue;
        Stage& here = known[stage.remote().get()];
        if (!here.exists()) {
            const auto numbers = std::make_shared<LargeArray<float>>(
                static_cast<std::size_t>(stage.b() * stage.h() * stage.rows() * stage.columns()));
            stage.remote()->read(0, *numbers);
            here = Stage(stage.b(), stage.h(), stage.rows(), stage.columns(), numbers);
        }
        stage = here;
    }
    result.allowed = MaskCells(result.allowed.all());
}

// --- intermediate results that float32 cannot hold

// True if a scale, a bias, or a mask value that is scaled with its score is so far from 1 that
// steps of a float32 computation leave its range, although the whole does not.
bool is_extreme(const Lane& lane) {
    constexpr double largest = largest_scale, smallest = least_scale;
    const Mask& mask = lane.variant.mask;
    const double scale = lane.parameters.scale;
    const double value = std::abs(blocked_value(mask.value, lane.variant.dtype));
    const bool is_scaled = mask.apply == Apply::additive && mask.order == Order::mask_then_scale;
    bool extreme = std::abs(scale) > largest || (scale != 0 && std::abs(scale) < smallest) ||
                   lane.tables.largest_bias > largest || lane.tables.extreme_scale ||
                   (is_scaled && std::isfinite(value) && value > largest);
    for (const MaskLayer& layer : mask.layers)
        for (const BiasCell& cell : layer.bias) extreme = extreme || std::abs(cell.x) > largest;
    return extreme;
}

// True for given weights whose sums may cancel or overflow, and for projected inputs, or outputs,
// that overflow.
bool needs_cpu(const Lane& lane) {
    const bool given_weights = lane.given && !lane.takes_softmax;
    const bool strange = given_weights && (lane.given->negative || !(lane.given->largest < 1e30));
    const bool lost =
        lane.query_keys && (lane.query_keys->queries.overflows || lane.query_keys->keys.overflows);
    const bool extreme = lane.takes_softmax && is_extreme(lane);
    return strange || lost || extreme || output_may_overflow(lane);
}

// Computes with the reference implementation; the numbers then go to the GPU like all others.
VariantResult compute_on_cpu(Run& run, const Lane& lane) {
    Scene alone = run.scene;
    alone.variants = {lane.variant};
    Request request = run.request;
    request.variants = {};
    VariantResult result =
        std::move(PlainBackend().compute(alone, request, nullptr, run.progress).variants.front());
    result.by_plain_functions = true;
    run.clock.on_cpu("on the CPU");
    if (request.rows) return result;
    for (Stage& stage : result.stages) {
        if (!stage.exists()) continue;
        const auto slices = stage.h() == lane.shape.h ? lane.slices : projected_slices(lane);
        const auto numbers =
            std::make_shared<GpuNumbers>(slices, stage.rows(), stage.columns(),
                                         run.device.make_buffers(slices, stage.columns()));
        numbers->write(stage.float32s());
        stage = Stage(stage.b(), stage.h(), stage.rows(), stage.columns(), numbers);
    }
    result.allowed = mask_of(lane);
    run.clock.on_cpu("on the CPU");
    return result;
}

Slice asked_of(const Request& request, const Shape& shape) {
    const maskscope::Rows rows = maskscope::rows_of(request, shape);
    const Index heads = request.head ? 1 : shape.b * shape.h;
    return {request.head.value_or(0), heads, rows.first, rows.count};
}

void run_passes(Run& run, Lane& lane) {
    if (lane.logits) {
        scores_pass(run, lane);
        run.clock.on_gpu("scores");
    }
    softmax_pass(run, lane);
    run.clock.on_gpu("softmax");
    if (lane.values) {
        output_pass(run, lane);
        run.clock.on_gpu("output");
    }
}

}  // namespace

std::shared_ptr<const GpuNumbers> make_numbers(Run& run, const Lane& lane, Index columns) {
    return std::make_shared<GpuNumbers>(lane.slices, lane.asked.rows, columns,
                                        run.device.make_buffers(lane.slices, columns));
}

double work_of(const Scene& scene, const Request& request, const Variant& variant) {
    const Shape shape = shape_of(scene);
    const Slice asked = asked_of(request, shape);
    const auto cells = static_cast<double>(asked.heads * asked.rows * shape.n_k);
    Index depth = d_k_of(scene.inputs).value_or(1);
    if (!has_score(scene.inputs)) depth = 1;
    if (variant.score.kind == ScoreKind::additive) depth = variant.score.hidden;
    return cells * static_cast<double>(depth + 32 + d_v_of(scene.inputs).value_or(0));
}

VariantResult compute_variant(Run& run, const Variant& variant) {
    const Shape shape = shape_of(run.scene);
    Lane lane{variant, shape, asked_of(run.request, shape), parameters_of(run.scene, variant)};
    if (variant.mask.order == Order::queries_first)
        lane.query_factor = std::exchange(lane.parameters.scale, 1);
    lane.slices = slices_of(run, lane);
    find_mask(run, lane);
    find_inputs(run, lane);
    if (needs_cpu(lane)) return compute_on_cpu(run, lane);
    if (!wants(run, StageKind::output)) lane.values.reset();
    choose_stages(run, lane);
    run_passes(run, lane);
    if (lane.query_keys && lane.scores && !lane.scores_known)
        run.known.scores.push_back(
            {run.inputs.id(), variant.dtype, variant.score, lane.query_factor, lane.scores});

    VariantResult result = labelled(run.scene, run.request);
    result.allowed = mask_of(lane);
    keep_stages(run, lane, result);
    read_figures(lane, result);
    run.clock.on_cpu("figures");
    if (!run.request.rows) return result;
    read_back(result);
    run.clock.on_cpu("reading");
    return result;
}

}  // namespace maskscope::gpu
