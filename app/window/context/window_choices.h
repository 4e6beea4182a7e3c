#pragma once
// How the window looks: as it was left, and as the desktop is set.

#include <array>
#include <filesystem>
#include <optional>
#include <string>

#include "app/style/theme.h"

namespace maskscope {

// Reads the settings of the desktop.

// Returns $MASKSCOPE_REDUCED_MOTION, else whether GTK's settings turn animations off.
bool wants_reduced_motion();
// Returns $GTK_THEME, else GNOME's setting, else GTK's settings file; light if none of these is
// set.
ThemeKind theme_of_system();

// Remembers how the window was left: its theme, its type and its panels, in a file of the state
// folder.

inline constexpr std::array type_sizes{1.0, 1.15, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0};

struct WindowChoices {
    std::optional<ThemeKind> theme = ThemeKind::dark;  // nullopt = the desktop's
    double type = 1;  // one of type_sizes: everything is this much larger
    // For a scene; a lesson begins with both panels closed.
    bool sidebar_folded = false, inspector_folded = false;
    bool operator==(const WindowChoices&) const = default;
};

// Returns the theme that is used: the desktop's, dark, light or high contrast.
ThemeKind theme_of(const WindowChoices& choices);

// Returns the default choices if nothing was written, or nothing readable. folder: state_folder().
WindowChoices remembered_window(const std::filesystem::path& folder);
// Sets the file aside if it cannot be read, and returns a line that says so; "" if it is valid or
// missing.
std::string set_damaged_window_aside(const std::filesystem::path& folder);
// Writes the choices. Write errors are ignored.
void remember_window(const std::filesystem::path& folder, const WindowChoices& choices);

}  // namespace maskscope
