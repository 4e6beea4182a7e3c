#pragma once
// Keeps the data of the shown view up to date: immediately if that is quick, else on a worker.

#include <functional>
#include <map>
#include <memory>

#include "app/show/views/view_entry.h"
#include "core/threads/background_work.h"

namespace maskscope {

class ViewMaker {
public:
    // Call once per frame. wake: called from the worker when it has finished (may be empty).
    void refresh(const std::shared_ptr<const Result>& result, const View& view,
                 const std::function<void()>& wake);
    // Returns the last data that could be computed: the previous view's until the next is ready,
    // unless a long text replaces another text.
    const ViewData& data() const { return data_; }
    // True if data() are those of this view.
    bool has(const ViewKey& key) const {
        const auto made = made_.find(key.kind);
        return (made == made_.end() ? ViewKey() : made->second) == key && data_.failure.empty();
    }
    bool active() const { return worker_.active(); }
    double progress() const { return worker_.progress(); }
    // Gives up the current work; it is not restarted until something changes.
    void cancel() { worker_.cancel(); }
    void wait();  // until the worker is done

private:
    ViewKey& made(ViewKind kind) { return made_[kind]; }
    void keep(const ViewKey& key, ViewData made);

    ViewData data_;
    std::weak_ptr<const BatchInputs> made_of_;  // the inputs of data_ that depend on a result
    std::map<ViewKind, ViewKey> made_;          // what data_ was made from
    ViewKey under_way_;
    BackgroundWork worker_;  // after what it uses
};

}  // namespace maskscope
