#pragma once
// The tensor files of a scene, copied to where the scene is saved: all of them or none.

#include <filesystem>
#include <string>
#include <vector>

#include "core/scene/scene.h"

namespace maskscope {

// The files that arrays of the scene stand in, relative to its folder; each once.
std::vector<std::string> tensor_files(const Scene& scene);

// Files that are staged beside their target and then put in place by renaming. Until keep(), the
// destructor takes back whatever was done. Throws Error, with the file's name.
class Copies {
public:
    // Leaves out what stands there with the same bytes already.
    Copies(const std::vector<std::string>& files, const std::filesystem::path& from,
           const std::filesystem::path& to);
    ~Copies();
    Copies(const Copies&) = delete;
    Copies& operator=(const Copies&) = delete;

    // What exists with other bytes and would be replaced.
    std::vector<std::string> conflicts() const;
    void put_in_place();
    void keep();

private:
    struct Copy {
        std::filesystem::path source, target;
        bool replaces = false;   // something else stands there
        bool set_aside = false;  // what stood there is in the staging folder
        bool in_place = false;   // the copy stands there
    };
    std::filesystem::path staged(std::size_t k) const;
    std::filesystem::path old(std::size_t k) const;
    void stage();
    void place(std::size_t k);
    void make_folders(const std::filesystem::path& folder);
    void take_back() noexcept;

    std::filesystem::path to_, staging_;
    std::vector<Copy> copies_;
    std::vector<std::filesystem::path> made_folders_;
    bool kept_ = false;
};

}  // namespace maskscope
