#pragma once

#include <memory>

#include "core/backend.h"

namespace maskscope {

// Attention in compute shaders, in the OpenGL context (4.3 or better) that is current in the thread
// that calls; contexts that share with each other may take turns. Stages stay on the GPU: see
// Stage::remote().
class GpuBackend : public Backend {
public:
    // Throws WorkError, in one line, where no context is current, it is older than 4.3, or a shader
    // does not compile.
    GpuBackend();
    ~GpuBackend() override;
    std::string name() const override { return "gpu"; }
    // Throws WorkError for a variant in float64 (by name), a lost context and too little memory.
    Result compute(const Scene& scene, const Request& request, const Result* before,
                   Progress& progress) override;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace maskscope
