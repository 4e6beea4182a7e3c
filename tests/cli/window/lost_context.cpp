// lost_context FILE: runs the window of the program for lost_context.sh. At SIGUSR1 the driver
// reports once that the graphics card was reset, at SIGUSR2 again and again.

#include <epoxy/gl.h>

#include <csignal>
#include <iostream>

#include "app/window/window.h"
#include "core/base/error.h"

namespace {

volatile std::sig_atomic_t resets = 0;  // not yet reported
GLenum status() {
    if (resets == 0) return GL_NO_ERROR;
    resets = resets - 1;
    return resets % 2 == 0 ? GL_UNKNOWN_CONTEXT_RESET : GL_NO_ERROR;
}

}  // namespace

int main(int count, char** arguments) {
    using namespace maskscope;
    if (count != 2) return 2;
    std::signal(SIGUSR1, [](int) { resets = 1; });
    std::signal(SIGUSR2, [](int) { resets = 9; });
    WindowOptions options;
    options.file = arguments[1];
    try {
        return run_window(options, [](App&) { epoxy_glGetGraphicsResetStatus = status; });
    } catch (const Error& error) {
        std::cerr << printable(error.what()) << '\n';
        return error.status();
    }
}
