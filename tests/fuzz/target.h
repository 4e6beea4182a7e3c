#pragma once
// Defines a fuzz target. FUZZ=NAME chooses one of those that are linked in.

#include <filesystem>
#include <string_view>

namespace maskscope {

// A function that reads untrusted bytes. It returns or throws an Error, and checks with must() what
// has to hold.
struct Target {
    Target(const char* name, void (*read)(std::string_view), bool unpacks = false);
    const char* name;
    void (*read)(std::string_view);
    bool unpacks;  // its input is compressed
    const Target* next;
};

// Ends the program if `holds` is false, which libFuzzer calls a crash.
void must(bool holds, const char* what);

// A file in a folder of its own, which is removed when the program ends.
class FolderOfOne {
public:
    explicit FolderOfOne(const char* name);
    // Writes the bytes, followed by this many zeros.
    void put(std::string_view bytes, std::size_t zeros = 0);
    const std::filesystem::path& folder() const { return folder_; }
    const std::filesystem::path& file() const { return file_; }

private:
    std::filesystem::path folder_, file_;
    int descriptor_ = -1;
};

}  // namespace maskscope
