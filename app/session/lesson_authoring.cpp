// A lesson of one's own: its edits, what it lacks, and how it is saved.

#include <algorithm>

#include "app/session/files/tensor_copies.h"
#include "app/session/session_state.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/format/scene_json.h"

namespace maskscope {

namespace fs = std::filesystem;

bool Document::lesson_is_saved() const {
    return lesson == saved_lesson || (lesson && saved_lesson && *lesson == *saved_lesson);
}

void Document::set_lesson(std::shared_ptr<const Lesson> next, int shown_step) {
    if (next != lesson) {
        lesson = std::move(next);
        answered.assign(lesson ? lesson->steps.size() : 0, false);
        covered = false;
    }
    step = shown_step;
}

// --- edits

// The bench stays as it is: the facts are judged anew.
void Session::State::change_lesson(const std::string& what, std::shared_ptr<const Lesson> lesson,
                                   int step, const std::string& merge) {
    const bool merges =
        !merge.empty() && !document.undo.empty() && document.undo.back().merge == merge;
    if (!merges) {
        push_step(document.undo, {what, merge, document.now()});
        document.undo.back().snapshot.show = view.show;
    }
    document.redo.clear();
    document.set_lesson(std::move(lesson), step);
    verdicts.clear();
    changed = true;
    message.reset();
}

void Session::begin_lesson() {
    if (lesson()) return;
    state_->change_lesson("begin a lesson",
                          std::make_shared<const Lesson>(lesson_of(bench_scene())), 0, "");
}

bool Session::edit_lesson(const std::string& what, const std::function<void(Lesson&, int&)>& change,
                          const std::string& merge) {
    State& s = *state_;
    if (!s.document.lesson) return false;
    Lesson next = *s.document.lesson;
    int step = s.document.step;
    try {
        change(next, step);
    } catch (const EditError& error) {
        say(error.what(), true);
        return false;
    }
    if (next == *s.document.lesson && step == s.document.step) return true;
    s.change_lesson(what, std::make_shared<const Lesson>(std::move(next)), step, merge);
    return true;
}

void Session::remove_shown_step() {
    State& s = *state_;
    const bool removed = edit_lesson(
        "delete the step", [](Lesson& lesson, int& step) { step = remove_step(lesson, step); });
    if (!removed || !s.document.lesson) return;
    s.view.show = s.document.lesson_step().scene.show.value_or(Show{});
    s.view.start_afresh();
    s.set_scene(s.document.lesson_step().scene);
}

Scene Session::bench_scene() const { return state_->scene_to_save(); }

bool Session::bench_is_step() const {
    return lesson() && bench_scene() == state_->document.lesson_step().scene;
}

void Session::take_bench_into_step() {
    const Scene scene = bench_scene();
    edit_lesson("update the step",
                [&](Lesson& lesson, int& step) { lesson.steps[step].scene = scene; });
}

// --- into another lesson's file

bool Session::add_to_lesson(const fs::path& path) {
    State& s = *state_;
    Step added = lesson() ? s.document.lesson_step() : step_of(bench_scene());
    added.scene = bench_scene();
    const std::vector<std::string> files = tensor_files(added.scene);
    const fs::path from = s.document.folder;
    std::shared_ptr<const Lesson> saved;
    const auto error = error_of(path, [&] {
        const std::string text = read_file(path);
        if (!is_lesson(text)) throw InputError("", "is a scene; expected a lesson");
        if (!files.empty() && !same_place(from, folder_of(path)))
            throw WorkError("the step reads " + files.front() +
                            " in another folder; save the scene in the lesson's folder first");
        saved = std::make_shared<const Lesson>(read_lesson(text, folder_of(path)));
    });
    if (error) {
        say(*error, true);
        return false;
    }
    Lesson longer = *saved;
    longer.steps.push_back(std::move(added));
    const int last = static_cast<int>(longer.steps.size()) - 1;
    s.opening = path.string();
    s.show_lesson(std::make_shared<const Lesson>(std::move(longer)), folder_of(path), last, path);
    s.document.saved_lesson = saved;
    s.document.covered = false;
    update();
    return !message() || !message()->wrong;
}

// --- facts

Verdict Session::judge_shown(const Fact& fact) const { return state_->judged(fact); }

Session::Search Session::what_breaks(const Fact& fact, std::size_t from) {
    State& s = *state_;
    s.failure_search.ask(fact, s.document.scene, s.document.folder, from, s.wake);
    return {s.failure_search.under_way(), s.failure_search.found()};
}

const std::optional<LessonProblem>& Session::lesson_problem() const {
    const State& s = *state_;
    const auto& lesson = s.document.lesson;
    if (s.problem_of_lesson != lesson) {
        s.problem = lesson ? problem_of(*lesson, s.document.folder) : std::nullopt;
        s.problem_of_lesson = lesson;
    }
    return s.problem;
}

// --- saving

bool Session::saves_lesson() const { return state_->document.saves_lesson(); }

std::vector<std::string> Session::State::files_to_save() const {
    if (!document.saves_lesson()) return tensor_files(document.scene);
    std::vector<std::string> files;
    for (const Step& step : document.lesson->steps)
        for (const std::string& file : tensor_files(step.scene))
            if (std::ranges::find(files, file) == files.end()) files.push_back(file);
    return files;
}

// A lesson is called as its file, until somebody names it by hand.
bool Session::State::write_lesson_to(const fs::path& path) {
    if (const auto problem = problem_of(*document.lesson, document.folder)) {
        say(problem->text, true);
        return false;
    }
    Lesson lesson = *document.lesson;
    const bool again =
        document.saved_lesson && document.lesson_path && same_place(*document.lesson_path, path);
    lesson.name = again ? document.saved_lesson->name : lesson_name_of(path.stem().string());
    const auto error = error_of(path, [&] { replace_file(path, write_lesson(lesson)); });
    if (error) {
        say(*error, true);
        return false;
    }
    const auto written = std::make_shared<const Lesson>(std::move(lesson));
    const auto answered = document.answered;
    const bool covered = document.covered;
    document.set_lesson(written, document.step);
    document.answered = answered;
    document.covered = covered;
    document.saved_lesson = written;
    document.lesson_path = path;
    document.folder = folder_of(path);
    say_saved(path);
    return true;
}

// What a lecturer should know before the lecture stands behind it.
void Session::State::say_saved(const fs::path& path) {
    const std::string saved = "Saved as " + path.string();
    if (!same_but_show(document.scene, document.lesson_step().scene))
        return say(printable(saved + ", without the edits on the bench: Update the step takes "
                                     "them in."),
                   true);
    const auto unsound = worker.active()
                             ? std::nullopt
                             : unsound_fact(*document.lesson, backends.cpu(), document.folder);
    say(printable(unsound ? saved + ", but " + unsound->text : saved), unsound.has_value());
}

}  // namespace maskscope
