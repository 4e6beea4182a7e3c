#include "core/gpu/task.h"

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

// Returns the width of the widest row of numbers that the variant may keep; it decides how all
// stages are split.
Index widest(const Run& run, const Task& task) {
    const Index d_v = d_v_of(run.scene.inputs).value_or(0);
    const Matrix& w = task.parameters.w;
    return std::max({task.shape.n_k, d_v, w.rows(), w.cols(), Index{figure_count}});
}

std::vector<Slice> slices_of(const Run& run, const Task& task) {
    const Shape& shape = task.shape;
    const auto bits = static_cast<std::size_t>(task.asked.heads * task.asked.rows) *
                      static_cast<std::size_t>((shape.n_k + 31) / 32) * 4;
    SliceLimits limits;
    limits.bytes = run.device.buffer_limit;
    limits.bytes_of_head =
        4 * static_cast<std::size_t>(
                std::max(run.inputs.largest_stride(task.variant), task.parameters.w.size()));
    limits.one_head = bits > limits.bytes;
    return make_slices(task.asked, widest(run, task), limits);
}

std::vector<MaskLayer> masks_only(const std::vector<MaskLayer>& layers) {
    std::vector<MaskLayer> masks;
    std::ranges::remove_copy_if(layers, std::back_inserter(masks), is_bias);
    return masks;
}

void find_mask(Run& run, Task& task) {
    const auto layers = masks_only(task.variant.mask.layers);
    for (const KnownMask& known : run.known.masks) {
        if (known.shape != task.shape || known.asked != task.asked || known.layers != layers ||
            known.pad_token != run.scene.pad_token || known.sequences != run.scene.sequences ||
            known.lists_positions != lists_positions(run.scene))
            continue;
        task.mask = known.mask.lock();
        task.sheet_of_head = known.sheet_of_head;
        if (task.mask) return;
    }
    mask_pass(run, task);
    run.clock.on_gpu("mask");
    std::erase_if(run.known.masks, [](const KnownMask& known) { return known.mask.expired(); });
    run.known.masks.push_back({layers, run.scene.sequences, lists_positions(run.scene),
                               run.scene.pad_token, task.shape, task.asked, task.sheet_of_head,
                               task.mask});
}

void find_scores(Run& run, Task& task) {
    for (const KnownScores& known : run.known.scores) {
        if (known.inputs != run.inputs.id() || known.dtype != task.variant.dtype ||
            known.score != task.variant.score || known.query_factor != task.query_factor)
            continue;
        task.scores = known.numbers.lock();
        task.scores_known = task.scores && task.scores->slices() == task.slices;
        if (task.scores_known) return;
        task.scores.reset();
    }
}

void find_inputs(Run& run, Task& task) {
    const Inputs& inputs = run.scene.inputs;
    const Dtype dtype = task.variant.dtype;
    if (has_score(inputs)) {
        find_scores(run, task);
        task.query_keys = run.inputs.query_keys(run.device, task.variant, task.query_factor);
    } else {
        task.given = run.inputs.given(run.device, dtype, task.slices, task.asked);
    }
    const bool decides = task.parameters.w.size() > 0;  // see output_may_overflow()
    if (has_stage(inputs, StageKind::output) && (wants(run, StageKind::output) || decides))
        task.values = run.inputs.values(run.device, dtype);
    task.takes_softmax = !std::holds_alternative<WeightsInputs>(inputs);
    task.tables = make_tables(run.scene, task.variant, task.asked, task.sheet_of_head,
                              task.query_keys ? task.query_keys->factors : std::vector<double>());
    task.tables_buffer = run.device.upload(task.tables.words);
    run.clock.on_cpu("upload");
}

// --- which stages are kept, and which are the same numbers

// True if there are at least as many keys as queries, and every rule allows query i to attend to
// key i. Then no row is empty; other masks may have empty rows.
bool opens_diagonal(const Scene& scene, const std::vector<MaskLayer>& layers) {
    return last_position(scene) < shape_of(scene).n_k &&
           std::ranges::all_of(scene.sequences,
                               [](const Sequence& sequence) { return sequence.start == 0; }) &&
           !lists_positions(scene) && std::ranges::all_of(layers, [](const MaskLayer& layer) {
               return is_bias(layer) || (rule_of(layer.kind).allows_diagonal && !layer.invert);
           });
}

bool weights_are_softmax(const Run& run, const Task& task) {
    const Mask& mask = task.variant.mask;
    const bool zeroes = zeroes_empty_rows(mask.apply, task.variant.empty_rows);
    return !masks_weights(mask.apply) && (!zeroes || opens_diagonal(run.scene, mask.layers));
}

