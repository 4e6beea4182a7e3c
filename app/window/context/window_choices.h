#pragma once
// How the window was left: its theme and its panels, in a file of the state folder.

#include <filesystem>
#include <optional>
#include <string>

#include "app/style/theme.h"

namespace maskscope {

struct WindowChoices {
    std::optional<ThemeKind> theme = ThemeKind::dark;  // absent = as the system
    // For a scene; a lesson begins with both panels closed.
    bool sidebar_folded = false, inspector_folded = false;
    bool operator==(const WindowChoices&) const = default;
};

// The theme that is meant: of the system, dark, light or high contrast.
ThemeKind theme_of(const WindowChoices& choices);

// The usual ones where nothing was written, or nothing that can be read. folder: state_folder().
WindowChoices remembered_window(const std::filesystem::path& folder);
// Sets the file aside if it cannot be read, and returns a line that says so; "" if it is sound or
// absent.
std::string set_damaged_window_aside(const std::filesystem::path& folder);
// Write errors are ignored.
void remember_window(const std::filesystem::path& folder, const WindowChoices& choices);

}  // namespace maskscope
