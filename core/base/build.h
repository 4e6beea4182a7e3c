#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace maskscope {

std::string version();        // "0.1.0"
std::string source_folder();  // the tree that was built
// The folder that an installed program reads: share/maskscope beside the program's folder, wherever
// both were moved to. nullopt if there is none; the program then reads the source folder.
std::optional<std::filesystem::path> installed_folder();
std::filesystem::path shader_folder();  // shaders/ of one of these two
// The folder that holds lessons/, models/, scenes/ and help/: $MASKSCOPE_ASSETS if set, else where
// the program was installed, else assets/ of the source tree.
std::filesystem::path assets_folder();

}  // namespace maskscope
