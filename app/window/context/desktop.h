#pragma once
// The settings of the desktop.

#include "app/style/theme.h"

namespace maskscope {

// $MASKSCOPE_REDUCED_MOTION, else whether GTK's settings turn animations off.
bool wants_reduced_motion();
// $GTK_THEME, else GNOME's setting, else GTK's settings file; light where none says.
ThemeKind theme_of_system();

}  // namespace maskscope
