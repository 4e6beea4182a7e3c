#pragma once
// The files that were opened or saved last, as a list in a file of its own, a line each.

#include <filesystem>
#include <vector>

namespace maskscope {

// $XDG_STATE_HOME/maskscope, else ~/.local/state/maskscope; empty where neither is set.
std::filesystem::path state_folder();

// The newest first, at most ten, and those alone that are still there.
std::vector<std::filesystem::path> recent_files(const std::filesystem::path& folder);

// Puts a file at the head of the list. It is a convenience: where the list cannot be written, or
// the name holds a line break, nothing happens. An empty folder: nothing is remembered.
void remember_file(const std::filesystem::path& folder, const std::filesystem::path& file);

}  // namespace maskscope
