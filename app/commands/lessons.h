#pragma once
// maskscope lessons: lists the built-in lessons.

#include <iosfwd>

namespace maskscope {

// One line per lesson, tab-separated: name, number of steps, title. Returns the exit status; throws
// Error.
int lessons(std::ostream& out);

}  // namespace maskscope
