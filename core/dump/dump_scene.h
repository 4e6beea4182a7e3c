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
// format can express it: whole tensors [b, h, n, d]. Otherwise the numbers that the scene needs are
// written, in its order of axes, to one .safetensors file in `copies`, an existing folder, and the
// scene refers to that file. Nothing may be missing from the plan. Throws Error with an empty place
// if numbers cannot be read, if no scene can have the mask, or if the file cannot be written.
DumpScene scene_of(const Dump& dump, const DumpPlan& plan, const std::filesystem::path& copies);

// Returns how far the weights of a valid scene differ from the recorded weights ("The weights agree
// with attn.hook_pattern to 3e-07."), or why they are not compared. Returns "" if no weights were
// recorded, or if the scene is not computed from queries and keys.
std::string agreement(const DumpPlan& plan, const Scene& scene);

}  // namespace maskscope
