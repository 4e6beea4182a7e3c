#pragma once
// Makes the scene that a plan describes.

#include <filesystem>

#include "core/dump/plan.h"

namespace maskscope {

struct DumpScene {
    Scene scene;
    std::filesystem::path folder;  // the base of the scene's tensor file paths
};

// Reads the tensors of the plan, and no others. The scene refers to the dump's own files if the
// format can express it: whole tensors [b, h, n, d]. Otherwise the numbers are written, as they are
// needed, to one .safetensors file in `copies`, an existing folder, to which the scene refers.
// Nothing may be missing from the plan. Throws Error, with an empty place: numbers that cannot be
// read, a mask that no scene can have, a file that cannot be written.
DumpScene scene_of(const Dump& dump, const DumpPlan& plan, const std::filesystem::path& copies);

// Returns how far the weights of a valid scene differ from the recorded weights: "The weights agree
// with attn.hook_pattern to 3e-07."; "" if none were recorded.
std::string agreement(const DumpPlan& plan, const Scene& scene);

}  // namespace maskscope
