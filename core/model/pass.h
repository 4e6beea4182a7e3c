#pragma once
// A model's forward pass, as one variant of a scene computes it: the attention that is shown
// follows the variant, in all its layers; the two others follow the model's own masks.
//   x, y [n, d]   q, k, v [n, d], head a in the columns from a · d/h on   z [n_k, d] the encoder's
//   output

#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/result/result.h"
#include "core/scene/model.h"

namespace maskscope {

using Words = std::vector<std::string>;
// Returns the words of each sequence as this variant generates them, without <eos>; nullopt if a
// logit was NaN. The scene is that of a model; targets are ignored. Throws Cancellation.
std::vector<std::optional<Words>> generated(const Scene& scene, const Variant& variant,
                                            Progress& progress);

// Returns the right words: the targets, or if there are none, the translation that the model
// `right` makes with its own masks.
std::vector<std::optional<Words>> right_words(const Scene& scene, const SharedValue<Model>& right,
                                              Progress& progress);

// Runs the pass of one variant, every row of it, and returns what it generated. Throws
// Cancellation.
ModelRun run_model(const Scene& scene, int variant, Progress& progress);

// Returns how many rows and columns the variant's stages have. For a model that generates, this may
// take running it.
Shape shape_of_variant(const Scene& scene, int index);

}  // namespace maskscope
