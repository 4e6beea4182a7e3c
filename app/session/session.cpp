#include "app/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "app/session/session_state.h"
#include "core/base/error.h"
#include "core/lesson/fact_words.h"
#include "core/settings/setting.h"

namespace maskscope {

Session::Session(std::unique_ptr<Backend> cpu, std::function<void()> wake)
    : state_(std::make_unique<State>(std::move(cpu), std::move(wake))) {
    new_scene();
    update();
}

Session::~Session() = default;

// --- what is shown

const Document& Session::document() const { return state_->document; }
const Scene& Session::scene() const { return state_->document.scene; }
const Result& Session::shown() const { return state_->computing.shown(); }
const Computing& Session::results() const { return state_->computing; }
bool Session::opening() const { return state_->opening; }
bool Session::computing() const {
    return state_->computing.active() || state_->aside.work.active();
}
double Session::progress() const {
    const BackgroundWork& aside = state_->aside.work;
    return aside.active() ? aside.progress() : state_->computing.progress();
}
void Session::cancel() {
    if (state_->aside.work.active())
        state_->aside.work.cancel();
    else
        state_->computing.cancel();
}
void Session::go_on() { state_->computing.go_on(); }
View& Session::view() { return state_->view; }
const View& Session::view() const { return state_->view; }
const std::optional<Session::Message>& Session::message() const { return state_->message; }
void Session::say(std::string text, bool wrong) { state_->say(std::move(text), wrong); }
void Session::forget_message() { state_->message.reset(); }

// --- background work

bool Session::make_aside(const std::string& what, const std::string& failure, AsideWork work) {
    State::AsideTask& aside = state_->aside;
    if (aside.work.active()) {
        say(fmt::format("{}: {} is still in progress. Wait for it, or cancel it first.", failure,
                        aside.what),
            true);
        return false;
    }
    aside.what = what;
    aside.failure = failure;
    aside.work.start(
        std::move(work), [](const std::function<void()>& done) { done(); },
        state_->computing.wake());
    return true;
}

std::string Session::made_aside() const {
    return state_->aside.work.active() ? state_->aside.what : "";
}

void Session::State::take_aside() {
    if (!aside.work.finished()) return;
    try {
        aside.work.join();
    } catch (const Cancellation&) {
        say(aside.failure + ": cancelled.", false);
    } catch (const std::bad_alloc&) {
        say(aside.failure + ": not enough memory.", true);
    } catch (const std::exception& error) {
        say(printable(aside.failure + ": " + error.what()), true);
    }
}

// --- edits

void Session::State::scene_changed(bool drags) {
    computing.scene_changed(drags);
    message.reset();
}

bool Session::State::tried(const std::function<void()>& edit) {
    try {
        edit();
        return true;
    } catch (const std::runtime_error& error) {  // an EditError, or inputs that cannot be computed
        say(error.what(), true);
    } catch (const std::bad_alloc&) {
        say("Not enough memory for this edit.", true);
    } catch (const std::exception& error) {
        say(printable(std::string("Could not make this edit: ") + error.what()), true);
    }
    return false;
}

bool Session::edit(const std::string& what, const std::function<void(Scene&)>& change,
                   const std::string& own_merge) {
    State& s = *state_;
    const std::string& merge = own_merge.empty() ? s.merges_as : own_merge;
    const bool merges = s.document.merges(merge);
    bool changed = false;
    if (!s.tried([&] { changed = s.document.edit(what, change, merge, s.view.show); }))
        return false;
    if (!changed) return true;
    s.before_open.reset();  // going back to it would lose the edit
    s.scene_changed(merges);
    return true;
}

void Session::end_merge() { state_->document.end_merge(); }
void Session::merge_edits_as(const std::string& merge) {
    if (std::exchange(state_->merges_as, merge) != merge) end_merge();
}

void Session::State::travel(void (Document::*way)(Show&)) {
    const int step = document.step;
    const Lesson* const lesson = document.lesson.get();
    (document.*way)(view.show);
    // The step was answered before its edit.
    if (document.step != step || document.lesson.get() != lesson) show_answer();
    if (document.step != step) forget_step();
    scene_changed();
}

void Session::undo() {
    if (!state_->document.undone.empty()) state_->travel(&Document::undo);
}

void Session::redo() {
    if (!state_->document.redone.empty()) state_->travel(&Document::redo);
}

// --- computing

void Session::update() {
    State& s = *state_;
    s.take_aside();
    for (bool again = true; again;) {
        const Computing::Report report = s.computing.update(s.document, s.view);
        s.tell(report);
        again = (!report.refused.empty() && s.refuse(report.refused)) || s.note_changes();
    }
}

bool Session::State::note_changes() {
    std::vector<std::string> changes;
    const Scene& scene = computing.shown().scene;
    if (document.lesson)
        for (int variant = 0; variant < std::ssize(scene.variants); ++variant)
            changes.push_back(changes_since(document.original(), scene, variant));
    std::swap(view.variant_changes, changes);
    return changes != view.variant_changes;
}

void Session::State::tell(const Computing::Report& report) {
    if (report.settled) {
        before_open.reset();
        opening = false;
        if (computing.shown().backend == "gpu") said_fallback = false;
    }
    if (!report.fallback.empty() && !std::exchange(said_fallback, true))
        say(printable("Computed on the CPU: " + report.fallback), false);
    if (!report.failed.empty()) say(printable(report.failed), true);
    if (!report.unsound.empty() && message && message->text.starts_with("Saved as "))
        say(printable(message->text + ", but " + report.unsound), true);
}

// Handles a scene that cannot be computed: keeps an edited document and its old result, and returns
// false; replaces a document that was just opened with the previous one, and returns true.
bool Session::State::refuse(const std::string& why) {
    if (!before_open) {
        say(why, true);
        return false;
    }
    say(printable(opened_name.empty() ? why : opened_name + ": " + why), true);
    document = std::move(before_open->first);
    view = std::move(before_open->second);
    before_open.reset();
    opening = false;
    computing.scene_changed();
    return true;
}

void Session::wait() {
    update();
    Computing& computing = state_->computing;
    const BackgroundWork& aside = state_->aside.work;
    while (computing.busy() || computing.active() || aside.active()) {
        if (computing.busy() || computing.active())
            computing.wait();
        else
            aside.finished_within(std::chrono::hours(1));
        update();
    }
}

void Session::offer_gpu(GpuOffer gpu) { state_->computing.backends().offer(std::move(gpu)); }
void Session::withdraw_gpu() {
    // background work may still read rows on the GPU
    if (shown().backend == "gpu" && state_->aside.work.active()) {
        state_->aside.work.cancel();
        state_->aside.work.finished_within(std::chrono::hours(1));
        state_->take_aside();
    }
    state_->computing.withdraw_gpu();
    update();
    // Do not wait for the pictures of a long text, which may take minutes.
    while (shown().variants.empty() && state_->computing.busy()) {
        state_->computing.wait();
        update();
    }
}

bool Session::compute_with(ComputeWith choice) {
    try {
        state_->computing.choose(choice);
    } catch (const WorkError& error) {
        say(printable(std::string("Could not use the GPU: ") + error.what()), true);
        return false;
    }
    state_->said_fallback = false;
    state_->message.reset();
    return true;
}

// --- a lesson

const Lesson* Session::lesson() const { return state_->document.lesson.get(); }
std::uint64_t Session::entered() const { return state_->entered; }

namespace {

// Splits a typed text. "yes: 5, 0,5: 19" gives two counts of hands; any other text gives one
// answer, or none if it is empty.
std::vector<GivenAnswer> all_said(const std::string& typed) {
    std::vector<GivenAnswer> all;
    std::size_t at = 0;
    for (std::size_t end = 0; end < typed.size();) {
        end = std::min(typed.find_first_of(",;", end + 1), typed.size());
        const auto one = read_said(typed.substr(at, end - at));
        if (!one || one->hands == 0) continue;  // the comma is a decimal one, or part of the answer
        all.push_back(*one);
        at = end + 1;
    }
    if (!all.empty() && at >= typed.size()) return all;
    if (const auto one = read_said(typed)) return {*one};
    return {};
}

}  // namespace

bool Session::answer(const std::string& typed) {
    const std::vector<GivenAnswer> all = all_said(typed);
    if (!view().asks() || all.empty()) return false;
    for (const GivenAnswer& one : all) maskscope::say(state_->answers.said, one);
    return true;
}

const Answers& Session::answers() const { return state_->answers; }

std::string answer_line(const Session& session) {
    if (session.words().ask.empty()) return "";
    if (const auto& judged = session.answers().judged) return judged->words;
    const Computing& results = session.results();
    return answer_line(results.is_tried() ? results.first_words() : results.words());
}

StepWords Session::words() const {
    if (!lesson()) return {};
    const Computing& computing = state_->computing;
    StepWords words = computing.words();
    if (view().asks()) {
        words.caption = std::exchange(words.ask, "");
        words.notes.clear();
        words.table.clear();
    } else if (computing.is_tried()) {
        const StepWords& first = computing.first_words();
        words.caption = first.caption;
        words.ask = first.ask;
    }
    if (computing.is_tried()) words.try_this = computing.first_words().try_this;
    if (words.ask == own_bench) words.ask.clear();  // the caption says so
    return words;
}

std::optional<std::string> what_is_done(const Session& session) {
    if (!session.lesson() || session.view().asks()) return std::nullopt;
    if (const auto differing = exercise_of(session))
        return differing->cells == 0 ? std::optional<std::string>("") : std::nullopt;
    return session.results().tried();
}

namespace {

// Judges an exercise whose solution is not shown: says how far the painted mask is from the
// solution.
JudgedClaim judged_exercise(const Session& session, const ExerciseProgress& differing) {
    const int variant = session.lesson()->steps[session.document().step].exercise->variant;
    if (differing.cells == 0)
        return {fmt::format("✓ The mask of {} is correct", variant_letter(variant))};
    return {fmt::format("The mask of {}: {} of {} cells differ", variant_letter(variant),
                        differing.cells, differing.of),
            false};
}

}  // namespace

namespace {

JudgedClaim judged_fact(const Session& session) {
    if (const auto differing = exercise_of(session)) return judged_exercise(session, *differing);
    const std::string claim = session.words().claim;
    const std::vector<Verdict>& verdicts = session.results().verdicts();
    if (claim.empty() || verdicts.empty() || !verdicts.front().exists) return {};
    const Step& step = session.lesson()->steps[session.document().step];
    if (step.facts.empty()) return {};  // the fact was just removed
    const Verdict& first = verdicts.front();
    if (!first.holds && what_is_done(session))
        return {"✗ " + claim + ": false, as intended", false, true};
    return {verdict_line(claim, step.facts.front(), first, session.shown().scene), first.holds};
}

}  // namespace

JudgedClaim judged_claim(const Session& session) {
    JudgedClaim claim = judged_fact(session);
    claim.hidden = session.view().asks();
    return claim;
}

void Session::State::step_changed() {
    view.start_afresh();
    forget_step();
    scene_changed();
}

void Session::State::forget_step() {
    ++entered;
    computing.forget_step();
    answers = {};
}

void Session::State::enter_step(int step, bool asks) {
    auto hidden = asks ? hidden_by(document.lesson->steps[step]) : std::nullopt;
    document.enter_step(step, view.show);
    if (asks) document.ask();
    step_changed();
    view.ask(std::move(hidden));
}

void Session::State::show_answer() {
    document.show_answer();
    view.show_answer();
}

void Session::go_to_step(int step) {
    Document& document = state_->document;
    if (!document.lesson) return;
    const auto& steps = document.lesson->steps;
    const int to = std::clamp(step, 0, static_cast<int>(steps.size()) - 1);
    if (to != document.step) state_->enter_step(to, true);
}

void Session::restore_step() {
    if (!lesson()) return;
    const Scene original = state_->document.original();
    end_merge();
    edit("restore the step", [&](Scene& scene) {
        scene = original;
        scene.show = original.show.value_or(Show{});
    });
    view().zoom = {};
    ++state_->entered;
}

void Session::show_answer() {
    if (!view().asks()) return;
    Answers& answers = state_->answers;
    if (!answers.said.empty()) answers.judged = judge_answers(answers.said, words().answers);
    state_->show_answer();
}

void Session::next() {
    if (view().asks()) return show_answer();
    if (has_solution_to_show(*this)) return show_solution();
    go_to_step(document().step + 1);
}

bool leaves_step(const Session& session) {
    return !session.view().asks() && !has_solution_to_show(session);
}

std::optional<ExerciseProgress> exercise_of(const Session& session) {
    const Document& document = session.document();
    if (!document.lesson || session.view().asks() || !document.solving) return std::nullopt;
    return differing_cells(document.lesson_step(), document.scene);
}

bool has_solution_to_show(const Session& session) {
    const auto differing = exercise_of(session);
    return differing && differing->cells > 0;
}

void Session::show_solution() {
    State& s = *state_;
    if (!s.document.lesson || !s.document.solving) return;
    const Step& step = s.document.lesson_step();
    const auto variant = static_cast<std::size_t>(step.exercise->variant);
    const bool shown = edit("show the solution", [&](Scene& scene) {
        scene.variants.at(variant).mask = step.scene.variants.at(variant).mask;
    });
    if (shown) s.document.solving = false;
}

// Goes back to the previous step. An answered question stays answered.
void Session::previous() {
    const Document& document = state_->document;
    if (!document.lesson || document.step == 0) return;
    const int to = document.step - 1;
    state_->enter_step(to, !document.answered[to]);
}

// --- writing a lesson

void Session::begin_lesson() {
    if (lesson()) return;
    state_->document.change_lesson("begin a lesson",
                                   std::make_shared<const Lesson>(lesson_of(bench_scene(*this))), 0,
                                   "", view().show);
    state_->before_open.reset();
    state_->message.reset();
}

bool Session::edit_lesson(const std::string& what, const std::function<void(Lesson&, int&)>& change,
                          const std::string& merge) {
    State& s = *state_;
    if (!s.document.lesson) return false;
    Lesson next = *s.document.lesson;
    int step = s.document.step;
    if (!s.tried([&] { change(next, step); })) return false;
    if (next == *s.document.lesson && step == s.document.step) return true;
    s.document.change_lesson(what, std::make_shared<const Lesson>(std::move(next)), step, merge,
                             s.view.show);
    s.show_answer();
    s.before_open.reset();
    s.message.reset();
    return true;
}

void Session::remove_shown_step() {
    const bool removed = edit_lesson(
        "delete the step", [](Lesson& lesson, int& step) { step = remove_step(lesson, step); });
    if (!removed || !lesson()) return;
    State& s = *state_;
    Scene shown = s.document.original();  // the neighbour as it is in the lesson
    s.view.show = shown.show.value_or(Show{});
    s.document.scene = std::move(shown);
    s.step_changed();
}

Scene bench_scene(const Session& session) {
    return session.document().scene_to_save(session.view().show);
}

Scene step_scene(const Session& session) {
    return session.document().with_solution(bench_scene(session));
}

bool bench_is_step(const Session& session) {
    return session.lesson() && bench_scene(session) == session.document().lesson_step().scene;
}

void take_bench_into_step(Session& session) {
    if (session.document().solving)
        return session.say(
            "This view does not contain the exercise's mask. Show the solution first.", true);
    session.edit_lesson("save the view to the step",
                        [scene = bench_scene(session)](Lesson& lesson, int& step) {
                            lesson.steps[step].scene = scene;
                        });
}

const JudgedDraft& Session::judge_draft(const Fact& fact, std::size_t from) {
    return state_->computing.judge_draft(fact, from);
}

}  // namespace maskscope
