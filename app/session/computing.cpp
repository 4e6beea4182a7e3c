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

// Judges facts. A fact that cannot be computed on this machine does not hold. Throws Cancellation.
std::vector<Verdict> judged(Backends& backends, const std::vector<Fact>& facts,
                            const Result& result, const std::filesystem::path& folder,
                            Progress& progress) {
    std::vector<Verdict> verdicts(facts.size(), Verdict{.exists = false});
    for (std::size_t k = 0; k < facts.size(); ++k) try {
            verdicts[k] = judge(facts[k], result, backends.cpu(), folder, &progress);
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
    : backends_(std::move(cpu), wake), views_(wake), worker_(std::move(wake)) {}

// --- once a frame

Computing::Report Computing::update(const Document& document, const View& view) {
    report_ = {};
    const bool enters = document.lesson && !has_words();
    const Clock::time_point until = Clock::now() + (enters ? step_waits : frame_waits);
    notice_hand(view);
    worker_.take_finished();
    notice_gpu();
    if (!document.lesson) forget_step();
    if (drafted_ && ++unasked_ > most_unasked) drafted_.reset();
    notice_depends(document, view);
    notice_view(view);
    if (report_.refused.empty())
        worker_.update(until, [&] {
            want_scene(document.scene, view);
            if (!report_.refused.empty()) return;
            want_step(document);
            want_part_of_survey();
            want_problem(document);
            want_draft(document.folder);
            want_check(document.folder);
        });
    if (report_.refused.empty()) {
        views_.refresh(shown_, view);
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

bool Computing::active() const {
    return scene_.under_way() || step_.under_way() || pass_.goes_on() || views_.active();
}

double Computing::progress() const {
    if (pass_.survey && !scene_.under_way() && !step_.under_way()) return pass_.seen;
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
    if (scene_.under_way()) worker_.give_up(scene_, revision_);
    if (step_.under_way() && step_.key()) worker_.give_up(step_, *step_.key());
    if (pass_.goes_on()) pass_.state = Pass::State::stopped;
}

// --- the scene

void Computing::scene_changed(bool drags) {
    const bool soon = scene_.under_way() && shown_->milliseconds <= soon_milliseconds;
    if (!(drags && soon)) worker_.cancel();
    ++revision_;
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
    if (!is_surveyed && part_.under_way()) worker_.cancel();
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
void Computing::want_part_of_survey() {
    const BenchSurvey* survey = pass_.survey.get();
    const bool lacks = survey && (pass_.goes_on() || survey->is_asked());
    // Draw the picture of an edited scene before a survey of it occupies all threads.
    if (part_.under_way() || (lacks && report_.settled)) return worker_.hold();
    part_.forget();
    if (!lacks || !worker_.is_due(part_, survey)) return;
    struct Part {
        bool goes_on = false;
        double seen = 0, seconds = 0;
        Sources sources{};
        std::string failed{};
    };
    worker_.compute(
        part_, survey, Cost::large,
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
            if (survey != pass_.survey) return false;
            if (!part.failed.empty()) report_.failed = std::move(part.failed);
            if (!part.goes_on) pass_.state = Pass::State::done;
            // If no further row was sampled, this part only computed what pictures zoom into.
            if (part.seen > pass_.seen) pass_.seconds += part.seconds;
            pass_.seen = part.seen;
            prepared_ = std::move(part.sources);
            bench_has_blanks_ = false;
            return true;
        });
}

void Computing::want_scene(const Scene& scene, const View& view) {
    // During a drag, what is being computed is shown even if it is outdated.
    if (scene_.under_way()) return worker_.hold();
    if (!worker_.is_due(scene_, revision_)) return;
    const ComputeWith with = backends_.chosen();
    const bool depends = depends_ && has_stage(scene, StageKind::depends);
    const bool same = same_but_show(scene, shown_->scene) && with == shown_with_;
    if (same && !(depends && lacks_depends(*shown_))) {
        report_.settled = current_ = true;
        return scene_.set(revision_, true);
    }
    if (backends_.may_take_gpu(with, scene)) try {
            backends_.need_gpu();
        } catch (const WorkError& error) {
            report_.fallback = error.what();
            choose(ComputeWith::cpu);
            return want_scene(scene, view);
        }
    const bool at_once = !depends && numbers_to_compute(scene) <= most_numbers_at_once;
    const auto before = shown_->variants.empty() ? nullptr : shown_;
    worker_.compute(
        scene_, revision_, at_once ? Cost::small : Cost::medium,
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
        [this, with, revision = revision_](Computation made) {
            const bool outdated = revision != revision_ && !scene_.is_given_up();
            if (outdated && (!made.outcome.result || worker_.is_cancelled())) return false;
            settle(std::move(made), with);
            return true;
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

// Judging facts about root d or influence takes long even for a small scene.
Cost Computing::cost_of(const std::vector<Fact>& facts) const {
    std::size_t scenes = facts.empty() ? 0 : 1;
    for (const Fact& fact : facts) {
        if (reads_depends(fact)) return Cost::medium;
        scenes += count_of_with(fact);
    }
    const bool few = double(scenes) * numbers_to_compute(shown_->scene) <= most_numbers_at_once;
    return few ? Cost::small : Cost::medium;
}

void Computing::want_step(const Document& document) {
    if (!document.lesson || !current_) return;
    const Step& step = document.lesson_step();
    const auto seed = missing_draw(document);
    StepKey key{shown_, step.facts, reads_root_d(step)};
    if (!worker_.is_due(step_, key)) return;
    // After any edit, judge the fact of the Try together with the facts of the step.
    std::vector<Fact> facts = step.facts;
    const bool tries = step.try_shows && !same_but_show(document.scene, document.original());
    const bool same_tokens = document.scene.sequences == document.original().sequences;
    if (tries) facts.push_back(*step.try_shows);
    if (!tries) tried_.reset();
    const Cost cost = seed ? Cost::medium : cost_of(facts);
    worker_.compute(
        step_, std::move(key), cost,
        [=, this, result = shown_, folder = document.folder](Progress& progress) {
            if (seed) try {
                    draw_root_d(*seed, progress);
                } catch (...) {}  // the facts that need the draw report the error
            return judged(backends_, facts, *result, folder, progress);
        },
        [=, this](std::vector<Verdict> verdicts) {
            if (!tries) return verdicts;
            note_tried(facts.back(), verdicts.back(), same_tokens);
            verdicts.pop_back();
            return verdicts;
        });
}

void Computing::note_tried(const Fact& shows, const Verdict& verdict, bool same_tokens) {
    const bool was_tried = tried_.has_value();
    tried_.reset();
    if (!verdict.exists || !verdict.holds) return;
    tried_ = claim(shows, *step_.key()->result, false);
    if (!was_tried && same_tokens) tried_of_ = step_.key()->result;
}

void Computing::forget_step() {
    step_.forget();
    words_ = {};
    first_words_ = {};
    tried_.reset();
    tried_of_.reset();
}

void Computing::fill_words(const Document& document) {
    if (!document.lesson || shown_->variants.empty()) return;
    if (!words_.of && !current_) return;  // shown_ still belongs to another step
    const bool draws = (!missing_draw(document) || !(active() || step_.is_given_up())) &&
                       !(reads_depends(document.lesson_step()) && lacks_depends(*shown_));
    if (words_.of == shown_ && words_.lesson == document.lesson && words_.step == document.step &&
        words_.draws == draws)
        return;
    words_ = {shown_, document.lesson, document.step, draws,
              maskscope::fill_words(document.lesson_step(), *shown_, draws)};
    if (same_but_show(shown_->scene, document.original())) first_words_ = words_.filled;
}

// --- problems of the lesson

void Computing::want_problem(const Document& document) {
    const auto lesson = document.saves_lesson() ? document.lesson : nullptr;
    if (!lesson) return problem_.forget();
    if (!worker_.is_due(problem_, lesson)) return;
    worker_.compute(
        problem_, lesson, numbers_in(*lesson) <= most_numbers_at_once ? Cost::small : Cost::medium,
        [lesson, folder = document.folder](Progress&) { return problem_of(*lesson, folder); });
}

void Computing::check_facts(std::shared_ptr<const Lesson> lesson) {
    unchecked_ = std::move(lesson);
    check_.forget();
}

void Computing::want_check(const std::filesystem::path& folder) {
    if (!unchecked_ || !worker_.is_due(check_, unchecked_)) return;
    const bool small = numbers_in(*unchecked_) <= most_numbers_at_once &&
                       std::ranges::none_of(unchecked_->steps,
                                            [](const Step& step) { return reads_depends(step); });
    worker_.compute(
        check_, unchecked_, small ? Cost::small : Cost::medium,
        [=, this, lesson = unchecked_](Progress& progress) {
            return unsound_fact(*lesson, backends_.cpu(), folder, &progress);
        },
        [this](const std::optional<LessonProblem>& found) {
            unchecked_.reset();
            if (found) report_.unsound = found->text;
            return true;
        });
}

// --- the draft of a fact

const JudgedDraft& Computing::judge_draft(const Fact& fact, std::size_t from) {
    unasked_ = 0;
    drafted_ = {{fact, shown_}, from};
    drafted_->draft.fact.says.clear();
    drafted_->draft.fact.fails_with.clear();
    judged_ = {};
    if (!draft_.is_of(drafted_->draft) || !draft_.value()) return judged_;
    judged_.verdict = *draft_.value();
    judged_.searching = judged_.verdict->holds && !search_.is_of(*drafted_);
    if (judged_.verdict->holds && !judged_.searching) judged_.failure = search_.value_or_empty();
    return judged_;
}

void Computing::want_draft(const std::filesystem::path& folder) {
    if (!drafted_) return forget_draft();
    drafted_->draft.result = shown_;
    const Draft& draft = drafted_->draft;
    if (worker_.is_due(draft_, draft))
        worker_.compute(
            draft_, draft, reads_root_d(draft.fact) ? Cost::medium : cost_of({draft.fact}),
            [=, this](Progress& progress) {
                return judged(backends_, {draft.fact}, *draft.result, folder, progress);
            },
            [](const std::vector<Verdict>& verdicts) { return verdicts.front(); });
    if (!draft_.is_of(draft) || !draft_.value() || !draft_.value()->holds) return;
    if (!worker_.is_due(search_, *drafted_)) return;
    const bool small =
        !reads_depends(draft.fact) && numbers_to_compute(shown_->scene) <= most_numbers_of_many;
    worker_.compute(search_, *drafted_, small ? Cost::small : Cost::medium,
                    [=, this, from = drafted_->from](Progress& progress) -> std::optional<Failure> {
                        Scene scene = draft.result->scene;
                        scene.show.reset();
                        try {
                            return find_failure(draft.fact, scene, backends_.cpu(), folder, from,
                                                progress);
                        } catch (const std::exception&) {  // the inputs cannot be computed
                            return std::nullopt;
                        }
                    });
}

void Computing::forget_draft() {
    drafted_.reset();
    draft_.forget();
    search_.forget();
}

// --- without the GPU

void Computing::withdraw_gpu() {
    worker_.cancel();
    views_.cancel();
    try {
        if (worker_.active()) worker_.take();
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
    std::optional key = std::pair(shown_, relevant(view));
    // A survey has computed more since; ignore that while an edited scene is about to replace the
    // result.
    const bool has_news = !prepared_.empty() && scene_.is_of(revision_);
    if (bench_of_ != key || has_news) {
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
        bench_of_ = std::move(key);
    }
    bench_.views = views_.data();
}

}  // namespace maskscope
