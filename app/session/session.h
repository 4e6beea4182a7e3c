#pragma once
// A document, its results and its files, as the window and the tests see them. Only update()
// computes. Independent of ImGui and GL.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/backends.h"
#include "app/show/bench/bench.h"
#include "app/show/cells/view.h"
#include "core/base/progress.h"
#include "core/edit/edit.h"
#include "core/lesson/answer.h"
#include "core/lesson/caption.h"
#include "core/lesson/lesson.h"
#include "core/lesson/lesson_edit.h"

namespace maskscope {

class ScratchFolder;

class Keeper;
struct Document;
struct JudgedDraft;
struct Sampling;
struct UnsavedWork;

class Session {
public:
    // cpu: used until another backend is chosen, and whenever that one fails. wake: called from the
    // worker when a long computation has finished (may be empty)
    explicit Session(std::unique_ptr<Backend> cpu, std::function<void()> wake = {});
    ~Session();

    // --- what is shown
    const Scene& scene() const;
    const Result& shown() const;  // the last successful one; shown().scene has its labels
    const Bench& bench() const;   // of shown() and view() at the last update
    // Returns the data that view() shows of shown() without a pointer, as a file does; null while
    // it is computed.
    const ViewData* finished_views() const;
    // True if shown() still belongs to the document that was open before.
    bool opening() const;
    bool entering() const;  // the same for the step of the lesson
    // True if scene(), its step or its view is being computed, or something is being exported in
    // the background.
    bool computing() const;
    double progress() const;
    void cancel();
    // Returns how far the pictures of a long text are; nullopt if they are complete.
    std::optional<Sampling> sampling() const;
    void go_on();  // continues those that were cancelled
    View& view();
    const View& view() const;
    // The message line: one sentence, until the next edit or step. Errors are in `wrong`.
    struct Message {
        std::string text;
        bool wrong = false;
        std::uint64_t number = 0;  // counts all messages, from 1
    };
    const std::optional<Message>& message() const;
    void say(std::string text, bool wrong = false);
    void forget_message();

    // --- what is made of the scene and takes long, such as a figure of a long text: in a thread of
    // its own, one at a time. `work` returns what the next update() then does with it. What it
    // throws becomes the message, after `failure`: "Not exported: the disk is full".
    using AsideWork = std::function<std::function<void()>(Progress&)>;
    // Starts background work. Returns false, with a message, while another is in progress.
    bool make_aside(const std::string& what, const std::string& failure, AsideWork work);
    std::string made_aside() const;  // what is in progress; "" if nothing is

    // --- edits. `what` names the step for the undo button ("block a cell"). Edits with the same
    // non-empty `merge` in a row are one step of undo (a drag). If `change` throws, or would leave
    // an invalid scene, that becomes the message, the scene stays, and edit() returns false.
    bool edit(const std::string& what, const std::function<void(Scene&)>& change,
              const std::string& merge = "");
    void end_merge();  // the drag is over
    // Sets how edits without a `merge` of their own merge, until the next call.
    void merge_edits_as(const std::string& merge);
    void undo();
    void redo();
    std::optional<std::string> undo_name() const, redo_name() const;  // nullopt: greyed out

    // Call once per frame. Computes whatever differs from what is shown: result, bench, view, and
    // the step's facts and caption. Small work is done in the call, the rest on a worker, for which
    // it waits a moment: a click, and what is quickly done, shows in the same frame.
    void update();
    void wait();  // until no work is under way (commands, tests)

    // --- backends
    void offer_gpu(GpuOffer gpu);
    // Takes the offer of the GPU back, because its context is lost. The CPU computes at once what
    // the GPU has computed; the document and its history stay.
    void withdraw_gpu();
    // Recomputes the scene. Returns false, with a message, if there is no GPU; nothing changes
    // then. If the GPU cannot compute a scene, the CPU does, which is reported once;
    // shown().backend names the one used. With a GPU the session must not outlive the window's
    // context.
    bool compute_with(ComputeWith choice);
    const Backends& backends() const;

    // Returns the number of the open document; each has another one.
    std::uint64_t document() const;

    // --- files. Errors become the message (one line), and what was open stays.
    bool open(const std::filesystem::path& path);  // a scene or a lesson
    // Opens a scene that is in no file yet. Its tensor files are relative to `folder`, and exist as
    // long as `files` does. `name`: what it was made from, for the message.
    bool open_scene(const Scene& scene, const std::filesystem::path& folder,
                    const std::string& name, std::shared_ptr<const ScratchFolder> files = nullptr);
    bool open_lesson(const Lesson& lesson, const std::filesystem::path& folder, int step = 0);
    void new_scene();
    // Saves the scene, or the lesson, to path(); false without one. An unfinished lesson is saved
    // as a draft, which open() accepts; the message says what it lacks.
    bool save();
    // True if that file was changed since it was opened or saved: then save() refuses, and
    // save_as() lists it as a conflict.
    bool changed_outside() const;
    // Saves elsewhere. Copies the scene's tensor files along if the folder is another one.
    // `replace`: the user agreed to overwrite existing files. Lists those in `conflicts`.
    bool save_as(const std::filesystem::path& path, bool replace,
                 std::vector<std::string>* conflicts = nullptr);
    // Returns the path of the scene or of the lesson; nullopt for a built-in lesson.
    std::optional<std::filesystem::path> path() const;
    // Returns that path, or the one to which the step of a built-in lesson was saved as a scene
    // since it was entered.
    std::optional<std::filesystem::path> file_to_save() const;
    // Returns the figure that the scene was opened from: no save replaces it.
    const std::optional<std::filesystem::path>& figure() const;
    std::filesystem::path folder() const;  // the base of scene()'s tensor file paths
    bool is_saved() const;

