#pragma once

#include <filesystem>
#include <string>

namespace maskscope {

std::string version();        // "0.1.0"
std::string source_folder();  // the tree that was built
// Where the shaders are: installed next to the program, or in the source folder.
std::filesystem::path shader_folder();

}  // namespace maskscope
