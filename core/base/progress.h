#pragma once

#include <atomic>

namespace maskscope {

// Progress, shared by the thread that works and the one that reports it.
struct Progress {
    std::atomic<double> done = 0;  // 0 to 1
    std::atomic<bool> cancel = false;
    // For work in pieces: `done` is the share of the current piece that is done.
    std::atomic<double> pieces = 1, pieces_before = 0;
    double whole() const { return (pieces_before + done) / pieces; }
};

// Returns the progress of a command, which does one piece of work. Work in the window has its own.
inline Progress& command_progress() {
    static Progress progress;
    return progress;
}

struct Cancellation {};  // thrown by work that has seen progress.cancel

}  // namespace maskscope
