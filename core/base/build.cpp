#include "core/base/build.h"

namespace maskscope {

std::string version() { return MASKSCOPE_VERSION; }
std::string source_folder() { return MASKSCOPE_SOURCE_FOLDER; }

std::filesystem::path shader_folder() {
    namespace fs = std::filesystem;
    std::error_code failed;
    const fs::path program = fs::read_symlink("/proc/self/exe", failed);
    fs::path installed = program.parent_path().parent_path() / "share/maskscope/shaders";
    if (!failed && fs::is_directory(installed, failed)) return installed;
    return source_folder() + "/shaders";
}

}  // namespace maskscope
