#include "core/gpu/data/device.h"

#include <epoxy/gl.h>
#include <fmt/format.h>

#include <array>

#include "core/base/error.h"
#include "core/compute/memory.h"
#include "core/gl/headless.h"

namespace maskscope::gpu {

namespace {

// No buffer is larger than this: drivers count in 31 or 32 bits.
constexpr std::size_t largest_buffer = std::size_t{1} << 30;

void require_compute_shaders() {
    if (!gl::has_context())
        throw WorkError("the GPU backend needs an OpenGL context, but there is none");
    const int version = epoxy_gl_version();
    if (version < 43)
        throw WorkError(
            fmt::format("the GPU backend needs OpenGL 4.3, but this machine offers {}.{}",
                        version / 10, version % 10));
}

}  // namespace

Device::Device(Programs programs, std::shared_ptr<BufferPool> pool, std::size_t limit)
    : programs(std::move(programs)), pool(std::move(pool)), buffer_limit(largest_buffer) {
    require_compute_shaders();
    software = is_software_renderer(renderer_name());
    subgroups = offered_subgroups();
    GLint64 block = 0;
    GLint offset = 0;
    glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &block);
    glGetIntegerv(GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT, &offset);
    if (block > 0) buffer_limit = std::min(buffer_limit, static_cast<std::size_t>(block));
    if (limit > 0) buffer_limit = std::min(buffer_limit, limit);
    alignment = static_cast<std::size_t>(std::max(offset, 4));
}

SharedBuffer Device::make_buffer(std::size_t bytes, const void* data) {
    return std::make_shared<Buffer>(bytes, data, pool);
}

std::vector<SharedBuffer> Device::make_buffers(const std::vector<Slice>& slices, Index columns) {
    std::vector<SharedBuffer> buffers;
    for (const Slice& slice : slices)
        buffers.push_back(
            make_buffer(4 * static_cast<std::size_t>(slice.heads * slice.rows * columns)));
    return buffers;
}

std::optional<double> free_bytes(const Device& device) {
    const double reused = device.pool->free_bytes();
    if (device.software) {
        const auto available = available_bytes();
        return available ? std::optional(*available + reused) : std::nullopt;
    }
    std::array<GLint, 4> kilobytes{};
    if (epoxy_has_gl_extension("GL_NVX_gpu_memory_info"))
        glGetIntegerv(GL_GPU_MEMORY_INFO_CURRENT_AVAILABLE_VIDMEM_NVX, kilobytes.data());
    else if (epoxy_has_gl_extension("GL_ATI_meminfo"))
        glGetIntegerv(GL_VBO_FREE_MEMORY_ATI, kilobytes.data());
    if (kilobytes[0] <= 0) return std::nullopt;
    return 1024.0 * kilobytes[0] + reused;
}

void bind(unsigned binding, const SharedBuffer& buffer) {
    bind_name(binding, buffer ? buffer->name() : 0);
}

void bind_name(unsigned binding, unsigned name) {
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, name);
}

void bind(unsigned binding, const Buffer& buffer, std::size_t first, std::size_t bytes) {
    glBindBufferRange(GL_SHADER_STORAGE_BUFFER, binding, buffer.name(),
                      static_cast<GLintptr>(first), static_cast<GLsizeiptr>(bytes));
}

Subgroups offered_subgroups() {
    if (epoxy_has_gl_extension("GL_KHR_shader_subgroup")) {
        constexpr GLint needed = GL_SUBGROUP_FEATURE_BASIC_BIT_KHR |
                                 GL_SUBGROUP_FEATURE_BALLOT_BIT_KHR |
                                 GL_SUBGROUP_FEATURE_SHUFFLE_BIT_KHR;
        GLint features = 0, stages = 0;
        glGetIntegerv(GL_SUBGROUP_SUPPORTED_FEATURES_KHR, &features);
        glGetIntegerv(GL_SUBGROUP_SUPPORTED_STAGES_KHR, &stages);
        if ((features & needed) == needed && (stages & GL_COMPUTE_SHADER_BIT) != 0)
            return Subgroups::shuffles;
    }
    const bool ballots = epoxy_has_gl_extension("GL_ARB_shader_ballot") &&
                         epoxy_has_gl_extension("GL_ARB_gpu_shader_int64");
    return ballots ? Subgroups::ballots : Subgroups::none;
}

}  // namespace maskscope::gpu
