#pragma once
// How figures were exported last, in a file of the state folder: the next one begins with it. What
// they showed is not remembered.

#include <filesystem>

#include "app/export/export.h"

namespace maskscope {

// The usual options where nothing was written, or nothing that can be read. folder: state_folder().
ExportOptions remembered_choices(const std::filesystem::path& folder);

// Sets the file aside if it cannot be read, and returns a line that says so; "" if it is sound or
// absent.
std::string set_damaged_choices_aside(const std::filesystem::path& folder);

// Write errors are ignored.
void remember_choices(const std::filesystem::path& folder, const ExportOptions& options);

}  // namespace maskscope
