#pragma once
// A model's forward pass, as one lane of a scene computes it: the attention that is shown follows
// the variant, in all its layers; the two others follow the model's own masks.
//   x, y [n, d]   q, k, v [n, d], head a in columns a · d/h on   z [n_k, d] the encoder's output

#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/result/result.h"
#include "core/scene/model.h"

namespace maskscope {

// The words of each sequence as this variant generates them, without <eos>; nullopt where a logit
// was NaN. The scene is of a model; targets are left aside. Throws Cancelled.
using Words = std::vector<std::string>;
std::vector<std::optional<Words>> generated(const Scene& scene, const Variant& variant,
                                            Progress& progress);

// The right words: the targets, or else the translation of the model `right` with its own masks.
std::vector<std::optional<Words>> right_words(const Scene& scene, const Shared<Model>& right,
                                              Progress& progress);

// The pass of one lane, every row of it, and what it said. Throws Cancelled.
ModelRun run_model(const Scene& scene, int lane, Progress& progress);

// How many rows and columns the lane's stages have: known from the scene, or else generated.
Shape shape_of_lane(const Scene& scene, int lane);

}  // namespace maskscope
