#pragma once
// Copies a scene's tensor files to the folder where it is saved: all of them or none.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/files/file.h"
#include "core/scene/scene.h"

namespace maskscope {

// Returns the files from which the scene's arrays and models are read, relative to its folder,
// without duplicates.
std::vector<std::string> tensor_files(const Scene& scene);

// Returns the first of the scene's tensor files that no longer contains what the scene was read
// with; "" if none has changed.
std::string changed_tensor_file(const Scene& scene, const std::filesystem::path& folder);

// Files that are staged next to their target and then put in place by renaming. Unless keep() is
// called, the destructor undoes everything. As file names may be untrusted, no link below `to` is
// followed; `to` itself may be a link. All functions throw Error, with the file's name.
class Copies {
public:
    // Skips files that already exist with the same bytes.
    Copies(const std::vector<std::string>& files, const std::filesystem::path& from,
           const std::filesystem::path& to);
    ~Copies();
    Copies(const Copies&) = delete;
    Copies& operator=(const Copies&) = delete;

    // Returns the existing files with other bytes, which would be replaced.
    std::vector<std::string> conflicts() const;
    void put_in_place();
    void keep();

private:
    struct Copy {
        std::filesystem::path source, file;  // file: relative to `to`
        std::filesystem::path target;        // the path for error messages
        bool replaces = false;               // another file exists there
        bool set_aside = false;              // the replaced file is in the staging folder
        bool in_place = false;               // the copy is at the target
    };
    std::filesystem::path staged(std::size_t k) const;
    std::filesystem::path replaced_path(std::size_t k) const;
    void stage();
    void place(std::size_t k);
    void take_back() noexcept;

    std::filesystem::path to_;
    std::optional<StagingFolder> staging_;
    std::vector<Copy> copies_;
    std::vector<std::filesystem::path> made_folders_;  // relative to `to`, outermost first
    bool kept_ = false;
};

}  // namespace maskscope
