#pragma once
// Copies a scene's tensor files to the folder where it is saved: all of them or none.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/files/file.h"
#include "core/scene/scene.h"

namespace maskscope {

// Returns the files that the scene's arrays are read from, relative to its folder, without
// duplicates.
std::vector<std::string> tensor_files(const Scene& scene);

// Returns the first of them that no longer contains what the scene was read with; "" if all do.
std::string changed_tensor_file(const Scene& scene, const std::filesystem::path& folder);

// Files that are staged next to their target and then put in place by renaming. Without keep(), the
// destructor undoes everything. Their names may be untrusted: below `to`, which may be a link, no
// link is followed. Throws Error, with the file's name.
class Copies {
public:
    // Skips files that already exist with the same bytes.
    Copies(const std::vector<std::string>& files, const std::filesystem::path& from,
           const std::filesystem::path& to);
    ~Copies();
    Copies(const Copies&) = delete;
    Copies& operator=(const Copies&) = delete;

    // Returns existing files with other bytes, which would be replaced.
    std::vector<std::string> conflicts() const;
    void put_in_place();
    void keep();

private:
    struct Copy {
        std::filesystem::path source, file;  // the file is relative to `to`
        std::filesystem::path target;        // as it is named in errors
        bool replaces = false;               // another file exists there
        bool set_aside = false;              // that file is in the staging folder
        bool in_place = false;               // the copy is there
    };
    std::filesystem::path staged(std::size_t k) const;
    std::filesystem::path replaced_path(std::size_t k) const;
    void stage();
    void place(std::size_t k);
    void take_back() noexcept;

    std::filesystem::path to_;
    std::optional<StagingFolder> staging_;
    std::vector<Copy> copies_;
    std::vector<std::filesystem::path> made_folders_;  // relative to `to`, the outermost first
    bool kept_ = false;
};

}  // namespace maskscope
