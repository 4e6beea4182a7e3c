#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace maskscope {

std::string version();        // "0.1.0"
std::string source_folder();  // the source tree that the program was built from
// Returns the folder that an installed program reads: share/maskscope beside the program's folder,
// even if both were moved. nullopt if there is none; the program then reads the source tree.
std::optional<std::filesystem::path> installed_folder();
std::filesystem::path shader_folder();  // shaders/ in the installed folder, or in the source tree
// Returns the folder that holds lessons/, models/, scenes/ and help/: $MASKSCOPE_ASSETS if set,
// else the installed folder, else assets/ of the source tree.
std::filesystem::path assets_folder();

}  // namespace maskscope
