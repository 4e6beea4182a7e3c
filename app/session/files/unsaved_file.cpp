#include "app/session/files/unsaved_file.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"

namespace maskscope {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "unsaved-", ending = ".json";

fs::path file_in(const fs::path& folder) {
    return folder / (std::string(prefix) + std::to_string(::getpid()) + std::string(ending));
}

// Of "unsaved-1234.json" the 1234.
std::optional<pid_t> process_of(const std::string& name) {
    if (!name.starts_with(prefix) || !name.ends_with(ending)) return std::nullopt;
    const char* const begin = name.data() + prefix.size();
    const char* const end = name.data() + name.size() - ending.size();
    pid_t process = 0;
    const auto [at, error] = std::from_chars(begin, end, process);
    return error == std::errc() && at == end && process > 0 ? std::optional(process) : std::nullopt;
}

bool is_gone(pid_t process) { return ::kill(process, 0) != 0 && errno == ESRCH; }

}  // namespace

fs::path state_folder() {
    if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/')
        return fs::path(state) / "maskscope";
    const char* home = std::getenv("HOME");
    return home != nullptr && *home == '/' ? fs::path(home) / ".local/state/maskscope" : fs::path();
}

std::vector<fs::path> UnsavedFile::left_behind(const fs::path& folder) {
    std::vector<std::pair<fs::file_time_type, fs::path>> found;
    std::error_code error;
    if (folder.empty()) return {};
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        const auto process = process_of(at->path().filename().string());
        std::error_code gone;
        if (process && is_gone(*process))
            found.emplace_back(fs::last_write_time(at->path(), gone), at->path());
    }
    std::ranges::sort(found, std::greater<>());
    std::vector<fs::path> paths;
    for (auto& [time, path] : found) paths.push_back(std::move(path));
    return paths;
}

bool UnsavedFile::adopt(const fs::path& left_behind) {
    std::error_code error;
    fs::rename(left_behind, file_in(left_behind.parent_path()), error);
    return !error;
}

void UnsavedFile::keep(const std::optional<std::string>& bytes) {
    if (folder_.empty() || (bytes && bytes == kept_)) return;
    std::error_code error;
    if (bytes) {
        fs::create_directories(folder_, error);
        replace_file(file_in(folder_), *bytes);
    } else {
        fs::remove(file_in(folder_), error);
    }
    kept_ = bytes;
}

}  // namespace maskscope
