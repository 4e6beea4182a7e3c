#pragma once
// Makes seeded random scenes, computes them, and calls a check for each scene, variant or row.
// Shared by property tests.

#include <gtest/gtest.h>

#include <string>

#include "core/attention/mask.h"
#include "core/base/matrix.h"
#include "core/compute/embedding.h"
#include "tests/golden/expected.h"
#include "tests/support/computed.h"
#include "tests/support/random_scene.h"

namespace maskscope::golden {

inline constexpr int scenes = 400;
// The bound for sums of a few float64 numbers of size 1 in another order.
inline constexpr double order_tolerance = 1e-12;

struct ComputedVariant {
    const Scene& scene;
    const Variant& variant;
    const VariantResult& result;
    const BatchInputs& inputs;

    Head head(Index b, Index h) const {
        return {scene,
                variant,
                b,
                h,
                allowed_cells(scene, variant.mask.layers, b, h),
                round_inputs(inputs.at(b, h), Rounding(variant.dtype))};
    }
    Matrix stage(StageKind kind, Index b, Index h) const { return result.stage(kind).head(b, h); }
    bool has(StageKind kind) const { return result.stage(kind).exists(); }
};

template <class Check>
void for_each_variant(const Scene& scene, Check check) {
    Progress progress;
    const Result result = computed(scene);
    const BatchInputs inputs = make_inputs(scene, progress);
    for (std::size_t variant = 0; variant < scene.variants.size(); ++variant) {
        SCOPED_TRACE("variant " + std::to_string(variant));
        check(ComputedVariant{scene, scene.variants[variant], result.variants[variant], inputs});
    }
}

// Calls check(computed, b, h, i) with every row of a scene.
template <class Check>
void for_each_row(const Scene& scene, Check check) {
    for_each_variant(scene, [&](const ComputedVariant& computed) {
        const Shape shape = computed.result.shape;
        for (Index b = 0; b < shape.b; ++b)
            for (Index h = 0; h < shape.h; ++h)
                for (Index i = 0; i < shape.n_q; ++i) check(computed, b, h, i);
    });
}

template <class Check>
void for_each_scene(const RandomOptions& options, Check check) {
    for (int seed = 0; seed < scenes; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        check(random_scene(static_cast<std::uint64_t>(seed), options));
        if (testing::Test::HasFailure()) return;  // one failing scene is enough
    }
}

}  // namespace maskscope::golden
