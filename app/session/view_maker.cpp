#include "app/session/view_maker.h"
#include "core/compute/memory.h"

#include <new>

#include "app/show/views/views.h"
#include "core/base/error.h"
#include "core/threads/background_work.h"

namespace maskscope {

namespace {

// Numbers on the graphics card can only be read by the thread that draws.
bool is_remote(const Result& result) {
    for (const VariantResult& variant : result.variants)
        for (const Stage& stage : variant.stages)
            if (stage.remote()) return true;
    return false;
}

bool is_short(const Result& result, ViewKind kind) {
    if (kind == ViewKind::root_d) return false;
    return is_remote(result) || numbers_to_compute(result.scene) <= most_numbers_at_once;
}

// Throws nothing: what went wrong stands in `failure`.
ViewData outcome_of(const Result& result, const View& view, Progress& progress) {
    ViewData failed;
    try {
        return make_view_data(result, view, progress);
    } catch (const Cancelled&) {
        failed.failure = "Cancelled.";
    } catch (const std::bad_alloc&) {
        failed.failure = "There is not enough memory for this view.";
    } catch (const std::exception& error) {
        failed.failure = error.what();
    }
    return failed;
}

}  // namespace

ViewMaker::~ViewMaker() {
    if (!active()) return;
    progress_->cancel = true;
    thread_.join();
}

void ViewMaker::cancel() {
    if (active()) progress_->cancel = true;
}

void ViewMaker::keep(ViewData made) {
    data_.failure = std::move(made.failure);
    if (made.plane) data_.plane = std::move(made.plane);
    if (made.table) data_.table = std::move(made.table);
    if (made.root_d) data_.root_d = std::move(made.root_d);
}

void ViewMaker::take() {
    thread_.join();
    made(under_way_.kind) = under_way_;
    keep(std::move(outcome_));
}

// A key would keep a result alive that nobody shows any more.
void ViewMaker::forget_other_results(const std::shared_ptr<const Result>& result) {
    for (ViewKey& key : made_)
        if (key.result && key.result != result) key = {};
}

void ViewMaker::wait() {
    if (active()) take();
}

void ViewMaker::start(const std::shared_ptr<const Result>& result, const View& view,
                      const std::function<void()>& wake) {
    progress_ = std::make_unique<Progress>();
    done_ = false;
    thread_ = std::thread([this, result, view, wake] {
        outcome_ = outcome_of(*result, view, *progress_);
        done_ = true;
        if (wake) wake();
    });
}

void ViewMaker::refresh(const std::shared_ptr<const Result>& result, const View& view,
                        const std::function<void()>& wake) {
    if (result->variants.empty()) return;
    const ViewKey wanted = view_key(result, view);
    if (active() && done_) take();
    if (active()) {
        if (wanted != under_way_) progress_->cancel = true;  // it is superseded
        return;
    }
    forget_other_results(result);
    if (wanted.kind == ViewKind::pipeline || wanted.kind == ViewKind::heads) {
        if (!data_.failure.empty()) made_ = {};  // to be tried again
        data_.failure.clear();
        return;
    }
    if (wanted == made(wanted.kind)) return;
    under_way_ = wanted;
    data_.failure.clear();
    if (!is_short(*result, wanted.kind)) return start(result, view, wake);
    Progress progress;
    made(wanted.kind) = wanted;
    keep(outcome_of(*result, view, progress));
}

}  // namespace maskscope
