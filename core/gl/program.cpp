#include "core/gl/program.h"

#include <epoxy/gl.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "core/base/error.h"
#include "core/files/file.h"
#include "core/gl/headless.h"
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

// --- all programs

std::unique_ptr<Program> Programs::make(const std::string& file, const Defines& defines) {
    const auto start = std::chrono::steady_clock::now();
    const std::string text =
        prefix(defines) + whole_text(folder_, "common.glsl") + whole_text(folder_, file);
    auto program = std::make_unique<Program>(glCreateProgram());
    const bool was_kept = cache_.load(program->name(), text);
    if (!was_kept) {
        if (!waits_) throw PreparationError{};
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

namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_file = std::size_t{16} << 20;
constexpr std::size_t checksum_size = 16;  // hexadecimal digits

// Returns the 64-bit FNV-1a hash (Fowler, Noll, Vo) of the bytes, in hexadecimal.
std::string checksum(std::string_view bytes) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
    return fmt::format("{:016x}", hash);
}

std::string string_of(GLenum name) {
    const auto* text = reinterpret_cast<const char*>(glGetString(name));
    return text != nullptr ? text : "";
}

// Returns what identifies a binary: the driver and the text. It ends with a zero byte.
std::string identity(const std::string& text) {
    std::string all = fmt::format("{}\n{}\n{}\n{}", string_of(GL_VENDOR), string_of(GL_RENDERER),
                                  string_of(GL_VERSION), text);
    all.push_back('\0');
    return all;
}

fs::path file_of(const fs::path& folder, const std::string& identity) {
    return folder / checksum(identity);
}

// Removes the oldest files. If another process is reading one of them, it compiles the program
// again.
void remove_oldest(const fs::path& folder) {
    std::error_code error;
    std::vector<std::pair<fs::file_time_type, fs::path>> files;
    for (const fs::directory_entry& file : fs::directory_iterator(folder))
        files.emplace_back(file.last_write_time(error), file.path());
    if (files.size() <= ProgramCache::most_files) return;
    std::ranges::sort(files);
    for (std::size_t k = 0; k < files.size() - ProgramCache::most_files; ++k)
        fs::remove(files[k].second, error);
}

}  // namespace

// Loads a file: checksum of the rest, identity, format, binary.
bool ProgramCache::load(unsigned program, const std::string& text) const {
    if (folder_.empty()) return false;
    const std::string own = identity(text);
    std::string file;
    try {
        file = read_file(file_of(folder_, own), largest_file);
    } catch (const Error&) {
        return false;
    }
    GLenum format = 0;
    const std::size_t start = checksum_size + own.size() + sizeof format;
    if (file.size() <= start || file.compare(checksum_size, own.size(), own) != 0 ||
        file.substr(0, checksum_size) != checksum(std::string_view(file).substr(checksum_size)))
        return false;
    std::memcpy(&format, file.data() + checksum_size + own.size(), sizeof format);
    glProgramBinary(program, format, file.data() + start,
                    static_cast<GLsizei>(file.size() - start));
    GLint linked = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    gl::forget_errors();  // the driver may no longer support the format
    return linked != 0;
}

void ProgramCache::keep(unsigned program, const std::string& text) const {
    GLint size = 0;
    glGetProgramiv(program, GL_PROGRAM_BINARY_LENGTH, &size);
    if (folder_.empty() || size <= 0) return;
    std::string binary(static_cast<std::size_t>(size), '\0');
    GLenum format = 0;
    GLsizei length = 0;
    glGetProgramBinary(program, size, &length, &format, binary.data());
    gl::forget_errors();
    if (length <= 0) return;
    binary.resize(static_cast<std::size_t>(length));
    const std::string own = identity(text);
    std::string rest = own + std::string(sizeof format, '\0') + binary;
    std::memcpy(rest.data() + own.size(), &format, sizeof format);
    try {
        MadeFolders made(folder_);
        replace_file(file_of(folder_, own), checksum(rest) + rest, {.readers = Readers::owner});
        made.keep();
        remove_oldest(folder_);
    } catch (const std::exception&) {}  // the next start compiles again
}

}  // namespace maskscope::gpu
