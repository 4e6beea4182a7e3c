#pragma once
// The contents embedded in a figure, so that it can be opened again: its scene as it would be
// saved, and the tensor files that the scene names, if they are small.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "core/scene/scene.h"

namespace maskscope {

struct CarriedScene {
    std::string scene;                         // the bytes of the scene file
    std::map<std::string, std::string> files;  // contents by path, relative to the scene
    bool operator==(const CarriedScene&) const = default;
};

inline constexpr std::size_t most_file_bytes = 1'000'000;  // limit for all tensor files together

// Returns the scene with all of its tensor files. Omits the files if they are larger than
// most_file_bytes, cannot be read, or no longer hold the scene's numbers. Returns an empty one if
// the scene alone is larger than 64 MiB.
CarriedScene carried_of(const Scene& scene, const std::filesystem::path& folder);

// Returns a zip archive of scene.json and the files; "" if there is no scene. The same contents
// give the same bytes.
std::string packed(const CarriedScene& carried);

// Reads an archive. Throws InputError if it is damaged, or contains anything that packed() would
// not write: paths that leave the folder, files other than tensor files, too many bytes or files.
CarriedScene unpacked(std::string_view archive);

}  // namespace maskscope
