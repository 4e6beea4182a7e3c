// Finds the program's files.

#include <cstdlib>

#include "core/base/build.h"

namespace maskscope {

std::optional<std::filesystem::path> installed_folder() {
    // Looked for only once, because every frame asks for the lessons.
    static const auto found = []() -> std::optional<std::filesystem::path> {
        std::error_code failed;
        const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
        if (failed) return std::nullopt;
        const auto share = program.parent_path().parent_path() / "share/maskscope";
        return std::filesystem::is_directory(share, failed) ? std::optional(share) : std::nullopt;
    }();
    return found;
}

std::filesystem::path shader_folder() {
    return installed_folder().value_or(source_folder()) / "shaders";
}

std::filesystem::path assets_folder() {
    const char* set = std::getenv("MASKSCOPE_ASSETS");
    if (set != nullptr && *set != '\0') return set;
    return installed_folder().value_or(std::filesystem::path(source_folder()) / "assets");
}

}  // namespace maskscope
