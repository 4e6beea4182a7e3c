#pragma once
// A backend computes a scene, and the layers that its inputs come from.

#include "core/base/progress.h"
#include "core/result/request.h"

namespace maskscope {

class Backend {
public:
    virtual ~Backend() = default;
    virtual std::string name() const = 0;
    // Computes a result. Parts of `before` may be reused; nullptr is always allowed. A translator
    // runs once for each variant and yields a scene of tensors; the backend computes only that
    // scene. Throws WorkError if the scene does not fit in memory (before allocating), and
    // Cancellation.
    Result compute(const Scene& scene, const Request& request, const Result* before,
                   Progress& progress);

protected:
    // Computes a scene without a translator.
    virtual Result compute_scene(const Scene& scene, const Request& request, const Result* before,
                                 Progress& progress) = 0;
    virtual bool reuses(const Result& before) const { return before.backend == name(); }
};

// Returns, for inputs `output`, the weights of the layer of the queries, then of the layer of the
// keys if there is one; empty for other inputs. They are taken from `before` (may be null) if its
// tokens and inputs are the same, otherwise computed. Throws as Backend::compute does.
std::vector<std::shared_ptr<const Result>> layers_before(const Scene& scene, Backend& backend,
                                                         const Result* before, Progress& progress);

}  // namespace maskscope
