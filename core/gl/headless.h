#pragma once
// An OpenGL context without a window, for the command line and for tests.

#include <memory>
#include <string>

namespace maskscope {

// Current in the thread that creates it, and released when destroyed. Uses a GPU if there is one,
// else a software renderer.
class HeadlessContext {
public:
    // share: a context whose buffers and programs this one sees too; nullptr = none.
    // Throws WorkError if the machine offers no OpenGL of this version without a display.
    HeadlessContext(int major, int minor, const HeadlessContext* share = nullptr);
    ~HeadlessContext();
    HeadlessContext(const HeadlessContext&) = delete;
    HeadlessContext& operator=(const HeadlessContext&) = delete;
    // Makes it current in this thread; throws WorkError if another thread is using it.
    void make_current() const;
    void release() const;  // current in no thread

    struct State;

private:
    std::unique_ptr<State> state_;
};

// The renderer of the current context, "llvmpipe (LLVM 15.0.6, 256 bits)".
std::string renderer_name();
// Is it llvmpipe, softpipe or swrast?
bool is_software_renderer(const std::string& renderer);

}  // namespace maskscope
