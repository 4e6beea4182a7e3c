#include "core/files/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <vector>

#include "core/base/error.h"
#include "core/files/input_file.h"

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

constexpr const char* exists_already = "exists already";

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

FileStamp stamp_in(const struct stat& status) {
    return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
            status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

// --- what is being written

std::atomic<int> unfinished = 0;  // files and folders
std::atomic<int> ended_by = 0;    // a signal that waits for them
std::atomic<bool>* cancelled = nullptr;

void end_by(int signal) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void on_signal(int signal) {
    if (unfinished == 0) return end_by(signal);
    ended_by = signal;
    if (cancelled != nullptr) *cancelled = true;
}

std::string new_name() {
    static std::atomic<unsigned> count = 0;
    return ".maskscope-" + std::to_string(::getpid()) + "-" + std::to_string(count++);
}

bool is_new_name(std::string_view name) {
    constexpr std::string_view prefix = ".maskscope-";
    return name.starts_with(prefix) &&
           name.find_first_not_of("0123456789-", prefix.size()) == name.npos;
}

bool holds_old_files(const fs::path& folder) {
    std::error_code error;
    const fs::directory_iterator entries(folder, error);
    return error || std::any_of(begin(entries), end(entries), [](const fs::directory_entry& entry) {
               return entry.path().filename().string().starts_with("old-");
           });
}

void remove_leftover(const fs::path& path) {
    const Descriptor found = take_lock(path);
    struct stat status {};
    std::error_code ignored;
    if (!found.is_open() || ::fstat(found.number(), &status) != 0) return;
    if (S_ISREG(status.st_mode)) ::unlink(path.c_str());
    if (S_ISDIR(status.st_mode) && !holds_old_files(path)) fs::remove_all(path, ignored);
}

// Once a folder and run: a folder may hold many files.
void remove_leftovers_once(const fs::path& folder) {
    static std::mutex mutex;
    static std::set<fs::path> seen;
    std::error_code error;
    const fs::path absolute = fs::absolute(folder, error);
    const std::lock_guard lock(mutex);
    if (seen.insert(absolute).second) remove_leftovers(folder);
}

void write_all(const Descriptor& file, std::string_view bytes) {
    constexpr std::size_t at_once = std::size_t{16} << 20;  // then it looks for a signal
    while (!bytes.empty() && ended_by == 0) {
        const ssize_t done = ::write(file.number(), bytes.data(), std::min(bytes.size(), at_once));
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) fail(errno);
        bytes.remove_prefix(static_cast<std::size_t>(done));
    }
    if (ended_by != 0) fail(EINTR);
}

// A new file, open for writing; none if it exists already.
Descriptor create(const fs::path& path, mode_t mode) {
    Descriptor file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
    if (!file.is_open() && errno != EEXIST) fail(errno);
    return file;
}

void close_written(Descriptor& file) {
    if (const int error = file.close()) fail(error);
}

// A new file next to the target, removed with this object unless it was renamed.
class Temporary {
public:
    Temporary(const fs::path& folder, mode_t mode) {
        remove_leftovers_once(folder);
        for (;;) {
            path_ = folder / new_name();
            file_ = create(path_, mode);
            if (file_.is_open() && lock_new(file_, path_)) return;
        }
    }
    ~Temporary() {
        if (!path_.empty()) ::unlink(path_.c_str());
    }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;

    void keep_permissions(const struct stat& of) const {
        // Without permission to give the file away, try to set only the group.
        if (::fchown(file_.number(), of.st_uid, of.st_gid) != 0 &&
            ::fchown(file_.number(), static_cast<uid_t>(-1), of.st_gid) != 0)
            errno = 0;
        set_mode(of.st_mode & 07777);
    }
    void set_mode(mode_t mode) const {
        if (::fchmod(file_.number(), mode) != 0) fail(errno);
    }

    void write(std::string_view bytes) const { write_all(file_, bytes); }

    // On disk, but still open: closing would unlock it.
    void finish() const {
        if (::fsync(file_.number()) != 0 && errno != EINVAL) fail(errno);
    }

    FileStamp stamp() const {
        struct stat status {};
        if (::fstat(file_.number(), &status) != 0) fail(errno);
        return stamp_in(status);
    }

    void rename_to(const fs::path& target) {
        if (::rename(path_.c_str(), target.c_str()) != 0) fail(errno);
        path_.clear();
    }

