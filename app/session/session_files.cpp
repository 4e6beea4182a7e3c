// Opens and saves files, and keeps unsaved work.

#include <algorithm>
#include <new>

#include "app/session/files/load.h"
#include "app/session/files/state_files.h"
#include "app/session/files/tensor_copies.h"
#include "app/session/session_state.h"
#include "core/base/error.h"
#include "core/files/file.h"
#include "core/format/scene_json.h"

namespace maskscope {

namespace fs = std::filesystem;

namespace {

// True if the path is that of one of these tensor files: in `folder`, or where it would be copied
// to beside `path`.
bool is_tensor_file(const std::vector<std::string>& files, const fs::path& folder,
                    const fs::path& path) {
    for (const std::string& file : files)
        if (same_place(folder / file, path) || same_place(folder_of(path) / file, path))
            return true;
    return false;
}

// True for built-in lessons, which may only be saved as copies.
bool is_built_in(const fs::path& path) {
    return same_place(folder_of(path), assets_folder() / "lessons");
}

// Runs `work`. Returns its error as one line, which names the file; nullopt if there is none.
std::optional<std::string> error_of(const fs::path& file, const std::function<void()>& work) {
    try {
        work();
        return std::nullopt;
    } catch (const InputError& error) {
        return at_file(file.string(), error).what();
    } catch (const WorkError& error) {
        return at_file(file.string(), error).what();
    } catch (const Error& error) {  // the error already names its file
        return error.what();
    } catch (const std::bad_alloc&) {
        return at_file(file.string(), WorkError("not enough memory to open it")).what();
    } catch (const fs::filesystem_error& error) {
        return at_file(file.string(), WorkError(error.code().message())).what();
    }
}

// Reads a lesson or, if the text is only incomplete, a draft. Throws the errors of the strict
// reader otherwise.
Lesson read_lesson_or_draft(const std::string& text, const fs::path& folder) {
    try {
        return read_lesson(text, folder);
    } catch (const InputError&) {
        try {
            return read_draft(text, folder);
        } catch (const InputError&) {}
        throw;
    }
}

}  // namespace

// --- opening

void Session::State::open(Document next, std::string name) {
    // Documents must be moved: copying allocates, and half of the document would be lost if that
    // failed.
    static_assert(std::is_nothrow_move_assignable_v<Document>);
    Show shows = next.scene.show.value_or(Show{});
    auto hidden = next.asks() ? hidden_by(next.lesson_step()) : std::nullopt;
    if (!before_open && !computing.shown().variants.empty()) {
        before_open.emplace(Document(), view);
        before_open->first = std::move(document);
    }
    document = std::move(next);
    document.number = ++documents;
    opening = !computing.shown().variants.empty();
    opened_name = std::move(name);
    view.show = std::move(shows);
    view.start_afresh();
    view.ask(std::move(hidden));
    forget_step();
    computing.backends().rest();
    scene_changed();
}

void Session::new_scene() { state_->open(Document::first(), ""); }

bool Session::open(const fs::path& path) {
    Document document;
    const auto known = known_file(path);  // taken before the file is read
    const auto error = error_of(path, [&] {
        const FileText text = read_text(path);
        if (is_lesson(text.json)) {
            document = Document::of(
                std::make_shared<const Lesson>(read_lesson_or_draft(text.json, folder_of(path))),
                folder_of(path), 0, is_built_in(path) ? std::nullopt : std::optional(path));
            return;
        }
        document.folder = text.folder.empty() ? "." : text.folder;
        document.scene = document.saved = read_scene(text.json, document.folder);
        document.files = text.copies;
        (text.from_figure ? document.figure_path : document.scene_path) = path;
    });
    document.know(known);
    if (!opened(error, std::move(document), path.string())) return false;
    if (const auto problem = state_->problem(); problem && !message())
        say("A draft: " + problem->text);
    return true;
}

bool Session::open_scene(const Scene& scene, const fs::path& folder, const std::string& name,
                         std::shared_ptr<const ScratchFolder> files) {
    Document document;
    const auto error = error_of(name, [&] {
        check_scene(scene);
        document.folder = folder;
        document.scene = document.saved = scene;
        document.files = std::move(files);
    });
    return opened(error, std::move(document), name);
}

bool Session::open_lesson(const Lesson& lesson, const fs::path& folder, int step) {
    if (lesson.steps.empty()) return opened("A lesson needs at least one step.", {}, "");
    return opened({}, Document::of(std::make_shared<const Lesson>(lesson), folder, step),
                  lesson.name);
}

// Shows the document, or the error if there is one. Returns whether the document is open. name: the
// file as the user typed it.
bool Session::opened(const std::optional<std::string>& error, Document next,
                     const std::string& name) {
    if (error) {
        say(*error, true);
        return false;
    }
    state_->open(std::move(next), name);
    update();
    return !message() || !message()->wrong;
}

bool Session::add_to_lesson(const fs::path& path) {
    Step added = lesson() ? state_->document.lesson_step() : step_of(bench_scene(*this));
    added.scene = step_scene(*this);
    const std::vector<std::string> files = tensor_files(added.scene);
    Document document;
    const auto known = known_file(path);
    const auto error = error_of(path, [&] {
        const std::string text = read_file(path);
        if (!is_lesson(text)) throw InputError("", "is a scene; expected a lesson");
        if (!files.empty() && !same_place(state_->document.folder, folder_of(path)))
            throw WorkError(
                "the step uses " + files.front() +
                ", which is in another folder. Save the scene in the lesson's folder first");
        auto saved = std::make_shared<const Lesson>(read_lesson_or_draft(text, folder_of(path)));
        Lesson longer = *saved;
        longer.steps.push_back(std::move(added));
        const auto last = static_cast<int>(longer.steps.size()) - 1;
        document = Document::of(std::make_shared<const Lesson>(std::move(longer)), folder_of(path),
                                last, path);
        document.saved_lesson = std::move(saved);
        document.know(known);
        document.show_answer();
    });
    return opened(error, std::move(document), path.string());
}

// --- saving

bool Session::State::write(const fs::path& path, const Target& over) {
    return document.saves_lesson() ? write_lesson_to(path, over) : write_scene_to(path, over);
}

bool Session::State::replace(const fs::path& path, const std::string& text, const Target& over) {
    const auto before = [&] {
        if (const auto now = stamp_of(path); now && now != over.file)
            throw WorkError("was changed by another program in the meantime");
    };
    const auto replaced = [&](const FileStamp& stamp) {
        if (over.replaced) over.replaced();
        document.know(KnownFile{path, stamp});
    };
    const auto error =
        error_of(path, [&] { replace_file(path, text, {.before = before, .replaced = replaced}); });
    if (error) say(*error, true);
    return !error;
}

bool Session::State::write_scene_to(const fs::path& path, const Target& over) {
    const Scene scene = document.scene_to_save(view.show);
    if (!replace(path, write_scene(scene), over)) return false;
    document.scene_was_saved(scene, path);
    std::string saved = "Saved as " + path.string();
    const std::vector<std::string> files = tensor_files(scene);
    const auto missing = std::ranges::find_if(files, [&](const std::string& file) {
        std::error_code unknown;
        return !fs::exists(folder_of(path) / file, unknown);
    });
    if (missing != files.end())
        saved += ", but " + *missing + ", which it uses, no longer exists";
    else if (document.lesson)
        saved += ": this step as a scene. The lesson stays open.";
    say(printable(saved), missing != files.end());
    return true;
}

std::optional<LessonProblem> Session::State::problem() const {
    return document.lesson && document.lesson_path ? problem_of(*document.lesson, document.folder)
                                                   : std::nullopt;
}

// Writes a lesson. In the file that it was opened from or last saved to, it keeps its name; in
// another file, its name is that of the file. An unfinished lesson is a draft, which the window can
// open again, but which `maskscope check` refuses.
bool Session::State::write_lesson_to(const fs::path& path, const Target& over) {
    Lesson lesson = *document.lesson;
    const bool again =
        document.saved_lesson && document.lesson_path && same_place(*document.lesson_path, path);
    lesson.name = again ? document.saved_lesson->name : lesson_name_of(path.stem().string());
    if (!replace(path, write_lesson(lesson), over)) return false;
    document.lesson_was_saved(std::make_shared<const Lesson>(std::move(lesson)), path);
    std::string saved = "Saved as " + path.string();
    const bool whole =
        same_but_show(document.with_solution(document.scene), document.lesson_step().scene);
    const auto missing = problem();
    // Warn of unsound facts now, not during the lecture.
    if (whole && !missing) computing.check_facts(document.lesson);
    if (!whole)
        saved +=
            ", without the changes in this view. To include them, press “Save current view to this "
            "step”.";
    else if (missing)
        saved += ", a draft: " + missing->text;
    say(printable(saved), !whole);
    return true;
}

bool Session::save() {
    const auto path = document().file_to_save();
    const auto there = path ? stamp_of(*path) : std::nullopt;
    if (document().changed_outside()) {
        say(printable(path->string() +
                      " was changed by another program. Use “Save as” to replace it."),
            true);
        return false;
    }
    const bool saved = path && state_->write(*path, {there});
    if (path && !saved) say(message()->text + ". Use “Save as” to write it elsewhere.", true);
    update();
    return saved;
}

bool Session::save_as(const fs::path& path, bool replace, std::vector<std::string>* conflicts) {
    State& s = *state_;
    const Document& document = s.document;
    const std::vector<std::string> files = document.tensor_files_to_save();
    const fs::path from = document.folder;
    const auto there = stamp_of(path);
    bool saved = false;
    const auto error = error_of(path, [&] {
        std::error_code none;
        if (path.filename().empty()) throw WorkError("is a directory");
        if (fs::is_directory(path, none)) throw WorkError("is a directory");
        if (is_tensor_file(files, from, path)) throw WorkError("is a tensor file of this scene");
        if (document.saves_lesson() && is_built_in(path))
            throw WorkError("is a built-in lesson. Save a copy in another folder");
        const bool elsewhere = !same_place(from, folder_of(path));
        Copies copies(elsewhere ? files : std::vector<std::string>(), from, folder_of(path));
        if (elsewhere)
            if (const std::string changed = document.changed_tensor_file_to_save();
                !changed.empty())
                throw WorkError(changed + " was changed by another program. Open the scene again");
        std::vector<std::string> found = copies.conflicts();
        const auto known = document.file_to_save();
        const bool own = known && same_place(*known, path) && !document.changed_outside();
        if (!own && fs::exists(path, none)) found.insert(found.begin(), path.string());
        if (conflicts) *conflicts = found;
        if (!replace && !found.empty()) return;
        copies.put_in_place();
        saved = s.write(path, {there, [&] { copies.keep(); }});
    });
    if (error) say(*error, true);
    update();
    return saved && !error;
}

// --- unsaved work

bool Session::restore_unsaved(const std::string& bytes, const fs::path& kept_in) {
    Document document;
    const auto error = error_of("unsaved work", [&] { document = read_unsaved(bytes, kept_in); });
    return opened(error, std::move(document), "unsaved work");
}

bool Session::open_left_behind(const fs::path& left_behind) {
    std::string bytes;
    const auto error = error_of(left_behind, [&] { bytes = read_file(left_behind); });
    if (error) return opened(error, {}, "");
    if (restore_unsaved(bytes, left_behind.parent_path())) {
        state_->before_open.reset();  // keep the recovered work, even if it cannot be computed
        return keeper().adopt(left_behind);
    }
    if (is_damaged_work(bytes)) say(set_aside(left_behind), true);
    return false;
}

Keeper& Session::keeper() { return state_->keeper; }

}  // namespace maskscope
