#include "core/gl/buffer.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <new>

#include "core/base/error.h"
#include "core/gl/gpu_thread.h"
#include "core/gl/headless.h"

namespace maskscope::gpu {

namespace {

std::atomic<int> contexts_lost = 0;
constexpr const char* lost = "the OpenGL context was lost";
// The number of computations for which unused buffers stay. Going back and forth between two steps
// of a lesson alternates between their sizes.
constexpr std::uint64_t computations_kept = 4;

// Returns the size of a buffer. There are eight sizes to each power of two, so that a sequence with
// one more token reuses a buffer; large sizes are whole MiB, so that none passes the limit of a
// GPU.
std::size_t capacity_of(std::size_t bytes) {
    const std::size_t step = std::clamp<std::size_t>(std::bit_floor(bytes) / 8, 256, 1 << 20);
    return (std::max<std::size_t>(bytes, 1) + step - 1) / step * step;
}

unsigned make_name(std::size_t bytes) {
    GLuint name = 0;
    glGenBuffers(1, &name);
    glBindBuffer(GL_COPY_WRITE_BUFFER, name);
    glBufferData(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(bytes), nullptr, GL_DYNAMIC_COPY);
    try {
        check_context();
    } catch (...) {
        glDeleteBuffers(1, &name);
        throw;
    }
    return name;
}

}  // namespace

// --- the pool

BufferPool::BufferPool(std::weak_ptr<GpuThread> thread)
    : thread_(std::move(thread)), has_thread_(!thread_.expired()), contexts_lost_(contexts_lost) {}

void BufferPool::begin_computation() {
    glMemoryBarrier(GL_ALL_BARRIER_BITS);  // cancelled work may still write to free buffers
    std::uint64_t now = 0;
    {
        const std::lock_guard lock(mutex_);
        now = ++computation_;
    }
    if (now > computations_kept) delete_free(now - computations_kept);
}

bool BufferPool::is_context_gone() const {
    return contexts_lost_ != contexts_lost || (has_thread_ && thread_.expired());
}

void BufferPool::delete_free(std::uint64_t before) {
    std::vector<GLuint> names;
    {
        const std::lock_guard lock(mutex_);
        std::erase_if(free_, [&](const Free& free) {
            if (free.last >= before) return false;
            names.push_back(free.name);
            return true;
        });
    }
    if (!names.empty() && !is_context_gone())
        glDeleteBuffers(static_cast<GLsizei>(names.size()), names.data());
}

void BufferPool::forget() {
    {
        const std::lock_guard lock(mutex_);
        forgotten_ = ++computation_;
    }
    delete_forgotten();
}

void BufferPool::delete_forgotten() {
    const auto work = [pool = shared_from_this()] {
        std::uint64_t before = 0;
        {
            const std::lock_guard lock(pool->mutex_);
            before = pool->forgotten_;
        }
        pool->delete_free(before);
    };
    const auto thread = thread_.lock();
    if (thread && !thread->is_this_thread())
        thread->post(work);
    else if (gl::has_context())
        work();
}

double BufferPool::free_bytes() const {
    const std::lock_guard lock(mutex_);
    double bytes = 0;
    for (const Free& free : free_) bytes += static_cast<double>(free.bytes);
    return bytes;
}

std::uint64_t BufferPool::made() const {
    const std::lock_guard lock(mutex_);
    return made_;
}

unsigned BufferPool::take_free(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(free_, [&](const Free& free) {
        return free.bytes == bytes && free.last >= forgotten_ && free.last < computation_;
    });
    if (found == free_.end()) return 0;
    const unsigned name = found->name;
    free_.erase(found);
    return name;
}

unsigned BufferPool::take(std::size_t bytes) {
    if (const unsigned name = take_free(bytes); name != 0) return name;
    unsigned name = 0;
    try {
        name = make_name(bytes);
    } catch (const WorkError&) {
        if (free_bytes() == 0) throw;
        delete_free(UINT64_MAX);  // to free their memory
        name = make_name(bytes);
    }
    const std::lock_guard lock(mutex_);
    ++made_;
    return name;
}

void BufferPool::give_back(unsigned name, std::size_t bytes, std::uint64_t made) noexcept try {
    bool is_forgotten = false;
    {
        const std::lock_guard lock(mutex_);
        is_forgotten = made < forgotten_;
        free_.push_back({name, bytes, is_forgotten ? made : computation_});
    }
    if (is_forgotten) delete_forgotten();
} catch (const std::bad_alloc&) {  // the buffer is deleted with its context
}

std::uint64_t BufferPool::computation() const {
    const std::lock_guard lock(mutex_);
    return computation_;
}

// --- a buffer

Buffer::Buffer(std::size_t bytes, const void* data, std::shared_ptr<BufferPool> pool)
    : bytes_(std::max<std::size_t>(bytes, 4)),
      capacity_(capacity_of(bytes_)),
      pool_(std::move(pool)),
      name_(pool_->take(capacity_)),
      computation_(pool_->computation()),
      contexts_lost_(contexts_lost) {
    if (data != nullptr && bytes > 0) write(0, bytes, data);
}

void Buffer::write(std::size_t first, std::size_t bytes, const void* data) {
    glBindBuffer(GL_COPY_WRITE_BUFFER, name_);
    glBufferSubData(GL_COPY_WRITE_BUFFER, static_cast<GLintptr>(first),
                    static_cast<GLsizeiptr>(bytes), data);
}

void Buffer::read(std::size_t first, std::size_t bytes, void* data) const {
    if (contexts_lost_ != contexts_lost || pool_->is_context_gone()) throw WorkError(lost);
    const auto thread = pool_->thread_.lock();
    if (!gl::has_context()) {
        if (!thread)
            throw WorkError("numbers on the GPU can be read only where its context is current");
        return thread->run([&] { read(first, bytes, data); });
    }
    const bool is_own = !thread || thread->is_this_thread();
    (is_own ? pool_->own_reads_ : pool_->other_reads_).read(name_, first, bytes, data);
    check_context();
}

// --- the context

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
    if (full) throw WorkError("not enough GPU memory for this scene");
    throw WorkError(is_context_lost() ? lost : "OpenGL reported an error while computing");
}

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
