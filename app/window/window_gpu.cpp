#include "app/window/window_gpu.h"

#include <epoxy/gl.h>

#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <mutex>

#include "core/base/error.h"
#include "core/gpu/gpu_backend.h"

namespace maskscope {

void DestroyWindow::operator()(GLFWwindow* window) const { glfwDestroyWindow(window); }

namespace {

// A context for the worker thread: GLFW needs a window for it.
OwnedWindow share_with(GLFWwindow* window) {
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    OwnedWindow hidden{glfwCreateWindow(16, 16, "Maskscope's worker", nullptr, window)};
    glfwWindowHint(GLFW_VISIBLE, GLFW_TRUE);
    if (!hidden) throw WorkError("there is no second OpenGL context that shares with the window's");
    return hidden;
}

// Keeps the context current in this thread.
class Current {
public:
    explicit Current(GLFWwindow* window) {
        glfwMakeContextCurrent(window);
        if (glfwGetCurrentContext() != window) throw WorkError("the OpenGL context was lost");
    }
    ~Current() {
        glFinish();  // the window's context may read the results
        glfwMakeContextCurrent(nullptr);
    }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
};

struct Hidden {
    OwnedWindow window;
    std::mutex mutex;  // one thread at a time has its context
};

GpuOffer offer_of(GLFWwindow* window) {
    const auto hidden = std::make_shared<Hidden>();
    GpuOffer offer;
    offer.make = [window, hidden] {
        if (!hidden->window) hidden->window = share_with(window);
        return std::make_unique<GpuBackend>();
    };
    offer.beside = [hidden](const std::function<void()>& work) {
        if (glfwGetCurrentContext() != nullptr) {
            work();
            return glFinish();  // another context may read the results
        }
        const std::lock_guard lock(hidden->mutex);
        const Current current(hidden->window.get());
        work();
    };
    offer.renderer = renderer_name();
    return offer;
}

constexpr int needed = 43;  // OpenGL 4.3

}  // namespace

void offer_gpu_of(GLFWwindow* window, Session& session) {
    if (epoxy_gl_version() >= needed) session.offer_gpu(offer_of(window));
}

void use_gpu_of(GLFWwindow* window, Session& session) {
    offer_gpu_of(window, session);
    const int version = epoxy_gl_version();
    const std::string renderer = renderer_name();
    if (version >= needed && !is_software_renderer(renderer)) {
        session.compute_with(ComputeWith::gpu);
        return;
    }
    if (session.message()) return;  // that one matters more
    const std::string why =
        version < needed
            ? fmt::format("This machine has OpenGL {}.{}, and computing on the GPU needs 4.3",
                          version / 10, version % 10)
            : "No GPU found (software rendering only)";
    session.say(why + "; computing on the CPU.", false);
}

}  // namespace maskscope
