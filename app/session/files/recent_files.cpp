#include "app/session/files/recent_files.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "app/session/files/state_files.h"
#include "core/base/error.h"
#include "core/files/file.h"
#include "core/files/input_file.h"

namespace maskscope {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most = 10;

fs::path list_in(const fs::path& folder) { return folder / "recent"; }

constexpr std::size_t largest_list = std::size_t{1} << 20;

std::vector<std::string> lines_of(const fs::path& list) {
    std::vector<std::string> lines;
    try {
        const std::string text = read_file(list, largest_list);
        for (std::size_t at = 0; lines.size() < most && at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            lines.push_back(text.substr(at, end - at));
            at = end + 1;
        }
    } catch (const UnreadableNow&) {
        throw;
    } catch (const InputError&) {  // there is no list yet
    }
    return lines;
}

void put_first(const fs::path& list, const std::string& name) try {
    std::vector<std::string> lines = lines_of(list);
    std::erase(lines, name);
    lines.insert(lines.begin(), name);
    if (lines.size() > most) lines.resize(most);
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    replace_file(list, text, {.readers = Readers::owner});
} catch (const WorkError&) {
} catch (const UnreadableNow&) {  // writing it now would lose what it contains
}

}  // namespace

std::vector<fs::path> recent_files(const fs::path& folder) {
    std::vector<fs::path> files;
    if (folder.empty()) return files;
    try {
        for (const std::string& line : lines_of(list_in(folder))) {
            std::error_code error;
            if (fs::is_regular_file(line, error)) files.emplace_back(line);
        }
    } catch (const UnreadableNow&) {}
    return files;
}

std::string set_damaged_list_aside(const fs::path& folder) {
    return set_aside_if_damaged(folder, list_in(folder), [](const fs::path& file) {
        if (read_file(file, largest_list).find('\0') != std::string::npos)
            throw InputError("", "is not text");
    });
}

void remember_file(const fs::path& folder, const fs::path& file) {
    std::error_code error;
    const std::string name = fs::absolute(file, error).lexically_normal().string();
    if (folder.empty() || error || name.find('\n') != std::string::npos) return;
    change_state(folder, [&] { put_first(list_in(folder), name); });
}

}  // namespace maskscope
