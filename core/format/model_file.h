#pragma once
// The file of a model: safetensors, whose metadata holds the words and the masks.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/base/byte_source.h"
#include "core/scene/model.h"

namespace maskscope {

// The names of the built-in models; the first is the one that is right.
std::span<const std::string_view> built_in_models();
std::filesystem::path file_of_built_in(const std::string& name);

// Throws InputError with an empty place that begins with the tensor or key at fault.
Model read_model(const ByteSource& file);

// name: of a built-in model, or a path that ends in .safetensors, relative to `folder`, which it
// may not leave. A built-in one is read once. Throws InputError with an empty place that begins
// with the file and names the tensor or key at fault.
Shared<Model> read_model(const std::string& name, const std::filesystem::path& folder);

// The model that translates correctly for these inputs: the first built-in one, or the user's own.
Shared<Model> right_model(const ModelInputs& inputs);

}  // namespace maskscope
