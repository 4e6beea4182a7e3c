#include "core/compute/layers_before.h"

namespace maskscope {

namespace {

std::shared_ptr<const Result> weights_of(const Scene& scene, Backend& backend, Progress& progress) {
    Request request;
    request.stages.reset().set(static_cast<std::size_t>(StageKind::weights));
    return std::make_shared<Result>(backend.compute(scene, request, nullptr, progress));
}

}  // namespace

std::vector<std::shared_ptr<const Result>> layers_before(const Scene& scene, Backend& backend,
                                                         const Result* before, Progress& progress) {
    const auto* inputs = std::get_if<OutputInputs>(&scene.inputs);
    if (inputs == nullptr) return {};
    if (before != nullptr && !before->layers_before.empty() && same_inputs(before->scene, scene))
        return before->layers_before;
    std::vector<std::shared_ptr<const Result>> layers{
        weights_of(scene_of_layer(scene, *inputs->of, false), backend, progress)};
    if (inputs->keys)
        layers.push_back(
            weights_of(scene_of_layer(scene, **inputs->keys, true), backend, progress));
    return layers;
}

}  // namespace maskscope
