#pragma once
// Estimates of memory and work, to refuse a scene that is too large before allocating anything.

#include <optional>

#include "core/result/request.h"
#include "core/scene/scene.h"

namespace maskscope {

// Estimates how many bytes computing the scene takes, including the result: stages, statistics,
// inputs in float64, previous layers, and the working memory of one block of rows.
double bytes_needed(const Scene& scene, const Request& request);

// Estimates the same with n_q queries and n_k keys instead of the scene's.
double bytes_needed(const Scene& scene, const Request& request, Index n_q, Index n_k);

// Returns the free memory in bytes: MemAvailable of /proc/meminfo, or what is left of a control
// group's limit if that is less. nullopt if the system doesn't say.
std::optional<double> available_bytes();

// Throws WorkError, naming the number of tokens that would fit, if the scene needs more than nine
// tenths of `available`.
void refuse_too_large(const Scene& scene, const Request& request, double available);

// Estimates how many numbers are computed: the cells of all stages and variants, previous layers,
// and seeded projections.
double numbers_to_compute(const Scene& scene);

// The most numbers that are computed while the user waits: a few milliseconds at most on any
// backend.
inline constexpr double most_numbers_at_once = 300'000;
// The limit if hundreds of scenes are computed: a fraction of a millisecond each.
inline constexpr double most_numbers_of_many = 50'000;

}  // namespace maskscope
