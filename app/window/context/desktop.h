#pragma once
// Reads the settings of the desktop.

#include "app/style/theme.h"

namespace maskscope {

// Returns $MASKSCOPE_REDUCED_MOTION, else whether GTK's settings turn animations off.
bool wants_reduced_motion();
// Returns $GTK_THEME, else GNOME's setting, else GTK's settings file; light if none of these is
// set.
ThemeKind theme_of_system();

}  // namespace maskscope