    void rename_to_new(const fs::path& target) {
        if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) == 0)
            return path_.clear();
        // A file system may know no such rename, or no links either.
        if (errno != EEXIST && ::link(path_.c_str(), target.c_str()) == 0) return;
        if (errno == EEXIST || existing(target)) throw WorkError(exists_already);
        rename_to(target);
    }

private:
    Unfinished unfinished_;
    fs::path path_;
    Descriptor file_;
};

}  // namespace

// The new name must be on disk too. If the folder cannot be opened or synced, the rename has still
// happened: no reason to report a failed write.
void sync_folder(const fs::path& folder) {
    const Descriptor open_folder(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (open_folder.is_open() && ::fsync(open_folder.number()) != 0 && errno == EIO) fail(EIO);
}

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

std::optional<FileStamp> stamp_of(const fs::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return std::nullopt;
    return stamp_in(status);
}

void replace_file(const fs::path& path, std::string_view bytes, const Replacing& how) {
    const fs::path target = follow_links(path);
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    const auto before = existing(target);
    if (before && how.only_new) throw WorkError(exists_already);
    const bool private_one = how.readers == Readers::owner;
    Temporary temporary(folder, before || private_one ? 0600 : 0666);
    if (before) temporary.keep_permissions(*before);
    if (before && private_one) temporary.set_mode(0600);
    temporary.write(bytes);
    temporary.finish();
    const FileStamp stamp = temporary.stamp();
    if (how.before) how.before();
    how.only_new ? temporary.rename_to_new(target) : temporary.rename_to(target);
    if (how.replaced) how.replaced(stamp);
    sync_folder(folder);
}

void write_new_file(const fs::path& path, std::string_view bytes) {
    Descriptor file = create(path, 0666);
    if (!file.is_open()) fail(EEXIST);
    write_all(file, bytes);
    close_written(file);
}

// --- folders

Unfinished::Unfinished() { ++unfinished; }

Unfinished::~Unfinished() {
    if (--unfinished == 0 && ended_by != 0) end_by(ended_by);
}

StagingFolder::StagingFolder(const fs::path& in) {
    remove_leftovers_once(in);
    for (;;) {
        path_ = in / new_name();
        if (::mkdir(path_.c_str(), 0777) != 0) {
            if (errno == EEXIST) continue;
            fail(errno);
        }
        lock_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
        if (!lock_.is_open()) {
            const int error = errno;
            if (error == ENOENT) continue;
            ::rmdir(path_.c_str());
            fail(error);
        }
        if (lock_new(lock_, path_)) return;
    }
}

StagingFolder::~StagingFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

MadeFolders::MadeFolders(const fs::path& folder) {
    std::vector<fs::path> missing;
    std::error_code error;
    for (fs::path path = folder; !path.empty() && !fs::exists(path, error);
         path = path.parent_path())
        missing.push_back(path);
    for (; !missing.empty(); missing.pop_back()) {
        if (fs::create_directory(missing.back(), error)) made_.push_back(missing.back());
        if (!error) continue;
        remove();
        throw at_file(missing.back().string(), WorkError(error.message()));
    }
    if (!fs::is_directory(folder, error))
        throw at_file(folder.string(), WorkError("Not a directory"));
}

MadeFolders::~MadeFolders() { remove(); }

void MadeFolders::remove() {
    std::error_code ignored;
    for (; !made_.empty(); made_.pop_back()) fs::remove(made_.back(), ignored);
}

bool lock_new(const Descriptor& made, const fs::path& path) {
    if (::flock(made.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
    struct stat locked {};
    struct stat there {};
    if (::fstat(made.number(), &locked) != 0) return true;
    if (::stat(path.c_str(), &there) != 0) return errno != ENOENT;
    return locked.st_dev == there.st_dev && locked.st_ino == there.st_ino;
}

Descriptor take_lock(const fs::path& path) {
    Descriptor found(
        ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW));
    if (found.is_open() && ::flock(found.number(), LOCK_EX | LOCK_NB) != 0) found.close();
    return found;
}

void remove_leftovers(const fs::path& folder) noexcept try {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
        if (is_new_name(at->path().filename().string())) found.push_back(at->path());
    for (const fs::path& path : found) remove_leftover(path);
} catch (const std::exception&) {  // out of memory: they stay
}

void finish_files_on_signals(std::atomic<bool>* cancel) {
    cancelled = cancel;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        if (std::signal(signal, on_signal) == SIG_IGN) std::signal(signal, SIG_IGN);  // nohup
}

void sync_files(const fs::path& folder) {
    const Descriptor open_folder(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!open_folder.is_open() || ::syncfs(open_folder.number()) != 0) fail(errno);
}

}  // namespace maskscope
