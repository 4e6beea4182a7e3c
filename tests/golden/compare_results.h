#pragma once
// One backend held to another: PlainBackend is the truth.

#include <functional>
#include <string>

#include "core/result/backend.h"

namespace maskscope::golden {

inline Result computed(Backend& backend, const Scene& scene, const Result* before = nullptr) {
    Progress progress;
    return backend.compute(scene, {}, before, progress);
}

// How near a backend is that computes in float32. Each stage is held to what the plain functions
// make of the stage before it *as this backend gave it*: a 16-bit number that a sum in float32
// rounded across a boundary, one unit off, moves every later stage by far more than a unit of its
// own, and is right all the same.
struct Nearness {
    // Of the last place of the dtype: the one that a boundary moves, and for float32 what a few
    // operations in a row lose (e^x, its sum, the division).
    double units = 1, float32_units = 6;
    // Of the sum of the magnitudes of what was added: float32 sums of a few terms.
    double of_terms = 5e-7;
    // Numbers below this may be 0: nothing, or what a GPU flushes.
    double smallest = 3e-45;
    // Figures of a row: sums over a few keys of float32 weights, and their logarithms.
    double of_figures = 2e-6;
};

// "" or the first place where `other` is not what `plain` is: NaN, infinities, exact zeros of
// blocked keys, masks, labels and empty rows exactly, numbers as near as said. Both hold all stages
// of the scene, computed from the same request.
std::string first_difference(const Scene& scene, const Result& plain, const Result& other,
                             const Nearness& near = {});

bool same_figures(const RowFigures& x, const RowFigures& y);  // to the bit; NaN equals NaN
// "" or where two results that must be equal to the bit are not (NaN equals NaN).
std::string first_other_bit(const Result& x, const Result& y);

// A smaller scene that still fails: variants, sequences, tokens, layers and settings are taken away
// as long as fails(scene) holds.
Scene shrunk(Scene scene, const std::function<bool(const Scene&)>& fails);

}  // namespace maskscope::golden
