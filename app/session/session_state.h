#pragma once
// What a session holds. Its members are spread over session*.cpp by what they are about.

#include <deque>

#include "app/session/lesson_search.h"
#include "app/session/session.h"
#include "app/session/view_maker.h"
#include "core/threads/background_work.h"

namespace maskscope {

// What undo brings back.
struct Snapshot {
    Scene scene;
    int step = 0;              // of the lesson
    std::optional<Show> show;  // where the edit changed what is shown: lanes that came or went
    std::shared_ptr<const Lesson> lesson{};
};

struct HistoryStep {
    std::string what;   // "block a cell"
    std::string merge;  // "" = a step of its own; cleared when the drag is over
    Snapshot snapshot;  // before the edit in `undone`'s list, after it in `redone`'s
};

// What is open: a scene with its history, or a lesson at one of its steps.
struct Document {
    Scene scene;
    Scene saved;  // as it was opened or saved last; of a lesson see original()
    std::optional<std::filesystem::path> path;
    std::filesystem::path folder = ".";
    std::deque<HistoryStep> undo, redo;  // the last one is next

    std::shared_ptr<const Lesson> lesson;        // null: a scene is open
    std::shared_ptr<const Lesson> saved_lesson;  // as it was opened or saved last; null: never
    std::optional<std::filesystem::path> lesson_path;
    int step = 0;
    bool covered = false;
    std::vector<bool> answered;  // [step]: uncovered once

    const Step& lesson_step() const { return lesson->steps[step]; }
    const Scene& original() const { return lesson ? lesson_step().scene : saved; }
    Snapshot now() const { return {scene, step, std::nullopt, lesson}; }
    bool lesson_is_saved() const;
    bool saves_lesson() const { return lesson && (lesson_path || !lesson_is_saved()); }
    void set_lesson(std::shared_ptr<const Lesson> next, int shown_step);
};

struct Session::State {
    Backends backends;
    std::function<void()> wake;
    Document document;
    View view;
    // What was open until the document could be computed: it comes back where that fails.
    std::optional<std::pair<Document, View>> before_open;
    std::string opening;  // the path as typed

    std::shared_ptr<const Result> shown;
    ComputeWith shown_with = ComputeWith::cpu;  // what was asked to compute it
    bool changed = true;         // the scene may differ from shown's; false also where that failed
    bool said_fallback = false;  // that the CPU computes in place of the GPU: once
    std::vector<Verdict> verdicts;
    std::optional<Message> message;

    bool compares = false;  // the comparison is looked at
    std::shared_ptr<const Result> compared;
    Comparison comparison;  // of `compared`
    ViewMaker views;

    Bench bench;
    std::shared_ptr<const Result> bench_of;
    std::optional<View> bench_view;
    Sources looked_at;  // of `shown`, for the next bench

    // What the worker is about, and what it reads and writes until it was joined. Results are let
    // go by this thread: what stands on the GPU needs the context that is current here.
    struct Work {
        enum class What { nothing, scene, comparison } what = What::nothing;
        ComputeWith with = ComputeWith::cpu;
        std::shared_ptr<const Result> before;
        Outcome outcome;
        Comparison comparison;
        View view;                   // of the session when the work began
        Sources sources, looked_at;  // of the bench then, and of the outcome's result
    };
    Work work;
    BackgroundWork worker;  // after what it uses

    FailureSearch failure_search;
    mutable std::shared_ptr<const Lesson> problem_of_lesson;  // what `problem` is about
    mutable std::optional<LessonProblem> problem;

    explicit State(std::unique_ptr<Backend> cpu) : backends(std::move(cpu)) {}
    void say(std::string text, bool wrong) { message = Message{std::move(text), wrong}; }
    // Cancels a worker under way; in a drag it may finish what it will have finished soon.
    void set_scene(Scene scene, bool drags = false);
    void show_document(Document next);
    void show_lesson(std::shared_ptr<const Lesson> lesson, const std::filesystem::path& folder,
                     int step, std::optional<std::filesystem::path> path = std::nullopt);
    void enter_step(int step, bool covered);
    void update_result();
    bool computes_scene() const;
    void start_scene(std::shared_ptr<const Result> before);
    void start_comparison();
    void compute_scene();
    void take_work();
    void settle(Outcome outcome, Sources sources = {});
    void tell_fallback(const std::string& why);
    void refuse(const std::string& why);
    std::optional<std::uint64_t> draw_to_make() const;  // of root d, for the step's facts
    void judge_step();
    Verdict judged(const Fact& fact);  // for `shown`
    Scene scene_to_save() const;
    void was_saved(const Scene& scene, const std::filesystem::path& path);
    bool write(const std::filesystem::path& path);
    bool write_scene_to(const std::filesystem::path& path);
    bool write_lesson_to(const std::filesystem::path& path);
    void say_saved(const std::filesystem::path& path);
    std::vector<std::string> files_to_save() const;  // tensor files
    void change_lesson(const std::string& what, std::shared_ptr<const Lesson> lesson, int step,
                       const std::string& merge);
};

// Forgets the oldest of more than a thousand.
void push_step(std::deque<HistoryStep>& steps, HistoryStep step);

// Runs `work` on the file, named as typed. Its error in one line, or nothing.
std::optional<std::string> error_of(const std::filesystem::path& file,
                                    const std::function<void()>& work);

std::filesystem::path folder_of(const std::filesystem::path& file);
bool same_place(const std::filesystem::path& x, const std::filesystem::path& y);

// Equal in everything but `show`?
bool same_but_show(const Scene& x, const Scene& y);

// What of `show` is there in the scene: as the file is read, so it must be written.
Show valid_show(Show show, const Scene& scene);

// A bench for the result and view; cells that are those of `before` bit by bit are shared with it.
// looked_at: of this result, by look_ahead(); may be empty.
Bench make_bench_like(const Bench& before, const Result& result, const View& view,
                      const Sources& looked_at = {});

// What a bench would find in the numbers of a result, found beside the thread that draws. before:
// the sources of the bench before.
Sources look_ahead(const Result& result, const View& view, const Sources& before);

}  // namespace maskscope
