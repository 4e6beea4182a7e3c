#pragma once
// Files that a page gives as bytes, in place of a folder.

#include <string>

#include "core/format/scene_sources.h"

namespace maskscope {

void give_file(const std::string& name, std::string bytes);

// Reads tensors and models from the bytes that a page has given.
SceneSources given_files();

}  // namespace maskscope
