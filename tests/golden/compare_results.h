#pragma once
// Compares a backend with the reference implementation, which is correct by definition.

#include <functional>
#include <string>

#include "core/compute/backend.h"

namespace maskscope::golden {

inline Result computed(Backend& backend, const Scene& scene, const Result* before = nullptr) {
    Progress progress;
    return backend.compute(scene, {}, before, progress);
}

// The tolerances of a backend that computes in float32. Each stage is compared with what the
// reference implementation makes of the previous stage *as this backend computed it*. A float32 sum
// may round a 16-bit number to the other side of a boundary, one unit off. That is right, but it
// moves every later stage by far more than a unit.
struct Nearness {
    // In units of the last place of the dtype: one for rounding at a boundary, and for float32 what
    // a few operations in a row lose (e^x, its sum, the division).
    double units = 1, float32_units = 6;
    // For float32 sums of a few terms, relative to the sum of the magnitudes of the terms.
    double of_terms = 5e-7;
    // Numbers below this may be 0, because a GPU flushes them.
    double smallest = 3e-45;
    // For the statistics of a row: sums of float32 weights over a few keys, and their logarithms.
    double of_figures = 2e-6;
};

// Returns "" or the first place in which `other` differs from `plain`: NaN, infinities, exact zeros
// of blocked keys, masks, labels and empty rows must be equal, and numbers within the tolerances.
// Both results hold all stages of the scene, computed from the same request.
std::string first_difference(const Scene& scene, const Result& plain, const Result& other,
                             const Nearness& near = {});

bool same_figures(const RowFigures& x, const RowFigures& y);  // to the bit; NaN equals NaN
// Returns "" or the first place where two results are not equal to the bit (NaN equals NaN).
std::string first_other_bit(const Result& x, const Result& y);

// Returns a smaller scene that still fails: variants, sequences, tokens, rules and settings are
// removed as long as fails(scene) holds.
Scene shrunk(Scene scene, const std::function<bool(const Scene&)>& fails);

}  // namespace maskscope::golden
