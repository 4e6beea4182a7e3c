#include "core/gl/buffer.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <atomic>

#include "core/base/error.h"

namespace maskscope::gpu {

namespace {

std::atomic<int> contexts_lost = 0;
constexpr const char* lost = "the OpenGL context was lost";

}  // namespace

void Released::add(unsigned name) {
    const std::lock_guard lock(mutex_);
    names_.push_back(name);
}

void Released::delete_all() {
    const std::lock_guard lock(mutex_);
    if (!names_.empty()) glDeleteBuffers(static_cast<GLsizei>(names_.size()), names_.data());
    names_.clear();
}

Buffer::Buffer(std::size_t bytes, const void* data, std::shared_ptr<Released> released)
    : contexts_lost_(contexts_lost),
      bytes_(std::max<std::size_t>(bytes, 4)),
      released_(std::move(released)) {
    glGenBuffers(1, &name_);
    glBindBuffer(GL_COPY_WRITE_BUFFER, name_);
    glBufferData(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(bytes_),
                 bytes == bytes_ ? data : nullptr, GL_DYNAMIC_COPY);
    try {
        check_context();
    } catch (...) {
        glDeleteBuffers(1, &name_);
        throw;
    }
}

void Buffer::write(std::size_t first, std::size_t bytes, const void* data) {
    glBindBuffer(GL_COPY_WRITE_BUFFER, name_);
    glBufferSubData(GL_COPY_WRITE_BUFFER, static_cast<GLintptr>(first),
                    static_cast<GLsizeiptr>(bytes), data);
}

void Buffer::read(std::size_t first, std::size_t bytes, void* data) const {
    if (!has_context()) throw WorkError("numbers on the GPU are read where its context is current");
    if (contexts_lost_ != contexts_lost) throw WorkError(lost);
    glBindBuffer(GL_COPY_READ_BUFFER, name_);
    glGetBufferSubData(GL_COPY_READ_BUFFER, static_cast<GLintptr>(first),
                       static_cast<GLsizeiptr>(bytes), data);
    check_context();
}

bool has_context() { return glGetString(GL_VERSION) != nullptr; }

bool is_context_lost() {
    if (epoxy_gl_version() >= 45 || epoxy_has_gl_extension("GL_KHR_robustness"))
        return glGetGraphicsResetStatus() != GL_NO_ERROR;
    if (epoxy_has_gl_extension("GL_ARB_robustness"))
        return glGetGraphicsResetStatusARB() != GL_NO_ERROR;
    return false;
}

void forget_buffers() { ++contexts_lost; }

void check_context() {
    GLenum error = glGetError();
    if (error == GL_NO_ERROR) return;
    bool full = false;
    for (int k = 0; error != GL_NO_ERROR && k < 16; ++k, error = glGetError())
        full = full || error == GL_OUT_OF_MEMORY;
    if (full) throw WorkError("the GPU has no memory left for this scene");
    throw WorkError(is_context_lost() ? lost : "OpenGL refused to compute this");
}

}  // namespace maskscope::gpu
