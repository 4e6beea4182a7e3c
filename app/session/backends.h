#pragma once
// The choice of a backend for the command line, and the GPU that the window offers to a session.

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

#include "core/gl/headless.h"
#include "core/large/large_backend.h"
#include "core/result/backend.h"

namespace maskscope {

// automatic: the GPU if it is not a software renderer and can compute the scene, else the CPU.
enum class BackendChoice { cpu, gpu, automatic };

// Computes the stages of the request, a block of rows after another, so that no more than some
// hundred megabytes of them are held; of a model all at once, and then without rows. The request
// names no rows. `take` may be given the first rows again. threads: 1 to 256, or 0 for all; used by
// the CPU only. `notes`: where `automatic` says in one line that it took the CPU. Throws WorkError.
using TakeBlock = std::function<void(const Result& block, const std::optional<Rows>& rows)>;
void compute_in_blocks(BackendChoice choice, int threads, const Scene& scene,
                       const Request& request, std::ostream& notes, const TakeBlock& take);
// By this backend. most_bytes: of a block, about; at least 8 rows.
inline constexpr double block_bytes = 64e6;
void compute_in_blocks(Backend& backend, const Scene& scene, const Request& request,
                       const TakeBlock& take, double most_bytes = block_bytes);

// Does a variant, or one of an earlier layer, have dtype float64, which the GPU does not compute?
bool needs_float64(const Scene& scene);

// The GPU of a window's session, created on first use.
struct GpuOffer {
    // Call with the window's context current. Throws WorkError (one line) if it cannot be created.
    std::function<std::unique_ptr<Backend>()> make;
    // Runs the work in the calling thread with a current context: the one that is current there,
    // as the window's in its own thread, or else one that shares with it, one thread after another.
    // Returns when the GPU is done. Throws WorkError.
    std::function<void(const std::function<void()>& work)> beside;
    std::string renderer;  // "llvmpipe (LLVM 15.0.6, 256 bits)"
    double most_kept =
        most_numbers_kept;  // results of more numbers are computed when they are read
};

}  // namespace maskscope
