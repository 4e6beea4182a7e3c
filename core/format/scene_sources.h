#pragma once

#include <concepts>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "core/scene/model.h"
#include "core/tensors/tensor_file.h"

namespace maskscope {

// The source of the tensors and models that a scene only names: the files of a folder, or data that
// the caller has in memory.
struct SceneSources {
    // Does what read_tensor() of tensor_file.h does, without a folder.
    std::function<Array(const std::string& reference, const JudgeAxes&, bool of_mask)> tensor;
    // Does what read_model() of model_file.h does, without a folder.
    std::function<Shared<Model>(const std::string& name)> model;

    // Returns the files whose names are relative to a folder, and the built-in models.
    static SceneSources of_folder(const std::filesystem::path& folder);
    template <std::convertible_to<std::filesystem::path> Folder>
    SceneSources(const Folder& folder) : SceneSources(of_folder(folder)) {}
    SceneSources() : SceneSources(of_folder({})) {}
    SceneSources(decltype(tensor) tensors, decltype(model) models)
        : tensor(std::move(tensors)), model(std::move(models)) {}
};

}  // namespace maskscope
