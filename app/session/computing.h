#pragma once
// All that a session computes: the result of the scene and what is told of it. The only place that
// works beside the thread that draws. What the backends are needed for takes turns, the most urgent
// first; what is small is done at once.

#include <array>

#include "app/session/document.h"
#include "app/session/session_backends.h"
#include "app/session/view_maker.h"
#include "app/show/bench/bench.h"
#include "core/lesson/fact_counterexample.h"
#include "core/lesson/lesson_edit.h"
#include "core/threads/background_work.h"

namespace maskscope {

// A fact that is being made, judged for what is shown.
struct JudgedDraft {
    std::optional<Verdict> verdict;  // nothing: not known yet
    bool searching = false;          // for the change of the scene with which the fact fails
    std::optional<Failure> failure;  // nothing where not searching: no such change is known
};

class Computing {
public:
    // wake: called from a worker when it is done (may be empty)
    Computing(std::unique_ptr<Backend> cpu, std::function<void()> wake);

    // What an update has to say.
    struct Report {
        bool settled = false;  // the result that is shown is the document's
        std::string refused;   // why the document's scene has no result
        std::string fallback;  // why the CPU computed in place of the GPU
        std::string failed;    // why something else could not be made
        std::string unsound;   // what check_facts() found
    };
    // Once a frame: takes what is ready, and begins what is missing. What is outdated, or less
    // urgent than what is missing, is cancelled first.
    Report update(const Document& document, const View& view);
    bool busy() const { return worker_.active() || views_.active(); }
    void wait();  // until something that is under way is done, which update() then takes

    // --- what is there; computes nothing
    const Result& shown() const { return *shown_; }  // the last that could be computed
    const Bench& bench() const { return bench_; }
    const std::vector<Verdict>& verdicts() const { return verdicts_; }  // empty: not known yet
    const std::string& caption() const { return caption_.filled; }      // of the step
    const std::optional<LessonProblem>& lesson_problem() const { return problem_; }
    const Comparison* comparison() const;
    // The scene, what its step says, or a view is being computed beside.
    bool active() const;
    double progress() const;

    // --- what is wanted from the next update on
    void scene_changed(bool drags = false);  // drags: what will be done soon may still be shown
    void forget_step();                      // its verdicts go
    void cancel();
    void choose(ComputeWith choice);  // throws WorkError where there is no GPU; all stays then
    void compare(bool on);
    void check_facts(std::shared_ptr<const Lesson> lesson) { unchecked_ = std::move(lesson); }
    // Asked once a frame while a fact is drafted. from: see Failure::next.
    const JudgedDraft& judge_draft(const Fact& fact, std::size_t from);
    Backends& backends() { return backends_; }
    const Backends& backends() const { return backends_; }
    const std::function<void()>& wake() const { return wake_; }

private:
    // In the order of their urgency.
    enum class What { scene, step, problem, draft, search, check, comparison, nothing };

    What wanted(const Document& document) const;
    void begin(What what, const Document& document, const View& view);
    template <class Work, class Take>
    void run(What what, bool at_once, Work work, Take take);
    void take();
    void begin_scene(const Scene& scene, const View& view);
    void settle(Outcome outcome, Sources prepared, ComputeWith with);
    void begin_step(const Document& document);
    void begin_problem(const Document& document);
    void begin_draft(const std::filesystem::path& folder);
    void begin_search(const std::filesystem::path& folder);
    void begin_check(const std::filesystem::path& folder);
    void begin_comparison();
    std::optional<std::uint64_t> missing_draw(const Document& document) const;
    bool is_small(const std::vector<Fact>& facts) const;
    void renew_draft(const Fact& fact, std::size_t from);
    void forget_draft();
    void fill_caption(const Document& document);
    void update_bench(const View& view);

    std::function<void()> wake_;
    Backends backends_;
    std::shared_ptr<const Result> shown_ = std::make_shared<const Result>();
    ComputeWith shown_with_ = ComputeWith::cpu;  // what was asked to compute it
    bool changed_ = true;   // the scene may differ from shown's; false also where that failed
    bool current_ = false;  // it doesn't

    std::vector<Verdict> verdicts_;
    std::shared_ptr<const Result> step_of_;  // what verdicts_ are for, or will be
    std::vector<Fact> step_facts_;
    std::optional<std::uint64_t> drawn_;  // the last seed of root d that was asked for
    bool given_up_ = false;               // by the user

    struct Caption {
        std::shared_ptr<const Result> of;
        std::string text, filled;
        bool draws = false;
    };
    Caption caption_;

    std::optional<LessonProblem> problem_;
    std::shared_ptr<const Lesson> problem_of_, unchecked_;

    struct Draft {
        Fact fact;
        std::size_t from = 0;
        std::shared_ptr<const Result> of;
        bool judged = false, searched = false;  // or under way
        JudgedDraft found{};
    };
    std::shared_ptr<Draft> draft_;  // another one for each question
    int unasked_ = 0;               // updates since somebody asked

    bool compares_ = false;
    std::shared_ptr<const Result> compared_;
    Comparison comparison_;  // of `compared_`

    Bench bench_;
    std::shared_ptr<const Result> bench_of_;
    std::optional<View> bench_view_;
    Sources prepared_;  // of `shown_`, for the next bench

    ViewMaker views_;
    What under_way_ = What::nothing;
    Report report_;          // of the update that is running
    BackgroundWork worker_;  // after what it uses
};

// A bench for the result and view; cells that are those of `before` bit by bit are shared with it.
// prepared: of this result, by prepare_sources(); may be empty.
Bench make_bench_like(const Bench& before, const Result& result, const View& view,
                      const Sources& prepared = {});

// What a bench finds in the numbers of a result, found beside the thread that draws. before: the
// sources of the bench before.
Sources prepare_sources(const Result& result, const View& view, const Sources& before);

}  // namespace maskscope
