#include "app/clipboard/clipboard.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "app/clipboard/x11_clipboard.h"
#include "core/base/error.h"

extern char** environ;

namespace maskscope {

namespace {

// Makes a file in memory; returns -1 if that fails. Unlike with a pipe, no process has to wait for
// a reader.
int file_with(const std::string& bytes) {
    const int file = memfd_create("clipboard", MFD_CLOEXEC);
    for (std::size_t at = 0; file >= 0 && at < bytes.size();) {
        const ssize_t written = write(file, bytes.data() + at, bytes.size() - at);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            close(file);
            return -1;
        }
        at += static_cast<std::size_t>(written);
    }
    if (file >= 0) lseek(file, 0, SEEK_SET);
    return file;
}

// Returns false if wl-copy cannot be started. Waits at most a second for its exit status; the
// process that wl-copy leaves behind to hold the data lives on. Throws WorkError.
bool offer_by_wl_copy(const ClipboardContent& offered) {
    const int file = file_with(offered.bytes);
    if (file < 0) throw WorkError("there is not enough memory to copy the picture");
    std::string name = "wl-copy", option = "--type", type = offered.type;
    std::array<char*, 4> arguments{name.data(), option.data(), type.data(), nullptr};
    posix_spawn_file_actions_t files{};
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, file, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int failed =
        posix_spawnp(&child, name.c_str(), &files, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    close(file);
    if (failed != 0) return false;
    int status = 0;
    pid_t ended = 0;
    for (int k = 0; k < 100 && ended == 0; ++k) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        ended = waitpid(child, &status, WNOHANG);
    }
    if (ended == child && status != 0)
        throw WorkError("wl-copy could not copy the picture; export it to a file");
    return true;
}

}  // namespace

PictureClipboard::PictureClipboard() = default;
PictureClipboard::~PictureClipboard() = default;

void PictureClipboard::offer(std::vector<ClipboardContent> kinds) {
    const char* wayland = std::getenv("WAYLAND_DISPLAY");
    if (wayland != nullptr && *wayland != '\0' && offer_by_wl_copy(kinds.front())) return;
    if (!x11_ || x11_->lost()) x11_ = std::make_unique<X11Owner>();
    x11_->offer(std::move(kinds));
}

}  // namespace maskscope
