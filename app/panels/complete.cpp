#include "app/panels/complete.h"

#include <algorithm>
#include <cstdlib>

namespace maskscope {

namespace {

std::string common_start(const std::vector<std::string>& names) {
    std::string start = names.front();
    for (const std::string& name : names) {
        const auto parted = std::mismatch(start.begin(), start.end(), name.begin(), name.end());
        start.erase(parted.first, start.end());
    }
    return start;
}

// A character of UTF-8 is never left in half.
void drop_partial_character(std::string& text, const std::string& whole) {
    const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
    if (text.size() >= whole.size() || !continues(whole[text.size()])) return;
    while (!text.empty() && continues(text.back())) text.pop_back();
    if (!text.empty()) text.pop_back();
}

std::vector<std::string> names_in(const std::filesystem::path& folder, const std::string& start) {
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error)) {
        std::string name = it->path().filename().string();
        if (!name.starts_with(start) || (name[0] == '.' && start.empty())) continue;
        std::error_code unknown;
        if (it->is_directory(unknown)) name += '/';
        names.push_back(std::move(name));
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

std::filesystem::path typed_path(const std::string& typed, const std::filesystem::path& folder) {
    const char* home = std::getenv("HOME");
    if (home != nullptr && (typed == "~" || typed.starts_with("~/")))
        return std::filesystem::path(home + typed.substr(1));
    return folder / typed;
}

Completion complete_path(const std::string& typed, const std::filesystem::path& folder) {
    if (typed == "~") return {"~/", {"~/"}};
    const std::size_t slash = typed.rfind('/');
    const std::string before = slash == std::string::npos ? "" : typed.substr(0, slash + 1);
    const std::string start = typed.substr(before.size());
    Completion completion{typed, names_in(typed_path(before, folder), start)};
    if (completion.names.empty()) return completion;
    std::string agreed = common_start(completion.names);
    drop_partial_character(agreed, completion.names.front());
    completion.text = before + agreed;
    return completion;
}

}  // namespace maskscope
