#pragma once
// Makes a folder for a test, and removes it afterwards.

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace maskscope {

class Folder {
public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "maskscope-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    operator const std::filesystem::path&() const { return path_; }
    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    // Returns the number of files and folders in it, so that a test sees what was left behind.
    std::size_t entries() const {
        const auto all = std::filesystem::recursive_directory_iterator(path_);
        return static_cast<std::size_t>(std::distance(begin(all), end(all)));
    }

private:
    std::filesystem::path path_;
};

}  // namespace maskscope
