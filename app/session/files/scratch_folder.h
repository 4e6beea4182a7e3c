#pragma once
// A folder for numbers that were rearranged for a scene and are not yet in a file of the user's.

#include <filesystem>
#include <set>
#include <string>

#include "core/files/file.h"

namespace maskscope {

class ScratchFolder {
public:
    // Makes a folder below `in`, which is created too. Throws Error, a line.
    explicit ScratchFolder(const std::filesystem::path& in);
    ~ScratchFolder();  // removes it with all its contents, unless keep() was called
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    void keep() { kept_ = true; }  // unsaved work refers to it

private:
    Unfinished unfinished_;
    std::filesystem::path path_;
    FolderLock lock_;
    bool kept_ = false;
};

// Removes folders in `in` that crashed runs left more than a month ago, except those that are
// `needed`.
void remove_old_scratch_folders(const std::filesystem::path& in,
                                const std::set<std::string>& needed);

}  // namespace maskscope
