#pragma once
// Implements maskscope lessons: lists the built-in lessons.

#include <iosfwd>

namespace maskscope {

// Writes one line for each lesson, tab-separated: name, number of steps, title. Returns the exit
// status; throws Error.
int lessons(std::ostream& out);

}  // namespace maskscope
