#include "core/gl/program.h"

#include <epoxy/gl.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>

#include "core/base/error.h"
#include "core/gl/layout.h"
#include "core/scene/names.h"

namespace maskscope::gpu {
namespace {

namespace fs = std::filesystem;

// --- the text of a shader

std::string file_text(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw WorkError(fmt::format("cannot read the shader {}", path.filename().string()));
    return {std::istreambuf_iterator<char>(file), {}};
}

// Returns the file, with the lines #include "…" replaced by the files they name.
std::string whole_text(const fs::path& folder, const std::string& file) {
    const std::string text = file_text(folder / file), include = "#include \"";
    std::string whole;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
        const std::string line = text.substr(start, end - start);
        if (line.starts_with(include))
            whole +=
                whole_text(folder, line.substr(include.size(), line.rfind('"') - include.size()));
        else
            whole += line;
        start = end;
    }
    return whole;
}

// Defines the enumerators of T: APPLY_replace = 1.
template <class T>
std::string enumerators(const char* prefix) {
    std::string lines;
    const auto all = names<T>();
    for (std::size_t k = 0; k < all.size(); ++k)
        if (!all[k].empty()) lines += fmt::format("#define {}_{} {}\n", prefix, all[k], k);
    return lines;
}

std::string prefix(const Defines& defines) {
    std::string text = "#version 430 core\n";
    text += enumerators<Dtype>("DTYPE") + enumerators<ScoreKind>("SCORE") +
            enumerators<LayerKind>("LAYER") + enumerators<Apply>("APPLY") +
            enumerators<Order>("ORDER") + enumerators<Normalizer>("NORMALIZER") +
            enumerators<EmptyRows>("EMPTY") + enumerators<CapOrder>("CAP");
    text += fmt::format("#define LAYER_SIZE {}\n#define FIGURES {}\n", layer_size, figure_count);
    for (const auto& [name, value] : defines) text += fmt::format("#define {} {}\n", name, value);
    return text;
}

// --- compiling

std::string one_line(std::string log) {
    while (!log.empty() && (log.back() == '\n' || log.back() == '\0')) log.pop_back();
    std::string line;
    for (const char letter : log)
        line += letter == '\n' ? std::string("; ") : std::string(1, letter);
    return printable(line);
}

std::string shader_log(GLuint shader) {
    std::string log(2048, '\0');
    GLsizei length = 0;
    glGetShaderInfoLog(shader, static_cast<GLsizei>(log.size()), &length, log.data());
    log.resize(static_cast<std::size_t>(length));
    return one_line(log);
}

std::string program_log(GLuint program) {
    std::string log(2048, '\0');
    GLsizei length = 0;
    glGetProgramInfoLog(program, static_cast<GLsizei>(log.size()), &length, log.data());
    log.resize(static_cast<std::size_t>(length));
    return one_line(log);
}

GLuint compile(const std::string& file, const std::string& text) {
    const GLuint shader = glCreateShader(GL_COMPUTE_SHADER);
    const char* source = text.c_str();
    glShaderSource(shader, 1, &source, nullptr);
    glCompileShader(shader);
    GLint compiled = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (compiled != 0) return shader;
    const std::string log = shader_log(shader);
    glDeleteShader(shader);
    throw WorkError(fmt::format("the shader {} does not compile: {}", file, log));
}

void compile_and_link(GLuint program, const std::string& file, const std::string& text) {
    const GLuint shader = compile(file, text);
    glAttachShader(program, shader);
    glProgramParameteri(program, GL_PROGRAM_BINARY_RETRIEVABLE_HINT, GL_TRUE);
    glLinkProgram(program);
    glDetachShader(program, shader);
    glDeleteShader(shader);
    GLint linked = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    if (linked == 0)
        throw WorkError(fmt::format("the shader {} does not link: {}", file, program_log(program)));
}

}  // namespace

Program::~Program() { glDeleteProgram(name_); }

void Program::use() const { glUseProgram(name_); }

std::size_t Program::binary_bytes() const {
    GLint size = 0;
    glGetProgramiv(name_, GL_PROGRAM_BINARY_LENGTH, &size);
    return static_cast<std::size_t>(std::max(size, 0));
}

int Program::location(const char* uniform) {
    const auto found = locations_.find(uniform);
    if (found != locations_.end()) return found->second;
    return locations_[uniform] = glGetUniformLocation(name_, uniform);
}

void Program::set(const char* uniform, std::int64_t number) {
    glUniform1i(location(uniform), static_cast<GLint>(number));
}
void Program::set(const char* uniform, std::uint32_t bits) {
    glUniform1ui(location(uniform), bits);
}
void Program::set(const char* uniform, float number) { glUniform1f(location(uniform), number); }

// --- all of them

std::unique_ptr<Program> Programs::make(const std::string& file, const Defines& defines) {
    const auto start = std::chrono::steady_clock::now();
    const std::string text =
        prefix(defines) + whole_text(folder_, "common.glsl") + whole_text(folder_, file);
    auto program = std::make_unique<Program>(glCreateProgram());
    const bool was_kept = cache_.load(program->name(), text);
    if (!was_kept) {
        if (!waits_) throw NotPrepared{};
        compile_and_link(program->name(), file, text);
        cache_.keep(program->name(), text);
    }
    program->use();
    program->set("infinity_bits", 0x7f800000U);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    linked_.push_back({file, defines, time.count(), program->binary_bytes(), was_kept});
    return program;
}

Program& Programs::get(const std::string& file, const Defines& defines) {
    const std::pair key(file, defines);
    auto found = programs_.find(key);
    if (found == programs_.end()) found = programs_.emplace(key, make(file, defines)).first;
    return *found->second;
}

}  // namespace maskscope::gpu
