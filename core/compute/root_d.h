#pragma once
// Shows why √d is needed: draws many random queries and keys, and computes what the width d does to
// their softmax. The statistics are the `root_d` of facts; see assets/docs/lesson-file.md.

#include <cstdint>
#include <memory>
#include <vector>

#include "core/result/request.h"

namespace maskscope {

inline constexpr Index root_d_rows = 1024, root_d_keys = 8, root_d_most = 1024;

// The scores of every width: q·k over the first d components.
struct RootDDraw {
    std::uint64_t seed = 0;
    std::vector<double> scores;  // [root_d_most, root_d_rows, root_d_keys]; width d at d - 1
};

// Draws the scores. This takes a few tenths of a second, so call it on a background thread. The
// last draw is cached and shared. progress.done goes from 0 to 1. Throws Cancellation, or WorkError
// without 64 MiB of memory.
std::shared_ptr<const RootDDraw> draw_root_d(std::uint64_t seed, Progress& progress);

// Returns the cached draw if it has this seed, else nullptr. Does not wait for a draw in progress.
std::shared_ptr<const RootDDraw> kept_root_d(std::uint64_t seed);

// The lower quartile, median and upper quartile over the rows, each the mean of the two sorted rows
// between which it lies. NaN if a row has a NaN.
struct Spread {
    double low = 0, median = 0, high = 0;
};

struct RootDFigures {
    double variance = 0;  // over all scaled scores: mean square minus squared mean
    Spread largest;       // over the rows: the largest weight
    Spread entropy;       // over the rows, in nats
    Spread sensitivity;   // over the rows: the sum
};

// Computes the statistics at width d, 1 to 1024. scale: the factor itself, see root_d_scale. Takes
// some tenths of a millisecond.
RootDFigures root_d_figures(const RootDDraw& draw, Index d, double scale);

// Returns the factor of a variant's scale with d_k = d and n_k = 8.
double root_d_scale(const Scale& scale, Index d);

}  // namespace maskscope
