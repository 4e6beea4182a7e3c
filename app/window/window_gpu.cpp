#include "app/window/window_gpu.h"

#include <epoxy/gl.h>

#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include "app/session/files/state_files.h"
#include "app/window/paint/heatmap_gpu.h"
#include "core/base/build.h"
#include "core/base/error.h"
#include "core/gl/headless.h"
#include "core/gpu/threaded_gpu.h"

namespace maskscope {

void DestroyWindow::operator()(GLFWwindow* window) const { glfwDestroyWindow(window); }

namespace {

// Makes a context for the GPU's thread. GLFW needs a window for it, which must be made and
// destroyed in the window's thread.
OwnedWindow share_with(GLFWwindow* window) {
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    OwnedWindow hidden{glfwCreateWindow(16, 16, "Maskscope's GPU", nullptr, window)};
    glfwWindowHint(GLFW_VISIBLE, GLFW_TRUE);
    if (!hidden)
        throw WorkError("could not create a second OpenGL context that shares with the window's");
    return hidden;
}

// Keeps the context current in this thread while it exists.
class CurrentContext {
public:
    explicit CurrentContext(GLFWwindow* window) {
        glfwMakeContextCurrent(window);
        gl::note_made_current();
        if (glfwGetCurrentContext() != window) throw WorkError("the OpenGL context was lost");
    }
    ~CurrentContext() { glfwMakeContextCurrent(nullptr); }
    CurrentContext(const CurrentContext&) = delete;
    CurrentContext& operator=(const CurrentContext&) = delete;
};

GpuOffer offer_of(GLFWwindow* window) {
    GpuOffer offer;
    offer.make = [window] {
        const auto make_context = [hidden = std::make_shared<OwnedWindow>(share_with(window))] {
            auto current = std::make_shared<CurrentContext>(hidden->get());
            // the window draws with these programs, so compile them, too
            GpuCells(shader_folder(), kept_programs()).compile();
            return current;
        };
        return std::make_unique<ThreadedGpu>(make_context,
                                             GpuOptions{.kept_programs = kept_programs()});
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
        session.compute_with(ComputeWith::automatic);
        return;
    }
    if (session.message()) return;  // the message that is already shown matters more
    const std::string why =
        version < needed
            ? fmt::format("This machine has OpenGL {}.{}, but computing on the GPU needs 4.3",
                          version / 10, version % 10)
            : "No GPU found (software rendering only)";
    session.say(why + "; computing on the CPU.", false);
}

}  // namespace maskscope
