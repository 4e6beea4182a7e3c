#pragma once
// Remembers how figures were exported last, in a file of the state folder: the next export starts
// with these choices. What the figures showed is not remembered.

#include <filesystem>

#include "app/export/export.h"

namespace maskscope {

// Returns the default options if nothing was written, or nothing readable. folder: state_folder().
ExportOptions remembered_choices(const std::filesystem::path& folder);

// Sets the file aside if it cannot be read, and returns a line that says so; "" if it is valid or
// missing.
std::string set_damaged_choices_aside(const std::filesystem::path& folder);

// Writes the choices. Write errors are ignored.
void remember_choices(const std::filesystem::path& folder, const ExportOptions& options);

}  // namespace maskscope
