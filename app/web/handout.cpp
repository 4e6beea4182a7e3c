#include "app/web/handout.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/show/bench/bench.h"
#include "core/compute/depends.h"
#include "core/compute/plain.h"
#include "core/edit/edit.h"
#include "core/lesson/caption.h"
#include "core/lesson/lesson_edit.h"
#include "core/settings/setting.h"

namespace maskscope {

namespace {

constexpr std::size_t most_undone = 200;

// True if both scenes are equal in everything except `show`, which no edit changes.
bool is_same(const Scene& x, const Scene& y) {
    return x.title == y.title && same_inputs(x, y) && x.variants == y.variants;
}

void expect_page_size(const Scene& scene) {
    const Shape shape = shape_of(scene);
    const Index tokens = std::max(shape.n_q, shape.n_k);
    if (tokens > most_page_tokens)
        throw EditError(fmt::format("A live page shows at most {} tokens, but this scene has {}.",
                                    most_page_tokens, tokens));
}

}  // namespace

Handout::Handout(std::string_view json) : is_lesson_(maskscope::is_lesson(json)) {
    lesson_ =
        is_lesson_ ? read_lesson(json, given_files()) : lesson_of(read_scene(json, given_files()));
    view_.theme = ThemeKind::light;
    go_to_step(0);
}

Scene Handout::begun() const { return scene_to_begin(step()); }

void Handout::go_to_step(int step) {
    step_ = step;
    scene_ = begun();
    undone_.clear();
    redone_.clear();
    answered_.reset();
    result_.reset();
    view_.show = scene_.show.value_or(Show{});
    view_.ask(hidden_by(this->step()));
}

void Handout::become(Scene next) {
    if (is_same(next, scene_)) return;
    expect_page_size(next);
    undone_.push_back(std::exchange(scene_, std::move(next)));
    if (undone_.size() > most_undone) undone_.pop_front();
    redone_.clear();
    result_.reset();
}

bool Handout::undo(bool again) {
    auto &from = again ? redone_ : undone_, &to = again ? undone_ : redone_;
    if (from.empty()) return false;
    to.push_back(std::exchange(scene_, std::move(from.back())));
    from.pop_back();
    result_.reset();
    return true;
}

void Handout::restore() { become(begun()); }

bool Handout::is_edited() const { return !is_same(scene_, begun()); }

void Handout::show_answer(const std::string& said) {
    if (!asks()) return;
    if (auto one = read_said(said))
        answered_ = judge_answers({std::move(*one)}, fill_words(step(), result()).answers);
    view_.show_answer();
}

const Result& Handout::result() {
    if (!result_) {
        Progress progress;
        Result result = PlainBackend().compute(scene_, {}, nullptr, progress);
        if (shows_stage(view_, StageKind::depends) && has_stage(scene_, StageKind::depends))
            add_depends(result, progress);
        result_ = std::move(result);
    }
    return *result_;
}

View Handout::fork_view() const {
    View fork = view_;
    fork.show.view = ViewKind::pipeline;
    return fork;
}

const Bench& Handout::bench() {
    view_.variant_changes.clear();
    if (is_lesson_)
        for (int variant = 0; variant < std::ssize(scene_.variants); ++variant)
            view_.variant_changes.push_back(changes_since(begun(), scene_, variant));
    bench_ = make_bench(result(), fork_view(), bench_.sources, bench_.tokens);
    return bench_;
}

}  // namespace maskscope
