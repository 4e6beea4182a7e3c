#pragma once
// maskscope lessons: what there is to learn.

#include <iosfwd>

namespace maskscope {

// A line each, tabs between: name, number of steps, title. Returns the exit status; throws Error.
int lessons(std::ostream& out);

}  // namespace maskscope
