#pragma once
// Remembers how the window looks, and reads the settings of the desktop.

#include <array>
#include <filesystem>
#include <optional>
#include <string>

#include "app/style/theme.h"

namespace maskscope {

// --- the settings of the desktop

// Returns false if $MASKSCOPE_REDUCED_MOTION is 0, true if it is anything else; if it is not set,
// returns whether GTK's settings turn animations off.
bool wants_reduced_motion();
// Returns the theme of $GTK_THEME, else GNOME's setting, else that of GTK's settings files; light
// if none of these names a theme.
ThemeKind theme_of_system();

// --- the window's theme, size of type and panels, which a file of the state folder keeps

inline constexpr std::array type_sizes{1.0, 1.15, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0};

struct WindowChoices {
    std::optional<ThemeKind> theme = ThemeKind::dark;  // nullopt = the theme of the desktop
    double type = 1;  // the factor for all lengths: one of type_sizes
    // The panels for a scene. A lesson begins with both closed.
    bool sidebar_folded = false, inspector_folded = false;
    bool operator==(const WindowChoices&) const = default;
};

// Returns the theme to use: the desktop's, dark, light or high contrast.
ThemeKind theme_of(const WindowChoices& choices);

// Returns the choices; the defaults if there is no file, or it cannot be read. folder:
// state_folder().
WindowChoices remembered_window(const std::filesystem::path& folder);
// Renames the file if it cannot be read, and returns a line that says so; otherwise "".
std::string set_damaged_window_aside(const std::filesystem::path& folder);
// Writes the choices. Write errors are ignored.
void remember_window(const std::filesystem::path& folder, const WindowChoices& choices);

}  // namespace maskscope
