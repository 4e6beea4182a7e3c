#include "core/files/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace maskscope {

namespace {

[[noreturn]] void fail_to_read(int error) {
    if (error == ENXIO) throw InputError("", "is not a regular file");  // a socket
    const std::string why = std::generic_category().message(error);
    if (error == EIO || error == ENOMEM || error == EMFILE || error == ENFILE)
        throw TemporaryError("", why);
    throw InputError("", why);
}

void check_regular(const struct stat& status) {
    if (S_ISDIR(status.st_mode)) throw InputError("", "is a directory");
    if (!S_ISREG(status.st_mode)) throw InputError("", "is not a regular file");
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& path, Links links)
    : InputFile(AT_FDCWD, path.c_str(), links) {}

InputFile::InputFile(const FilePlace& place)
    : InputFile(place.folder.number(), place.name.c_str(), Links::refused) {}

InputFile::InputFile(int folder, const char* path, Links links) {
    struct stat status {};
    // Check before opening, too: merely opening a device may have an effect.
    if (::fstatat(folder, path, &status, 0) != 0) fail_to_read(errno);
    check_regular(status);
    const int no_links = links == Links::refused ? O_NOFOLLOW : 0;
    descriptor_ =
        Descriptor(::openat(folder, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | no_links));
    if (!descriptor_.is_open()) fail_to_read(errno);
    if (::fstat(descriptor(), &status) != 0) fail_to_read(errno);
    check_regular(status);
    size_ = static_cast<std::uint64_t>(status.st_size);
}

std::size_t InputFile::read(std::uint64_t offset, char* to, std::size_t count) const {
    std::size_t done = 0;
    while (done < count) {
        const ssize_t got =
            ::pread(descriptor(), to + done, count - done, static_cast<off_t>(offset + done));
        if (got == 0) break;
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail_to_read(errno);
        done += static_cast<std::size_t>(got);
    }
    return done;
}

}  // namespace maskscope
