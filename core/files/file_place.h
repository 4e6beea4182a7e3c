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
    Descriptor folder;           // for names alone: nothing can be read from it
    std::string name;
};

// Follows the links of a path that the user chose. Throws WorkError.
FilePlace place_of(const std::filesystem::path& path);

// The place of `file` below `root`. The root is the user's choice, and its links are followed.
// `file` may come from a stranger: no folder in it may be a link, at any moment, and none "..".
// nullopt if a folder is missing. Throws Error with a whole line.
std::optional<FilePlace> place_below(const std::filesystem::path& root,
                                     const std::filesystem::path& file);

// Makes the folders that are missing, and adds them to `made`, relative to the root, the outermost
// first. Throws Error with a whole line.
FilePlace make_place_below(const std::filesystem::path& root, const std::filesystem::path& file,
                           std::vector<std::filesystem::path>& made);

}  // namespace maskscope
