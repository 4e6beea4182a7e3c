#pragma once
// A variant as a PyTorch script: plain tensor operations that run on 1.13 as on 2.x and give the
// same numbers, with notes where frameworks disagree.

#include <string>

#include "core/result/result.h"

namespace maskscope {

// result holds the weights of that variant. The script needs nothing but torch, and beside it the
// tensor files that the scene names; it leaves `weights` [b, h, n_q, n_k] and `output` (None where
// there are no values), and asserts that the weights are those of the result.
std::string pytorch_script(const Result& result, int variant);

}  // namespace maskscope
