#pragma once
// Completion of a path that is being typed, as a shell does it. No ImGui.

#include <filesystem>
#include <string>
#include <vector>

namespace maskscope {

struct Completion {
    std::string text;                // as far as all candidates agree
    std::vector<std::string> names;  // the candidates, folders with "/" at the end; sorted
};

// typed: absolute, "~/…", or relative to folder. Hidden names only where a "." was typed. A folder
// that cannot be read has no candidates.
Completion complete_path(const std::string& typed, const std::filesystem::path& folder);

// The path that was typed: "~" is the home folder, relative ones start at folder.
std::filesystem::path typed_path(const std::string& typed, const std::filesystem::path& folder);

}  // namespace maskscope
