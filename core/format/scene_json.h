#pragma once
// Reads and writes scenes as JSON. Reading is strict: whatever the format does not describe is an
// InputError with the JSON pointer of the offending place. Writing is stable: same scene, same
// bytes.

#include <concepts>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/scene/model.h"
#include "core/scene/scene.h"
#include "core/tensors/tensor_file.h"

namespace maskscope {

// The source of the tensors and models that a scene only names: the files of a folder, or data that
// the caller has in memory.
struct SceneSources {
    // Does what read_tensor() of tensor_file.h does, without a folder.
    std::function<Array(const std::string& reference, const JudgeAxes&, bool of_mask)> tensor;
    // Does what read_model() of model_file.h does, without a folder.
    std::function<SharedValue<Model>(const std::string& name)> model;

    // Returns sources that read files relative to a folder, and the built-in models.
    static SceneSources of_folder(const std::filesystem::path& folder);
    template <std::convertible_to<std::filesystem::path> Folder>
    SceneSources(const Folder& folder) : SceneSources(of_folder(folder)) {}
    SceneSources() : SceneSources(of_folder({})) {}
    SceneSources(decltype(tensor) tensors, decltype(model) models)
        : tensor(std::move(tensors)), model(std::move(models)) {}
};

// Reads a scene. Tensors and models are read from `sources`, which may be a folder. Throws
// InputError, WorkError.
Scene read_scene(std::string_view json, const SceneSources& sources);

// Returns the error of the first tensor or model file of a scene that cannot be read from
// `sources`; nullopt if all can be read. Throws InputError if the text is not a valid scene for
// another reason.
std::optional<InputError> missing_tensor(std::string_view json, const SceneSources& sources);

// Writes a scene, with a newline at the end. read_scene(write_scene(s), sources) == s.
std::string write_scene(const Scene& scene);

// Write and read a scene whose arrays are stored elsewhere: name(array) is the string in its place,
// or "" if it is written as usual; read(string) is that array again. Models are read from
// `sources`.
std::string write_scene(const Scene& scene, const std::function<std::string(const Array&)>& name);
Scene read_scene(std::string_view json, const SceneSources& sources,
                 const std::function<Array(const std::string&)>& read);

// Fields of a scene by JSON pointer, each with its value as JSON text: {"/variants/1/mask/apply",
// "\"additive\""}.
using Fields = std::vector<std::pair<std::string, std::string>>;

// Returns the scene with all these fields set, checked like a scene that is read, except for
// `show`. The place of an InputError is the key in `fields` at fault.
Scene with_fields(const Scene& scene, const Fields& fields, const SceneSources& sources);

// Throws InputError with the pointer into write_scene(scene) if an edit left the scene invalid.
// Tensor files are not read again.
void check_scene(const Scene& scene);

}  // namespace maskscope
