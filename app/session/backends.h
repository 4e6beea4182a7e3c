#pragma once
// Chooses a backend, for the command line and for a session, and describes the GPU that a window
// offers.

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

#include "core/compute/backend.h"
#include "core/large/large_backend.h"

namespace maskscope {

class PreparedBackend;
struct Speeds;

// automatic: the faster one, as measured on this machine; the CPU if there is no GPU except a
// software renderer, or if the GPU cannot compute the scene.
enum class BackendChoice { cpu, gpu, automatic };

// Computes the stages of the request, one block of rows after another, so that at most some hundred
// megabytes are held; for a model all at once, without blocks. The request must not name rows.
// `take` may get the first rows twice. threads: 1 to 256, or 0 for all; used by the CPU only.
// `notes`: gets one line if `automatic` finds no GPU. Throws WorkError.
using TakeBlock = std::function<void(const Result& block, const std::optional<Rows>& rows)>;
void compute_in_blocks(BackendChoice choice, int threads, const Scene& scene,
                       const Request& request, std::ostream& notes, const TakeBlock& take);
// Does the same with this backend. most_bytes: about the size of a block; at least 8 rows.
inline constexpr double block_bytes = 64e6;
void compute_in_blocks(Backend& backend, const Scene& scene, const Request& request,
                       const TakeBlock& take, double most_bytes = block_bytes);

// Does a variant, or one of an earlier layer, have dtype float64, which the GPU does not compute?
bool needs_float64(const Scene& scene);

// The choice of a backend. plain: the reference implementation that is read in class, stage by
// stage; automatic: CPU or GPU, whichever is faster on this machine.
enum class ComputeWith { plain, cpu, gpu, automatic };

// The GPU that a window offers to its session, created on first use.
struct GpuOffer {
    // Creates it; call while the window's context is current. Throws WorkError (one line) if it
    // cannot be created.
    std::function<std::unique_ptr<PreparedBackend>()> make;
    std::string renderer;  // "llvmpipe (LLVM 15.0.6, 256 bits)"
    double most_kept =
        most_numbers_kept;  // results with more numbers are computed when they are read
};

// True if reading all its numbers should happen in another thread than the window's.
bool takes_long(const Result& result);

// Returns how the CPU and this GPU compare on this machine: as kept from before, or measured now
// and kept. Throws what the GPU throws.
Speeds speeds_of(Backend& gpu, const std::string& renderer, Progress& progress);

}  // namespace maskscope
