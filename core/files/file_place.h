#pragma once
// The place of a file in a folder that is held open. What is done there happens in that folder,
// whatever its path leads to by then.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/files/descriptor.h"

namespace maskscope {

struct FilePlace {
    std::filesystem::path path;  // as the user knows it
    Descriptor folder;           // for names only: nothing can be read from it
    std::string name;
};

// Returns the place of a path that the user chose; its links are followed. Throws WorkError.
FilePlace place_of(const std::filesystem::path& path);

// Returns the place of `file` below `root`. The root is the user's choice, and its links are
// followed. `file` is untrusted: no folder in it may be a link, at any moment, and none "..".
// nullopt if a folder is missing. Throws Error with a whole line.
std::optional<FilePlace> place_below(const std::filesystem::path& root,
                                     const std::filesystem::path& file);

// Makes the folders that are missing, and adds them to `made`, relative to the root, the outermost
// first. Throws Error with a whole line.
FilePlace make_place_below(const std::filesystem::path& root, const std::filesystem::path& file,
                           std::vector<std::filesystem::path>& made);

}  // namespace maskscope
