#pragma once
// Where the program keeps files of its own; "" where the environment names no folder.

#include <filesystem>

namespace maskscope {

// The folder of what was open, seen and chosen: $XDG_STATE_HOME/maskscope, else
// ~/.local/state/maskscope.
std::filesystem::path state_folder();
// The folder of what can be made again: $XDG_CACHE_HOME/maskscope, else ~/.cache/maskscope.
std::filesystem::path cache_folder();
std::filesystem::path kept_programs();  // of the GPU, a folder of cache_folder()

}  // namespace maskscope