bool logits_are_scaled(const Task& task) {
    return !masks_logits(task.variant.mask.apply) && !task.tables.biased &&
           !bends_scores(task.variant);
}

bool wants_no_logits(const Run& run) {
    return !wants(run, StageKind::scores) && !wants(run, StageKind::scaled) &&
           !wants(run, StageKind::logits);
}

// True if whole tiles of blocked keys can be skipped: only stages from the softmax output on are
// requested, and the logits of blocked keys are −inf.
bool may_skip_blocked(const Run& run, const Task& task) {
    const Mask& mask = task.variant.mask;
    const double scale = task.parameters.scale;
    const bool minus_infinity =
        blocked_value(mask.value, task.variant.dtype) == -infinity && uses_value(mask.apply);
    const bool finite = task.query_keys && !task.query_keys->careful && scale > 0 && scale < 1e6 &&
                        task.variant.dtype != Dtype::float16;
    return minus_infinity && wants_no_logits(run) && finite && !task.scores_known &&
           !bends_scores(task.variant) && task.variant.scale.kind != ScaleKind::formula &&
           !opens_empty_rows(mask.apply, task.variant.empty_rows);
}

bool scales_nothing(const Task& task) {
    return task.parameters.scale == 1 && task.variant.scale.kind != ScaleKind::formula;
}

void choose_score_stages(Run& run, Task& task) {
    const auto numbers = [&] { return make_numbers(run, task, task.shape.n_k); };
    if (!has_stage(run.scene.inputs, StageKind::scores)) return;
    if (task.given) task.scores = task.given->numbers;
    if (wants(run, StageKind::scores) && !task.scores) task.scores = numbers();
    if (wants(run, StageKind::scaled))
        task.scaled = task.scores && scales_nothing(task) ? task.scores : numbers();
    if (wants(run, StageKind::logits) && task.scaled && logits_are_scaled(task))
        task.logits = task.scaled;
    else if (wants(run, StageKind::logits))
        task.logits = numbers();
    else  // the softmax works in place
        task.logits = task.weights ? task.weights : task.softmax ? task.softmax : numbers();
}

void choose_stages(Run& run, Task& task) {
    const auto numbers = [&] { return make_numbers(run, task, task.shape.n_k); };
    const bool weighs = wants(run, StageKind::weights) || task.values || !task.takes_softmax;
    const bool same = weighs && weights_are_softmax(run, task);
    if (!task.takes_softmax)
        task.softmax = task.given->numbers;
    else if (wants(run, StageKind::softmax) || same)  // with the same program in both cases
        task.softmax = numbers();
    if (weighs) task.weights = same ? task.softmax : numbers();
    if (wants(run, StageKind::sensitivity)) task.sensitivity = numbers();
    if (task.takes_softmax && bends_scores(task.variant)) task.slope = numbers();
    choose_score_stages(run, task);
    task.figures = make_numbers(run, task, figure_count);
    task.skip_blocked = may_skip_blocked(run, task);
}

// --- the result

