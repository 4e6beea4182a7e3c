#pragma once
// Chooses a backend, for the command line and for a session, and holds the GPU that a window
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

// The choice of the command line. automatic: the faster one, as measured on this machine; the CPU
// if there is no GPU except a software renderer, or if the GPU cannot compute the scene.
enum class BackendChoice { cpu, gpu, automatic };

// Computes the stages of the request and passes them to `take`, one block of rows after another, so
// that at most some hundred megabytes are held. A model is computed in one block. The request must
// not name rows. If the GPU fails, `take` receives the first rows again, from the CPU. threads: 1
// to 256, or 0 for all; used by the CPU only. notes: receives one line if `automatic` cannot use a
// GPU. Throws WorkError.
using TakeBlock = std::function<void(const Result& block, const std::optional<Rows>& rows)>;
void compute_in_blocks(BackendChoice choice, int threads, const Scene& scene,
                       const Request& request, std::ostream& notes, const TakeBlock& take);
// Does the same with this backend. most_bytes: the approximate size of a block, which has at least
// 8 rows.
inline constexpr double block_bytes = 64e6;
void compute_in_blocks(Backend& backend, const Scene& scene, const Request& request,
                       const TakeBlock& take, double most_bytes = block_bytes);

// True if a variant, or one of an earlier layer, has dtype float64, which the GPU does not compute.
bool needs_float64(const Scene& scene);

// The choice of a session. plain: the reference implementation, which is read in class, stage by
// stage; automatic: CPU or GPU, whichever is faster on this machine.
enum class ComputeWith { plain, cpu, gpu, automatic };

// The GPU that a window offers to its session, created on first use.
struct GpuOffer {
    // Creates the GPU; call while the window's context is current. Throws WorkError (one line) if
    // it cannot be created.
    std::function<std::unique_ptr<PreparedBackend>()> make;
    std::string renderer;  // such as "llvmpipe (LLVM 15.0.6, 256 bits)"
    // Results with more numbers are computed when they are read.
    double most_kept = most_numbers_kept;
};

// True if reading all numbers of the result takes too long for the window's thread.
bool takes_long(const Result& result);

// Returns how the speeds of the CPU and this GPU compare on this machine: from an earlier
// measurement, or measured and stored now. Throws what the GPU throws.
Speeds speeds_of(Backend& gpu, const std::string& renderer, Progress& progress);

// --- the backends of a session, with the CPU as fallback for scenes that the GPU cannot compute

// The outcome of a computation: a result, a cancellation, or a one-line error.
struct Outcome {
    std::optional<Result> result;
    bool cancelled = false;
    std::string error;
    std::string fallback;    // why the CPU was used although the GPU was chosen
    bool preparing = false;  // the CPU was used because the GPU is not prepared yet
};

// The GPU of a session. If it fails to compute rows of a long result, or is not prepared for them,
// the CPU computes them, so that every reader gets numbers. After a failure, failure() says why,
// and the session continues with the CPU.
class SharedGpu : public Backend {
public:
    // gpu, cpu: not null.
    SharedGpu(std::shared_ptr<PreparedBackend> gpu, std::shared_ptr<Backend> cpu)
        : cpu_(std::move(cpu)), gpu_(std::move(gpu)) {}
    std::string name() const override { return "gpu"; }

    // While a GpuOnly exists, this thread gets PreparationError instead of rows from the CPU if the
    // GPU has to be prepared first.
    class GpuOnly {
    public:
        explicit GpuOnly(SharedGpu& gpu) : gpu_(gpu) { gpu_.insists_ = std::this_thread::get_id(); }
        ~GpuOnly() { gpu_.insists_ = std::thread::id(); }
        GpuOnly(const GpuOnly&) = delete;
        GpuOnly& operator=(const GpuOnly&) = delete;

    private:
        SharedGpu& gpu_;
    };
    // Returns why the CPU computed rows since the last forget_failure(); nullopt if it did not. Any
    // thread.
    std::optional<std::string> failure() const;
    void forget_failure();
    // From now on, only the CPU computes rows.
    void withdraw(const std::string& why);

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
    // wake: called from another thread when the GPU is prepared; may be empty.
    Backends(std::unique_ptr<Backend> cpu, std::function<void()> wake)
        : cpu_(std::move(cpu)), wake_(std::move(wake)) {}
    ~Backends() { withdraw(); }
    Backends(const Backends&) = delete;
    Backends& operator=(const Backends&) = delete;

    void offer(GpuOffer gpu) { offer_ = std::move(gpu); }
    // Withdraws the offer. Call it on the UI thread while no work is in progress. Returns whether
    // the GPU had been created.
    bool withdraw();
    const GpuOffer& offered() const { return offer_; }
    // Chooses a backend. Call it on the UI thread. Throws WorkError if there is no GPU; the choice
    // is then unchanged.
    void choose(ComputeWith choice);
    ComputeWith chosen() const { return chosen_; }
    Backend& cpu() { return *cpu_; }

    // Creates the GPU. Call it on the UI thread, before compute() if may_take_gpu(). Throws
    // WorkError.
    void need_gpu();
    bool may_take_gpu(ComputeWith with, const Scene& scene) const;
    // Computes all stages of all variants. If the GPU fails, the CPU takes over, and `fallback`
    // says why. If the GPU has to be prepared first, its preparation is started, and the CPU
    // computes in the meantime. Reuses the earlier layers of `before`, and whatever else in it the
    // same backend computed. Any thread. Does not throw.
    Outcome compute(ComputeWith with, const Scene& scene, const Result* before, Progress& progress);
    // Returns why the CPU computes rows of a long result of the GPU; nullopt if it does not. Any
    // thread.
    std::optional<std::string> gpu_failure() const {
        return shared_gpu_ ? shared_gpu_->failure() : std::nullopt;
    }
    // True while the GPU is being prepared, until was_prepared() has returned true.
    bool preparing() const;
    void wait_while_preparing();
    // Returns true once after each time that the GPU was prepared.
    bool was_prepared() { return gpu_ && gpu_->take_prepared(); }
    // Frees what the GPU keeps for the next computation. Call it after a scene was closed.
    void rest();

private:
    bool compute_on_gpu(ComputeWith with, const Scene& scene, const Result* before,
                        Progress& progress, Outcome& outcome);
    std::optional<Speeds> speeds() const;  // nullopt: not yet known
    void measure_speeds();                 // measures in the background

    std::shared_ptr<Backend> cpu_;
    std::function<void()> wake_;
    std::shared_ptr<PreparedBackend> gpu_;
    std::shared_ptr<SharedGpu> shared_gpu_;       // the GPU, with the CPU as fallback
    std::unique_ptr<Backend> gpu_of_any_length_;  // uses shared_gpu_
    PlainBackend plain_;
    GpuOffer offer_;
    ComputeWith chosen_ = ComputeWith::cpu;
    mutable std::mutex mutex_;
    std::optional<Speeds> speeds_;
};

}  // namespace maskscope
