#pragma once
// Reads the file of a model: safetensors, whose metadata holds the words and the masks.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/base/byte_source.h"
#include "core/scene/model.h"

namespace maskscope {

// Returns the names of the built-in models; the first is the correct one.
std::span<const std::string_view> built_in_models();
std::filesystem::path file_of_built_in(const std::string& name);

// Reads a model. Throws InputError with an empty place; the message begins with the tensor or key
// at fault.
Model read_model(const ByteSource& file);

// Reads a model by name: a built-in one (read once), or a path that ends with .safetensors,
// relative to `folder`, which it may not leave. Throws InputError with an empty place; the message
// begins with the file and names the tensor or key at fault.
SharedValue<Model> read_model(const std::string& name, const std::filesystem::path& folder);

// Returns the model whose translation counts as right: the first built-in model if `name` is built
// in, otherwise `loaded`.
SharedValue<Model> right_model(const std::string& name, const SharedValue<Model>& loaded);

}  // namespace maskscope
