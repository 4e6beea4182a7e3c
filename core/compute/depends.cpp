#include "core/compute/depends.h"

#include <cmath>

#include "core/attention/attention.h"
#include "core/compute/embedding.h"

namespace maskscope {
namespace {

double change_of(double before, double after) {
    if (before == after || (std::isnan(before) && std::isnan(after))) return 0;
    return std::abs(after - before);
}

// Raises each entry of column j to the largest change in the same row of one head's output.
void add_changes(const Matrix& before, const Matrix& after, Index j, Matrix& depends) {
    for (Index i = 0; i < before.rows(); ++i)
        for (Index c = 0; c < before.cols(); ++c) {
            const double change = change_of(before(i, c), after(i, c));
            if (std::isnan(change) || change > depends(i, j)) depends(i, j) = change;
        }
}

}  // namespace

std::vector<Stage> depends_of(const Scene& scene, Progress& progress) {
    const Shape shape = shape_of(scene);
    const std::size_t variants = scene.variants.size();
    const auto attend_with = [&](std::optional<Index> replaced) {
        const BatchInputs inputs = make_inputs(scene, progress, replaced);
        std::vector<std::vector<Matrix>> outputs;  // [variant][b, h or 1] of [n_q, d_out]
        StageTimes times;
        for (const Variant& variant : scene.variants)
            outputs.push_back(
                attend_all(scene, variant, inputs, progress, times, [](const Block&) {}));
        return outputs;
    };
    const auto before = attend_with(std::nullopt);
    std::vector<std::vector<Matrix>> depends(
        variants,
        std::vector<Matrix>(static_cast<std::size_t>(shape.b), Matrix::Zero(shape.n_q, shape.n_k)));
    for (Index j = 0; j < shape.n_k; ++j) {
        progress.done = static_cast<double>(j) / static_cast<double>(shape.n_k);
        const auto after = attend_with(j);
        for (std::size_t index = 0; index < variants; ++index) {
            const std::size_t heads = before[index].size() / depends[index].size();
            for (std::size_t k = 0; k < before[index].size(); ++k)
                add_changes(before[index][k], after[index][k], j, depends[index][k / heads]);
        }
    }
    std::vector<Stage> stages;
    for (std::size_t index = 0; index < variants; ++index) {
        const bool float64 = scene.variants[index].dtype == Dtype::float64;
        Stage& stage = stages.emplace_back(shape.b, 1, shape.n_q, shape.n_k, float64);
        for (Index b = 0; b < shape.b; ++b) stage.set_head(b, 0, depends[index][b]);
    }
    return stages;
}

void add_depends(Result& result, Progress& progress) {
    const std::vector<Stage> stages = depends_of(result.scene, progress);
    for (std::size_t variant = 0; variant < stages.size(); ++variant)
        result.variants[variant].stage(StageKind::depends) = stages[variant];
}

}  // namespace maskscope
