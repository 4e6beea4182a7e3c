#include "core/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/input_file.h"

namespace maskscope {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(int error) { throw WorkError(std::generic_category().message(error)); }

// The file that writing to `path` would reach: links followed, even a last one that is dangling.
fs::path follow_links(fs::path path) {
    constexpr int most_links = 40;  // as the kernel
    for (int k = 0; k < most_links; ++k) {
        std::error_code error;
        if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
        const fs::path to = fs::read_symlink(path, error);
        if (error) fail(error.value());
        path = path.parent_path() / to;  // an absolute `to` replaces the parent
    }
    fail(ELOOP);
}

// The status of the file to be replaced; nullopt if it does not exist yet.
std::optional<struct stat> existing(const fs::path& target) {
    struct stat status {};
    if (::stat(target.c_str(), &status) != 0) {
        if (errno != ENOENT) fail(errno);
        return std::nullopt;
    }
    if (S_ISDIR(status.st_mode)) throw WorkError("is a directory");
    if (!S_ISREG(status.st_mode)) throw WorkError("is not a regular file");
    // Renaming would replace it anyway; but someone removed its write permission on purpose.
    if (::access(target.c_str(), W_OK) != 0) fail(errno);
    return status;
}

void write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t done = ::write(descriptor, bytes.data(), bytes.size());
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) fail(errno);
        bytes.remove_prefix(static_cast<std::size_t>(done));
    }
}

// A new file, open for writing; -1 if it exists already.
int create(const fs::path& path, mode_t mode) {
    const int descriptor =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    if (descriptor < 0 && errno != EEXIST) fail(errno);
    return descriptor;
}

void close_written(int descriptor) {
    if (::close(descriptor) != 0) fail(errno);
}

// A new file next to the target, removed with this object unless it was renamed.
class Temporary {
public:
    Temporary(const fs::path& folder, mode_t mode) {
        static std::atomic<unsigned> count = 0;
        const std::string name = ".maskscope-" + std::to_string(::getpid()) + "-";
        do {
            path_ = folder / (name + std::to_string(count++));
            descriptor_ = create(path_, mode);
        } while (descriptor_ < 0);
    }
    ~Temporary() {
        if (descriptor_ >= 0) ::close(descriptor_);
        if (!path_.empty()) ::unlink(path_.c_str());
    }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;

    void keep_permissions(const struct stat& of) const {
        // Without permission to give the file away, try to set only the group.
        if (::fchown(descriptor_, of.st_uid, of.st_gid) != 0 &&
            ::fchown(descriptor_, static_cast<uid_t>(-1), of.st_gid) != 0)
            errno = 0;
        if (::fchmod(descriptor_, of.st_mode & 07777) != 0) fail(errno);
    }

    void write(std::string_view bytes) const { write_all(descriptor_, bytes); }

    void finish() {
        if (::fsync(descriptor_) != 0 && errno != EINVAL) fail(errno);
        close_written(std::exchange(descriptor_, -1));
    }

    void rename_to(const fs::path& target) {
        if (::rename(path_.c_str(), target.c_str()) != 0) fail(errno);
        path_.clear();
    }

private:
    fs::path path_;
    int descriptor_ = -1;
};

// The new name must be on disk too. If the folder cannot be opened or synced, the rename has still
// happened: no reason to report a failed write.
void sync_folder(const fs::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    const int error = ::fsync(descriptor) == 0 ? 0 : errno;
    ::close(descriptor);
    if (error == EIO) fail(error);
}

}  // namespace

std::string read_file(const fs::path& path, std::size_t limit) {
    const InputFile file(path);
    if (file.size() > limit)
        throw InputError("", "is larger than " + std::to_string(limit) + " bytes");
    // One byte more than its size, so that a file that is still growing is not read in part.
    std::string bytes(static_cast<std::size_t>(file.size()) + 1, '\0');
    const std::size_t length = file.read(0, bytes.data(), bytes.size());
    if (length > file.size()) throw InputError("", "grew while it was read");
    bytes.resize(length);
    return bytes;
}

void replace_file(const fs::path& path, std::string_view bytes) {
    const fs::path target = follow_links(path);
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    const auto before = existing(target);
    Temporary temporary(folder, before ? 0600 : 0666);
    if (before) temporary.keep_permissions(*before);
    temporary.write(bytes);
    temporary.finish();
    temporary.rename_to(target);
    sync_folder(folder);
}

void write_new_file(const fs::path& path, std::string_view bytes) {
    const int descriptor = create(path, 0666);
    if (descriptor < 0) fail(EEXIST);
    try {
        write_all(descriptor, bytes);
    } catch (...) {
        ::close(descriptor);
        throw;
    }
    close_written(descriptor);
}

void sync_files(const fs::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) fail(errno);
    const int error = ::syncfs(descriptor) == 0 ? 0 : errno;
    ::close(descriptor);
    if (error != 0) fail(error);
}

}  // namespace maskscope
