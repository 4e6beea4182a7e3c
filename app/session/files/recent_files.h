#pragma once
// The files opened or saved most recently, stored one per line in a file.

#include <filesystem>
#include <vector>

#include "app/session/files/own_folders.h"

namespace maskscope {

// Returns them, newest first, at most ten; files that no longer exist are left out.
std::vector<std::filesystem::path> recent_files(const std::filesystem::path& folder);

// Renames a damaged list, and returns a line that says so; "" if it is valid or missing.
std::string set_damaged_list_aside(const std::filesystem::path& folder);

// Puts a file at the head of the list. Only a convenience: does nothing if the list cannot be
// written, if the name contains a line break, or if `folder` is empty.
void remember_file(const std::filesystem::path& folder, const std::filesystem::path& file);

}  // namespace maskscope
