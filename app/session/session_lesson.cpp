#include <algorithm>

#include "app/session/session_state.h"
#include "core/base/error.h"
#include "core/compute/root_d.h"

namespace maskscope {

namespace {

bool asks(const Step& step) { return !step.ask.empty(); }

// While it is typed, a caption may hold half an address: it stands there as it is.
std::string filled(const std::string& caption, const Result& result, bool draws) {
    try {
        return fill_caption(caption, result, draws);
    } catch (const InputError&) {
        return caption;
    }
}

}  // namespace

bool Session::open_lesson(const Lesson& lesson, const std::filesystem::path& folder, int step) {
    if (lesson.steps.empty()) {
        say("A lesson has at least one step.", true);
        return false;
    }
    state_->opening = lesson.name;
    state_->show_lesson(std::make_shared<const Lesson>(lesson), folder, step);
    update();
    return !message() || !message()->wrong;
}

void Session::State::show_lesson(std::shared_ptr<const Lesson> lesson,
                                 const std::filesystem::path& folder, int step,
                                 std::optional<std::filesystem::path> path) {
    Document next;
    next.lesson = next.saved_lesson = std::move(lesson);
    next.lesson_path = std::move(path);
    next.folder = folder.empty() ? "." : folder;
    next.step = std::clamp(step, 0, static_cast<int>(next.lesson->steps.size()) - 1);
    next.scene = next.lesson_step().scene;
    next.covered = asks(next.lesson_step());
    next.answered.assign(next.lesson->steps.size(), false);
    show_document(std::move(next));
}

const Lesson* Session::lesson() const { return state_->document.lesson.get(); }
int Session::step() const { return state_->document.step; }
bool Session::covered() const { return state_->document.covered; }
const std::vector<Verdict>& Session::verdicts() const { return state_->verdicts; }

std::string Session::caption() const {
    const Document& document = state_->document;
    if (!document.lesson) return "";
    if (document.covered) return document.lesson_step().ask;
    return filled(document.lesson_step().caption, *state_->shown, !computing());
}

// An edited step is left behind as a step of undo; an untouched one leaves no trace.
void Session::State::enter_step(int step, bool covered) {
    if (!same_but_show(document.scene, document.lesson_step().scene))
        push_step(document.undo, {"leave the edited step", "", document.now()});
    else if (!document.undo.empty())
        document.undo.back().merge.clear();
    document.redo.clear();
    document.step = step;
    document.covered = covered;
    view.show = document.lesson_step().scene.show.value_or(Show{});
    view.start_afresh();
    verdicts.clear();
    set_scene(document.lesson_step().scene);
}

void Session::go_to_step(int step) {
    State& s = *state_;
    if (!s.document.lesson) return;
    const auto& steps = s.document.lesson->steps;
    const int to = std::clamp(step, 0, static_cast<int>(steps.size()) - 1);
    if (to == s.document.step) return;
    s.enter_step(to, asks(steps[to]));
}

void Session::restore_step() {
    State& s = *state_;
    if (!s.document.lesson) return;
    const Scene& original = s.document.lesson_step().scene;
    end_merge();
    edit("restore the step", [&](Scene& scene) {
        scene = original;
        scene.show = original.show.value_or(Show{});
    });
    s.view.zoom = {};
}

void Session::next() {
    Document& document = state_->document;
    if (!document.covered) return go_to_step(document.step + 1);
    document.covered = false;
    document.answered[document.step] = true;
}

// Back to a question that the class has answered, it stays answered.
void Session::previous() {
    Document& document = state_->document;
    if (!document.lesson || document.step == 0) return;
    const int to = document.step - 1;
    const auto at = static_cast<std::size_t>(to);
    state_->enter_step(to, asks(document.lesson->steps[at]) && !document.answered[at]);
}

// The draw of root d is made beside the thread that draws the window.
std::optional<std::uint64_t> Session::State::draw_to_make() const {
    if (!document.lesson || !reads_root_d(document.lesson_step())) return std::nullopt;
    const std::uint64_t seed = seed_of(document.scene.inputs);
    return kept_root_d(seed) ? std::nullopt : std::optional(seed);
}

void Session::State::judge_step() {
    verdicts.clear();
    if (!document.lesson) return;
    for (const Fact& fact : document.lesson_step().facts) verdicts.push_back(judged(fact));
}

// A fact that cannot be computed on this machine does not hold, and the step goes on.
Verdict Session::State::judged(const Fact& fact) {
    try {
        return judge(fact, *shown, backends.cpu(), document.folder);
    } catch (const std::runtime_error&) {
        Verdict gone;
        gone.exists = false;
        return gone;
    }
}

}  // namespace maskscope
