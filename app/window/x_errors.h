#pragma once
// Xlib ends the program when a request fails, even if only because another program went away while
// it was given what it asked for, and when the display is gone.

#include <functional>

#include "app/window/window_gpu.h"

namespace maskscope {

bool is_on_x11(GLFWwindow* window);

// While it lives a failed request is no matter, unless the window was destroyed by another program:
// then, or once the display is gone, keep() is called, within a function of Xlib, and the program
// ends with one line and status 1. The window may be replaced by another. Does nothing without
// Xlib.
class XErrors {
public:
    XErrors(const OwnedWindow& window, std::function<void()> keep);
    ~XErrors();
    XErrors(const XErrors&) = delete;
    XErrors& operator=(const XErrors&) = delete;
};

}  // namespace maskscope
