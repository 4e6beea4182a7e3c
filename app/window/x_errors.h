#pragma once
// Handles errors of Xlib, which otherwise ends the program when a request fails (even if only
// because another program went away during a transfer), or when the display is gone.

#include "app/window/window_gpu.h"

namespace maskscope {

unsigned long x11_id(GLFWwindow* window);  // 0 on Wayland

// While one exists, failed requests are ignored. If another program has destroyed the window, or
// the display is gone, end_with() is called from within a function of Xlib. The window may be
// replaced in the meantime. Does nothing without Xlib.
class XErrors {
public:
    explicit XErrors(const OwnedWindow& window);
    ~XErrors();
    XErrors(const XErrors&) = delete;
    XErrors& operator=(const XErrors&) = delete;
};

}  // namespace maskscope
