#include "app/session/session.h"

#include "app/session/session_state.h"
#include "core/base/error.h"
#include "core/format/scene_json.h"

namespace maskscope {

namespace {

constexpr std::size_t most_steps = 1000;

Scene first_scene() {
    Scene scene;
    scene.sequences = {{{"The", "cat", "sat", "down"}, std::nullopt}};
    EmbeddingInputs inputs;
    inputs.seed = 1;
    inputs.d_k = inputs.d_v = 64;
    scene.inputs = inputs;
    Variant variant;
    variant.name = "additive";
    variant.mask.layers.emplace_back();  // causal
    scene.variants = {variant};
    return scene;
}

void expect_valid(const Scene& scene) {
    try {
        check_scene(scene);
    } catch (const InputError& error) {
        throw EditError("That would leave no valid scene: " + error.place + ": " + error.what());
    }
}

// The scene as the change leaves it, with `show` in place; EditError where it cannot be done.
Scene edited(Scene scene, const Show& show, const std::function<void(Scene&)>& change) {
    scene.show = show;
    change(scene);
    expect_valid(scene);
    return scene;
}

}  // namespace

void push_step(std::deque<HistoryStep>& steps, HistoryStep step) {
    steps.push_back(std::move(step));
    if (steps.size() > most_steps) steps.pop_front();
}

bool same_but_show(const Scene& x, const Scene& y) {
    return x.title == y.title && x.pad_token == y.pad_token && x.sequences == y.sequences &&
           x.inputs == y.inputs && x.variants == y.variants;
}

// --- what is shown

Session::Session(std::unique_ptr<Backend> cpu, std::function<void()> wake)
    : state_(std::make_unique<State>(std::move(cpu))) {
    state_->wake = std::move(wake);
    state_->shown = std::make_shared<const Result>();
    new_scene();
    update();
}

Session::~Session() = default;

const Scene& Session::scene() const { return state_->document.scene; }
const Result& Session::shown() const { return *state_->shown; }
View& Session::view() { return state_->view; }
const View& Session::view() const { return state_->view; }
const std::optional<Session::Message>& Session::message() const { return state_->message; }
void Session::say(std::string text, bool wrong) { state_->say(std::move(text), wrong); }

// --- edits

bool Session::edit(const std::string& what, const std::function<void(Scene&)>& change,
                   const std::string& merge) {
    State& s = *state_;
    Document& document = s.document;
    Scene next;
    try {
        next = edited(document.scene, s.view.show, change);
    } catch (const std::runtime_error& error) {  // EditError, or numbers that cannot be made
        say(error.what(), true);
        return false;
    } catch (const std::bad_alloc&) {
        say("There is not enough memory for this edit.", true);
        return false;
    }
    const Show show = next.show.value_or(Show{});
    const bool shows_other = show != s.view.show;
    next.show = document.scene.show;
    if (!shows_other && next == document.scene) return true;
    const bool merges =
        !merge.empty() && !document.undo.empty() && document.undo.back().merge == merge;
    if (!merges) push_step(document.undo, {what, merge, document.now()});
    Snapshot& before = document.undo.back().snapshot;
    if (shows_other && !before.show) before.show = s.view.show;
    document.redo.clear();
    s.view.show = show;
    s.set_scene(std::move(next), merges);
    return true;
}

void Session::end_merge() {
    if (!state_->document.undo.empty()) state_->document.undo.back().merge.clear();
}

namespace {

// Goes back to the last snapshot of `from`, and leaves the present one in `to`.
void travel(Document& document, View& view, std::deque<HistoryStep>& from,
            std::deque<HistoryStep>& to) {
    HistoryStep step = std::move(from.back());
    from.pop_back();
    Snapshot present = document.now();
    if (step.snapshot.show) present.show = view.show;
    push_step(to, {step.what, "", std::move(present)});
    document.scene = std::move(step.snapshot.scene);
    const bool steps = document.step != step.snapshot.step;
    document.set_lesson(step.snapshot.lesson, step.snapshot.step);
    if (steps) document.covered = false;  // an edited step was answered
    if (step.snapshot.show)
        view.show = *step.snapshot.show;
    else if (steps && document.lesson)
        view.show = document.scene.show.value_or(Show{});
}

}  // namespace

void Session::undo() {
    State& s = *state_;
    if (s.document.undo.empty()) return;
    end_merge();
    travel(s.document, s.view, s.document.undo, s.document.redo);
    end_merge();
    s.set_scene(s.document.scene);
}

void Session::redo() {
    State& s = *state_;
    if (s.document.redo.empty()) return;
    travel(s.document, s.view, s.document.redo, s.document.undo);
    s.set_scene(s.document.scene);
}

namespace {

std::optional<std::string> name_of_last(const std::deque<HistoryStep>& steps) {
    if (steps.empty()) return std::nullopt;
    return steps.back().what;
}

}  // namespace

std::optional<std::string> Session::undo_name() const {
    return name_of_last(state_->document.undo);
}
std::optional<std::string> Session::redo_name() const {
    return name_of_last(state_->document.redo);
}

// --- a new scene

void Session::new_scene() {
    Document document;
    document.scene = document.saved = first_scene();
    state_->opening.clear();
    state_->show_document(std::move(document));
}

void Session::State::show_document(Document next) {
    if (!before_open && !shown->variants.empty()) before_open.emplace(std::move(document), view);
    document = std::move(next);
    view.show = document.scene.show.value_or(Show{});
    view.start_afresh();
    set_scene(document.scene);
}

}  // namespace maskscope
