#include "app/session/files/path_completion.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace maskscope {

namespace fs = std::filesystem;

namespace {

// The parts of a typed path: "~/scenes/le" -> "~/scenes/" and "le".
struct TypedPath {
    std::string folder, name;
};

TypedPath parts_of(const std::string& typed) {
    const std::size_t slash = typed.rfind('/');
    if (slash == std::string::npos) return {"", typed};
    return {typed.substr(0, slash + 1), typed.substr(slash + 1)};
}

bool is_wanted(const std::string& name, const std::string& beginning) {
    const bool hidden = name.front() == '.' && (beginning.empty() || beginning.front() != '.');
    return !hidden && name.compare(0, beginning.size(), beginning) == 0;
}

bool has_extension(const std::string& name, const std::vector<std::string>& extensions) {
    return extensions.empty() || std::ranges::any_of(extensions, [&](const std::string& end) {
               return name.size() >= end.size() &&
                      name.compare(name.size() - end.size(), end.size(), end) == 0;
           });
}

bool comes_before(const PathCandidate& x, const PathCandidate& y) {
    return x.is_folder != y.is_folder ? x.is_folder : x.text < y.text;
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80; }

}  // namespace

fs::path typed_path(const std::string& typed) {
    const char* home = std::getenv("HOME");
    if (home && typed == "~") return home;
    if (home && typed.compare(0, 2, "~/") == 0) return fs::path(home) / typed.substr(2);
    return typed;
}

namespace {

// Returns all entries of the typed folder.
std::vector<PathCandidate> entries_of(const std::string& folder, const Progress& progress) {
    std::vector<PathCandidate> entries;
    std::error_code error;
    fs::directory_iterator entry(folder.empty() ? fs::path(".") : typed_path(folder), error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
        if (progress.cancel) throw Cancellation{};
        std::error_code none;
        const bool is_folder = entry->is_directory(none);
        entries.push_back(
            {folder + entry->path().filename().string() + (is_folder ? "/" : ""), is_folder});
    }
    std::ranges::sort(entries, comes_before);
    return entries;
}

std::vector<PathCandidate> matching(const std::string& typed,
                                    const std::vector<PathCandidate>& entries,
                                    const std::vector<std::string>& extensions, std::size_t most) {
    const auto [folder, beginning] = parts_of(typed);
    std::vector<PathCandidate> found;
    for (const PathCandidate& entry : entries)
        if (found.size() < most && is_wanted(entry.text.substr(folder.size()), beginning) &&
            (entry.is_folder || has_extension(entry.text, extensions)))
            found.push_back(entry);
    return found;
}

}  // namespace

std::vector<PathCandidate> path_candidates(const std::string& typed,
                                           const std::vector<std::string>& extensions,
                                           std::size_t most) {
    if (typed == "~") return {{"~/", true}};
    return matching(typed, entries_of(parts_of(typed).folder, Progress{}), extensions, most);
}

std::vector<PathCandidate> FolderListing::candidates(const std::string& typed,
                                                     const std::vector<std::string>& extensions) {
    constexpr std::size_t most = 200;
    // Otherwise the names would appear in a later frame.
    constexpr std::chrono::milliseconds frame_waits{8};
    if (typed == "~") return {{"~/", true}};
    const std::string folder = parts_of(typed).folder;
    worker_.update(SharedWorker::Clock::now() + frame_waits, [&] {
        if (worker_.is_due(entries_, folder))
            worker_.compute(entries_, folder, Cost::medium, [folder](const Progress& progress) {
                return entries_of(folder, progress);
            });
    });
    if (!entries_.is_of(folder)) return {};
    return matching(typed, entries_.value_or_empty(), extensions, most);
}

std::string completed_path(const std::string& typed, const std::vector<PathCandidate>& candidates) {
    if (candidates.empty()) return typed;
    const std::string& first = candidates.front().text;
    std::size_t same = first.size();
    for (const PathCandidate& candidate : candidates) {
        const auto other = std::mismatch(first.begin(), first.begin() + std::ptrdiff_t(same),
                                         candidate.text.begin(), candidate.text.end());
        same = static_cast<std::size_t>(other.first - first.begin());
    }
    while (same > typed.size() && same < first.size() && continues_character(first[same])) --same;
    return same > typed.size() ? first.substr(0, same) : typed;
}

}  // namespace maskscope
