#pragma once

#include <iosfwd>
#include <string>

namespace maskscope {

// maskscope pytorch SCENE [--variant I]: writes the variant as a PyTorch script. Throws Error.
void pytorch(const std::string& scene, int variant, std::ostream& out);

}  // namespace maskscope
