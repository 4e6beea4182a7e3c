#pragma once
// GPU buffers. A result may be destroyed in any thread, but OpenGL names are deleted only while a
// context is current: until then they wait in a queue.

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace maskscope::gpu {

// Names of buffers that are no longer in use.
class Released {
public:
    void add(unsigned name);
    void delete_all();  // in a thread whose context made them, or shares with it

private:
    std::mutex mutex_;
    std::vector<unsigned> names_;
};

class Buffer {
public:
    // data: `bytes` bytes, or nullptr for any content. Throws WorkError if the GPU has no room.
    Buffer(std::size_t bytes, const void* data, std::shared_ptr<Released> released);
    ~Buffer() { released_->add(name_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    unsigned name() const { return name_; }
    std::size_t bytes() const { return bytes_; }
    void write(std::size_t first, std::size_t bytes, const void* data);
    // Throws WorkError if no context is current, or that of the buffer was lost.
    void read(std::size_t first, std::size_t bytes, void* data) const;

private:
    unsigned name_ = 0;
    int contexts_lost_;  // before it was made
    std::size_t bytes_;
    std::shared_ptr<Released> released_;
};

using SharedBuffer = std::shared_ptr<Buffer>;

// Is a context current in this thread?
bool has_context();
// Has the graphics card been reset, and the current context gone with it? False where the driver
// does not tell.
bool is_context_lost();
// The current context is lost or about to go, and another will follow: buffers made so far are read
// no more, since their names may be others' there.
void forget_buffers();
// Throws WorkError, in one line, if the context was lost or the GPU had no room.
void check_context();

}  // namespace maskscope::gpu
