#pragma once

#include <iosfwd>
#include <string>

namespace maskscope {

// maskscope pytorch SCENE [--variant I]: writes the variant as a PyTorch script. notes: where a
// built-in model is, if the script reads one. Throws Error.
void pytorch(const std::string& scene, int variant, std::ostream& out, std::ostream& notes);

}  // namespace maskscope
