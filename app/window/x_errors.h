#pragma once
// Handles errors of Xlib, which ends the program when a request fails, even if only because another
// program went away during a transfer, and when the display is gone.

#include "app/window/window_gpu.h"

namespace maskscope {

bool is_on_x11(GLFWwindow* window);

// While an instance exists, a failed request is ignored, unless another program has destroyed the
// window or the display is gone. Then end_with() is called, within a function of Xlib. The window
// may be replaced by another. Does nothing without Xlib.
class XErrors {
public:
    explicit XErrors(const OwnedWindow& window);
    ~XErrors();
    XErrors(const XErrors&) = delete;
    XErrors& operator=(const XErrors&) = delete;
};

}  // namespace maskscope
