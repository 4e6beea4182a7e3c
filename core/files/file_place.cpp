#include "core/files/file_place.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <functional>
#include <system_error>

#include "core/base/error.h"

namespace maskscope {

namespace {

namespace fs = std::filesystem;

constexpr int for_names = O_PATH | O_DIRECTORY | O_CLOEXEC;

Descriptor open_root(const fs::path& folder) {
    return Descriptor(::open(folder.empty() ? "." : folder.c_str(), for_names));
}

bool is_link(const Descriptor& folder, const fs::path& name) {
    struct stat status {};
    return ::fstatat(folder.number(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISLNK(status.st_mode);
}

[[noreturn]] void fail(const fs::path& path, int error) {
    throw at_file(path.string(), WorkError(std::generic_category().message(error)));
}

// Called if a folder is missing: true once it was made.
using Make = std::function<bool(const Descriptor& in, const fs::path& name, const fs::path& below)>;

std::optional<FilePlace> walk(const fs::path& root, const fs::path& file, const Make& make) {
    FilePlace place{root, open_root(root), file.filename()};
    if (!place.folder.is_open()) {
        if (errno == ENOENT) return std::nullopt;
        fail(root, errno);
    }
    if (file.is_absolute() || !file.has_filename()) fail(file, EINVAL);
    fs::path below;
    for (const fs::path& name : file.parent_path()) {
        below /= name;
        place.path = root / below;
        if (name == "..") fail(root / file, EINVAL);
        const auto open = [&] {
            return Descriptor(
                ::openat(place.folder.number(), name.c_str(), for_names | O_NOFOLLOW));
        };
        Descriptor next = open();
        if (!next.is_open() && errno == ENOENT) {
            if (!make(place.folder, name, below)) return std::nullopt;
            next = open();
        }
        if (!next.is_open()) {
            const int error = errno;
            if (is_link(place.folder, name))
                throw at_file(
                    (root / file).string(),
                    InputError(
                        "",
                        place.path.string() +
                            " is a symbolic link, which is not followed. Choose another folder"));
            fail(place.path, error);
        }
        place.folder = std::move(next);
    }
    place.path = root / file;
    return place;
}

}  // namespace

FilePlace place_of(const fs::path& path) {
    const fs::path folder = path.parent_path();
    FilePlace place{path, open_root(folder), path.has_filename() ? path.filename().string() : "."};
    if (!place.folder.is_open()) throw WorkError(std::generic_category().message(errno));
    return place;
}

std::optional<FilePlace> place_below(const fs::path& root, const fs::path& file) {
    return walk(root, file, [](const auto&...) { return false; });
}

FilePlace make_place_below(const fs::path& root, const fs::path& file,
                           std::vector<fs::path>& made) {
    auto place =
        walk(root, file, [&](const Descriptor& in, const fs::path& name, const fs::path& below) {
            made.push_back(below);  // first, so that it cannot fail once the folder exists
            if (::mkdirat(in.number(), name.c_str(), 0777) == 0) return true;
            made.pop_back();
            if (errno != EEXIST) fail(root / below, errno);
            return true;
        });
    if (!place) fail(root, ENOENT);
    return std::move(*place);
}

}  // namespace maskscope
