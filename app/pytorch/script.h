#pragma once
// Writes a variant as a PyTorch script: plain tensor operations that run on both 1.13 and 2.x and
// give the same numbers, with notes where frameworks disagree.

#include <string>

#include "core/result/result.h"

namespace maskscope {

// Writes the script. result must hold the weights of that variant. The script needs only torch and,
// next to it, the tensor files that the scene names. It defines `weights` [b, h, n_q, n_k] and
// `output` (None if there are no values), and asserts that the weights equal the result's.
std::string pytorch_script(const Result& result, int variant);

}  // namespace maskscope
