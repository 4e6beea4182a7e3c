#pragma once
// Completes typed paths. Independent of the UI.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/threads/cached.h"

namespace maskscope {

struct PathCandidate {
    std::string text;  // the whole path; that of a folder ends with '/'
    bool is_folder = false;
};

// Returns the path that a typed line stands for: a leading ~ is the home folder.
std::filesystem::path typed_path(const std::string& typed);

// Returns entries of the typed folder whose names begin with the last typed part: folders first,
// then files that end in one of `extensions` (".json"; none = all), each sorted by name. Includes
// hidden ones only if that part begins with a dot. Returns at most `most`, and none if the folder
// cannot be read.
std::vector<PathCandidate> path_candidates(const std::string& typed,
                                           const std::vector<std::string>& extensions = {},
                                           std::size_t most = 200);

// Does the same on a worker thread, because listing a folder may be slow.
class FolderListing {
public:
    // wake: called from the worker when a folder has been listed; may be empty.
    explicit FolderListing(std::function<void()> wake) : worker_(std::move(wake)) {}
    // Returns the same as path_candidates(), but from a listing that was started when the folder
    // was first typed; none until the listing is finished.
    std::vector<PathCandidate> candidates(const std::string& typed,
                                          const std::vector<std::string>& extensions);

private:
    Cached<std::string, std::vector<PathCandidate>> entries_;  // everything in a folder, as typed
    SharedWorker worker_;                                      // last: it uses the members above
};

// Completes the line as Tab does: as far as all candidates agree, in whole UTF-8 characters.
std::string completed_path(const std::string& typed, const std::vector<PathCandidate>& candidates);

}  // namespace maskscope
