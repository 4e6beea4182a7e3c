#include "core/cpu/input_cache.h"
#include "core/compute/embedding.h"

namespace maskscope {

InputCache::Inputs InputCache::inputs(const Scene& scene, Inputs known, Progress& progress) {
    return inputs_.find_or_make(std::tie(scene.sequences, scene.pad_token, scene.inputs), [&] {
        return known ? known : std::make_shared<const BatchInputs>(make_inputs(scene, progress));
    });
}

std::shared_ptr<const VariantResult> InputCache::labels(const Scene& scene, const Inputs& inputs) {
    return labels_.find_or_make(
        inputs, [&] { return std::make_shared<const VariantResult>(labelled(scene)); });
}

std::shared_ptr<const Parameters> InputCache::parameters(const Scene& scene, const Variant& variant,
                                                         const Inputs& inputs) {
    return parameters_.find_or_make(
        std::tie(inputs, variant.score, variant.scale, variant.dtype, variant.output),
        [&] { return std::make_shared<const Parameters>(parameters_of(scene, variant)); });
}

std::shared_ptr<const PreparedInputs> InputCache::prepared(const Variant& variant,
                                                           const Parameters& parameters,
                                                           const Inputs& inputs,
                                                           std::optional<Index> head, Pool& pool) {
    const auto known = prepared_.find_or_make(
        std::forward_as_tuple(inputs, variant.score, variant.dtype, &kernels()),
        [] { return std::make_shared<PreparedInputs>(); });
    try {
        prepare(*known, *inputs, variant, parameters.score, head, pool);
    } catch (...) {  // out of memory: nothing half prepared may stay
        *known = PreparedInputs();
        throw;
    }
    return known;
}

void InputCache::forget_unused() {
    inputs_.forget_unused();
    labels_.forget_unused();
    parameters_.forget_unused();
    prepared_.forget_unused();
    sheets.forget_unused();
}

void InputCache::forget_other_inputs(const Inputs& inputs) {
    const auto others = [&](const auto& key) { return std::get<0>(key) != inputs; };
    inputs_.forget_unused();
    labels_.forget_unused();
    parameters_.forget(others);
    prepared_.forget(others);
    sheets.forget_unused();
}

}  // namespace maskscope