    // --- unsaved work. nullopt if all is saved, or if the scene itself holds more than a million
    // numbers.
    std::optional<UnsavedWork> unsaved() const;
    // Opens work from unsaved_bytes(), like open(). It is not saved, and belongs to the file it
    // came from.
    bool restore_unsaved(const std::string& bytes, const std::filesystem::path& kept_in = {});
    // Opens a file that a crash has left behind and takes it over.
    bool open_left_behind(const std::filesystem::path& left_behind);
    Keeper& keeper();                           // keeps it for a crash
    const std::function<void()>& wake() const;  // for other background work

    // --- lesson
    const Lesson* lesson() const;  // nullptr: a scene is open
    int step() const;              // from 0
    void go_to_step(int step);  // clamped; edits of the previous step can only be recovered by undo
    void restore_step();        // R
    std::uint64_t entered() const;  // changes when a step is entered or restored
    // Takes the answers to the question, as typed, only while it is asked. Returns false if the
    // answer is empty.
    bool answer(const std::string& typed);
    const std::vector<GivenAnswer>& said() const;
    // Returns the answers with the correct one once it was shown; nullopt if there were none.
    const std::optional<Judgement>& answered() const;
    // Returns how far the mask that is to be painted is from the solution; nullopt if the step has
    // no such exercise, still asks, or its solution was shown.
    std::optional<Differing> exercise() const;
    bool has_solution_to_show() const;  // for an exercise whose mask still differs
    void show_solution();
    void show_answer();        // of a step that asks
    void next();               // Page Down: shows the answer or the solution, or advances
    bool leaves_step() const;  // true if next() advances
    void previous();
    const std::vector<Verdict>& verdicts() const;  // for the step's facts; empty: not known yet
    // Returns the words of the step, filled in, as they are shown: while it asks, the caption is
    // the question, and `ask`, notes and table are empty.
    StepWords words() const;
    std::string answer_line() const;  // beside the question: "Answer: 16", or how answers compare
    // Returns the words of what was learned, once the Try has been followed or the mask painted; ""
    // if there are no words for it, nullopt before. Caption, question and Try are then those of the
    // step's beginning, until another edit.
    std::optional<std::string> done() const;

    // --- writing a lesson. Edits are steps of undo like those of the scene; captions and facts may
    // be incomplete until the lesson is saved.
    void begin_lesson();  // makes the scene on the bench the first step of a new lesson
    // Edits the lesson. `change` updates the index of the shown step if it moves. Its exceptions
    // become the message. `what` and `merge` as in edit().
    bool edit_lesson(const std::string& what,
                     const std::function<void(Lesson& lesson, int& step)>& change,
                     const std::string& merge = "");
    void remove_shown_step();  // and shows its neighbour
    // Return the scene with what is shown, as a step stores it; and whether the shown step equals
    // it.
    Scene bench_scene() const;
    Scene step_scene() const;  // with the solution of the exercise that is being solved
    bool bench_is_step() const;
    void take_bench_into_step();
    // Appends the bench as a step to a lesson file, which is then open and not saved. A lesson step
    // takes its words and facts along.
    bool add_to_lesson(const std::filesystem::path& path);
    // True if saving writes the lesson: one that was opened from a file or edited; else it writes
    // the scene.
    bool saves_lesson() const;
    // Returns the problem that makes the lesson a draft, as of the last update.
    const std::optional<LessonProblem>& lesson_problem() const;
    // Judges a fact that is being written: the next update judges it for shown(), and finds the
    // change of the scene that makes it fail, the first from candidate `from` on. Call once per
    // frame.
    const JudgedDraft& judge_draft(const Fact& fact, std::size_t from);

private:
    bool opened(const std::optional<std::string>& error, Document next, const std::string& name);

    struct State;
    std::unique_ptr<State> state_;
};

// The step's first fact with its verdict; empty if there is none, it has not been judged yet, or
// what it refers to no longer exists.
struct JudgedClaim {
    std::string line;  // "✓ the row keeps less than half (0.325)", see verdict_line()
    bool holds = true;
    bool intended = false;  // false is intended: the Try was to make it so
    bool hidden = false;    // the step asks
};
JudgedClaim judged_claim(const Session& session);

}  // namespace maskscope
