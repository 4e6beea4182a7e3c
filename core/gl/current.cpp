#include "core/gl/current.h"

#include <epoxy/gl.h>

#include <atomic>

namespace maskscope::gl {

namespace {

std::atomic<std::uint64_t> made_current = 0;

}  // namespace

bool has_context() { return glGetString(GL_VERSION) != nullptr; }

void forget_errors() {
    for (int k = 0; k < 16 && glGetError() != GL_NO_ERROR; ++k) {}
}

std::uint64_t times_made_current() { return made_current; }
void note_made_current() { ++made_current; }

}  // namespace maskscope::gl
