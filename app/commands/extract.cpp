#include "app/commands/extract.h"

#include <filesystem>
#include <optional>
#include <ostream>

#include "app/figure/write/payload.h"
#include "app/session/files/carried.h"
#include "app/session/files/load.h"
#include "app/session/files/tensor_copies.h"
#include "core/base/error.h"
#include "core/files/file.h"
#include "core/format/scene_json.h"

namespace maskscope {

namespace fs = std::filesystem;

int extract(const std::string& figure, const std::string& out, std::ostream& notes) {
    FileText text;
    std::vector<std::string> files;
    try {
        text = read_text(figure);
        if (!text.from_figure) throw InputError("", "is no figure: expected a PNG, SVG or PDF");
        missing_tensor(text.json, text.folder);  // throws where it is no scene
        for (const auto& [name, bytes] : unpacked(*payload_of(read_file(figure))).files)
            files.push_back(name);
    } catch (const Error& error) {
        throw at_file(figure, error);
    }
    const fs::path folder = fs::path(out).parent_path();
    Copies copies(files, text.folder, folder.empty() ? "." : folder);
    if (const auto conflicts = copies.conflicts(); !conflicts.empty())
        throw at_file(conflicts.front(), InputError("", "is there already, with other contents"));
    try {
        for (const std::string& file : files)
            if (fs::path(out).lexically_normal() == (folder / file).lexically_normal())
                throw WorkError("is the name of a tensor file of this scene");
        copies.put_in_place();
        replace_file(out, text.json, {.replaced = [&](const FileStamp&) { copies.keep(); }});
    } catch (const WorkError& error) {
        throw at_file(out, error);
    }
    if (const auto missing = missing_tensor(text.json, folder))
        notes << "maskscope: " << at_file(out, *missing).what() << "; the figure only names it\n";
    return 0;
}

}  // namespace maskscope
