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

#include "app/session/computing.h"
#include "app/session/document.h"
#include "app/show/cells/view.h"
#include "core/base/progress.h"
#include "core/edit/edit.h"
#include "core/lesson/answer.h"
#include "core/lesson/lesson.h"

namespace maskscope {

class ScratchFolder;

class Keeper;

// The answers to the question of a step.
struct Answers {
    std::vector<GivenAnswer> said{};
    // How they compare with the correct one, once that was shown; nullopt if none were given.
    std::optional<Judgement> judged{};
};

class Session {
public:
    // cpu: used until another backend is chosen, and whenever that one fails. wake: called from the
    // worker when a long computation has finished; may be empty.
    explicit Session(std::unique_ptr<Backend> cpu, std::function<void()> wake = {});
    ~Session();

    // --- what is shown
    const Document& document() const;  // to read; only functions of the session change it
    const Scene& scene() const;        // document().scene
    const Computing& results() const;  // to read, as of the last update
    const Result& shown() const;       // results().shown()
    // True while shown() still belongs to the document that was open before.
    bool opening() const;
    // True while scene(), its step or its view is being computed, or something is being exported in
    // the background.
    bool computing() const;
    double progress() const;
    void cancel();
    void go_on();  // continues pictures after cancel()
    View& view();
    const View& view() const;
    // The message line: one sentence, which disappears with the next edit or step. Errors are in
    // `wrong`.
    struct Message {
        std::string text;
        bool wrong = false;
        std::uint64_t number = 0;  // counts all messages, from 1
    };
    const std::optional<Message>& message() const;
    void say(std::string text, bool wrong = false);
    void forget_message();

    // --- background work on the scene that takes long, such as a figure of a long text: in its own
    // thread, one at a time. `work` returns a function that the next update() calls with its
    // result. An exception of `work` becomes the message, after `failure`: "Not exported: the disk
    // is full".
    using AsideWork = std::function<std::function<void()>(Progress&)>;
    // Starts background work. Returns false, with a message, if other work is in progress.
    bool make_aside(const std::string& what, const std::string& failure, AsideWork work);
    std::string made_aside() const;  // what is in progress; "" if nothing is

    // --- edits. `what` names the step for the undo button ("block a cell"). Successive edits with
    // the same non-empty `merge` are one step of undo (a drag). If `change` throws, or would make
    // the scene invalid, the error becomes the message, the scene is unchanged, and edit() returns
    // false.
    bool edit(const std::string& what, const std::function<void(Scene&)>& change,
              const std::string& merge = "");
    void end_merge();  // call at the end of a drag
    // Sets the `merge` of edits that have none, until the next call.
    void merge_edits_as(const std::string& merge);
    void undo();
    void redo();

    // Call it once a frame. Computes whatever differs from what is shown: result, bench, view, and
    // the step's facts and caption. Small work is done in the call, the rest on a worker. The call
    // waits a moment for the worker, so that quick results of a click appear in the same frame.
    void update();
    void wait();  // returns when no work is in progress; for commands and tests

    // --- backends
    void offer_gpu(GpuOffer gpu);
    // Withdraws the offer of the GPU, because its context is lost. The CPU immediately recomputes
    // what the GPU has computed; the document and its history are unchanged.
    void withdraw_gpu();
    // Recomputes the scene. If there is no GPU, changes nothing and returns false, with a message.
    // If the GPU cannot compute a scene, the CPU does, which is reported once; shown().backend
    // names the one that was used. If there is a GPU, the session must not outlive the window's
    // context.
    bool compute_with(ComputeWith choice);

    // --- files. Errors become the message (one line), and the open document stays open.
    bool open(const std::filesystem::path& path);  // opens a scene or a lesson
    // Opens a scene that is in no file yet. Its tensor files are relative to `folder`, and exist as
    // long as `files` does. name: what the scene was made from, for the message.
    bool open_scene(const Scene& scene, const std::filesystem::path& folder,
                    const std::string& name, std::shared_ptr<const ScratchFolder> files = nullptr);
    bool open_lesson(const Lesson& lesson, const std::filesystem::path& folder, int step = 0);
    void new_scene();
    // Saves the scene or the lesson to document().file_to_save(); returns false without one, or if
    // it was changed by others. An unfinished lesson is saved as a draft, which open() accepts; the
    // message says what it lacks.
    bool save();
    // Saves to another file. If its folder is another one, copies the scene's tensor files, too.
    // replace: true if the user agreed to overwrite existing files, or one that was changed by
    // others; if false, those are listed in `conflicts`.
    bool save_as(const std::filesystem::path& path, bool replace,
                 std::vector<std::string>* conflicts = nullptr);

