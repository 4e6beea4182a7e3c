// Finds how much memory the system has left.

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "core/compute/memory.h"

namespace maskscope {
namespace {

// Returns the number on the line that starts with `name`; for "", the first number of the file.
std::optional<double> read_number(const std::string& file, const std::string& name) {
    std::ifstream in(file);
    std::string word;
    if (name.empty()) {
        double value = 0;
        return in >> value ? std::optional(value) : std::nullopt;
    }
    for (double value = 0; in >> word;)
        if (word == name && in >> value) return value;
    return std::nullopt;
}

// The files that describe memory in each version of control groups.
struct GroupFiles {
    const char *root, *limit, *usage, *files_held;
};
constexpr GroupFiles group_files[] = {
    {"/sys/fs/cgroup", "memory.max", "memory.current", "file"},
    {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_cache"}};

// Returns how much is left of the limit of one control group. Its page cache counts as free,
// because it can be reclaimed.
std::optional<double> left_in(const GroupFiles& names, const std::string& group) {
    const std::string folder = names.root + group + "/";
    const auto most = read_number(folder + names.limit, "");
    const auto used = read_number(folder + names.usage, "");
    if (!most || !used) return std::nullopt;
    const auto files = read_number(folder + "memory.stat", names.files_held);
    return std::max(0.0, *most - *used + files.value_or(0));
}

// Returns the control groups of this process, from its own up to the root: "/a/b", "/a", "".
std::vector<std::string> own_groups() {
    std::vector<std::string> groups = {""};
    std::ifstream in("/proc/self/cgroup");
    for (std::string line; std::getline(in, line);) {
        const bool of_memory = line.starts_with("0::") || line.find(":memory:") != line.npos;
        const auto start = line.find('/');
        if (!of_memory || start == line.npos) continue;
        std::string group = line.substr(start);
        for (; group.size() > 1; group.resize(group.rfind('/'))) groups.push_back(group);
    }
    return groups;
}

}  // namespace

std::optional<double> available_bytes() {
    std::optional<double> least = read_number("/proc/meminfo", "MemAvailable:");
    if (least) *least *= 1024;
    for (const std::string& group : own_groups())
        for (const GroupFiles& names : group_files)
            if (const auto left = left_in(names, group))
                least = std::min(least.value_or(*left), *left);
    return least;
}

}  // namespace maskscope
