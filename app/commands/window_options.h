#pragma once

#include <optional>
#include <string>

#include "app/style/theme.h"

namespace maskscope {

struct WindowOptions {
    std::optional<std::string>
        file;  // a scene or a lesson; nullopt = what was open last, at first the start page
    double ui_scale = 1;             // multiplies the monitor's own scale
    std::optional<ThemeKind> theme;  // nullopt = as chosen last, otherwise the desktop's
};

}  // namespace maskscope