    // --- unsaved work
    // Opens work from unsaved_bytes(), like open(). It is unsaved, and belongs to the file it came
    // from.
    bool restore_unsaved(const std::string& bytes, const std::filesystem::path& kept_in = {});
    // Opens a file that a crash has left behind, and takes it over.
    bool open_left_behind(const std::filesystem::path& left_behind);
    Keeper& keeper();  // keeps unsaved work in case of a crash

    // --- lesson
    const Lesson* lesson() const;   // document().lesson; nullptr: a scene is open
    void go_to_step(int step);      // clamps; only undo recovers edits of the step that is left
    void restore_step();            // the key R
    std::uint64_t entered() const;  // changes when a step is entered or restored
    const Answers& answers() const;
    // Adds the answers in a typed text to answers(). Returns false if the text contains none, or
    // the step does not ask.
    bool answer(const std::string& typed);
    void show_solution();
    void show_answer();  // answers the question of the step
    void next();         // Page Down: shows the answer or the solution, or advances
    void previous();
    // Returns the words of the step, filled in, as they are shown. While the step asks, the caption
    // is the question, and `ask`, notes and table are empty. After the Try was followed, until
    // another edit, caption, question and Try are as they were at the beginning of the step.
    StepWords words() const;

    // --- writing a lesson. Edits are steps of undo like those of the scene. Until the lesson is
    // saved, captions and facts may be incomplete.
    void begin_lesson();  // makes the scene on the bench the first step of a new lesson
    // Edits the lesson. change: updates the index of the shown step if the step moves; its
    // exceptions become the message. what, merge: as in edit().
    bool edit_lesson(const std::string& what,
                     const std::function<void(Lesson& lesson, int& step)>& change,
                     const std::string& merge = "");
    void remove_shown_step();  // then shows its neighbour
    // Appends the bench as a step to a lesson file, which is then open and unsaved. A step of a
    // lesson takes its words and facts along.
    bool add_to_lesson(const std::filesystem::path& path);
    // Judges a fact that is being written: the next update judges it for shown(), and finds a
    // change of the scene that makes it fail, beginning with candidate `from`. Call it once a
    // frame.
    const JudgedDraft& judge_draft(const Fact& fact, std::size_t from);

private:
    bool opened(const std::optional<std::string>& error, Document next, const std::string& name);

    struct State;
    std::unique_ptr<State> state_;
};

// Returns how far the painted mask is from the solution; nullopt if the step is not an exercise,
// still asks, or has shown its solution.
std::optional<ExerciseProgress> exercise_of(const Session& session);
bool has_solution_to_show(const Session& session);  // the exercise's mask still differs
bool leaves_step(const Session& session);           // true if next() advances
// Returns the line next to the question: "Answer: 16", or how answers compare.
std::string answer_line(const Session& session);
// Returns the fact of the Try, as words, once the Try has been followed, and "" once the mask of an
// exercise is painted correctly; nullopt before.
std::optional<std::string> what_is_done(const Session& session);

// Returns the scene and what is shown of it, as a step stores them. bench_is_step(): true if the
// shown step stores the same.
Scene bench_scene(const Session& session);
Scene step_scene(const Session& session);  // with the solution of the exercise that is being solved
bool bench_is_step(const Session& session);
void take_bench_into_step(Session& session);

// The step's first fact with its verdict; empty if there is no fact, it is not judged yet, or what
// it refers to no longer exists.
struct JudgedClaim {
    std::string line;  // such as "✓ the row keeps less than half (0.325)"; see verdict_line()
    bool holds = true;
    bool intended = false;  // the fact does not hold, because the user followed the Try
    bool hidden = false;    // the step still asks
};
JudgedClaim judged_claim(const Session& session);

}  // namespace maskscope
