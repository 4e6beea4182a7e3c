#include "app/window/x_errors.h"

#include <X11/Xlib.h>
#include <dlfcn.h>

#include "app/window/last_words.h"

namespace maskscope {
namespace {

// Returns a function of a library, or nullptr: GLFW may be built for Wayland only.
template <class Function>
Function* function(void* library, const char* name) {
    return reinterpret_cast<Function*>(::dlsym(library, name));
}

const OwnedWindow*& watched() {
    static const OwnedWindow* window = nullptr;
    return window;
}

int on_error(Display*, XErrorEvent* error) {
    const bool is_gone = error->error_code == BadWindow || error->error_code == BadDrawable;
    GLFWwindow* const window = watched() != nullptr ? watched()->get() : nullptr;
    if (is_gone && window != nullptr && error->resourceid == x11_id(window))
        end_with("another program destroyed the window");
    return 0;
}

}  // namespace

unsigned long x11_id(GLFWwindow* window) {
    static const auto get = function<Window(GLFWwindow*)>(RTLD_DEFAULT, "glfwGetX11Window");
    return get != nullptr ? get(window) : 0;
}

XErrors::XErrors(const OwnedWindow& window) {
    void* const xlib = ::dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
    if (xlib == nullptr) return;
    watched() = &window;
    if (const auto set = function<decltype(XSetErrorHandler)>(xlib, "XSetErrorHandler"))
        set(on_error);
    if (const auto set = function<decltype(XSetIOErrorHandler)>(xlib, "XSetIOErrorHandler"))
        set([](Display*) {
            end_with("the display is gone");
            return 0;
        });
}

XErrors::~XErrors() { watched() = nullptr; }

}  // namespace maskscope
