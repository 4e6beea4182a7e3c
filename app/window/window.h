#pragma once
// The real window: GLFW, OpenGL 3.3, and a loop that draws only when something has happened.

#include <functional>

#include "app/commands/command_line.h"

namespace maskscope {

struct App;

// Runs the window and returns the exit status. Throws Error (status 1) if there is no display or no
// OpenGL 3.3. watch: called before each turn of the loop, for measurements.
int run_window(const WindowOptions& options, const std::function<void(App&)>& watch = {});

}  // namespace maskscope
