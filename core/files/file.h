#pragma once
// The places of files, and files that are read up to a limit and replaced as a whole.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/descriptor.h"

namespace maskscope {

// The place of a file in a folder that is held open. Everything done at the place happens in that
// folder, wherever its path leads by then.
struct FilePlace {
    std::filesystem::path path;  // as the user knows it
    Descriptor folder;           // for names only: nothing can be read from it
    std::string name;
};

// Returns the place of a path that the user chose; its links are followed. Throws WorkError.
FilePlace place_of(const std::filesystem::path& path);

// Returns the place of `file` below `root`. The root is the user's choice, and its links are
// followed. `file` is untrusted: no folder in it may be "..", or a link, at any moment. nullopt if
// a folder is missing. Throws Error with a whole line.
std::optional<FilePlace> place_below(const std::filesystem::path& root,
                                     const std::filesystem::path& file);

// Does the same, but makes the folders that are missing, and adds them to `made`, relative to the
// root, the outermost first. Throws Error with a whole line.
FilePlace make_place_below(const std::filesystem::path& root, const std::filesystem::path& file,
                           std::vector<std::filesystem::path>& made);

// --- whole files: read up to a limit, and replaced as a whole

// Reads a regular file. Throws InputError (empty place): "No such file or directory", "is a
// directory", "is not a regular file", or a message that it is larger than `limit` bytes.
std::string read_file(const std::filesystem::path& path, std::size_t limit = std::size_t{1} << 30);

// The identity of a file and the time of its last change. A file with new bytes has a new stamp.
struct FileStamp {
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t seconds = 0, nanoseconds = 0;
    bool operator==(const FileStamp&) const = default;
};
// Returns the stamp of a file; nullopt if there is no such file.
std::optional<FileStamp> stamp_of(const std::filesystem::path& path);

enum class Readers { all, owner };  // owner: mode 0600, whatever it was before

// The way a file is replaced.
struct ReplaceOptions {
    Readers readers = Readers::all;
    bool only_new = false;  // keeps a file that exists by then, and throws "already exists"
    // Called when only the rename is left: if it throws, the old file stays.
    std::function<void()> before{};
    // Called once the file holds the new bytes, with their stamp, even if another program has
    // replaced it since. After that only syncing the folder can fail.
    std::function<void(const FileStamp&)> replaced{};
};
// Writes next to the target, fsyncs, renames over it, fsyncs the folder: the file holds the old
// bytes or the new ones, never a part. A link is followed, and permissions of an existing file are
// kept. Throws WorkError ("No space left on device") and leaves nothing behind; leftovers of killed
// runs in the folder are removed.
void replace_file(const std::filesystem::path& path, std::string_view bytes,
                  const ReplaceOptions& how = {});
void replace_file(const FilePlace& place, std::string_view bytes,
                  const ReplaceOptions& how = {});  // the place must not be a link

// Writes a file that does not exist yet, without waiting until it is on disk: for the files of a
// folder that sync_files() and a rename will publish together. Throws WorkError; a partly written
// file stays.
void write_new_file(const std::filesystem::path& path, std::string_view bytes);

// While an instance exists, termination signals are deferred, because a temporary file exists.
// Declare it first, so that it is destroyed last.
class DeferredSignals {
public:
    DeferredSignals();
    ~DeferredSignals();
    DeferredSignals(const DeferredSignals&) = delete;
    DeferredSignals& operator=(const DeferredSignals&) = delete;
};

// The lock of a folder that its owner will remove. Closing the lock also frees the descriptors that
// the removal needs, so that the folder can be removed even if no more files may be opened.
class FolderLock {
public:
    FolderLock() = default;
    explicit FolderLock(const std::filesystem::path& folder);  // sets errno if it is not open
    bool is_open() const { return spare_.is_open(); }
    const Descriptor& folder() const { return folder_; }
    void close();

private:
    Descriptor folder_, spare_;
};

// Removes a folder with everything in it; links are removed, not followed. Needs two descriptors,
// however deep it is.
void remove_folder(const std::filesystem::path& folder) noexcept;

// A new folder, locked while it is in use, for files that renames will publish. It is removed with
// everything that is still in it. Throws WorkError.
class StagingFolder {
public:
    explicit StagingFolder(const std::filesystem::path& in);
    ~StagingFolder();
    StagingFolder(const StagingFolder&) = delete;
    StagingFolder& operator=(const StagingFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    DeferredSignals unfinished_;
    std::filesystem::path path_;
    FolderLock lock_;
};

// A folder and those above it, made if they are missing. Unless keep() is called, the destructor
// removes the folders that this object made, if they are empty. Throws Error, a whole line with the
// folder that cannot be made.
class MadeFolders {
public:
    explicit MadeFolders(const std::filesystem::path& folder);
    ~MadeFolders();
    MadeFolders(const MadeFolders&) = delete;
    MadeFolders& operator=(const MadeFolders&) = delete;
    void keep() { made_.clear(); }

private:
    void remove();
    DeferredSignals unfinished_;
    std::vector<std::filesystem::path> made_;  // the outermost first
};

// Locks a file or folder that was just made. Returns false if another run, which removes leftovers,
// was quicker; the caller must then make another. Returns true if the system cannot tell.
bool lock_new(const Descriptor& made, const std::filesystem::path& path);
// Takes the lock of a file or folder until the descriptor is closed. The descriptor is not open if
// another process holds the lock, if there is no such file (errno ENOENT), or if it cannot be
// locked.
Descriptor take_lock(const std::filesystem::path& path);

// Removes files and folders that killed runs left in the folder (".maskscope-123-0"): no living
// process holds their lock. A folder that contains old-… is kept, because that is the user's
// previous file.
void remove_leftovers(const std::filesystem::path& folder) noexcept;

// Makes SIGINT, SIGTERM and SIGHUP end the process once unfinished files have been removed. While
// there are any, the signals set `cancel` (if not null), so that the work stops.
void finish_files_on_signals(std::atomic<bool>* cancel = nullptr);

// Waits until everything written to the file system of `folder` is on disk. Throws WorkError.
void sync_files(const std::filesystem::path& folder);
// Waits until the names in the folder are on disk, if the file system supports that. Throws
// WorkError.
void sync_folder(const std::filesystem::path& folder);

}  // namespace maskscope
