#pragma once
// When unsaved work is kept for a crash.

#include <chrono>

#include "app/session/files/unsaved_file.h"
#include "app/session/session.h"

namespace maskscope {

// When work is kept: once nothing happened for a second, and at the latest after ten.
class Keeper {
public:
    using Clock = std::chrono::steady_clock;
    explicit Keeper(std::filesystem::path folder) : file_(std::move(folder)) {}
    void something_happened(Clock::time_point now);
    std::optional<double> seconds_until_due(Clock::time_point now) const;  // nothing: all is kept
    void keep_if_due(Session& session, Clock::time_point now);             // an error is said once
    void end() { file_.keep(std::nullopt); }  // the program ends in order

private:
    UnsavedFile file_;
    std::optional<Clock::time_point> first_, last_;  // of what happened since it was kept
    bool failed_ = false;
};

}  // namespace maskscope
