#include "app/window/paint/frame_clock.h"

#include <epoxy/gl.h>

namespace maskscope {

FrameClock::FrameClock() { glGenQueries(2, stamps_); }
FrameClock::~FrameClock() { glDeleteQueries(2, stamps_); }

void FrameClock::begin() {
    look();
    if (waits_) return;
    measures_ = true;
    glQueryCounter(stamps_[0], GL_TIMESTAMP);
}

void FrameClock::end() {
    if (!measures_) return;
    measures_ = false;
    waits_ = true;
    glQueryCounter(stamps_[1], GL_TIMESTAMP);
}

void FrameClock::look() {
    if (!waits_) return;
    GLint done = GL_FALSE;
    glGetQueryObjectiv(stamps_[1], GL_QUERY_RESULT_AVAILABLE, &done);
    if (done == GL_FALSE) return;
    GLuint64 times[2] = {0, 0};
    for (int k = 0; k < 2; ++k) glGetQueryObjectui64v(stamps_[k], GL_QUERY_RESULT, &times[k]);
    constexpr double nanoseconds = 1e-6;
    milliseconds_ = static_cast<double>(times[1] - times[0]) * nanoseconds;
    waits_ = false;
}

}  // namespace maskscope
