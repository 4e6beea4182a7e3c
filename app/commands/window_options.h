#pragma once

#include <optional>
#include <string>

#include "app/style/theme.h"

namespace maskscope {

struct WindowOptions {
    std::optional<std::string>
        file;  // a scene or a lesson; absent = what was open last, at first the start page
    double ui_scale = 1;             // multiplies the monitor's own scale
    std::optional<ThemeKind> theme;  // absent = as chosen last, at first dark
};

}  // namespace maskscope
