#include <new>

#include "app/session/files/load.h"
#include "app/session/files/tensor_copies.h"
#include "app/session/session_state.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/format/scene_json.h"

namespace maskscope {

namespace fs = std::filesystem;

namespace {

// Would the path take the place of one of the tensor files?
bool is_tensor_file(const std::vector<std::string>& files, const fs::path& folder,
                    const fs::path& path) {
    for (const std::string& file : files)
        if (same_place(folder / file, path) || same_place(folder_of(path) / file, path))
            return true;
    return false;
}

// The lessons of the program are copied by saving, and not written over.
bool is_built_in(const fs::path& path) {
    return same_place(folder_of(path), assets_folder() / "lessons");
}

}  // namespace

fs::path folder_of(const fs::path& file) {
    const fs::path folder = file.parent_path();
    return folder.empty() ? "." : folder;
}

bool same_place(const fs::path& x, const fs::path& y) {
    std::error_code error;
    return x.lexically_normal() == y.lexically_normal() || fs::equivalent(x, y, error);
}

std::optional<std::string> error_of(const fs::path& file, const std::function<void()>& work) {
    try {
        work();
        return std::nullopt;
    } catch (const Error& error) {
        return error.what();
    } catch (const InputError& error) {
        return at_file(file.string(), error).what();
    } catch (const WorkError& error) {
        return at_file(file.string(), error).what();
    } catch (const std::bad_alloc&) {
        return at_file(file.string(), WorkError("There is not enough memory for it.")).what();
    } catch (const fs::filesystem_error& error) {
        return at_file(file.string(), WorkError(error.code().message())).what();
    }
}

// --- opening

bool Session::open(const fs::path& path) {
    State& s = *state_;
    Document document;
    const auto error = error_of(path, [&] {
        const std::string text = read_file(path);
        document.folder = folder_of(path);
        if (is_lesson(text)) {
            document.lesson = std::make_shared<const Lesson>(read_lesson(text, document.folder));
        } else {
            document.scene = document.saved = read_scene(text, document.folder);
            document.path = path;
        }
    });
    if (error) {
        say(*error, true);
        return false;
    }
    s.opening = path.string();
    if (document.lesson)
        s.show_lesson(document.lesson, document.folder, 0,
                      is_built_in(path) ? std::nullopt : std::optional(path));
    else
        s.show_document(std::move(document));
    update();
    return !message() || !message()->wrong;
}

// --- saving

// With the view copied back, where the file had one or the view was changed.
Scene Session::State::scene_to_save() const {
    Scene scene = document.scene;
    const bool shows = document.original().show.has_value() || view.show != Show{};
    scene.show.reset();
    if (shows) scene.show = valid_show(view.show, scene);
    return scene;
}

// A lesson step that was saved is a scene of its own from here on.
void Session::State::was_saved(const Scene& scene, const fs::path& path) {
    document.lesson.reset();
    document.step = 0;
    document.covered = false;
    document.path = path;
    document.folder = folder_of(path);
    document.saved = document.scene = scene;
    for (auto* steps : {&document.undo, &document.redo})
        for (HistoryStep& step : *steps) {
            step.snapshot.lesson.reset();
            step.snapshot.step = 0;
        }
    verdicts.clear();
    say(printable("Saved as " + path.string()), false);
}

bool Session::State::write(const fs::path& path) {
    return document.saves_lesson() ? write_lesson_to(path) : write_scene_to(path);
}

bool Session::State::write_scene_to(const fs::path& path) {
    const Scene scene = scene_to_save();
    const auto error = error_of(path, [&] { replace_file(path, write_scene(scene)); });
    if (error)
        say(*error, true);
    else
        was_saved(scene, path);
    return !error;
}

bool Session::save() {
    const auto path = this->path();
    return path && state_->write(*path);
}

bool Session::save_as(const fs::path& path, bool replace, std::vector<std::string>* conflicts) {
    State& s = *state_;
    if (s.document.saves_lesson() && lesson_problem()) {
        say(lesson_problem()->text, true);
        return false;
    }
    const std::vector<std::string> files = s.files_to_save();
    const fs::path from = s.document.folder;
    bool saved = false;
    const auto error = error_of(path, [&] {
        std::error_code none;
        if (path.filename().empty()) throw WorkError("is a directory");
        if (fs::is_directory(path, none)) throw WorkError("is a directory");
        if (is_tensor_file(files, from, path)) throw WorkError("is a tensor file of this scene");
        if (s.document.saves_lesson() && is_built_in(path))
            throw WorkError("is a lesson of the program; save a copy in another folder");
        const bool elsewhere = !same_place(from, folder_of(path));
        Copies copies(elsewhere ? files : std::vector<std::string>(), from, folder_of(path));
        std::vector<std::string> found = copies.conflicts();
        const bool own = this->path() && same_place(*this->path(), path);
        if (!own && fs::exists(path, none)) found.insert(found.begin(), path.string());
        if (conflicts) *conflicts = found;
        if (!replace && !found.empty()) return;
        copies.put_in_place();
        saved = s.write(path);
        if (saved) copies.keep();
    });
    if (error) say(*error, true);
    return saved && !error;
}

std::optional<fs::path> Session::path() const {
    const Document& document = state_->document;
    return document.lesson ? document.lesson_path : document.path;
}
fs::path Session::folder() const { return state_->document.folder; }

bool Session::is_saved() const {
    const Document& document = state_->document;
    return same_but_show(document.scene, document.original()) &&
           (!document.lesson || document.lesson_is_saved());
}

}  // namespace maskscope
