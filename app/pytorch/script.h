#pragma once
// Writes a variant as a PyTorch script: plain tensor operations that run on both 1.13 and 2.x and
// give the same numbers, with notes where frameworks disagree.

#include <string>
#include <vector>

#include "core/result/result.h"
#include "core/scene/scene.h"

namespace maskscope {

// Writes the script. result: holds the weights of that variant. The script needs only torch and,
// next to it, the tensor files that the scene names. It defines `weights` [b, h, n_q, n_k] and
// `output` (None if there are no values), and asserts that the weights equal the result's.
std::string pytorch_script(const Result& result, int variant);

// Writes the four tests of a mask as a script, for the reader's own attention function.

// Returns why a variant cannot have such a script, as a sentence; "" if it can.
std::string why_no_test_script(const Scene& scene, int variant);

// Writes a script for PyTorch 1.13 and later. It contains queries, keys, values and the mask of a
// variant, `def attention(q, k, v, mask)`, which computes what the variant does and is to be
// replaced, and tests of that function. It prints the lines of `maskscope test`, and exits with
// status 1 if a test fails. only: names of mask_tests(); empty = all. variant: one for which
// why_no_test_script() is "".
std::string pytorch_tests(const Scene& scene, int variant, const std::vector<std::string>& only);

}  // namespace maskscope
