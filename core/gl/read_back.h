#pragma once
// Reads buffers by way of one that stays mapped. If a buffer is read directly, a driver may move it
// to where the processor reaches it, and shaders become slow.

#include <cstddef>
#include <mutex>

namespace maskscope::gpu {

// Reads back in one context, or in several that share. Its buffer is deleted with the last of them.
class ReadBack {
public:
    // Reads in a thread whose context `buffer` belongs to. Waits for the GPU. Leaves errors to the
    // caller.
    void read(unsigned buffer, std::size_t first, std::size_t bytes, void* data);

private:
    bool map();  // false: the driver cannot

    std::mutex mutex_;
    unsigned name_ = 0;
    const std::byte* mapped_ = nullptr;
};

}  // namespace maskscope::gpu
