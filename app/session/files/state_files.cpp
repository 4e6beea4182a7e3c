#include "app/session/files/state_files.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/files/descriptor.h"
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
    } catch (const UnreadableNow&) {
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

}  // namespace maskscope
