#pragma once
// Compute shaders: files under shaders/, put together with common.glsl and the names of the scene
// format, compiled once for each set of defines.

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace maskscope::gpu {

class Program {
public:
    explicit Program(unsigned name) : name_(name) {}
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    // Makes it the one that set() and glDispatchCompute act on.
    void use() const;
    // A uniform that the shader does not read is not an error.
    void set(const char* uniform, std::int64_t number);
    void set(const char* uniform, int number) { set(uniform, std::int64_t{number}); }
    void set(const char* uniform, bool on) { set(uniform, std::int64_t{on}); }
    void set(const char* uniform, std::uint32_t bits);
    void set(const char* uniform, float number);
    // Of what the driver made of it; 0 if it does not tell.
    std::size_t binary_bytes() const;

private:
    int location(const char* uniform);
    unsigned name_;
    std::map<std::string, int, std::less<>> locations_;
};

// A define and its value.
using Defines = std::vector<std::pair<std::string, int>>;

class Programs {
public:
    explicit Programs(std::filesystem::path folder) : folder_(std::move(folder)) {}
    // Throws WorkError, in one line, if the file is missing or does not compile.
    Program& get(const std::string& file, const Defines& defines);

    using Linked = std::map<std::pair<std::string, Defines>, std::unique_ptr<Program>>;
    const Linked& linked() const { return programs_; }  // by file and defines

private:
    std::filesystem::path folder_;
    Linked programs_;
};

}  // namespace maskscope::gpu
