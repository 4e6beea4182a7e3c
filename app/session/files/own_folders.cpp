#include "app/session/files/own_folders.h"

#include <cstdlib>

namespace maskscope {

namespace fs = std::filesystem;

namespace {

// Returns the folder in $variable if that is absolute, else in `usual` in the home folder.
fs::path own_folder(const char* variable, const char* usual) {
    if (const char* set = std::getenv(variable); set != nullptr && *set == '/')
        return fs::path(set) / "maskscope";
    const char* home = std::getenv("HOME");
    return home != nullptr && *home == '/' ? fs::path(home) / usual / "maskscope" : fs::path();
}

}  // namespace

fs::path state_folder() { return own_folder("XDG_STATE_HOME", ".local/state"); }
fs::path cache_folder() { return own_folder("XDG_CACHE_HOME", ".cache"); }
fs::path kept_programs() {
    const fs::path folder = cache_folder();
    return folder.empty() ? folder : folder / "programs";
}

}  // namespace maskscope
