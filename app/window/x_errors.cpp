#include "app/window/x_errors.h"

#include <X11/Xlib.h>
#include <dlfcn.h>
#include <unistd.h>

#include <iostream>
#include <utility>

namespace maskscope {
namespace {

// Of a library that may not be there: GLFW may be made for Wayland alone.
template <class Function>
Function* function(void* library, const char* name) {
    return reinterpret_cast<Function*>(::dlsym(library, name));
}

struct Outlived {
    const OwnedWindow* window = nullptr;
    std::function<void()> keep;
};
Outlived& outlived() {
    static Outlived all;
    return all;
}

[[noreturn]] void end(const char* why) {
    if (outlived().keep) outlived().keep();
    std::cerr << "maskscope: " << why << "; the next start offers unsaved work\n";
    ::_exit(1);
}

// 0 on Wayland.
Window id_of(GLFWwindow* window) {
    static const auto get = function<Window(GLFWwindow*)>(RTLD_DEFAULT, "glfwGetX11Window");
    return get != nullptr ? get(window) : 0;
}

int on_error(Display*, XErrorEvent* error) {
    const bool is_gone = error->error_code == BadWindow || error->error_code == BadDrawable;
    GLFWwindow* const window = outlived().window != nullptr ? outlived().window->get() : nullptr;
    if (is_gone && window != nullptr && error->resourceid == id_of(window))
        end("another program destroyed the window");
    return 0;
}

}  // namespace

bool is_on_x11(GLFWwindow* window) { return id_of(window) != 0; }

XErrors::XErrors(const OwnedWindow& window, std::function<void()> keep) {
    void* const xlib = ::dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
    if (xlib == nullptr) return;
    outlived() = {&window, std::move(keep)};
    if (const auto set = function<decltype(XSetErrorHandler)>(xlib, "XSetErrorHandler"))
        set(on_error);
    if (const auto set = function<decltype(XSetIOErrorHandler)>(xlib, "XSetIOErrorHandler"))
        set([](Display*) {
            end("the display is gone");
            return 0;
        });
}

XErrors::~XErrors() { outlived() = {}; }

}  // namespace maskscope
