#pragma once
// The GPU of the current context: its limits, programs and buffers.

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "core/gl/buffer.h"
#include "core/gl/program.h"
#include "core/gpu/data/numbers.h"

namespace maskscope::gpu {

// The ways in which the threads of a subgroup (on NVIDIA a warp) exchange numbers in compute
// shaders.
enum class Subgroups {
    none,      // through shared memory, like all threads of a work group
    ballots,   // GL_ARB_shader_ballot: all read from the same thread
    shuffles,  // GL_KHR_shader_subgroup: each reads from a thread of its choice
};

// Returns the best way that the current context offers.
Subgroups offered_subgroups();

struct Device {
    // Throws WorkError if no context is current, or it is older than OpenGL 4.3. limit: the most
    // bytes of a buffer, if that is less than the GPU's own limit.
    Device(Programs programs, std::shared_ptr<BufferPool> pool, std::size_t limit);

    Programs programs;
    std::shared_ptr<BufferPool> pool;
    bool software = false;  // true for a software renderer
    Subgroups subgroups = Subgroups::none;
    std::size_t buffer_limit;   // bytes that one binding may have
    std::size_t alignment = 1;  // for the first byte of a binding

    SharedBuffer make_buffer(std::size_t bytes, const void* data = nullptr);
    template <class T>
    SharedBuffer upload(const std::vector<T>& numbers) {
        return make_buffer(numbers.size() * sizeof(T), numbers.data());
    }
    std::vector<SharedBuffer> make_buffers(const std::vector<Slice>& slices, Index columns);
};

// Returns the bytes free for buffers; for a software renderer, those of the machine. nullopt if
// they are not reported.
std::optional<double> free_bytes(const Device& device);

// Bind a buffer, or a part of it, as the shader storage block `binding`; nullptr or name 0 leaves a
// block that the shader does not read without a buffer.
void bind(unsigned binding, const SharedBuffer& buffer);
void bind(unsigned binding, const Buffer& buffer, std::size_t first, std::size_t bytes);
void bind_name(unsigned binding, unsigned name);

}  // namespace maskscope::gpu
