#pragma once
// Keeps what the shown view needs up to date: at once where that is short, else beside the thread
// that draws.

#include <array>
#include <functional>
#include <memory>

#include "app/show/views/view_data.h"
#include "core/threads/background_work.h"

namespace maskscope {

class ViewMaker {
public:
    // Once a frame. wake is called from the worker's thread at its end (may be empty).
    void refresh(const std::shared_ptr<const Result>& result, const View& view,
                 const std::function<void()>& wake);
    // Of the last views that could be made: until the next is ready, what was shown before.
    const ViewData& data() const { return data_; }
    bool active() const { return worker_.active(); }
    double progress() const { return worker_.progress(); }
    // What is under way is given up, and not begun again before something changed.
    void cancel() { worker_.cancel(); }
    void wait();  // until the worker is done

private:
    ViewKey& made(ViewKind kind) { return made_[static_cast<std::size_t>(kind)]; }
    void keep(const ViewKey& key, ViewData made);

    ViewData data_;
    std::array<ViewKey, 5> made_;  // what data_ was made of, by ViewKind
    ViewKey under_way_;
    BackgroundWork worker_;  // after what it uses
};

}  // namespace maskscope
