#include "core/gl/read_back.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <cstring>

#include "core/gl/current.h"

namespace maskscope::gpu {
namespace {

constexpr std::size_t at_once = std::size_t{4} << 20;  // bytes

}  // namespace

bool ReadBack::map() {
    if (mapped_ != nullptr) return true;
    if (epoxy_gl_version() < 44 && !epoxy_has_gl_extension("GL_ARB_buffer_storage")) return false;
    constexpr GLbitfield stays = GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    if (name_ == 0) {
        glGenBuffers(1, &name_);
        glBindBuffer(GL_COPY_WRITE_BUFFER, name_);
        glBufferStorage(GL_COPY_WRITE_BUFFER, at_once, nullptr, stays);
        mapped_ = static_cast<const std::byte*>(
            glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, at_once, stays));
        if (mapped_ == nullptr) gl::forget_errors();
    }
    return mapped_ != nullptr;
}

void ReadBack::read(unsigned buffer, std::size_t first, std::size_t bytes, void* data) {
    const std::lock_guard lock(mutex_);
    const bool maps = map();
    glBindBuffer(GL_COPY_READ_BUFFER, buffer);
    if (!maps)
        return glGetBufferSubData(GL_COPY_READ_BUFFER, static_cast<GLintptr>(first),
                                  static_cast<GLsizeiptr>(bytes), data);
    glBindBuffer(GL_COPY_WRITE_BUFFER, name_);
    for (std::size_t done = 0; done < bytes;) {
        const std::size_t count = std::min(at_once, bytes - done);
        glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER,
                            static_cast<GLintptr>(first + done), 0, static_cast<GLsizeiptr>(count));
        glFinish();
        std::memcpy(static_cast<std::byte*>(data) + done, mapped_, count);
        done += count;
    }
}

}  // namespace maskscope::gpu
