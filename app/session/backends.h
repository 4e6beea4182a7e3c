#pragma once
// Chooses a backend, for the command line and for a session, and describes the GPU that a window
// offers.

#include <atomic>
#include <functional>
#include <iosfwd>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/compute/backend.h"
#include "core/compute/plain.h"
#include "core/gpu/speeds.h"
#include "core/gpu/threaded_gpu.h"
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

// True if a variant, or one of an earlier layer, has dtype float64, which the GPU does not compute.
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

// The backends of a session, with the CPU as fallback for scenes that the GPU cannot compute.

// The outcome of a computation: a result, a cancellation, or a one-line error.
struct Outcome {
    std::optional<Result> result;
    bool cancelled = false;
    std::string error;
    std::string fallback;    // why the CPU was used although the GPU was chosen
    bool preparing = false;  // the CPU was used until the GPU is prepared
};

// The GPU of a session. If it fails to compute rows of a long result, or is not prepared for them,
// the CPU computes them, so that every reader gets numbers. failure() says why, and the session
// continues with the CPU.
class SharedGpu : public Backend {
public:
    // Both are not null.
    SharedGpu(std::shared_ptr<PreparedBackend> gpu, std::shared_ptr<Backend> cpu)
        : cpu_(std::move(cpu)), gpu_(std::move(gpu)) {}
    std::string name() const override { return "gpu"; }

    // While one exists, this thread gets NotPrepared instead of the CPU's rows if something has to
    // be prepared.
    class Insists {
    public:
        explicit Insists(SharedGpu& gpu) : gpu_(gpu) { gpu_.insists_ = std::this_thread::get_id(); }
        ~Insists() { gpu_.insists_ = std::thread::id(); }
        Insists(const Insists&) = delete;
        Insists& operator=(const Insists&) = delete;

    private:
        SharedGpu& gpu_;
    };
    // Returns why the CPU computed rows, since the last forget_failure(). Any thread.
    std::optional<std::string> failure() const;
    void forget_failure();
    void withdraw(
        const std::string& why);  // from now on the CPU computes rows, and there is no GPU

private:
    Result compute_scene(const Scene& scene, const Request& request, const Result* before,
                         Progress& progress) override;
    std::shared_ptr<PreparedBackend> gpu() const;

    std::shared_ptr<Backend> cpu_;
    std::atomic<std::thread::id> insists_ = std::thread::id();
    mutable std::mutex mutex_;
    std::shared_ptr<PreparedBackend> gpu_;
    std::optional<std::string> failure_;
};

class Backends {
public:
    // wake: called from another thread when the GPU is prepared (may be empty)
    Backends(std::unique_ptr<Backend> cpu, std::function<void()> wake)
        : cpu_(std::move(cpu)), wake_(std::move(wake)) {}
    ~Backends() { withdraw(); }
    Backends(const Backends&) = delete;
    Backends& operator=(const Backends&) = delete;

    void offer(GpuOffer gpu) { offer_ = std::move(gpu); }
    // Withdraws the offer, on the UI thread, while no work is in progress. Returns whether it was
    // ever used.
    bool withdraw();
    const GpuOffer& offered() const { return offer_; }
    // Chooses a backend; call on the UI thread. Throws WorkError without a GPU; the choice then
    // stays.
    void choose(ComputeWith choice);
    ComputeWith chosen() const { return chosen_; }
    Backend& cpu() { return *cpu_; }

    // Makes the GPU, which compare() needs, and compute() if it may be chosen for this scene; call
    // on the UI thread. Throws WorkError.
    void need_gpu();
    bool may_take_gpu(ComputeWith with, const Scene& scene) const;
    // Computes all stages of all variants. If the GPU fails, the CPU takes over, and `fallback`
    // says why. If the GPU has to be prepared first, that is started, and the CPU computes in the
    // meantime. Reuses the parts of `before` that the same backend made, and its earlier layers.
    // Any thread. Does not throw.
    Outcome compute(ComputeWith with, const Scene& scene, const Result* before, Progress& progress);
    // Returns why the CPU computes rows of a long result of the GPU, if it does; any thread.
    std::optional<std::string> gpu_failure() const {
        return shared_gpu_ ? shared_gpu_->failure() : std::nullopt;
    }
    // True until was_prepared() has returned true.
    bool preparing() const;
    void wait_while_preparing();
    // True once after each time that the GPU has been prepared.
    bool was_prepared() { return gpu_ && gpu_->take_prepared(); }
    // Frees what the GPU keeps for the next computation. Call it when a scene has been closed.
    void rest();

private:
    bool compute_on_gpu(ComputeWith with, const Scene& scene, const Result* before,
                        Progress& progress, Outcome& outcome);
    std::optional<Speeds> speeds() const;  // nullopt: not known yet
    void measure_speeds();                 // in the background

    std::shared_ptr<Backend> cpu_;
    std::function<void()> wake_;
    std::shared_ptr<PreparedBackend> gpu_;
    std::shared_ptr<SharedGpu> shared_gpu_;       // gpu_, or the CPU
    std::unique_ptr<Backend> gpu_of_any_length_;  // by shared_gpu_
    PlainBackend plain_;
    GpuOffer offer_;
    ComputeWith chosen_ = ComputeWith::cpu;
    mutable std::mutex mutex_;
    std::optional<Speeds> speeds_;
};

}  // namespace maskscope