void keep_stages(const Run& run, const Task& task, VariantResult& result) {
    const Shape& shape = result.shape;
    const auto keep = [&](StageKind kind, const std::shared_ptr<const GpuNumbers>& numbers) {
        if (numbers && wants(run, kind))
            result.stage(kind) = Stage(shape.b, shape.h, shape.n_q, numbers->columns(), numbers);
    };
    keep(StageKind::scores, task.scores);
    keep(StageKind::scaled, task.scaled);
    keep(StageKind::logits, task.logits);
    keep(StageKind::softmax, task.softmax);
    keep(StageKind::weights, task.weights);
    keep(StageKind::sensitivity, task.sensitivity);
    if (!task.output) return;
    const Index h = task.variant.output.kind == OutputKind::projected ? 1 : shape.h;
    result.stage(StageKind::output) =
        Stage(shape.b, h, shape.n_q, task.output->columns(), task.output);
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

void read_figures(const Task& task, VariantResult& result) {
    const auto rows = static_cast<std::size_t>(task.asked.heads * task.asked.rows);
    std::vector<float> numbers(rows * figure_count);
    task.figures->read(0, numbers);
    result.rows.resize(rows);
    for (std::size_t row = 0; row < rows; ++row)
        result.rows[row] = figures_at(numbers.data() + row * figure_count);
}

MaskCells mask_of(const Task& task) {
    const auto n_k = static_cast<std::size_t>(task.shape.n_k);
    return {static_cast<std::size_t>(task.asked.heads * task.asked.rows) * n_k, n_k, task.mask};
}

// Reads the stages into memory, where any thread can read them; stages that are equal still share
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
// steps of a float32 computation leave its range, although the result does not.
bool is_extreme(const Task& task) {
    constexpr double largest = largest_scale, smallest = least_scale;
    const Mask& mask = task.variant.mask;
    const double scale = task.parameters.scale;
    const double value = std::abs(blocked_value(mask.value, task.variant.dtype));
    const bool is_scaled = mask.apply == Apply::additive && mask.order == Order::mask_then_scale;
    bool extreme = std::abs(scale) > largest || (scale != 0 && std::abs(scale) < smallest) ||
                   task.tables.largest_bias > largest || task.tables.extreme_scale ||
                   (is_scaled && std::isfinite(value) && value > largest);
    for (const MaskLayer& layer : mask.layers)
        for (const BiasCell& cell : layer.bias) extreme = extreme || std::abs(cell.x) > largest;
    return extreme;
}

// True if float32 is not enough: if given weights may cancel or overflow when summed, if a scale,
// bias or mask value is extreme, or if projected inputs or outputs may overflow.
bool needs_cpu(const Task& task) {
    const bool given_weights = task.given && !task.takes_softmax;
    const bool strange = given_weights && (task.given->negative || !(task.given->largest < 1e30));
    const bool lost =
        task.query_keys && (task.query_keys->queries.overflows || task.query_keys->keys.overflows);
    const bool extreme = task.takes_softmax && is_extreme(task);
    return strange || lost || extreme || output_may_overflow(task);
}

// Computes with the reference implementation; unless rows were requested, the numbers then go to
// the GPU like all others.
VariantResult compute_on_cpu(Run& run, const Task& task) {
    Scene alone = run.scene;
    alone.variants = {task.variant};
    Request request = run.request;
    request.variants = {};
    VariantResult result =
        std::move(PlainBackend().compute(alone, request, nullptr, run.progress).variants.front());
    result.by_plain_functions = true;
    run.clock.on_cpu("on the CPU");
    if (request.rows) return result;
    for (Stage& stage : result.stages) {
        if (!stage.exists()) continue;
        const auto slices = stage.h() == task.shape.h ? task.slices : projected_slices(task);
        const auto numbers =
            std::make_shared<GpuNumbers>(slices, stage.rows(), stage.columns(),
                                         run.device.make_buffers(slices, stage.columns()));
        numbers->write(stage.float32s());
        stage = Stage(stage.b(), stage.h(), stage.rows(), stage.columns(), numbers);
    }
    result.allowed = mask_of(task);
    run.clock.on_cpu("on the CPU");
    return result;
}

Slice asked_of(const Request& request, const Shape& shape) {
    const maskscope::Rows rows = maskscope::rows_of(request, shape);
    const Index heads = request.head ? 1 : shape.b * shape.h;
    return {request.head.value_or(0), heads, rows.first, rows.count};
}

void run_passes(Run& run, Task& task) {
    if (task.logits) {
        scores_pass(run, task);
        run.clock.on_gpu("scores");
    }
    softmax_pass(run, task);
    run.clock.on_gpu("softmax");
    if (task.values) {
        output_pass(run, task);
        run.clock.on_gpu("output");
    }
}

}  // namespace

std::shared_ptr<const GpuNumbers> make_numbers(Run& run, const Task& task, Index columns) {
    return std::make_shared<GpuNumbers>(task.slices, task.asked.rows, columns,
                                        run.device.make_buffers(task.slices, columns));
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
    Task task{variant, shape, asked_of(run.request, shape), parameters_of(run.scene, variant)};
    if (variant.mask.order == Order::queries_first)
        task.query_factor = std::exchange(task.parameters.scale, 1);
    task.slices = slices_of(run, task);
    find_mask(run, task);
    find_inputs(run, task);
    if (needs_cpu(task)) return compute_on_cpu(run, task);
    if (!wants(run, StageKind::output)) task.values.reset();
    choose_stages(run, task);
    run_passes(run, task);
    if (task.query_keys && task.scores && !task.scores_known)
        run.known.scores.push_back(
            {run.inputs.id(), variant.dtype, variant.score, task.query_factor, task.scores});

    VariantResult result = labelled(run.scene, run.request);
    result.allowed = mask_of(task);
    keep_stages(run, task, result);
    read_figures(task, result);
    run.clock.on_cpu("figures");
    if (!run.request.rows) return result;
    read_back(result);
    run.clock.on_cpu("reading");
    return result;
}

}  // namespace maskscope::gpu
