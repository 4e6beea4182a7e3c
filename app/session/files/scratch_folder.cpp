#include "app/session/files/scratch_folder.h"

#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>

#include "core/base/error.h"

namespace maskscope {

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
        // A clock may have jumped.
        if (const Descriptor lock = take_lock(entry->path()); lock.is_open())
            remove_folder(entry->path());
    }
}

}  // namespace maskscope
