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

    // Both: `program` is of the current context, `text` all that it is compiled from. A file is
    // named after the text and the driver, and holds both: another driver's, a damaged one and one
    // that the driver refuses are as good as none.
    bool load(unsigned program, const std::string& text) const;
    // program: linked with GL_PROGRAM_BINARY_RETRIEVABLE_HINT. A folder that cannot be written
    // costs only the time of the next start.
    void keep(unsigned program, const std::string& text) const;

    static constexpr std::size_t most_files = 256;  // those that were written first go

private:
    std::filesystem::path folder_;
};

}  // namespace maskscope::gpu
