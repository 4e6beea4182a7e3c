#pragma once
// State files: what was open, which steps were seen, which options were chosen. Readable by the
// owner only, shared by several windows, and ignored if damaged.

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/files/file.h"

namespace maskscope {

// Moves a file to NAME.damaged, and returns a line that says so; "" if it cannot be renamed.
std::string set_aside(const std::filesystem::path& file);

// Calls set_aside() if read(file) throws a JSON exception, or an Error that is not temporary, and
// returns its line; "" if the file is valid or missing. folder: if "", does nothing.
std::string set_aside_if_damaged(const std::filesystem::path& folder,
                                 const std::filesystem::path& file,
                                 const std::function<void(const std::filesystem::path&)>& read);

// Changes the folder's files while no other window does, or after 50 ms in any case, because a
// frame waits for the change. At worst a name or step that the other window recorded is lost.
void change_state(const std::filesystem::path& folder, const std::function<void()>& change);

// Return the folders of the program's own files; "" if the environment names no folder.

// Returns the folder that records what was open, seen and chosen: $XDG_STATE_HOME/maskscope, else
// ~/.local/state/maskscope.
std::filesystem::path state_folder();
// Returns the folder of files that can be created again: $XDG_CACHE_HOME/maskscope, else
// ~/.cache/maskscope.
std::filesystem::path cache_folder();
std::filesystem::path kept_programs();  // the GPU's programs, in cache_folder()

// The list of files that were opened or saved most recently, in a file with one line for each.

// Returns the files, newest first, at most ten; those that no longer exist are left out.
std::vector<std::filesystem::path> recent_files(const std::filesystem::path& folder);

// Renames a damaged list, and returns a line that says so; "" if it is valid or missing.
std::string set_damaged_list_aside(const std::filesystem::path& folder);

// Puts a file at the head of the list. As the list is only a convenience, does nothing if it cannot
// be written, if the name contains a line break, or if `folder` is empty.
void remember_file(const std::filesystem::path& folder, const std::filesystem::path& file);

// A folder for tensor files that are not yet saved beside a scene of the user: numbers that were
// rearranged, or files from a figure.
class ScratchFolder {
public:
    // Makes a folder below `in`, which is also created. Throws Error (one line).
    explicit ScratchFolder(const std::filesystem::path& in);
    ~ScratchFolder();  // removes the folder and its contents, except after keep()
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    void keep() { kept_ = true; }  // call if unsaved work refers to the folder

private:
    DeferredSignals unfinished_;
    std::filesystem::path path_;
    FolderLock lock_;
    bool kept_ = false;
};

// Removes folders in `in` that crashed runs left more than a month ago, except those that are
// `needed`.
void remove_old_scratch_folders(const std::filesystem::path& in,
                                const std::set<std::string>& needed);

}  // namespace maskscope
