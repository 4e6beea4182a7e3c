#include "core/gl/program_cache.h"

#include <epoxy/gl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/base/error.h"
#include "core/files/file.h"
#include "core/gl/current.h"

namespace maskscope::gpu {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_file = std::size_t{16} << 20;
constexpr std::size_t checksum_size = 16;  // hexadecimal digits

// FNV-1a (Fowler, Noll, Vo), 64 bits.
std::string checksum(std::string_view bytes) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
    return fmt::format("{:016x}", hash);
}

std::string string_of(GLenum name) {
    const auto* text = reinterpret_cast<const char*>(glGetString(name));
    return text != nullptr ? text : "";
}

// Returns the identity of a binary; the zero ends it in a file.
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
    gl::forget_errors();  // in a format that the driver no longer supports
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
