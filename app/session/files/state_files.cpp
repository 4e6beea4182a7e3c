#include "app/session/files/state_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>
#include <system_error>
#include <thread>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/files/descriptor.h"
#include "core/files/file.h"
#include "core/files/input_file.h"

namespace maskscope {

namespace fs = std::filesystem;

std::string set_aside(const fs::path& file) {
    std::error_code error;
    const fs::path aside = file.string() + ".damaged";
    fs::rename(file, aside, error);
    if (error) return "";
    return printable(file.filename().string() + " was damaged and has been renamed to " +
                     aside.string());
}

std::string set_aside_if_damaged(const fs::path& folder, const fs::path& file,
                                 const std::function<void(const fs::path&)>& read) {
    std::error_code error;
    if (folder.empty() || !fs::exists(fs::symlink_status(file, error))) return "";
    try {
        read(file);
        return "";
    } catch (const TemporaryError&) {
        return "";
    } catch (const Error&) {
    } catch (const Json::exception&) {}
    return set_aside(file);
}

void change_state(const fs::path& folder, const std::function<void()>& change) {
    using namespace std::chrono_literals;
    std::error_code error;
    fs::create_directories(folder, error);
    const Descriptor lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (int tries = 0; tries < 5 && lock.is_open(); ++tries) {
        if (::flock(lock.number(), LOCK_EX | LOCK_NB) == 0) break;
        if (errno != EWOULDBLOCK && errno != EINTR) break;
        std::this_thread::sleep_for(10ms);
    }
    change();
}

namespace fs = std::filesystem;

namespace {

// Returns the folder "maskscope" in the one that $variable names or, if that is not absolute, in
// `usual` in the home folder; "" if there is no home folder either.
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

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most = 10;

fs::path list_in(const fs::path& folder) { return folder / "recent"; }

constexpr std::size_t largest_list = std::size_t{1} << 20;

std::vector<std::string> lines_of(const fs::path& list) {
    std::vector<std::string> lines;
    try {
        const std::string text = read_file(list, largest_list);
        for (std::size_t at = 0; lines.size() < most && at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            lines.push_back(text.substr(at, end - at));
            at = end + 1;
        }
    } catch (const TemporaryError&) {
        throw;
    } catch (const InputError&) {  // there is no list yet
    }
    return lines;
}

void put_first(const fs::path& list, const std::string& name) try {
    std::vector<std::string> lines = lines_of(list);
    std::erase(lines, name);
    lines.insert(lines.begin(), name);
    if (lines.size() > most) lines.resize(most);
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    replace_file(list, text, {.readers = Readers::owner});
} catch (const WorkError&) {
} catch (const TemporaryError&) {  // writing it now would lose its contents
}

}  // namespace

std::vector<fs::path> recent_files(const fs::path& folder) {
    std::vector<fs::path> files;
    if (folder.empty()) return files;
    try {
        for (const std::string& line : lines_of(list_in(folder))) {
            std::error_code error;
            if (fs::is_regular_file(line, error)) files.emplace_back(line);
        }
    } catch (const TemporaryError&) {}
    return files;
}

std::string set_damaged_list_aside(const fs::path& folder) {
    return set_aside_if_damaged(folder, list_in(folder), [](const fs::path& file) {
        if (read_file(file, largest_list).find('\0') != std::string::npos)
            throw InputError("", "is not text");
    });
}

void remember_file(const fs::path& folder, const fs::path& file) {
    std::error_code error;
    const std::string name = fs::absolute(file, error).lexically_normal().string();
    if (folder.empty() || error || name.find('\n') != std::string::npos) return;
    change_state(folder, [&] { put_first(list_in(folder), name); });
}

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::hours month{30 * 24};

constexpr const char* beginning = "maskscope-";

}  // namespace

ScratchFolder::ScratchFolder(const fs::path& in) {
    std::error_code error;
    fs::create_directories(in, error);
    if (error) throw at_file(in.string(), WorkError(error.message()));
    std::string name = (in / (std::string(beginning) + "XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr)
        throw at_file(in.string(), WorkError(std::generic_category().message(errno)));
    path_ = name;
    lock_ = FolderLock(path_);
    if (!lock_.is_open()) {
        const int why = errno;
        ::rmdir(path_.c_str());
        throw at_file(in.string(), WorkError(std::generic_category().message(why)));
    }
    ::flock(lock_.folder().number(), LOCK_EX | LOCK_NB);
}

ScratchFolder::~ScratchFolder() {
    lock_.close();
    if (!kept_) remove_folder(path_);
}

void remove_old_scratch_folders(const fs::path& in, const std::set<std::string>& needed) {
    std::error_code error;
    const auto limit = fs::file_time_type::clock::now() - month;
    for (fs::directory_iterator entry(in, error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code none;
        const auto written = entry->last_write_time(none);
        const std::string name = entry->path().filename().string();
        if (!name.starts_with(beginning) || none || written >= limit || needed.contains(name))
            continue;
        // Take the lock even of an old folder: the clock may have jumped.
        if (const Descriptor lock = take_lock(entry->path()); lock.is_open())
            remove_folder(entry->path());
    }
}

}  // namespace maskscope
