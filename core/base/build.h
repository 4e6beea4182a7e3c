#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace maskscope {

std::string version();        // "0.1.0"
std::string source_folder();  // the folder of the sources that were built
// Returns the folder that an installed program reads: share/maskscope beside the program's folder,
// wherever both were moved to. nullopt if there is none; the program then reads the source folder.
std::optional<std::filesystem::path> installed_folder();
std::filesystem::path shader_folder();  // shaders/ in one of these two
// Returns the folder that holds lessons/, models/, scenes/ and help/: $MASKSCOPE_ASSETS if set,
// else where the program was installed, else assets/ of the source tree.
std::filesystem::path assets_folder();

}  // namespace maskscope
