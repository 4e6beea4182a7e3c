// How a session computes: at once, or beside the thread that draws.

#include "app/session/session_state.h"
#include "core/base/error.h"
#include "core/compute/memory.h"
#include "core/compute/root_d.h"

namespace maskscope {

namespace {

// How long a frame waits for the worker: what takes no longer shows in the frame of the edit.
constexpr std::chrono::milliseconds frame_waits{8};
// In a drag what takes no longer than this is shown on the way, rather than the last value alone.
constexpr double soon_milliseconds = 500;

}  // namespace

bool Session::State::computes_scene() const {
    return worker.active() && work.what == Work::What::scene;
}
bool Session::computing() const { return state_->computes_scene() || state_->views.active(); }
double Session::progress() const {
    return state_->computes_scene() ? state_->worker.progress() : state_->views.progress();
}

void Session::cancel() {
    state_->views.cancel();
    if (!state_->computes_scene()) return;
    state_->worker.cancel();
    state_->changed = false;
}

void Session::State::set_scene(Scene scene, bool drags) {
    document.scene = std::move(scene);
    const bool soon = work.what == Work::What::scene && shown->milliseconds <= soon_milliseconds;
    if (!(drags && soon)) worker.cancel();
    changed = true;
    message.reset();
}

// --- what came of it

void Session::State::settle(Outcome outcome, Sources sources) {
    if (outcome.result) {
        looked_at = std::move(sources);
        shown = std::make_shared<const Result>(std::move(*outcome.result));
        shown_with = work.with;
        before_open.reset();
        judge_step();
        if (!outcome.fallback.empty()) tell_fallback(outcome.fallback);
        if (shown->backend == "gpu") said_fallback = false;
    } else if (outcome.cancelled) {
        refuse("Cancelled: what is shown is the scene before.");
    } else {
        refuse(outcome.error);
    }
}

// A scene in float64 goes back to the GPU with its dtype; a GPU that failed is not asked again.
void Session::State::tell_fallback(const std::string& why) {
    if (!needs_float64(shown->scene)) {
        backends.choose(ComputeWith::cpu);
        shown_with = ComputeWith::cpu;
    }
    if (!std::exchange(said_fallback, true)) say(printable("Computed on the CPU: " + why), false);
}

// What is open stays as edited, with the old result beside it; what was just opened goes again.
void Session::State::refuse(const std::string& why) {
    if (!before_open) {
        say(why, true);
        return;
    }
    say(printable(opening.empty() ? why : opening + ": " + why), true);
    document = std::move(before_open->first);
    view = std::move(before_open->second);
    before_open.reset();
    changed = true;
}

// --- the work

void Session::State::compute_scene() {
    changed = false;
    work.with = backends.chosen();
    const Scene& scene = document.scene;
    const auto before = shown->variants.empty() ? nullptr : shown;
    // The first time on the GPU its programs are made, which takes a while.
    const bool ready = work.with != ComputeWith::gpu || shown->backend == "gpu";
    const bool draws = draw_to_make().has_value();
    if (!draws && same_but_show(scene, shown->scene) && work.with == shown_with) {
        before_open.reset();
        judge_step();
    } else if (!draws && ready && numbers_to_compute(scene) <= most_numbers_at_once) {
        Progress progress;
        settle(backends.compute(work.with, scene, before.get(), progress, false));
    } else {
        start_scene(before);
        if (worker.finished_within(frame_waits)) take_work();
    }
}

namespace {

// What could not be looked at beside is looked at when it is drawn.
Sources looked_ahead(const Result& result, const View& view, const Sources& before) {
    try {
        return look_ahead(result, view, before);
    } catch (const std::bad_alloc&) {
        return {};
    }
}

// Where it fails, the facts that need it will say so.
void draw_beforehand(std::uint64_t seed, Progress& progress) {
    try {
        draw_root_d(seed, progress);
    } catch (const Cancelled&) {  // and so is what comes next
    } catch (const std::exception&) {}
}

}  // namespace

void Session::State::start_scene(std::shared_ptr<const Result> before) {
    work.what = Work::What::scene;
    work.before = std::move(before);
    work.view = view;
    work.sources = bench.sources;
    worker.start(
        [this, scene = document.scene, seed = draw_to_make()](Progress& progress) {
            if (seed) draw_beforehand(*seed, progress);
            work.outcome = backends.compute(work.with, scene, work.before.get(), progress, true);
            if (const auto& result = work.outcome.result; result && result->backend == "cpu")
                work.looked_at = looked_ahead(*result, work.view, work.sources);
        },
        wake);
}

void Session::State::start_comparison() {
    comparison = {};
    compared = shown;
    try {
        backends.prepare_comparison();
    } catch (const WorkError& error) {
        comparison.error = error.what();
        return;
    }
    work.what = Work::What::comparison;
    work.before = shown;
    worker.start(
        [this](Progress& progress) { work.comparison = backends.compare(*work.before, progress); },
        wake);
}

// Of a scene that was edited meanwhile: an outdated result is shown only on the way of a drag.
void Session::State::take_work() {
    const bool cancelled = worker.cancelled();
    worker.join();
    const auto what = std::exchange(work.what, Work::What::nothing);
    work.before.reset();
    Outcome outcome = std::exchange(work.outcome, {});
    work.sources.clear();
    Sources sources = std::exchange(work.looked_at, {});
    if (what == Work::What::scene && (!changed || (outcome.result && !cancelled)))
        settle(std::move(outcome), std::move(sources));
    if (what == Work::What::comparison) {
        comparison = std::exchange(work.comparison, {});
        if (comparison.cancelled) compared.reset();
    }
}

void Session::State::update_result() {
    if (worker.finished()) take_work();
    if (worker.active()) return;
    if (changed) compute_scene();
    if (compares && !worker.active() && compared != shown) start_comparison();
}

void Session::update() {
    state_->update_result();
    state_->views.refresh(state_->shown, state_->view, state_->wake);
}

void Session::wait() {
    update();
    while (state_->worker.active()) {
        state_->worker.finished_within(std::chrono::hours(1));
        update();
    }
    while (state_->views.active()) {
        state_->views.wait();
        update();
    }
}

// --- backends

void Session::offer_gpu(GpuOffer gpu) { state_->backends.offer(std::move(gpu)); }
const GpuOffer& Session::gpu() const { return state_->backends.offered(); }
ComputeWith Session::computes_with() const { return state_->backends.chosen(); }

bool Session::compute_with(ComputeWith choice) {
    State& s = *state_;
    try {
        s.backends.choose(choice);
    } catch (const WorkError& error) {
        say(printable(std::string("The GPU cannot be used: ") + error.what()), true);
        return false;
    }
    s.worker.cancel();
    s.changed = true;
    s.said_fallback = false;
    s.message.reset();
    return true;
}

void Session::compare_backends(bool on) {
    State& s = *state_;
    s.compares = on;
    if (on) return;
    if (s.work.what == State::Work::What::comparison) s.worker.cancel();
    s.compared.reset();
}

const Comparison* Session::comparison() const {
    const State& s = *state_;
    const bool done =
        s.compares && s.compared == s.shown && s.work.what != State::Work::What::comparison;
    return done ? &s.comparison : nullptr;
}

}  // namespace maskscope
