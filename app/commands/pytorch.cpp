#include "app/commands/commands.h"

#include <algorithm>
#include <ostream>

#include "app/pytorch/script.h"
#include "app/session/files/load.h"
#include "core/base/error.h"
#include "core/compute/plain.h"

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
    // Other files that the script reads are beside the scene already.
    if (const auto file = built_in_file(loaded.scene.inputs))
        notes << "maskscope: copy " << printable(file->string())
              << " beside the script, which reads it\n";
}

}  // namespace maskscope
