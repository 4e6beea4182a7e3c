#pragma once
// The real window, with GLFW and OpenGL 3.3. Its loop draws only when something has happened.

#include <functional>

#include "app/commands/command_line.h"

namespace maskscope {

struct App;

// Runs the window; returns the exit status. watch: called before each turn of the loop, for
// measurements. Throws Error (status 1) if there is no display or no OpenGL 3.3.
int run_window(const WindowOptions& options, const std::function<void(App&)>& watch = {});

}  // namespace maskscope
