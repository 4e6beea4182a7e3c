#pragma once
// Computes on the GPU that draws the window.

#include <memory>

#include "app/session/session.h"

struct GLFWwindow;

namespace maskscope {

struct DestroyWindow {
    void operator()(GLFWwindow* window) const;
};
using OwnedWindow = std::unique_ptr<GLFWwindow, DestroyWindow>;

// Lets the session compute on the GPU of this window, whose context is current, if it is OpenGL 4.3
// or better.
void offer_gpu_of(GLFWwindow* window, Session& session);
// Does the same, and from now on the faster of CPU and GPU computes, unless the GPU is a software
// renderer. Without a GPU or OpenGL 4.3 a message says so.
void use_gpu_of(GLFWwindow* window, Session& session);

}  // namespace maskscope
