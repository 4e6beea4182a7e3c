#pragma once

#include "core/result/backend.h"

namespace maskscope {

// The version that is read in class and that everything is held to: one head after the other,
// stage after stage, in the order a lecture tells them.
class PlainBackend : public Backend {
public:
    std::string name() const override { return "cpu"; }
    Result compute(const Scene& scene, const Request& request, const Result* before,
                   Progress& progress) override;
};

}  // namespace maskscope
