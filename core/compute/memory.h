#pragma once
// Too large is said before anything is allocated.

#include <optional>

#include "core/result/backend.h"
#include "core/scene/scene.h"

namespace maskscope {

// About how many bytes computing the scene takes, with everything that is kept: stages, figures,
// inputs in float64, layers before, and what one block of rows needs while it is computed.
double bytes_needed(const Scene& scene, const Request& request);

// The same with n_q queries and n_k keys instead of the scene's.
double bytes_needed(const Scene& scene, const Request& request, Index n_q, Index n_k);

// Bytes of memory that are free now: MemAvailable of /proc/meminfo, or what a control group leaves
// where that is less. Nothing where the system doesn't say.
std::optional<double> available_bytes();

// Throws WorkError, naming the n that would fit, where the scene needs more than nine tenths of
// `available`.
void refuse_too_large(const Scene& scene, const Request& request, double available);

// About how many numbers computing the scene takes: the cells of all stages and variants, layers
// before, and the seeded projections.
double numbers_to_compute(const Scene& scene);

// Up to so many are computed while somebody waits: a few milliseconds at most, on any backend.
inline constexpr double most_numbers_at_once = 300'000;
// Up to so many some hundred scenes are: a fraction of a millisecond each.
inline constexpr double most_numbers_of_many = 50'000;

}  // namespace maskscope
