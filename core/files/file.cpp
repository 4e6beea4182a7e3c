// The places of files, and files that are read up to a limit and replaced as a whole.

#include "core/files/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
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

constexpr int for_names = O_PATH | O_DIRECTORY | O_CLOEXEC;

Descriptor open_root(const fs::path& folder) {
    return Descriptor(::open(folder.empty() ? "." : folder.c_str(), for_names));
}

bool is_link(const Descriptor& folder, const fs::path& name) {
    struct stat status {};
    return ::fstatat(folder.number(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISLNK(status.st_mode);
}

[[noreturn]] void fail(const fs::path& path, int error) {
    throw at_file(path.string(), WorkError(std::generic_category().message(error)));
}

// A function that is called if a folder is missing. It returns true if the folder exists
// afterwards.
using Make = std::function<bool(const Descriptor& in, const fs::path& name, const fs::path& below)>;

std::optional<FilePlace> walk(const fs::path& root, const fs::path& file, const Make& make) {
    FilePlace place{root, open_root(root), file.filename()};
    if (!place.folder.is_open()) {
        if (errno == ENOENT) return std::nullopt;
        fail(root, errno);
    }
    if (file.is_absolute() || !file.has_filename()) fail(file, EINVAL);
    fs::path below;
    for (const fs::path& name : file.parent_path()) {
        below /= name;
        place.path = root / below;
        if (name == "..") fail(root / file, EINVAL);
        const auto open = [&] {
            return Descriptor(
                ::openat(place.folder.number(), name.c_str(), for_names | O_NOFOLLOW));
        };
        Descriptor next = open();
        if (!next.is_open() && errno == ENOENT) {
            if (!make(place.folder, name, below)) return std::nullopt;
            next = open();
        }
        if (!next.is_open()) {
            const int error = errno;
            if (is_link(place.folder, name))
                throw at_file(
                    (root / file).string(),
                    InputError(
                        "",
                        place.path.string() +
                            " is a symbolic link, which is not followed. Choose another folder"));
            fail(place.path, error);
        }
        place.folder = std::move(next);
    }
    place.path = root / file;
    return place;
}

}  // namespace

FilePlace place_of(const fs::path& path) {
    const fs::path folder = path.parent_path();
    FilePlace place{path, open_root(folder), path.has_filename() ? path.filename().string() : "."};
    if (!place.folder.is_open()) throw WorkError(std::generic_category().message(errno));
    return place;
}

std::optional<FilePlace> place_below(const fs::path& root, const fs::path& file) {
    return walk(root, file, [](const auto&...) { return false; });
}

FilePlace make_place_below(const fs::path& root, const fs::path& file,
                           std::vector<fs::path>& made) {
    auto place =
        walk(root, file, [&](const Descriptor& in, const fs::path& name, const fs::path& below) {
            made.push_back(below);  // before the folder exists, because it may throw
            if (::mkdirat(in.number(), name.c_str(), 0777) == 0) return true;
            made.pop_back();
            if (errno != EEXIST) fail(root / below, errno);
            return true;
        });
    if (!place) fail(root, ENOENT);
    return std::move(*place);
}

namespace {

[[noreturn]] void fail(int error) { throw WorkError(std::generic_category().message(error)); }

// Returns the file that writing to `path` would reach: links are followed, even if the last one
// points to nothing.
fs::path follow_links(fs::path path) {
    constexpr int most_links = 40;  // the same as in the kernel
    for (int k = 0; k < most_links; ++k) {
        std::error_code error;
        if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
        const fs::path to = fs::read_symlink(path, error);
        if (error) fail(error.value());
        path = path.parent_path() / to;  // an absolute `to` replaces the parent
    }
    fail(ELOOP);
}

constexpr const char* exists_already = "already exists";

// Returns the status of the file to be replaced; nullopt if it does not exist yet.
std::optional<struct stat> existing(const FilePlace& target) {
    struct stat status {};
    const int folder = target.folder.number();
    if (::fstatat(folder, target.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno != ENOENT) fail(errno);
        return std::nullopt;
    }
    if (S_ISDIR(status.st_mode)) throw WorkError("is a directory");
    if (!S_ISREG(status.st_mode)) throw WorkError("is not a regular file");
    // Renaming would replace it anyway, but its write permission was removed on purpose.
    if (::faccessat(folder, target.name.c_str(), W_OK, 0) != 0) fail(errno);
    return status;
}

FileStamp stamp_in(const struct stat& status) {
    return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
            status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

// --- what is being written

std::atomic<int> unfinished = 0;  // files and folders
std::atomic<int> ended_by = 0;    // a signal that is deferred until they are finished
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
    if (!found.is_open() || ::fstat(found.number(), &status) != 0) return;
    if (S_ISREG(status.st_mode)) ::unlink(path.c_str());
    if (S_ISDIR(status.st_mode) && !holds_old_files(path)) remove_folder(path);
}

// Removes leftovers once for each folder and run: a folder may hold many files.
void remove_leftovers_once(const fs::path& folder) {
    static std::mutex mutex;
    static std::set<fs::path> seen;
    std::error_code error;
    const fs::path absolute = fs::absolute(folder, error);
    const std::lock_guard lock(mutex);
    if (seen.insert(absolute).second) remove_leftovers(folder);
}

void write_all(const Descriptor& file, std::string_view bytes) {
    constexpr std::size_t at_once = std::size_t{16} << 20;  // bytes between checks for a signal
    while (!bytes.empty() && ended_by == 0) {
        const ssize_t done = ::write(file.number(), bytes.data(), std::min(bytes.size(), at_once));
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) fail(errno);
        bytes.remove_prefix(static_cast<std::size_t>(done));
    }
    if (ended_by != 0) fail(EINTR);
}

// Creates a file and opens it for writing. The descriptor is not open if the file exists already.
Descriptor create(int folder, const char* path, mode_t mode) {
    Descriptor file(
        ::openat(folder, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
    if (!file.is_open() && errno != EEXIST) fail(errno);
    return file;
}

bool lock_new_in(const Descriptor& made, int folder, const char* path) {
    if (::flock(made.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
    struct stat locked {};
    struct stat there {};
    if (::fstat(made.number(), &locked) != 0) return true;
    if (::fstatat(folder, path, &there, 0) != 0) return errno != ENOENT;
    return locked.st_dev == there.st_dev && locked.st_ino == there.st_ino;
}

void close_written(Descriptor& file) {
    if (const int error = file.close()) fail(error);
}

// A new file next to the target, removed with this object unless it was renamed.
class TemporaryFile {
public:
    TemporaryFile(const FilePlace& target, mode_t mode) : target_(target) {
        remove_leftovers_once(target.path.has_parent_path() ? target.path.parent_path() : ".");
        for (;;) {
            name_ = new_name();
            file_ = create(folder(), name_.c_str(), mode);
            if (file_.is_open() && lock_new_in(file_, folder(), name_.c_str())) return;
        }
    }
    ~TemporaryFile() {
        if (!name_.empty()) ::unlinkat(folder(), name_.c_str(), 0);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

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

    // Syncs the file, but keeps it open: closing would unlock it.
    void finish() const {
        if (::fsync(file_.number()) != 0 && errno != EINVAL) fail(errno);
    }

    FileStamp stamp() const {
        struct stat status {};
        if (::fstat(file_.number(), &status) != 0) fail(errno);
        return stamp_in(status);
    }

    void rename_to_target() {
        if (::renameat(folder(), name_.c_str(), folder(), target_.name.c_str()) != 0) fail(errno);
        name_.clear();
    }

    void rename_to_new() {
        const char *from = name_.c_str(), *to = target_.name.c_str();
        if (::renameat2(folder(), from, folder(), to, RENAME_NOREPLACE) == 0) return name_.clear();
        // A file system may not support such a rename, or links.
        if (errno != EEXIST && ::linkat(folder(), from, folder(), to, 0) == 0) return;
        if (errno == EEXIST || existing(target_)) throw WorkError(exists_already);
        rename_to_target();
    }

private:
    int folder() const { return target_.folder.number(); }

    DeferredSignals unfinished_;
    const FilePlace& target_;
    std::string name_;
    Descriptor file_;
};

void sync_open_folder(const Descriptor& folder) {
    if (folder.is_open() && ::fsync(folder.number()) != 0 && errno == EIO) fail(EIO);
}

constexpr int to_list = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

}  // namespace

// Syncs the folder, because the new name must be on disk, too. If the folder cannot be opened, or
// its file system cannot sync it, the rename has still happened, so only an I/O error is reported.
void sync_folder(const fs::path& folder) {
    sync_open_folder(Descriptor(::open(folder.c_str(), to_list)));
}

std::string read_file(const fs::path& path, std::size_t limit) {
    const InputFile file(path);
    if (file.size() > limit)
        throw InputError("", "is larger than " + std::to_string(limit) + " bytes");
    // Ask for one byte more than the file's size, so that a file that is still growing is not read
    // in part.
    std::string bytes(static_cast<std::size_t>(file.size()) + 1, '\0');
    const std::size_t length = file.read(0, bytes.data(), bytes.size());
    if (length > file.size()) throw InputError("", "grew while it was being read");
    bytes.resize(length);
    return bytes;
}

std::optional<FileStamp> stamp_of(const fs::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return std::nullopt;
    return stamp_in(status);
}

void replace_file(const fs::path& path, std::string_view bytes, const ReplaceOptions& how) {
    replace_file(place_of(follow_links(path)), bytes, how);
}

void replace_file(const FilePlace& place, std::string_view bytes, const ReplaceOptions& how) {
    const auto before = existing(place);
    if (before && how.only_new) throw WorkError(exists_already);
    const bool private_one = how.readers == Readers::owner;
    TemporaryFile temporary(place, before || private_one ? 0600 : 0666);
    if (before) temporary.keep_permissions(*before);
    if (before && private_one) temporary.set_mode(0600);
    temporary.write(bytes);
    temporary.finish();
    const FileStamp stamp = temporary.stamp();
    if (how.before) how.before();
    how.only_new ? temporary.rename_to_new() : temporary.rename_to_target();
    if (how.replaced) how.replaced(stamp);
    sync_open_folder(Descriptor(::openat(place.folder.number(), ".", to_list)));
}

void write_new_file(const fs::path& path, std::string_view bytes) {
    Descriptor file = create(AT_FDCWD, path.c_str(), 0666);
    if (!file.is_open()) fail(EEXIST);
    write_all(file, bytes);
    close_written(file);
}

// --- folders

FolderLock::FolderLock(const fs::path& folder)
    : folder_(::open(folder.c_str(), to_list | O_NOFOLLOW)),
      spare_(folder_.is_open() ? ::fcntl(folder_.number(), F_DUPFD_CLOEXEC, 0) : -1) {}

void FolderLock::close() {
    folder_.close();
    spare_.close();
}

namespace {

struct CloseFolder {
    void operator()(DIR* folder) const { ::closedir(folder); }
};
using OpenFolder = std::unique_ptr<DIR, CloseFolder>;

OpenFolder open_folder(int in, const char* name) {
    Descriptor file(::openat(in, name, to_list | O_NOFOLLOW));
    OpenFolder folder(file.is_open() ? ::fdopendir(file.number()) : nullptr);
    if (folder) file.release();
    return folder;
}

// A name of fixed size, because no memory may be left when it is needed.
using Name = std::array<char, sizeof(dirent::d_name)>;

// Removes the files in a folder. `below`: set to the name of a folder in it; "" if there is none.
void remove_files(DIR* folder, Name& below) {
    below[0] = '\0';
    while (const dirent* entry = ::readdir(folder)) {
        const char* name = entry->d_name;
        if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0) continue;
        if (::unlinkat(::dirfd(folder), name, 0) != 0 && errno == EISDIR)
            std::strcpy(below.data(), name);
    }
}

// Removes a folder that contains no other folder: this one, or one below it. Returns false if none
// could be removed.
bool remove_innermost(const char* folder) {
    Name name;
    OpenFolder above, at = open_folder(AT_FDCWD, folder);
    while (at) {
        Name below;
        remove_files(at.get(), below);
        if (below[0] == '\0')
            return above ? ::unlinkat(::dirfd(above.get()), name.data(), AT_REMOVEDIR) == 0
                         : ::rmdir(folder) == 0;
        above = std::move(at);  // closes the folder above it
        name = below;
        at = open_folder(::dirfd(above.get()), name.data());
    }
    return false;
}

}  // namespace

void remove_folder(const fs::path& folder) noexcept {
    while (remove_innermost(folder.c_str())) {}
}

DeferredSignals::DeferredSignals() { ++unfinished; }

DeferredSignals::~DeferredSignals() {
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
        lock_ = FolderLock(path_);
        if (!lock_.is_open()) {
            const int error = errno;
            if (error == ENOENT) continue;
            ::rmdir(path_.c_str());
            fail(error);
        }
        if (lock_new(lock_.folder(), path_)) return;
    }
}

StagingFolder::~StagingFolder() {
    lock_.close();
    remove_folder(path_);
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
    return lock_new_in(made, AT_FDCWD, path.c_str());
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
} catch (const std::exception&) {  // out of memory: the leftovers stay
}

void finish_files_on_signals(std::atomic<bool>* cancel) {
    cancelled = cancel;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        // If a signal was ignored, because of nohup for example, it stays ignored.
        if (std::signal(signal, on_signal) == SIG_IGN) std::signal(signal, SIG_IGN);
}

void sync_files(const fs::path& folder) {
    const Descriptor open_folder(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!open_folder.is_open() || ::syncfs(open_folder.number()) != 0) fail(errno);
}

}  // namespace maskscope
