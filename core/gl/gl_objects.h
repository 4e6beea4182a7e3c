#pragma once
// OpenGL names that are released with their owner, and the few calls that the window needs.

#include <filesystem>
#include <string>
#include <utility>

namespace maskscope::gl {

// A name made by OpenGL; move-only, 0 = no name.
template <void (*release)(unsigned)>
class Object {
public:
    Object() = default;
    explicit Object(unsigned name) : name_(name) {}
    Object(Object&& other) noexcept : name_(std::exchange(other.name_, 0U)) {}
    Object& operator=(Object&& other) noexcept {
        std::swap(name_, other.name_);
        return *this;
    }
    Object(const Object&) = delete;
    Object& operator=(const Object&) = delete;
    ~Object() {
        if (name_ != 0) release(name_);
    }
    unsigned name() const { return name_; }

private:
    unsigned name_ = 0;
};

void release_texture(unsigned name);
void release_program(unsigned name);
void release_framebuffer(unsigned name);
void release_vertex_array(unsigned name);
void release_buffer(unsigned name);

using Texture = Object<release_texture>;
using Program = Object<release_program>;
using Framebuffer = Object<release_framebuffer>;
using VertexArray = Object<release_vertex_array>;
using Buffer = Object<release_buffer>;

// Makes a texture with the nearest filter, clamped to the edge; left bound to GL_TEXTURE_2D.
Texture make_texture();
VertexArray make_vertex_array();
Framebuffer make_framebuffer();
// The current frame buffer and viewport, which the destructor restores.
class KeepTarget {
public:
    KeepTarget();
    ~KeepTarget();
    KeepTarget(const KeepTarget&) = delete;
    KeepTarget& operator=(const KeepTarget&) = delete;

private:
    int framebuffer_ = 0, viewport_[4] = {};
};

// Makes a shader storage buffer of `bytes` bytes, zeros if `data` is null. Needs OpenGL 4.3.
Buffer make_buffer(std::size_t bytes, const void* data = nullptr);

// Makes a program. `defines` and the file `shared` come before the text of each file. Throws
// WorkError with the driver's message if a file is missing or does not compile.
Program make_program(const std::filesystem::path& vertex, const std::filesystem::path& fragment,
                     const std::filesystem::path& shared, const std::string& defines);

// Returns "OpenGL 4.5 (llvmpipe …)" for the current context. Throws Error if it is older than 3.3.
std::string require_opengl();

}  // namespace maskscope::gl
