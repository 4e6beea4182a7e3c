#pragma once
// GPU buffers, which are reused: a driver takes milliseconds to clear and map new memory.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace maskscope::gpu {

// --- reading, by way of a buffer that stays mapped. If a buffer is read directly, a driver may
// move it to where the processor reaches it, and shaders become slow.

// A buffer for reading back in one context, or in several that share objects. It is deleted with
// the last of these contexts.
class ReadBack {
public:
    // Reads in a thread whose context `buffer` belongs to. Waits for the GPU. The caller must check
    // for OpenGL errors.
    void read(unsigned buffer, std::size_t first, std::size_t bytes, void* data);

private:
    bool map();  // returns false if the driver cannot

    std::mutex mutex_;
    unsigned name_ = 0;
    const std::byte* mapped_ = nullptr;
};

class GpuThread;

// The buffers of one context, and of contexts that share objects with it. A result may be destroyed
// in any thread; buffers of the next computation then reuse its memory. Buffers of the same
// computation do not: NVIDIA's driver does not let glBufferSubData wait for shaders that still read
// the buffer.
class BufferPool : public std::enable_shared_from_this<BufferPool> {
public:
    // thread: the one in which the context is current; null if callers make sure that it is current
    // in theirs.
    explicit BufferPool(std::weak_ptr<GpuThread> thread = {});

    // Begins a computation, and deletes buffers that the last four computations did not use.
    void begin_computation();
    // Deletes buffers made so far as soon as they are free. Call it when a scene is closed. May be
    // called from any thread if the pool has a thread of its own.
    void forget();
    double free_bytes() const;
    std::uint64_t made() const;  // how many buffers the driver has made since the start

private:
    friend class Buffer;
    struct Free {
        unsigned name = 0;
        std::size_t bytes = 0;
        std::uint64_t last = 0;  // the computation in which it became free
    };
    unsigned take(std::size_t bytes);
    unsigned take_free(std::size_t bytes);  // returns 0 if there is none
    // Takes a buffer back. made: the computation in which it was taken.
    void give_back(unsigned name, std::size_t bytes, std::uint64_t made) noexcept;
    std::uint64_t computation() const;
    // True if the context was lost, or ended with its thread: the names may then belong to buffers
    // of another context.
    bool is_context_gone() const;
    void delete_forgotten();
    void delete_free(std::uint64_t before);  // that became free before that computation

    const std::weak_ptr<GpuThread> thread_;
    const bool has_thread_;
    const int contexts_lost_;  // count at the start; if it has grown, names may be reused
    // Two, so that the window does not wait for a computation in the thread of the GPU.
    ReadBack own_reads_, other_reads_;
    mutable std::mutex mutex_;
    std::vector<Free> free_;
    std::uint64_t computation_ = 0, made_ = 0;
    std::uint64_t forgotten_ = 0;  // buffers of computations before this one are not used again
};

class Buffer {
public:
    // Makes a buffer. data: `bytes` bytes, or nullptr for any content. Call it in a thread whose
    // context belongs to the pool. Throws WorkError if the GPU is out of memory.
    Buffer(std::size_t bytes, const void* data, std::shared_ptr<BufferPool> pool);
    ~Buffer() { pool_->give_back(name_, capacity_, computation_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    unsigned name() const { return name_; }
    std::size_t bytes() const { return bytes_; }
    void write(std::size_t first, std::size_t bytes, const void* data);
    // Reads in any thread. If no context is current, the pool's own thread reads; a context that is
    // current must share objects with that of the buffer. Throws WorkError if the buffer's context
    // was lost, or there is no such thread.
    void read(std::size_t first, std::size_t bytes, void* data) const;

private:
    std::size_t bytes_, capacity_;
    std::shared_ptr<BufferPool> pool_;
    unsigned name_ = 0;
    std::uint64_t computation_;
    int contexts_lost_;  // the count when the buffer was made
};

using SharedBuffer = std::shared_ptr<Buffer>;

// True if the graphics card has been reset, so that the current context is lost. False if the
// driver does not report resets.
bool is_context_lost();
// Makes sure that buffers made so far are no longer read, because their names may belong to others
// in the next context. Call it when the current context is lost or about to be replaced.
void forget_buffers();
// Throws WorkError, in one line, if the context was lost or the GPU is out of memory.
void check_context();

}  // namespace maskscope::gpu
