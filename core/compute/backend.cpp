#include "core/compute/backend.h"

#include "core/model/attended.h"

namespace maskscope {

Result Backend::compute(const Scene& scene, const Request& request, const Result* before,
                        Progress& progress) {
    if (!is_trained(scene.inputs)) return compute_scene(scene, request, before, progress);
    const Result* own = before != nullptr && reuses(*before) ? before : nullptr;
    return compute_model(scene, request, own, progress,
                         [&](const Scene& attended, const Request& variant) {
                             return compute_scene(attended, variant, nullptr, progress);
                         });
}

std::vector<std::shared_ptr<const Result>> layers_before(const Scene& scene, Backend& backend,
                                                         const Result* before, Progress& progress) {
    const auto* inputs = std::get_if<OutputInputs>(&scene.inputs);
    if (inputs == nullptr) return {};
    if (before != nullptr && !before->layers_before.empty() && same_inputs(before->scene, scene))
        return before->layers_before;
    Request request;
    request.stages.reset().set(static_cast<std::size_t>(StageKind::weights));
    std::vector<std::shared_ptr<const Result>> layers;
    const auto add = [&](const LayerBefore& layer, bool among_keys) {
        layers.push_back(std::make_shared<Result>(
            backend.compute(scene_of_layer(scene, layer, among_keys), request, nullptr, progress)));
    };
    add(*inputs->of, false);
    if (inputs->keys) add(**inputs->keys, true);
    return layers;
}

}  // namespace maskscope
