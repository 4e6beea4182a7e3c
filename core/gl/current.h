#pragma once
// The OpenGL context that is current in the calling thread.

#include <cstdint>

namespace maskscope::gl {

bool has_context();

// Forgets the errors of earlier calls; of a lost context, which has ever new ones, some.
void forget_errors();

// How often this process has made a context current. A driver may spend tens of milliseconds on
// each, and forget what it had compiled: a thread does it once.
std::uint64_t times_made_current();
void note_made_current();  // the caller has just made it current

}  // namespace maskscope::gl
