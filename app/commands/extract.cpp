#include <filesystem>
#include <optional>
#include <ostream>

#include "app/commands/commands.h"
#include "app/figure/write/payload.h"
#include "app/session/files/carried.h"
#include "app/session/files/load.h"
#include "app/session/files/tensor_copies.h"
#include "core/base/error.h"
#include "core/files/file.h"
#include "core/format/scene_json.h"

namespace maskscope {

namespace fs = std::filesystem;

namespace {

enum class FileState { nothing, these_bytes, others };

// Returns what is at the path; `nothing` also for anything that is not a regular file, because
// writing to it fails later.
FileState what_is_at(const std::string& path, const std::string& bytes) try {
    std::error_code unknown;
    if (!fs::is_regular_file(path, unknown)) return FileState::nothing;
    return read_file(path, bytes.size()) == bytes ? FileState::these_bytes : FileState::others;
} catch (const InputError&) {  // the file is larger, or cannot be read
    return FileState::others;
}

}  // namespace

int extract(const std::string& figure, const std::string& out, bool force, std::ostream& notes) {
    FileText text;
    std::vector<std::string> files;
    try {
        text = read_text(figure);
        if (!text.from_figure)
            throw InputError("", "not a figure; expected a PNG, SVG or PDF file");
        missing_tensor(text.json, text.folder);  // throws if the text is not a scene
        for (const auto& [name, bytes] : unpacked(*payload_of(read_file(figure))).files)
            files.push_back(name);
    } catch (const Error& error) {
        throw at_file(figure, error);
    }
    const fs::path parent = fs::path(out).parent_path(), folder = parent.empty() ? "." : parent;
    Copies copies(files, text.folder, folder);
    const FileState there = what_is_at(out, text.json);
    std::vector<std::string> conflicts = copies.conflicts();
    if (there == FileState::others) conflicts.push_back(out);
    if (!force && !conflicts.empty())
        throw at_file(conflicts.front(),
                      InputError("", "already exists with other contents; --force replaces it"));
    try {
        copies.put_in_place();
        if (there == FileState::these_bytes)
            copies.keep();
        else
            replace_file(out, text.json, {.only_new = !force, .replaced = [&](const FileStamp&) {
                                              copies.keep();
                                          }});
    } catch (const WorkError& error) {
        throw at_file(out, error);
    }
    if (const auto missing = missing_tensor(text.json, folder))
        notes << "maskscope: " << at_file(out, *missing).what() << "; the figure only names it\n";
    return 0;
}

int lessons(std::ostream& out) {
    for (const std::string& name : lesson_names()) {
        const Lesson lesson = load_lesson("lesson:" + name).lesson;
        out << lesson.name << '\t' << lesson.steps.size() << '\t' << lesson.title << '\n';
    }
    return 0;
}

}  // namespace maskscope
