#pragma once
// The real window: GLFW, OpenGL 3.3 and the loop that draws only when something happened.

#include <functional>
#include <optional>
#include <string>

#include "app/figure/style/theme.h"

namespace maskscope {

struct App;

struct WindowOptions {
    std::optional<std::string> file;  // a scene or a lesson; absent = the first lesson
    double ui_scale = 1;              // times the monitor's own scale
    std::optional<ThemeKind> theme;   // absent = dark
    std::function<void(App&)> watch;  // for who measures: before each turn of the loop
};

// Returns the exit status. Throws Error (status 1) where there is no display or no OpenGL 3.3.
int run_window(const WindowOptions& options);

}  // namespace maskscope
