#pragma once
// Which backend computes, for the command line; and the GPU as the window offers it to a session.

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "core/gl/headless.h"
#include "core/result/backend.h"

namespace maskscope {

// automatic: the GPU where it is no software renderer and can compute the scene, else the CPU.
enum class BackendChoice { cpu, gpu, automatic };

// A result, and what it lives on: its numbers may stand in the context, on the GPU.
struct Computed {
    std::unique_ptr<HeadlessContext> context;  // current; null = the CPU computed
    std::unique_ptr<Backend> backend;
    Result result;
};

// All stages of all variants. threads: 1 to 256, 0 = as many as the machine has; the CPU's alone.
// `notes`: where `automatic` says in one line that it took the CPU. Throws WorkError.
Computed compute_on(BackendChoice choice, int threads, const Scene& scene, std::ostream& notes);

// Has a variant, or one of a layer before, the dtype float64, which no GPU computes here?
bool needs_float64(const Scene& scene);

// The GPU beside a window, made when it is first wanted.
struct GpuOffer {
    // With the window's context current. Throws WorkError, in one line, where it cannot be made.
    std::function<std::unique_ptr<Backend>()> make;
    // Runs the work in the thread that calls, which is not the window's, with a context current
    // there that shares with the window's; done when the GPU is. Throws WorkError.
    std::function<void(const std::function<void()>& work)> beside;
    std::string renderer;  // "llvmpipe (LLVM 15.0.6, 256 bits)"
};

}  // namespace maskscope
