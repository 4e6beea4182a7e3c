#pragma once

#include <iosfwd>
#include <string>

namespace maskscope {

// maskscope extract FIGURE --out FILE: the scene that a figure carries, byte for byte as it was
// saved, and its tensor files beside it. A file with other bytes is replaced by `force` alone. If
// the figure only names a tensor file that is not there, a line on `notes` says which. Returns the
// exit status; throws Error.
int extract(const std::string& figure, const std::string& out, bool force, std::ostream& notes);

}  // namespace maskscope
