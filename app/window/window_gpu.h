#pragma once
// Lets the session compute on the GPU that draws the window.

#include <memory>

#include "app/session/session.h"

struct GLFWwindow;

namespace maskscope {

struct DestroyWindow {
    void operator()(GLFWwindow* window) const;
};
using OwnedWindow = std::unique_ptr<GLFWwindow, DestroyWindow>;

// Offers the GPU of this window to the session, if the window's context, which must be current, is
// OpenGL 4.3 or better.
void offer_gpu_of(GLFWwindow* window, Session& session);
// Offers the GPU, and chooses the faster of CPU and GPU from now on, unless the GPU is a software
// renderer. Without a GPU or OpenGL 4.3, a message says so.
void use_gpu_of(GLFWwindow* window, Session& session);

}  // namespace maskscope
