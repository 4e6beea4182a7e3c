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

// Linked programs, kept for the next start as the driver's own binaries: linking a program may take
// a driver seconds, reading it back milliseconds.
class ProgramCache {
public:
    // folder: made when something is kept; "" keeps nothing.
    explicit ProgramCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

    // Loads a program. `program` belongs to the current context; `text` is everything that it is
    // compiled from. A file is named after the text and the driver, and holds both. A file of
    // another driver, a damaged one and one that the driver refuses count as missing.
    bool load(unsigned program, const std::string& text) const;
    // Keeps a program that was linked with GL_PROGRAM_BINARY_RETRIEVABLE_HINT. A folder that cannot
    // be written only means compiling again at the next start.
    void keep(unsigned program, const std::string& text) const;

    static constexpr std::size_t most_files = 256;  // the oldest are deleted

private:
    std::filesystem::path folder_;
};

class Program {
public:
    explicit Program(unsigned name) : name_(name) {}
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    unsigned name() const { return name_; }
    std::size_t binary_bytes() const;  // the driver's binary in bytes; 0 if it keeps none
    // Makes this the program that set() and glDispatchCompute act on.
    void use() const;
    // Sets a uniform; one that the shader does not read is not an error.
    void set(const char* uniform, std::int64_t number);
    void set(const char* uniform, int number) { set(uniform, std::int64_t{number}); }
    void set(const char* uniform, bool on) { set(uniform, std::int64_t{on}); }
    void set(const char* uniform, std::uint32_t bits);
    void set(const char* uniform, float number);

private:
    int location(const char* uniform);
    unsigned name_;
    std::map<std::string, int, std::less<>> locations_;
};

// A define and its value.
using Defines = std::vector<std::pair<std::string, int>>;

// Thrown if a program would have to be compiled, and the caller must not wait for that.
struct PreparationError {};

class Programs {
public:
    // kept: the folder where their binaries stay for the next start; "" = none.
    explicit Programs(std::filesystem::path folder, std::filesystem::path kept = {})
        : folder_(std::move(folder)), cache_(std::move(kept)) {}

    // Returns a program. Throws WorkError, in one line, if the file is missing or does not compile;
    // PreparationError as wait_for_compiler() says.
    Program& get(const std::string& file, const Defines& defines);
    // Sets whether get() compiles programs that are neither linked nor kept. By default it does.
    void wait_for_compiler(bool waits) { waits_ = waits; }

    struct LinkedProgram {
        std::string file;
        Defines defines;
        double milliseconds = 0;
        std::size_t bytes = 0;  // the driver's binary; 0 if it has none
        bool was_kept = false;  // read back, not compiled
    };
    const std::vector<LinkedProgram>& linked() const { return linked_; }  // in order

private:
    std::unique_ptr<Program> make(const std::string& file, const Defines& defines);

    std::filesystem::path folder_;
    ProgramCache cache_;
    bool waits_ = true;
    std::map<std::pair<std::string, Defines>, std::unique_ptr<Program>> programs_;
    std::vector<LinkedProgram> linked_;
};

// --- sizes that the shaders and the code that feeds them share; the shaders get them as defines

inline constexpr int layer_size = 5;     // LAYER_SIZE: words of a mask rule
inline constexpr int figure_count = 12;  // FIGURES: numbers of a row's statistics, with the flags

}  // namespace maskscope::gpu
