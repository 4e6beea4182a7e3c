#pragma once
// A folder for numbers that were rearranged for a scene and are in no file of the user's yet.

#include <filesystem>

namespace maskscope {

class ScratchFolder {
public:
    // Makes it below `in`, which is created too; removes those that crashes left there a month ago.
    // Throws Error, a line.
    explicit ScratchFolder(const std::filesystem::path& in);
    ~ScratchFolder();  // with all that it holds
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace maskscope
