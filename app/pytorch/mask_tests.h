#pragma once
// The four tests of a mask as a script, for the reader's own attention function.

#include <string>
#include <vector>

#include "core/scene/scene.h"

namespace maskscope {

// Why there is no such script of a variant, in words; "" if there is one.
std::string why_no_test_script(const Scene& scene, int variant);

// For PyTorch 1.13 and later: queries, keys, values and the mask of a variant, `def attention(q, k,
// v, mask)`, which computes what the variant does and is to be replaced, and these tests of it: the
// lines of `maskscope test`, status 1 if one fails. only: names of mask_tests(); empty = all. The
// scene has such a script.
std::string pytorch_tests(const Scene& scene, int variant, const std::vector<std::string>& only);

}  // namespace maskscope
