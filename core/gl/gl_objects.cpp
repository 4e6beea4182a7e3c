#include "core/gl/gl_objects.h"

#include <epoxy/gl.h>
#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "core/base/build.h"
#include "core/base/error.h"

namespace maskscope::gl {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw WorkError(fmt::format("cannot read the shader {}", path.string()));
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string log_of(GLuint name, bool is_program) {
    char log[1024] = "";
    if (is_program)
        glGetProgramInfoLog(name, sizeof log, nullptr, log);
    else
        glGetShaderInfoLog(name, sizeof log, nullptr, log);
    return log;
}

class Shader {
public:
    Shader(GLenum kind, const fs::path& path, const std::string& before)
        : name_(glCreateShader(kind)) {
        // With #line, the driver's error messages count the lines of the file.
        const std::string text = "#version 330 core\n" + before + "#line 1\n" + text_of(path);
        const char* source = text.c_str();
        glShaderSource(name_, 1, &source, nullptr);
        glCompileShader(name_);
        GLint compiled = 0;
        glGetShaderiv(name_, GL_COMPILE_STATUS, &compiled);
        if (compiled == 0) {
            const std::string log = log_of(name_, false);
            glDeleteShader(name_);
            throw WorkError(fmt::format("the shader {} does not compile: {}", path.string(), log));
        }
    }
    ~Shader() { glDeleteShader(name_); }
    Shader(const Shader&) = delete;
    Shader& operator=(const Shader&) = delete;
    GLuint name() const { return name_; }

private:
    GLuint name_;
};

}  // namespace

void release_texture(unsigned name) { glDeleteTextures(1, &name); }
void release_program(unsigned name) { glDeleteProgram(name); }
void release_framebuffer(unsigned name) { glDeleteFramebuffers(1, &name); }
void release_vertex_array(unsigned name) { glDeleteVertexArrays(1, &name); }
void release_buffer(unsigned name) { glDeleteBuffers(1, &name); }

Texture make_texture() {
    GLuint name = 0;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return Texture(name);
}

VertexArray make_vertex_array() {
    GLuint name = 0;
    glGenVertexArrays(1, &name);
    return VertexArray(name);
}

Framebuffer make_framebuffer() {
    GLuint name = 0;
    glGenFramebuffers(1, &name);
    return Framebuffer(name);
}

KeepTarget::KeepTarget() {
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &framebuffer_);
    glGetIntegerv(GL_VIEWPORT, viewport_);
}

KeepTarget::~KeepTarget() {
    glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(framebuffer_));
    glViewport(viewport_[0], viewport_[1], viewport_[2], viewport_[3]);
}

Buffer make_buffer(std::size_t bytes, const void* data) {
    GLuint name = 0;
    glGenBuffers(1, &name);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, name);
    glBufferData(GL_SHADER_STORAGE_BUFFER, static_cast<GLsizeiptr>(bytes), data, GL_STREAM_COPY);
    constexpr std::uint32_t zero = 0;
    if (data == nullptr)
        glClearBufferData(GL_SHADER_STORAGE_BUFFER, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT,
                          &zero);
    return Buffer(name);
}

Program make_program(const fs::path& vertex, const fs::path& fragment, const fs::path& shared,
                     const std::string& defines) {
    const std::string before = defines + text_of(shared);
    const Shader first(GL_VERTEX_SHADER, vertex, before);
    const Shader second(GL_FRAGMENT_SHADER, fragment, before);
    Program program(glCreateProgram());
    glAttachShader(program.name(), first.name());
    glAttachShader(program.name(), second.name());
    glLinkProgram(program.name());
    GLint linked = 0;
    glGetProgramiv(program.name(), GL_LINK_STATUS, &linked);
    if (linked == 0)
        throw WorkError(fmt::format("the shader {} does not link: {}", fragment.string(),
                                    log_of(program.name(), true)));
    return program;
}

std::string require_opengl() {
    const int version = epoxy_gl_version();
    if (version < 33)
        throw Error(1, fmt::format("the window needs OpenGL 3.3, but this machine offers {}.{}; "
                                   "export and compute work without it",
                                   version / 10, version % 10));
    const auto* renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    return fmt::format("OpenGL {}.{} ({})", version / 10, version % 10,
                       renderer != nullptr ? renderer : "unknown");
}

}  // namespace maskscope::gl
