#include "app/session/keeper.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"

namespace maskscope {

void Keeper::something_happened(Clock::time_point now) {
    if (!first_) first_ = now;
    last_ = now;
}

std::optional<double> Keeper::seconds_until_due(Clock::time_point now) const {
    using namespace std::chrono_literals;
    if (!first_) return std::nullopt;
    const Clock::time_point due = std::min(*last_ + 1s, *first_ + 10s);
    return std::max(0.0, std::chrono::duration<double>(due - now).count());
}

void Keeper::keep_if_due(Session& session, Clock::time_point now) {
    if (seconds_until_due(now).value_or(1) > 0) return;
    first_.reset();
    try {
        file_.keep(session.unsaved());
        failed_ = false;
    } catch (const WorkError& error) {
        if (!std::exchange(failed_, true))
            session.say(std::string("Unsaved work is not kept for a crash: ") + error.what(), true);
    }
}

}  // namespace maskscope
