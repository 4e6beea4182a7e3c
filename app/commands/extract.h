#pragma once

#include <iosfwd>
#include <string>

namespace maskscope {

// Implements maskscope extract FIGURE --out FILE: writes the scene that a figure contains, byte for
// byte as it was saved, and its tensor files beside it. A file with other bytes is replaced only
// with `force`. If the figure only names a tensor file that does not exist, a line on `notes` says
// which. Returns the exit status; throws Error.
int extract(const std::string& figure, const std::string& out, bool force, std::ostream& notes);

}  // namespace maskscope
