#pragma once
// Everything that a session computes: the result of the scene, the facts and caption of its step,
// and the bench. Values that need a backend share a worker thread: Computing::update() lists them,
// the most urgent first. Small ones are computed immediately on the UI thread.

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>

#include "app/session/backends.h"
#include "app/session/document.h"
#include "app/show/bench/bench_survey.h"
#include "app/show/views/view_entry.h"
#include "core/lesson/caption.h"
#include "core/lesson/fact_proposal.h"
#include "core/lesson/lesson_edit.h"
#include "core/threads/cached.h"

namespace maskscope {

// Keeps the data of the shown view up to date: computed immediately if that is quick, otherwise on
// a worker.
class ViewMaker {
public:
    // wake: called from the worker when it has finished; may be empty.
    explicit ViewMaker(std::function<void()> wake) : worker_(std::move(wake)) {}
    // Call it once a frame.
    void refresh(const std::shared_ptr<const Result>& result, const View& view);
    // Returns the last data that could be computed: the previous view's until the next is ready, or
    // no data if a long text replaces another text.
    const ViewData& data() const { return data_; }
    // True if data() belongs to this view.
    bool has(const ViewKey& key) const;
    bool active() const { return worker_.active(); }
    double progress() const { return worker_.progress(); }
    // Cancels the current work, which is not restarted until something changes.
    void cancel();
    void wait();  // returns when the worker is done

private:
    ViewData data_;
    std::weak_ptr<const BatchInputs> made_of_;  // the part of a result that data_ was made from
    // Why the content of a view could not be made, or "".
    std::map<ViewKind, Cached<ViewKey, std::string>> failures_;
    SharedWorker worker_;  // last: it uses the members above
};

// A draft of a fact, judged for the shown result.
struct JudgedDraft {
    std::optional<Verdict> verdict;  // nullopt: not yet known
    // True while looking for a change of the scene that makes the fact fail.
    bool searching = false;
    std::optional<Failure> failure;  // nullopt after the search: none was found
};

// The pass that the pictures of a long text need; the area that is zoomed into is computed first.
struct Sampling {
    double seen = 0;                  // the share of rows that were computed
    std::optional<double> seconds{};  // the time for the rest, at the speed so far; nullopt: not
                                      // yet known
    bool stopped = false;             // it was stopped by cancel()
};

class Computing {
public:
    // wake: called from a worker when it is done; may be empty.
    Computing(std::unique_ptr<Backend> cpu, std::function<void()> wake);

    // Messages for the user, after an update.
    struct Report {
        bool settled = false;  // the shown result belongs to the document
        std::string refused;   // why the document's scene has no result
        std::string fallback;  // why the CPU was used instead of the GPU
        std::string failed;    // why something else could not be computed
        std::string unsound;   // the problem that check_facts() found
    };
    // Call it once a frame. Takes finished results and starts missing ones, after cancelling work
    // that is outdated or less urgent.
    Report update(const Document& document, const View& view);
    bool busy() const { return worker_.active() || views_.active() || backends_.preparing(); }
    void wait();  // waits until some work is finished; update() then takes its result

    // --- current results, without computing anything
    // Returns the last result that could be computed; shown().scene has its labels.
    const Result& shown() const { return *shown_; }
    const Bench& bench() const { return bench_; }  // of shown() and the view at the last update
    // Returns the data of the displayed view without the pointer, as a file shows it; null while
    // the data is being computed.
    const ViewData* finished_views(View view) const;
    // Returns the verdicts by fact; empty: not yet known.
    const std::vector<Verdict>& verdicts() const { return step_.value_or_empty(); }
    // Returns all words of the shown step, whether it asks or not.
    const StepWords& words() const { return words_.filled; }
    const StepWords& first_words() const { return first_words_; }  // the same, before any edit
    // Returns the fact of the Try, as words, if it holds for the result; nullopt if it does not, or
    // is not yet judged. is_tried(): the fact holds, nothing was edited since it first did, and the
    // tokens are those of the step.
    const std::optional<std::string>& tried() const { return tried_; }
    bool is_tried() const { return tried_ && tried_of_ == shown_ && !first_words_.caption.empty(); }
    bool has_words() const { return words_.of != nullptr; }  // false: shown() is another step's
    // Returns the problem that makes the lesson a draft.
    const std::optional<LessonProblem>& lesson_problem() const { return problem_.value_or_empty(); }
    // True if the scene, its step, a view or the pictures of a long text are being computed in the
    // background.
    bool active() const;
    double progress() const;
    // Returns the progress of the pictures of a long text; nullopt if they are complete.
    std::optional<Sampling> sampling() const;

