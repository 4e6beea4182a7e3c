#pragma once
// A backend's cache between computations: inputs, and what is derived from them.

#include <memory>
#include <tuple>

#include "core/cpu/mask_sheets.h"
#include "core/cpu/prepared.h"
#include "core/cpu/recent_cache.h"

namespace maskscope {

class InputCache {
public:
    using Inputs = std::shared_ptr<const BatchInputs>;

    // Returns the inputs of a scene: from the cache, else `known` (may be null), else computed.
    Inputs inputs(const Scene& scene, Inputs known, Progress& progress);
    // Returns the labels of the scene with these inputs: see labelled().
    std::shared_ptr<const VariantResult> labels(const Scene& scene, const Inputs& inputs);
    std::shared_ptr<const Parameters> parameters(const Scene& scene, const Variant& variant,
                                                 const Inputs& inputs);
    // Returns the prepared inputs, with the numbers of one head, or of all.
    std::shared_ptr<const PreparedInputs> prepared(const Variant& variant,
                                                   const Parameters& parameters,
                                                   const Inputs& inputs, std::optional<Index> head,
                                                   Pool& pool);
    MaskSheets sheets;
    void forget_unused();
    // Call for a request of one head; the same head of other lanes may be requested next.
    void forget_other_inputs(const Inputs& inputs);

private:
    using InputsKey = std::tuple<std::vector<Sequence>, std::string, maskscope::Inputs>;
    using ParametersKey = std::tuple<Inputs, Score, Scale, Dtype, Output>;
    using PreparedKey = std::tuple<Inputs, Score, Dtype, const Kernels*>;
    RecentCache<InputsKey, Inputs> inputs_;
    RecentCache<Inputs, std::shared_ptr<const VariantResult>> labels_;
    RecentCache<ParametersKey, std::shared_ptr<const Parameters>> parameters_;
    RecentCache<PreparedKey, std::shared_ptr<PreparedInputs>> prepared_;
};

}  // namespace maskscope
