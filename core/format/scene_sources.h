#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/scene/model.h"
#include "core/tensors/tensor_file.h"

namespace maskscope {

// Where what a scene only names is read from: tensors and models. The files of a folder, or what
// somebody has in memory.
struct SceneSources {
    // As read_tensor() of tensor_file.h, without a folder.
    std::function<Array(const std::string& reference, const JudgeAxes&, bool of_mask)> tensor;
    // As read_model() of model_file.h, without a folder.
    std::function<Shared<Model>(const std::string& name)> model;

    // The files that are relative to a folder, and the built-in models.
    SceneSources(const std::filesystem::path& folder = {});
    SceneSources(const std::string& folder) : SceneSources(std::filesystem::path(folder)) {}
    SceneSources(const char* folder) : SceneSources(std::filesystem::path(folder)) {}
    SceneSources(decltype(tensor) tensors, decltype(model) models)
        : tensor(std::move(tensors)), model(std::move(models)) {}
};

}  // namespace maskscope