    // --- requests, carried out by the next update
    void scene_changed(bool drags = false);  // drags: may show an outdated result meanwhile
    void forget_step();                      // discards the step's verdicts
    void cancel();
    void go_on();                     // continues a survey that was cancelled
    void choose(ComputeWith choice);  // throws WorkError without a GPU, and then changes nothing
    void withdraw_gpu();              // also forgets what the GPU computed
    void check_facts(std::shared_ptr<const Lesson> lesson);
    // Call it once a frame while a fact is being drafted. from: see Failure::next.
    const JudgedDraft& judge_draft(const Fact& fact, std::size_t from);
    Backends& backends() { return backends_; }
    const Backends& backends() const { return backends_; }
    const std::function<void()>& wake() const { return worker_.wake(); }  // for other workers, too

private:
    struct Computation;
    struct StepKey {
        std::shared_ptr<const Result> result;
        std::vector<Fact> facts;
        bool draws = false;  // its words or facts need a draw of numbers
        bool operator==(const StepKey&) const = default;
    };
    struct Draft {
        Fact fact;
        std::shared_ptr<const Result> result;
        bool operator==(const Draft&) const = default;
    };
    struct Search {
        Draft draft;
        std::size_t from = 0;
        bool operator==(const Search&) const = default;
    };

    // --- what update() wants, the most urgent first
    void want_scene(const Scene& scene, const View& view);
    void want_step(const Document& document);
    void want_part_of_survey();
    void want_problem(const Document& document);
    void want_draft(const std::filesystem::path& folder);
    void want_check(const std::filesystem::path& folder);

    void settle(Computation made, ComputeWith with);
    void notice_depends(const Document& document, const View& view);
    void notice_gpu();
    void notice_hand(const View& view);
    void give_way(const Progress& progress) const;
    void notice_view(const View& view);
    void add_blanks(const View& view);
    void note_tried(const Fact& shows, const Verdict& verdict, bool same_tokens);
    std::optional<std::uint64_t> missing_draw(const Document& document) const;
    Cost cost_of(const std::vector<Fact>& facts) const;
    void forget_draft();
    void fill_words(const Document& document);
    void update_bench(const View& view);

    Backends backends_;
    std::shared_ptr<const Result> shown_ = std::make_shared<const Result>();
    ComputeWith shown_with_ = ComputeWith::cpu;  // the backend that was requested
    int revision_ = 0;                           // counts changes of the scene
    Cached<int, bool> scene_;                    // the last revision that was computed
    bool current_ = false;  // shown_ belongs to the scene, or to an earlier state of the drag
    bool depends_ = false;  // the stage depends is shown, or the step names it

    Cached<StepKey, std::vector<Verdict>> step_;
    std::optional<std::string> tried_;
    std::shared_ptr<const Result> tried_of_;  // the first result for which tried_ was set
    StepWords first_words_;

    struct Words {
        std::shared_ptr<const Result> of;
        std::shared_ptr<const Lesson> lesson{};
        int step = 0;
        bool draws = false;
        StepWords filled{};
    };
    Words words_;

    Cached<std::shared_ptr<const Lesson>, std::optional<LessonProblem>> problem_;
    std::shared_ptr<const Lesson> unchecked_;  // for check_facts()
    Cached<std::shared_ptr<const Lesson>, bool> check_;

    std::optional<Search> drafted_;  // null unless a fact is being drafted
    int unasked_ = 0;                // the number of updates since the last judge_draft()
    Cached<Draft, Verdict> draft_;
    Cached<Search, std::optional<Failure>> search_;
    JudgedDraft judged_;

    Bench bench_;
    std::optional<std::pair<std::shared_ptr<const Result>, View>> bench_of_;
    Sources prepared_;               // the sources for `shown_` and the next bench
    bool bench_has_blanks_ = false;  // see add_blanks()
    // The pass over `shown_`, and its progress.
    struct Pass {
        enum class State { goes_on, stopped, done };
        std::shared_ptr<BenchSurvey> survey{};  // null: the result has all rows
        State state = State::done;
        double seen = 1;
        // For its speed: what was computed before its first part, and how long its parts took.
        double from = 0, seconds = 0;

        Pass() = default;
        explicit Pass(std::shared_ptr<BenchSurvey> over);
        bool goes_on() const { return state == State::goes_on; }
    };
    Pass pass_;
    Cached<const BenchSurvey*, bool> part_;  // the part that is being computed
    // The part of the view that the user is moving, and until when to wait for the next move.
    Zoom zoom_{};
    std::optional<CellRef> hovered_{};
    std::atomic<std::chrono::steady_clock::time_point> hand_until_{};

    ViewMaker views_;
    Report report_;        // the messages of the current update
    SharedWorker worker_;  // last: it uses the members above
};

// Makes a bench for the result and view. Cells that are bit for bit those of `before` are shared
// with it. prepared: from prepare_sources() for this result; may be empty.
Bench make_bench_like(const Bench& before, const Result& result, const View& view,
                      const Sources& prepared = {});

// Computes what a bench needs to know about the numbers of a result, on the worker thread. before:
// the sources of the previous bench.
Sources prepare_sources(const Result& result, const View& view, const Sources& before);

}  // namespace maskscope
