#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "core/compute/backend.h"
#include "core/gl/buffer.h"
#include "core/gl/program.h"
#include "core/gpu/data/device.h"

namespace maskscope {

struct GpuOptions {
    std::filesystem::path shaders = {};  // the folder of the shaders; "" = where they are installed
    // The most bytes of a buffer, if that is less than the GPU allows; 0 = what it allows. For
    // tests.
    std::size_t buffer_limit = 0;
    // The way in which threads exchange numbers; default: the best way that the context offers. For
    // tests.
    std::optional<gpu::Subgroups> subgroups = {};
    std::filesystem::path kept_programs = {};  // see gpu::Programs
};

// Attention in compute shaders, in the OpenGL context (4.3 or better) that is current in the
// calling thread, which must always be the same. Stages stay on the GPU: see
// core/gpu/data/numbers.h; requested rows are read back. Destroy it while that context is current,
// or none is.
class GpuBackend : public Backend {
public:
    // thread: the one with the context, for callers that read results elsewhere; null if there are
    // none. Throws WorkError, in one line, if no context is current or it is older than 4.3.
    explicit GpuBackend(const GpuOptions& options = {}, std::weak_ptr<gpu::GpuThread> thread = {});
    ~GpuBackend() override;
    std::string name() const override { return "gpu"; }
    // Frees the memory that it keeps for the next computation.
    void rest();

    gpu::Programs& programs();
    const gpu::BufferPool& buffers() const;

private:
    // Takes equal variants over the same inputs from `before`. Throws WorkError for a variant in
    // float64 (with its JSON pointer), a shader that does not compile, a lost context and too
    // little memory; gpu::PreparationError as Programs::get() does.
    Result compute_scene(const Scene& scene, const Request& request, const Result* before,
                         Progress& progress) override;
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace maskscope
