#pragma once
// Completion of typed paths. Independent of the UI.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/threads/background_work.h"

namespace maskscope {

struct PathCandidate {
    std::string text;  // the completed line; a folder ends with '/'
    bool is_folder = false;
};

// The path that a line means: a leading ~ is the home folder.
std::filesystem::path typed_path(const std::string& typed);

// Entries of the folder that was typed whose names begin as its last part does: folders first, then
// files that end in one of `extensions` (".json"; none = all), each in the order of their names.
// Hidden ones only where a dot was typed. At most `most`; none where nothing can be read.
std::vector<PathCandidate> path_candidates(const std::string& typed,
                                           const std::vector<std::string>& extensions = {},
                                           std::size_t most = 200);

// The same on a worker thread, because listing a folder may be slow.
class FolderListing {
public:
    // wake: called from a thread when a folder was listed (may be empty)
    explicit FolderListing(std::function<void()> wake) : wake_(std::move(wake)) {}
    // As path_candidates(), of the folder as it was when it was first typed; none until it is
    // listed.
    std::vector<PathCandidate> candidates(const std::string& typed,
                                          const std::vector<std::string>& extensions);

private:
    std::function<void()> wake_;
    std::optional<std::string> folder_;   // as typed; listed, or being listed
    std::vector<PathCandidate> entries_;  // all of folder_
    BackgroundWork worker_;               // after what it uses
};

// The line as far as all candidates agree, whole UTF-8 characters: what Tab makes of it.
std::string completed_path(const std::string& typed, const std::vector<PathCandidate>& candidates);

}  // namespace maskscope
