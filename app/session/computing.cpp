#include "app/session/computing.h"

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/compute/depends.h"
#include "core/compute/memory.h"
#include "core/compute/root_d.h"
#include "core/lesson/address.h"

namespace maskscope {

namespace {

using Clock = std::chrono::steady_clock;

// The time that an update waits for the worker, so that quick results appear in the same frame.
// Entering a step changes the whole screen, so the update then waits longer rather than draw an
// intermediate picture.
constexpr std::chrono::milliseconds frame_waits{8}, step_waits{50};
// Times for a survey of a large result: how long its first sample may take, the sample after an
// edit, and each part of the pass that follows.
constexpr std::chrono::milliseconds first_survey{40}, edited_survey{15}, survey_part{300};
// Longest pause between two mouse events of one gesture. The pass waits for the gesture to end, up
// to a limit, because completing a picture is useful only if the next one shows the same place.
constexpr std::chrono::milliseconds hand_rests{60}, block_waits{60};
// The longest computation for which a drag shows intermediate results, not only the last one.
constexpr double soon_milliseconds = 500;
// The number of updates without a call of judge_draft() after which the draft is dropped.
constexpr int most_unasked = 3;

// Judges facts. A fact that cannot be computed on this machine does not hold. Returns nullopt if
// cancelled.
std::optional<std::vector<Verdict>> judged(Backends& backends, const std::vector<Fact>& facts,
                                           const Result& result,
                                           const std::filesystem::path& folder,
                                           Progress& progress) {
    std::vector<Verdict> verdicts(facts.size(), Verdict{.exists = false});
    for (std::size_t k = 0; k < facts.size(); ++k) try {
            verdicts[k] = judge(facts[k], result, backends.cpu(), folder, &progress);
        } catch (const Cancellation&) {
            return std::nullopt;
        } catch (const std::exception&) {}
    return verdicts;
}

double numbers_in(const Lesson& lesson) {
    double numbers = 0;
    for (const Step& step : lesson.steps)
        numbers += numbers_to_compute(step.scene) *
                   double(1 + 2 * step.facts.size() + (step.try_shows ? 1 : 0));
    return numbers;
}

// Returns the view without the parts that do not affect a bench: the pointer, the pinned cell, the
// zoom and the theme.
View relevant(View view) {
    view.show.focus.reset();
    view.show.ring.reset();
    view.zoom = {};
    view.hovered.reset();
    view.pinned.reset();
    view.theme = {};
    return view;
}

}  // namespace

Computing::Computing(std::unique_ptr<Backend> cpu, std::function<void()> wake)
    : wake_(std::move(wake)), backends_(std::move(cpu), wake_) {}

// --- once a frame

Computing::Report Computing::update(const Document& document, const View& view) {
    report_ = {};
    const bool enters = document.lesson && !has_words();
    const Clock::time_point until = Clock::now() + (enters ? step_waits : frame_waits);
    notice_hand(view);
    if (worker_.finished()) take();
    notice_gpu();
    if (!document.lesson) forget_step();
    if (draft_ && ++unasked_ > most_unasked) forget_draft();
    if (draft_ && draft_->of != shown_) renew_draft(draft_->fact, draft_->from);
    notice_depends(document, view);
    notice_view(view);
    WorkKind next = wanted(document);
    if (worker_.active() && under_way_ != WorkKind::scene && next <= under_way_) worker_.cancel();
    // Draw the picture of an edited scene before a survey of it occupies all threads.
    while (!worker_.active() && next != WorkKind::nothing && report_.refused.empty() &&
           !(next == WorkKind::survey && report_.settled)) {
        begin(next, document, view);
        // Do not wait for a survey: it cannot have anything to show so soon.
        if (next != WorkKind::survey && worker_.finished_within(until - Clock::now())) take();
        if (draft_ && draft_->of != shown_) renew_draft(draft_->fact, draft_->from);
        next = wanted(document);
    }
    if (report_.refused.empty()) {
        views_.refresh(shown_, view, wake_);
        update_bench(view);
        fill_words(document);
    }
    return std::move(report_);
}

void Computing::wait() {
    unasked_ = 0;
    if (worker_.active())
        worker_.finished_within(std::chrono::hours(1));
    else if (views_.active())
        views_.wait();
    else
        backends_.wait_while_preparing();
}

Computing::WorkKind Computing::wanted(const Document& document) const {
    if (changed_) return WorkKind::scene;
    if (worker_.active() && under_way_ == WorkKind::scene) return WorkKind::nothing;
    if (document.lesson && current_) {
        const auto seed = missing_draw(document);
        if (step_of_ != shown_ || step_facts_ != document.lesson_step().facts ||
            (seed && seed != drawn_))
            return WorkKind::step;
    }
    const bool surveys = worker_.active() && under_way_ == WorkKind::survey;
    const bool lacks = pass_.survey && (pass_.goes_on() || pass_.survey->is_asked());
    if (lacks && !surveys) return WorkKind::survey;
    if (problem_of_ != document.lesson) return WorkKind::problem;
    if (draft_ && !draft_->judged) return WorkKind::draft;
    if (draft_ && draft_->found.searching && !draft_->searched) return WorkKind::search;
    if (unchecked_) return WorkKind::check;
    return WorkKind::nothing;
}

void Computing::begin(WorkKind what, const Document& document, const View& view) try {
    switch (what) {
        case WorkKind::scene:
            return begin_scene(document.scene, view);
        case WorkKind::step:
            return begin_step(document);
        case WorkKind::survey:
            return begin_survey();
        case WorkKind::problem:
            return begin_problem(document);
        case WorkKind::draft:
            return begin_draft(document.folder);
        case WorkKind::search:
            return begin_search(document.folder);
        case WorkKind::check:
            return begin_check(document.folder);
        case WorkKind::nothing:
            return;
    }
} catch (const std::bad_alloc&) {
    begin_again(what);
    throw;
}

// Marks work to be done again that was interrupted because memory ran out.
void Computing::begin_again(WorkKind what) {
    if (what == WorkKind::scene) changed_ = true;
    if (what == WorkKind::step) step_of_.reset();
    if (what == WorkKind::problem) problem_of_.reset();
    if (what == WorkKind::draft && draft_) draft_->judged = false;
    if (what == WorkKind::search && draft_) draft_->searched = false;
}

// Runs the work now or on the worker; `take` then receives its result on the UI thread.
template <class Work, class Take>
void Computing::run(WorkKind what, bool at_once, Work work, Take take) {
    if (at_once) {
        Progress progress;
        return take(work(progress));
    }
    under_way_ = what;
    worker_.start(std::move(work), std::move(take), wake_);
}

void Computing::take() {
    under_way_ = WorkKind::nothing;
    worker_.join();
}

bool Computing::active() const {
    const bool works = under_way_ == WorkKind::scene || under_way_ == WorkKind::step;
    return works || pass_.goes_on() || views_.active();
}

double Computing::progress() const {
    if (pass_.survey && under_way_ != WorkKind::scene && under_way_ != WorkKind::step)
        return pass_.seen;
    return worker_.active() ? worker_.progress() : views_.progress();
}

Computing::Pass::Pass(std::shared_ptr<BenchSurvey> over) : survey(std::move(over)) {
    if (survey) seen = from = survey->seen();
    if (seen < 1) state = State::goes_on;
}

std::optional<Sampling> Computing::sampling() const {
    if (pass_.state == Pass::State::done || pass_.seen >= 1) return std::nullopt;
    Sampling sampling{pass_.seen, {}, pass_.state == Pass::State::stopped};
    if (const double seen = pass_.seen - pass_.from; seen > 0)
        sampling.seconds = pass_.seconds / seen * (1 - pass_.seen);
    return sampling;
}

void Computing::go_on() {
    if (pass_.state == Pass::State::stopped) pass_.state = Pass::State::goes_on;
}

void Computing::cancel() {
    views_.cancel();
    if (under_way_ == WorkKind::scene) changed_ = false;
    if (under_way_ == WorkKind::step) given_up_ = true;
    if (pass_.goes_on()) pass_.state = Pass::State::stopped;
    if (under_way_ == WorkKind::scene || under_way_ == WorkKind::step) worker_.cancel();
}

// --- the scene

void Computing::scene_changed(bool drags) {
    const bool soon = under_way_ == WorkKind::scene && shown_->milliseconds <= soon_milliseconds;
    if (!(drags && soon)) worker_.cancel();
    changed_ = true;
    current_ = false;
}

void Computing::choose(ComputeWith choice) {
    backends_.choose(choice);
    scene_changed();
}

// Notes whether a view or a fact needs influence, which is then computed with every scene.
void Computing::notice_depends(const Document& document, const View& view) {
    const bool depends = shows_stage(view, StageKind::depends) ||
                         (document.lesson && reads_depends(document.lesson_step()));
    if (depends && !depends_) scene_changed();
    depends_ = depends;
}

struct Computing::Computation {
    Outcome outcome;
    Sources prepared{};
    std::shared_ptr<BenchSurvey> survey{};
};

namespace {

// Returns a survey that has computed the area that is zoomed into and a first sample, so that there
// is something to show.
std::shared_ptr<BenchSurvey> begun_survey(const Result& result, const View& view,
                                          const BenchSurvey* before, Progress& progress) {
    auto survey = std::make_shared<BenchSurvey>(result, view, before);
    try {
        survey->look_closer(progress);
        survey->go_on(before ? edited_survey : first_survey, progress);
        // Nearly finished: wait for the rest instead of drawing twice.
        if (survey->seen() > 0.5) survey->go_on(first_survey, progress);
    } catch (const std::exception&) {}  // the next part of the survey reports why
    return survey;
}

}  // namespace

// Prepares sources after the user has changed heads, stages or variants. Cells that no survey has
// computed stay empty until the worker is free.
void Computing::notice_view(const View& view) {
    if (!pass_.survey) return;
    const bool is_surveyed = pass_.survey->is_of(*shown_, view);
    if (is_surveyed && !bench_has_blanks_) return;
    if (!is_surveyed && under_way_ == WorkKind::survey) worker_.cancel();
    if (worker_.active()) return;
    if (!is_surveyed)
        pass_ = Pass(std::make_shared<BenchSurvey>(*shown_, view, pass_.survey.get()));
    prepared_ = pass_.survey->sources();
    bench_has_blanks_ = false;
    bench_of_.reset();
}

// Adds sources with empty cells for everything in the view that has no prepared source.
void Computing::add_blanks(const View& view) {
    for (const auto& [key, source] : sources_so_far(*shown_, view, bench_.sources)) {
        const auto old = bench_.sources.find(key);
        const bool is_blank = old == bench_.sources.end() || old->second != source;
        if (prepared_.emplace(key, source).second && is_blank) bench_has_blanks_ = true;
    }
}

void Computing::notice_hand(const View& view) {
    if (zoom_ == view.zoom && hovered_ == view.hovered) return;
    zoom_ = view.zoom;
    hovered_ = view.hovered;
    hand_until_ = Clock::now() + hand_rests;
}

// Makes the worker wait while the user moves the view, so that frames are drawn first.
void Computing::give_way(const Progress& progress) const {
    const Clock::time_point until = Clock::now() + block_waits;
    while (Clock::now() < std::min(until, hand_until_.load()) && !progress.cancel)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// Computes one part of the pass. The picture becomes finer after each part, and an edit can come
// between two.
void Computing::begin_survey() {
    struct Part {
        bool goes_on = false;
        double seen = 0, seconds = 0;
        Sources sources{};
        std::string failed{};
    };
    run(
        WorkKind::survey, false,
        [this, survey = pass_.survey](Progress& progress) {
            Part part;
            const Clock::time_point start = Clock::now();
            try {
                part.goes_on = survey->go_on(survey_part, progress, [&] { give_way(progress); });
            } catch (const std::bad_alloc&) {
                part.failed = "Not enough memory to draw this.";
            } catch (const std::exception& error) {
                part.failed = error.what();
            }
            part.seconds = std::chrono::duration<double>(Clock::now() - start).count();
            part.seen = survey->seen();
            part.sources = survey->sources();
            return part;
        },
        [this, survey = pass_.survey](Part part) {
            if (survey != pass_.survey) return;
            if (!part.failed.empty()) report_.failed = std::move(part.failed);
            if (!part.goes_on) pass_.state = Pass::State::done;
            // If no further row was sampled, this part only computed what pictures zoom into.
            if (part.seen > pass_.seen) pass_.seconds += part.seconds;
            pass_.seen = part.seen;
            prepared_ = std::move(part.sources);
            bench_has_blanks_ = false;
        });
}

void Computing::begin_scene(const Scene& scene, const View& view) {
    changed_ = given_up_ = false;
    const ComputeWith with = backends_.chosen();
    const bool depends = depends_ && has_stage(scene, StageKind::depends);
    const bool same = same_but_show(scene, shown_->scene) && with == shown_with_;
    if (same && !(depends && lacks_depends(*shown_))) {
        report_.settled = current_ = true;
        return;
    }
    if (backends_.may_take_gpu(with, scene)) try {
            backends_.need_gpu();
        } catch (const WorkError& error) {
            report_.fallback = error.what();
            return choose(ComputeWith::cpu);
        }
    const bool at_once = !depends && numbers_to_compute(scene) <= most_numbers_at_once;
    const auto before = shown_->variants.empty() ? nullptr : shown_;
    run(
        WorkKind::scene, at_once,
        [=, this, sources = bench_.sources, survey = pass_.survey](Progress& progress) {
            Computation made;
            auto& result = made.outcome.result;
            if (same)
                result = *before;
            else
                made.outcome = backends_.compute(with, scene, before.get(), progress);
            if (depends && result) try {
                    add_depends(*result, progress);
                } catch (const Cancellation&) {  // the bench is shown without influence
                } catch (const std::bad_alloc&) {}
            if (result && is_computed_when_read(*result))
                made.survey = begun_survey(*result, view, survey.get(), progress);
            else if (!at_once && result && result->backend == "cpu")
                try {
                    made.prepared = prepare_sources(*result, view, sources);
                } catch (const std::bad_alloc&) {}  // the bench computes its sources itself
            return made;
        },
        // If the scene was edited in the meantime, show the outdated result only during a drag.
        [this, with](Computation made) {
            if (changed_ && (!made.outcome.result || worker_.cancelled())) return;
            try {
                settle(std::move(made), with);
            } catch (const std::bad_alloc&) {
                begin_again(WorkKind::scene);
                throw;
            }
        });
}

// Shows a result. The GPU is used again after a scene in float64, but not after it has failed.
void Computing::settle(Computation made, ComputeWith with) {
    Outcome& outcome = made.outcome;
    if (!outcome.result) {
        report_.refused = outcome.cancelled ? "Cancelled." : outcome.error;
        return;
    }
    // Do first what may run out of memory, because the result and its survey must change together.
    auto result = std::make_shared<const Result>(std::move(*outcome.result));
    prepared_ = made.survey ? made.survey->sources() : std::move(made.prepared);
    pass_ = Pass(std::move(made.survey));
    shown_ = std::move(result);
    shown_with_ = outcome.preparing ? ComputeWith::cpu : with;
    report_.settled = current_ = true;
    if (!outcome.fallback.empty()) report_.fallback = outcome.fallback;
    if (outcome.fallback.empty() || needs_float64(shown_->scene)) return;
    backends_.choose(ComputeWith::cpu);
    shown_with_ = ComputeWith::cpu;
}

// Computes the scene again if the GPU is ready for a scene that the CPU computed in the meantime,
// or on the CPU if the GPU failed while rows of the shown result were read.
void Computing::notice_gpu() {
    if (backends_.was_prepared()) scene_changed();
    const auto failure = backends_.gpu_failure();
    if (!failure || shown_->backend != "gpu" || !is_computed_when_read(*shown_)) return;
    if (backends_.chosen() == ComputeWith::cpu || backends_.chosen() == ComputeWith::plain) return;
    report_.fallback = *failure;
    choose(ComputeWith::cpu);
}

// --- the step's facts and caption

// Returns the root d seed that the step needs and that has not been drawn yet.
std::optional<std::uint64_t> Computing::missing_draw(const Document& document) const {
    if (!reads_root_d(document.lesson_step())) return std::nullopt;
    const std::uint64_t seed = seed_of(shown_->scene.inputs);
    return kept_root_d(seed) ? std::nullopt : std::optional(seed);
}

bool Computing::is_small(const std::vector<Fact>& facts) const {
    for (const Fact& fact : facts)
        if (reads_depends(fact)) return false;
    std::size_t scenes = facts.empty() ? 0 : 1;
    for (const Fact& fact : facts) scenes += count_of_with(fact);
    return double(scenes) * numbers_to_compute(shown_->scene) <= most_numbers_at_once;
}

void Computing::begin_step(const Document& document) {
    const auto seed = missing_draw(document);
    if (seed) drawn_ = seed;
    verdicts_.clear();
    step_of_ = shown_;
    const Step& step = document.lesson_step();
    step_facts_ = step.facts;
    given_up_ = false;
    // After any edit, judge the fact of the Try together with the facts of the step.
    std::vector<Fact> facts = step_facts_;
    const bool tries = step.try_shows && !same_but_show(document.scene, document.original());
    const bool same_tokens = document.scene.sequences == document.original().sequences;
    if (tries) facts.push_back(*step.try_shows);
    if (!tries) tried_.reset();
    const bool at_once = !seed && is_small(facts);
    run(
        WorkKind::step, at_once,
        [=, this, result = shown_, folder = document.folder](Progress& progress) {
            if (seed) try {
                    draw_root_d(*seed, progress);
                } catch (...) {}  // the facts that need the draw report the error
            return judged(backends_, facts, *result, folder, progress);
        },
        [=, this, result = shown_](std::optional<std::vector<Verdict>> verdicts) {
            if (step_of_ != result) return;
            if (verdicts && tries) {
                note_tried(facts.back(), verdicts->back(), result, same_tokens);
                verdicts->pop_back();
            }
            if (verdicts) verdicts_ = std::move(*verdicts);
            if (!verdicts && !given_up_) step_of_.reset();
        });
}

void Computing::note_tried(const Fact& shows, const Verdict& verdict,
                           const std::shared_ptr<const Result>& result, bool same_tokens) {
    const bool was_tried = tried_.has_value();
    tried_.reset();
    if (!verdict.exists || !verdict.holds) return;
    tried_ = claim(shows, *result, false);
    if (!was_tried && same_tokens) tried_of_ = result;
}

void Computing::forget_step() {
    verdicts_.clear();
    step_of_.reset();
    words_ = {};
    first_words_ = {};
    tried_.reset();
    tried_of_.reset();
}

void Computing::fill_words(const Document& document) {
    if (!document.lesson || shown_->variants.empty()) return;
    if (!words_.of && !current_) return;  // shown_ still belongs to another step
    const bool draws = (!missing_draw(document) || !(active() || given_up_)) &&
                       !(reads_depends(document.lesson_step()) && lacks_depends(*shown_));
    if (words_.of == shown_ && words_.lesson == document.lesson && words_.step == document.step &&
        words_.draws == draws)
        return;
    words_ = {shown_, document.lesson, document.step, draws,
              maskscope::fill_words(document.lesson_step(), *shown_, draws)};
    if (same_but_show(shown_->scene, document.original())) first_words_ = words_.filled;
}

// --- problems of the lesson

void Computing::begin_problem(const Document& document) {
    problem_of_ = document.lesson;
    problem_.reset();
    if (!document.saves_lesson()) return;
    run(
        WorkKind::problem, numbers_in(*document.lesson) <= most_numbers_at_once,
        [lesson = document.lesson, folder = document.folder](Progress&) {
            return problem_of(*lesson, folder);
        },
        [this, lesson = document.lesson](std::optional<LessonProblem> problem) {
            if (problem_of_ == lesson) problem_ = std::move(problem);
        });
}

void Computing::begin_check(const std::filesystem::path& folder) {
    const auto lesson = std::exchange(unchecked_, nullptr);
    run(
        WorkKind::check,
        numbers_in(*lesson) <= most_numbers_at_once &&
            std::ranges::none_of(lesson->steps,
                                 [](const Step& step) { return reads_depends(step); }),
        [=, this](Progress& progress) -> std::string {
            try {
                const auto found = unsound_fact(*lesson, backends_.cpu(), folder, &progress);
                return found ? found->text : "";
            } catch (const Cancellation&) {  // more urgent work has replaced it
                return "";
            }
        },
        [this](std::string unsound) { report_.unsound = std::move(unsound); });
}

// --- the draft of a fact

const JudgedDraft& Computing::judge_draft(const Fact& fact, std::size_t from) {
    Fact asked = fact;
    asked.says.clear();
    asked.fails_with.clear();
    unasked_ = 0;
    if (!draft_ || draft_->fact != asked || draft_->from != from) renew_draft(asked, from);
    return draft_->found;
}

void Computing::renew_draft(const Fact& fact, std::size_t from) {
    const auto before = draft_;
    forget_draft();
    draft_ = std::make_shared<Draft>(Draft{fact, from, shown_});
    if (!before || before->fact != fact || before->of != shown_ || !before->judged) return;
    draft_->judged = true;  // only the start of the search has changed
    draft_->found.verdict = before->found.verdict;
    draft_->found.searching = before->found.verdict && before->found.verdict->holds;
}

void Computing::forget_draft() {
    if (under_way_ == WorkKind::draft || under_way_ == WorkKind::search) worker_.cancel();
    draft_.reset();
}

void Computing::begin_draft(const std::filesystem::path& folder) {
    draft_->judged = true;
    const bool at_once = !reads_root_d(draft_->fact) && is_small({draft_->fact});
    run(
        WorkKind::draft, at_once,
        [=, this, draft = std::as_const(*draft_)](Progress& progress) {
            return judged(backends_, {draft.fact}, *draft.of, folder, progress);
        },
        [draft = draft_](std::optional<std::vector<Verdict>> verdicts) {
            draft->judged = verdicts.has_value();
            if (!verdicts) return;
            draft->found.verdict = verdicts->front();
            draft->found.searching = verdicts->front().holds;
        });
}

void Computing::begin_search(const std::filesystem::path& folder) {
    draft_->searched = true;
    struct SearchOutcome {
        bool cancelled = false;
        std::optional<Failure> failure{};
    };
    run(
        WorkKind::search,
        !reads_depends(draft_->fact) && numbers_to_compute(shown_->scene) <= most_numbers_of_many,
        [=, this, draft = std::as_const(*draft_)](Progress& progress) -> SearchOutcome {
            Scene scene = draft.of->scene;
            scene.show.reset();
            try {
                return {false, find_failure(draft.fact, scene, backends_.cpu(), folder, draft.from,
                                            progress)};
            } catch (const Cancellation&) {
                return {true};
            } catch (const std::exception&) {  // the inputs cannot be computed
                return {};
            }
        },
        [draft = draft_](SearchOutcome found) {
            draft->searched = !found.cancelled;
            draft->found.searching = found.cancelled;
            draft->found.failure = std::move(found.failure);
        });
}

// --- without the GPU

void Computing::withdraw_gpu() {
    worker_.cancel();
    views_.cancel();
    try {
        if (worker_.active()) take();
        views_.wait();
    } catch (const std::exception&) {}  // the bench is computed again
    const bool was_used = backends_.withdraw();
    scene_changed();
    if (!was_used) return;
    forget_step();
    forget_draft();
    pass_ = Pass();
    prepared_.clear();
    bench_ = {};
    bench_of_.reset();
    shown_ = std::make_shared<const Result>();
}

// --- the bench

const ViewData* Computing::finished_views(View view) const {
    view.hovered.reset();
    const bool made = !shown_->variants.empty() && views_.has(view_key(shown_, view));
    return made ? &views_.data() : nullptr;
}

void Computing::update_bench(const View& view) {
    if (shown_->variants.empty()) return;
    View key = relevant(view);
    // A survey has computed more since; ignore that while an edited scene is about to replace the
    // result.
    const bool has_news = !prepared_.empty() && !changed_ && under_way_ != WorkKind::scene;
    if (bench_of_ != shown_ || bench_view_ != key || has_news) {
        try {
            if (pass_.survey && (prepared_.empty() || !pass_.survey->is_of(*shown_, view)))
                add_blanks(view);
            bench_ = make_bench_like(bench_, *shown_, view, prepared_);
        } catch (const std::bad_alloc&) {
            report_.failed = "Not enough memory to draw this.";
        } catch (const std::exception& error) {
            report_.failed = error.what();
        }
        prepared_.clear();
        bench_of_ = shown_;
        bench_view_ = std::move(key);
    }
    bench_.views = views_.data();
}

}  // namespace maskscope
