#pragma once
// Tensors from .npy (1 to 3), .npz and .safetensors files, and stages written as .npy.
// Files are untrusted: every size is checked against the file before anything is allocated.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/result/result.h"

namespace maskscope {

// A function that throws InputError if a tensor with these axes is not the expected one.
using JudgeAxes = std::function<void(const std::vector<Index>&)>;

// Reads a tensor. reference: "q.npy", "qkv.npz:q" or "qkv.safetensors:layer0.q", relative to
// folder, which it may not leave (no absolute path, no "..", no link out of it; no device, pipe or
// folder). The numbers may be float16, bfloat16 (safetensors), float32 or float64, little-endian,
// in C or Fortran order. The axes are those of the file, even if there are 0 or more than 4. Throws
// InputError with an empty place (the caller knows the array that names it), and WorkError if the
// numbers do not fit in memory; both begin with the reference. judge: called with the header's axes
// before a number is read; its exceptions have a place, and pass unchanged. of_mask: Booleans and
// integers are read too.
Array read_tensor(const std::string& reference, const std::filesystem::path& folder,
                  const JudgeAxes& judge = {}, bool of_mask = false);

// Returns the path in a reference: "qkv.npz:q" -> "qkv.npz".
std::string file_of_reference(const std::string& reference);

// Returns the file's path with all links resolved. Throws InputError (empty place) if there is no
// such file, or if it is not within the folder.
std::filesystem::path path_within(const std::filesystem::path& folder, const std::string& file);

// Throws InputError (empty place) if a path is not valid, or may lead out of its folder because it
// is absolute or contains "..".
void check_tensor_path(const std::string& file);

// Returns the bytes of a version 1 .npy file, float32 or float64 like the stage.
std::string npy_bytes(const Stage& stage);

}  // namespace maskscope
