#pragma once

#include <optional>
#include <string>

#include "app/style/theme.h"

namespace maskscope {

struct WindowOptions {
    std::optional<std::string> file;  // a scene or a lesson; absent = the first lesson
    double ui_scale = 1;              // multiplies the monitor's own scale
    std::optional<ThemeKind> theme;   // absent = dark
};

}  // namespace maskscope
