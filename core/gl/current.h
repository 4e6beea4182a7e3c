#pragma once
// The OpenGL context that is current in the calling thread.

#include <cstdint>

namespace maskscope::gl {

bool has_context();

// Forgets the errors of earlier calls. A lost context has ever new errors, so only some are
// cleared.
void forget_errors();

// Returns how many times this process has made a context current. A driver may spend tens of
// milliseconds on each, and forget what it had compiled, so a thread does it once.
std::uint64_t times_made_current();
void note_made_current();  // call right after making a context current

}  // namespace maskscope::gl
