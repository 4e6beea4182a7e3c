#pragma once
// An OpenGL context without a window, for the command line and for tests.

#include <memory>
#include <string>

namespace maskscope {

// Made current in the thread that makes it, and released when it goes.
class HeadlessContext {
public:
    // Throws WorkError where the machine offers no OpenGL of this version without a display.
    HeadlessContext(int major, int minor);
    ~HeadlessContext();
    HeadlessContext(const HeadlessContext&) = delete;
    HeadlessContext& operator=(const HeadlessContext&) = delete;

private:
    struct State;
    std::unique_ptr<State> state_;
};

// The renderer of the current context, "llvmpipe (LLVM 15.0.6, 256 bits)".
std::string renderer_name();
// Is it llvmpipe, softpipe or swrast?
bool is_software_renderer(const std::string& renderer);

}  // namespace maskscope
