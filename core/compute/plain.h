#pragma once

#include "core/compute/backend.h"

namespace maskscope {

// The reference backend, written to be read: one head after another, stage by stage, in the order
// of a lecture.
class PlainBackend : public Backend {
public:
    std::string name() const override { return "cpu"; }

protected:
    Result compute_scene(const Scene& scene, const Request& request, const Result* before,
                         Progress& progress) override;

private:
    bool reuses(const Result&) const override { return false; }
};

}  // namespace maskscope
