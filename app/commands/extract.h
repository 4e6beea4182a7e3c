#pragma once

#include <iosfwd>
#include <string>

namespace maskscope {

// maskscope extract FIGURE --out FILE: the scene that a figure carries, byte for byte as it was
// saved, and its tensor files beside it; none of them replaces a file with other bytes. If the
// figure only names a tensor file that is not there, a line on `notes` says which. Returns the exit
// status; throws Error.
int extract(const std::string& figure, const std::string& out, std::ostream& notes);

}  // namespace maskscope
