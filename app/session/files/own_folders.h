#pragma once
// Finds the folders of the program's own files; "" if the environment names no folder.

#include <filesystem>

namespace maskscope {

// Returns the folder that records what was open, seen and chosen: $XDG_STATE_HOME/maskscope, else
// ~/.local/state/maskscope.
std::filesystem::path state_folder();
// Returns the folder of files that can be made again: $XDG_CACHE_HOME/maskscope, else
// ~/.cache/maskscope.
std::filesystem::path cache_folder();
std::filesystem::path kept_programs();  // for the GPU's programs, a folder of cache_folder()

}  // namespace maskscope
