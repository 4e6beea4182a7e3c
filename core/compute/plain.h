#pragma once

#include "core/result/backend.h"

namespace maskscope {

// The reference backend, written to be read: one head after another, stage by stage, in the order
// of a lecture.
class PlainBackend : public Backend {
public:
    std::string name() const override { return "cpu"; }
    Result compute(const Scene& scene, const Request& request, const Result* before,
                   Progress& progress) override;
};

}  // namespace maskscope
