#include "app/commands/commands.h"

#include <algorithm>
#include <ostream>

#include "app/pytorch/script.h"
#include "app/session/files/load.h"
#include "core/base/error.h"
#include "core/compute/plain.h"
#include "core/format/model_file.h"

namespace maskscope {

namespace {

Request weights_of(int variant) {
    Request request;
    request.stages.reset();
    request.stages.set(static_cast<std::size_t>(StageKind::weights));
    request.variants = {variant};
    return request;
}

}  // namespace

void pytorch(const SceneArgument& scene, int variant, std::ostream& out, std::ostream& notes) {
    const LoadedScene loaded = load_scene(scene);
    const auto count = static_cast<int>(loaded.scene.variants.size());
    if (variant >= count)
        throw Error(2, "pytorch: --variant: expected " +
                           (count == 1 ? "0" : "0 to " + std::to_string(count - 1)) + ", got \"" +
                           std::to_string(variant) + "\"");
    try {
        PlainBackend backend;
        out << pytorch_script(
            backend.compute(loaded.scene, weights_of(variant), nullptr, command_progress()),
            variant);
    } catch (const WorkError& error) {
        throw at_file(scene.name, error);
    }
    tell_notes(scene, loaded);
    // Other files are beside the scene.
    const ModelInputs* model = model_of(loaded.scene);
    if (model != nullptr && std::ranges::count(built_in_models(), model->model) > 0)
        notes << "maskscope: copy " << printable(file_of_built_in(model->model).string())
              << " beside the script, which reads it\n";
}

}  // namespace maskscope
