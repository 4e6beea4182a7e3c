// Reads tensors and models from files: those of a folder, and the built-in models.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "core/base/build.h"
#include "core/base/error.h"
#include "core/files/input_file.h"
#include "core/format/model_file.h"
#include "core/format/scene_json.h"
#include "core/json/json_read.h"
#include "core/tensors/tensor_file.h"

namespace maskscope {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view model_ending = ".safetensors";

// Opens and reads the file; errors begin with `shown`.
SharedValue<Model> read_file(const std::string& shown, const fs::path& path,
                             InputFile::Links links) {
    try {
        const InputFile file(path, links);
        return SharedValue<Model>(read_model(file));
    } catch (const InputError& error) {
        throw InputError("", shown + ": " + error.what());
    } catch (const WorkError& error) {
        throw WorkError(shown + ": " + error.what());
    }
}

bool is_built_in(const std::string& name) {
    return std::ranges::find(built_in_models(), name) != built_in_models().end();
}

// Reads a built-in model, once for all scenes.
SharedValue<Model> read_built_in(const std::string& name) {
    static std::mutex mutex;
    static std::map<fs::path, SharedValue<Model>> known;
    const std::lock_guard lock(mutex);
    const fs::path path = file_of_built_in(name);
    const auto found = known.find(path);
    if (found != known.end()) return found->second;
    const std::string file = path.filename().string();
    return known.emplace(path, read_file(file, path, InputFile::Links::followed)).first->second;
}

}  // namespace

fs::path file_of_built_in(const std::string& name) {
    return assets_folder() / "models" / (name + std::string(model_ending));
}

SharedValue<Model> right_model(const std::string& name, const SharedValue<Model>& loaded) {
    return is_built_in(name) ? read_built_in(std::string(built_in_models().front())) : loaded;
}

SharedValue<Model> read_model(const std::string& name, const fs::path& folder) {
    if (is_built_in(name)) return read_built_in(name);
    if (!name.ends_with(model_ending))
        throw InputError(
            "", fmt::format("expected {}, got {}",
                            alternatives(built_in_models(), "a path that ends in .safetensors"),
                            in_quotes(printable(name))));
    fs::path path;
    try {
        path = path_within(folder, name);
    } catch (const InputError& error) {
        throw InputError("", name + ": " + error.what());
    }
    return read_file(name, path, InputFile::Links::refused);
}

SceneSources SceneSources::of_folder(const fs::path& folder) {
    return {[folder](const std::string& reference, const JudgeAxes& judge, bool of_mask) {
                return read_tensor(reference, folder, judge, of_mask);
            },
            [folder](const std::string& name) { return read_model(name, folder); }};
}

}  // namespace maskscope
