#include "core/compute/plain.h"

#include <chrono>
#include <new>

#include "core/attention/attention.h"
#include "core/attention/row_figures.h"
#include "core/base/error.h"
#include "core/compute/embedding.h"
#include "core/compute/memory.h"
#include "core/scene/names.h"

namespace maskscope {
namespace {

// Adds space for all that is kept, except the output, to a result that has only labels and `pads`.
VariantResult make_room(const Scene& scene, Dtype dtype, const Request& request,
                        VariantResult result) {
    const Shape& shape = result.shape;
    const Index rows = shape.b * shape.h * shape.n_q;
    result.allowed = std::vector<std::uint8_t>(static_cast<std::size_t>(rows * shape.n_k));
    result.rows.resize(static_cast<std::size_t>(rows));
    for (const RowStage& kept : row_stages)
        if (wants(request, scene.inputs, kept.kind))
            result.stage(kept.kind) =
                Stage(shape.b, shape.h, shape.n_q, shape.n_k, dtype == Dtype::float64);
    return result;
}

void keep(const Block& block, VariantResult& result) {
    for (const RowStage& kept : row_stages)
        if (Stage& stage = result.stage(kept.kind); stage.exists())
            stage.set_rows(block.b, block.h, block.first, block.stages.*kept.stage);
    const Shape& shape = result.shape;
    const Index row = (block.b * shape.h + block.h) * shape.n_q + block.first;
    std::copy_n(block.allowed.data(), block.allowed.size(),
                result.allowed.here().begin() + row * shape.n_k);
    const std::uint8_t* pads = result.pads.data() + block.b * shape.n_k;
    for (Index i = 0; i < block.allowed.rows(); ++i)
        result.rows[row + i] = row_figures(block.stages.weights, block.stages.sensitivity,
                                           block.stages.logits, block.allowed, pads, i);
}

Stage to_stage(const std::vector<Matrix>& outputs, Index b, Dtype dtype) {
    const Index h = static_cast<Index>(outputs.size()) / b;
    Stage stage(b, h, outputs[0].rows(), outputs[0].cols(), dtype == Dtype::float64);
    for (Index k = 0; k < b * h; ++k) stage.set_head(k / h, k % h, outputs[k]);
    return stage;
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

Result compute_all(const Scene& scene, const Request& request, Progress& progress) {
    const auto start = std::chrono::steady_clock::now();
    Result result{scene, "cpu", std::vector<VariantResult>(scene.variants.size()), 0, {}};
    const auto inputs = std::make_shared<const BatchInputs>(make_inputs(scene, progress));
    result.inputs = inputs;
    result.times.push_back({"inputs", milliseconds_since(start)});
    const std::vector<int> variants = variants_of(request, scene);
    const VariantResult blank = labelled(scene, request);
    const Shape shape = blank.shape;
    const auto all_rows =
        static_cast<double>(shape.b * shape.h * shape.n_q) * static_cast<double>(variants.size());
    double rows_done = 0;
    StageTimes times;
    for (const int index : variants) {
        const Variant& variant = scene.variants[index];
        VariantResult& kept = result.variants[index];
        kept = make_room(scene, variant.dtype, request, blank);
        const auto outputs = attend_all(
            scene, variant, *inputs, progress, times,
            [&](const Block& block) {
                keep(block, kept);
                rows_done += static_cast<double>(block.allowed.rows());
                progress.done = rows_done / all_rows;
            },
            request);
        if (wants(request, scene.inputs, StageKind::output))
            kept.stage(StageKind::output) = to_stage(outputs, shape.b, variant.dtype);
    }
    for (int k = 0; k < stage_count; ++k) {
        const auto stage = static_cast<StageKind>(k);
        if (times.of(stage) > 0)
            result.times.push_back({std::string(name(stage)), times.of(stage)});
    }
    result.milliseconds = milliseconds_since(start);
    return result;
}

}  // namespace

Result PlainBackend::compute_scene(const Scene& scene, const Request& request,
                                   const Result* /*before*/, Progress& progress) {
    if (const auto available = available_bytes()) refuse_too_large(scene, request, *available);
    progress.done = 0;
    try {
        return compute_all(scene, request, progress);
    } catch (const std::bad_alloc&) {
        throw WorkError("too large for the memory of this machine");
    }
}

}  // namespace maskscope
