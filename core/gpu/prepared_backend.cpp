#include "core/gpu/prepared_backend.h"

#include <new>
#include <utility>

#include "core/base/error.h"
#include "core/gl/program.h"

namespace maskscope {

Result PreparedBackend::compute_prepared(const Scene& scene, const Request& request,
                                         const Result* before, Progress& progress) {
    if (state_ == Preparation::under_way) throw gpu::NotPrepared{};
    require_prepared();
    try {
        return compute_at_once(scene, request, before, progress);
    } catch (const gpu::NotPrepared&) {
        // The second run starts from known scores, as after an edit.
        prepare([this, scene, request](Progress& own) {
            const Result first = compute(scene, request, nullptr, own);
            compute(scene, request, nullptr, own);
        });
        throw;
    }
}

void PreparedBackend::require_prepared() {
    const std::lock_guard lock(mutex_);
    if (const auto failure = std::exchange(failure_, std::nullopt)) throw WorkError(*failure);
}

void PreparedBackend::prepare(std::function<void(Progress&)> work) {
    if (state_.exchange(Preparation::under_way) == Preparation::under_way) return;
    const auto run = [this, work = std::move(work)] {
        try {
            work(progress_);
        } catch (const Cancelled&) {
        } catch (const std::exception& error) {
            const std::lock_guard lock(mutex_);
            try {
                failure_ = error.what();
            } catch (const std::bad_alloc&) {
                failure_.emplace();
            }
        }
        state_ = Preparation::done;
        state_.notify_all();
        if (when_prepared) when_prepared();
    };
    try {
        post(run);
    } catch (...) {
        state_ = Preparation::none;
        throw;
    }
}

bool PreparedBackend::take_prepared() {
    Preparation expected = Preparation::done;
    return state_.compare_exchange_strong(expected, Preparation::none);
}

void PreparedBackend::wait_while_preparing() { state_.wait(Preparation::under_way); }

}  // namespace maskscope
