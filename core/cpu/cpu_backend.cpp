#include "core/cpu/cpu_backend.h"

#include "core/cpu/plain.h"

namespace maskscope {

struct CpuBackend::State {
    PlainBackend plain;
};

CpuBackend::CpuBackend(int /*threads*/) : state_(std::make_unique<State>()) {}
CpuBackend::~CpuBackend() = default;

Result CpuBackend::compute(const Scene& scene, const Request& request, const Result* before,
                           Progress& progress) {
    return state_->plain.compute(scene, request, before, progress);
}

}  // namespace maskscope
