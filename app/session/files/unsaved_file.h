#pragma once
// Unsaved work as a file of this run of the program, so that a crash takes nothing. Where the
// program ends in order, the file goes; one whose program is gone was left behind by a crash.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace maskscope {

// $XDG_STATE_HOME/maskscope, else ~/.local/state/maskscope; empty where neither is set.
std::filesystem::path state_folder();

class UnsavedFile {
public:
    // An empty folder: nothing is kept. Makes the folder when there is something to keep.
    explicit UnsavedFile(std::filesystem::path folder) : folder_(std::move(folder)) {}

    // Files that other runs have left behind, the newest first.
    static std::vector<std::filesystem::path> left_behind(const std::filesystem::path& folder);

    // A file that was left behind is this run's own from now on. False where it is gone.
    static bool adopt(const std::filesystem::path& left_behind);

    // What is kept from now on; nothing: no file. Throws WorkError.
    void keep(const std::optional<std::string>& bytes);

private:
    std::filesystem::path folder_;
    std::optional<std::string> kept_;
};

}  // namespace maskscope
