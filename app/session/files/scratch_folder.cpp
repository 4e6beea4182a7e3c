#include "app/session/files/scratch_folder.h"

#include <stdlib.h>

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
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    if (!kept_) fs::remove_all(path_, ignored);
}

void remove_old_scratch_folders(const fs::path& in) {
    std::error_code error;
    const auto limit = fs::file_time_type::clock::now() - month;
    for (fs::directory_iterator entry(in, error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code none;
        const auto written = entry->last_write_time(none);
        const bool ours = entry->path().filename().string().starts_with(beginning);
        if (ours && !none && written < limit) fs::remove_all(entry->path(), none);
    }
}

}  // namespace maskscope
