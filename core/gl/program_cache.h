#pragma once
// Linked programs, kept for the next start as the driver's own binaries: a driver may link for
// seconds what it reads back in milliseconds.

#include <filesystem>
#include <string>

namespace maskscope::gpu {

class ProgramCache {
public:
    // folder: made when something is kept; "" keeps nothing.
    explicit ProgramCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

    // For both: `program` is of the current context, `text` is all that it is compiled from. A file
    // is named after the text and the driver, and holds both. A file of another driver, a damaged
    // one and one that the driver refuses count as missing.
    bool load(unsigned program, const std::string& text) const;
    // program: linked with GL_PROGRAM_BINARY_RETRIEVABLE_HINT. A folder that cannot be written only
    // means compiling again at the next start.
    void keep(unsigned program, const std::string& text) const;

    static constexpr std::size_t most_files = 256;  // the oldest are deleted

private:
    std::filesystem::path folder_;
};

}  // namespace maskscope::gpu
