#include "app/session/files/frameworks.h"

#include <algorithm>

#include "app/session/files/load.h"
#include "core/base/error.h"
#include "core/files/file.h"

namespace maskscope {

namespace {

std::vector<Framework> read_all() {
    std::vector<std::filesystem::path> files;
    std::error_code none;
    for (const auto& entry :
         std::filesystem::directory_iterator(assets_folder() / "frameworks", none))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::ranges::sort(files);
    std::vector<Framework> all;
    for (const auto& file : files) try {
            all.push_back(read_framework(read_file(file)));
        } catch (const Error&) {}
    return all;
}

}  // namespace

const std::vector<Framework>& frameworks() {
    static const std::vector<Framework> all = read_all();
    return all;
}

}  // namespace maskscope
