#pragma once
// An OpenGL context without a window, for the command line and for tests.

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>

namespace maskscope {

// A context, current in the thread that creates it, which must destroy it too. Uses a GPU if there
// is one, else a software renderer.
class HeadlessContext {
public:
    struct Version {
        int major, minor;
    };
    // Makes a context of the first version that the machine offers. share: a context whose buffers
    // and programs this one can use; nullptr = none. Throws WorkError if the machine offers none of
    // them without a display.
    explicit HeadlessContext(std::initializer_list<Version> versions,
                             const HeadlessContext* share = nullptr);
    HeadlessContext(int major, int minor, const HeadlessContext* share = nullptr)
        : HeadlessContext({{major, minor}}, share) {}
    ~HeadlessContext();
    HeadlessContext(const HeadlessContext&) = delete;
    HeadlessContext& operator=(const HeadlessContext&) = delete;

    struct State;

private:
    std::unique_ptr<State> state_;
};

// Returns the renderer of the current context, "llvmpipe (LLVM 15.0.6, 256 bits)".
std::string renderer_name();
// True for llvmpipe, softpipe, swrast and any other "software rasterizer".
bool is_software_renderer(const std::string& renderer);

}  // namespace maskscope

namespace maskscope::gl {

// --- the OpenGL context that is current in the calling thread

bool has_context();

// Forgets the errors of earlier calls. A lost context never stops reporting errors, so at most 16
// are cleared.
void forget_errors();

// Returns how many times this process has made a context current. A driver may spend tens of
// milliseconds on each, and forget what it had compiled, so a thread does it once.
std::uint64_t times_made_current();
void note_made_current();  // call right after making a context current

}  // namespace maskscope::gl
