#pragma once
// The scene that a plan describes.

#include <filesystem>

#include "core/dump/plan.h"

namespace maskscope {

struct DumpScene {
    Scene scene;
    std::filesystem::path folder;  // the base of the scene's tensor file paths
};

// Reads the tensors of the plan, and no others. The scene refers to the dump's own files where the
// format can say what is meant: whole tensors [b, h, n, d]. Otherwise the numbers are written, as
// they are needed, to one .safetensors file in `copies`, an existing folder, to which the scene
// refers. Throws Error, with an empty place: numbers that cannot be read, a mask that no scene has,
// a file that cannot be written. Nothing is missing from the plan.
DumpScene scene_of(const Dump& dump, const DumpPlan& plan, const std::filesystem::path& copies);

// How far the weights of the scene, which is valid, are from weights beside its queries and keys:
// "The weights agree with attn.hook_pattern to 3e-07."; "" if there are none.
std::string agreement(const DumpPlan& plan, const Scene& scene);

}  // namespace maskscope
