#pragma once
// Keeps what the shown view needs up to date: at once where that is short, else in a thread beside
// the one that draws.

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "app/show/views/view_data.h"

namespace maskscope {

class ViewMaker {
public:
    ViewMaker() = default;
    ViewMaker(const ViewMaker&) = delete;
    ViewMaker& operator=(const ViewMaker&) = delete;
    ~ViewMaker();  // cancels, and waits for the end

    // Once a frame. wake is called from the worker's thread at its end (may be empty).
    void refresh(const std::shared_ptr<const Result>& result, const View& view,
                 const std::function<void()>& wake);
    // Of the last views that could be made: until the next is ready, what was shown before.
    const ViewData& data() const { return data_; }
    bool active() const { return thread_.joinable(); }
    double progress() const { return active() ? progress_->done.load() : 0; }
    // What is under way is given up, and not begun again before something changed.
    void cancel();
    void wait();  // until the worker is done; refresh() then takes what it made

private:
    void start(const std::shared_ptr<const Result>& result, const View& view,
               const std::function<void()>& wake);
    void take();
    void forget_other_results(const std::shared_ptr<const Result>& result);
    ViewKey& made(ViewKind kind) { return made_[static_cast<std::size_t>(kind)]; }
    void keep(ViewData made);

    ViewData data_;
    std::array<ViewKey, 5> made_;  // what data_ was made of, by ViewKind
    ViewKey under_way_;
    std::thread thread_;
    std::unique_ptr<Progress> progress_;
    std::atomic<bool> done_ = false;
    ViewData outcome_;  // the worker's until done_
};

}  // namespace maskscope
