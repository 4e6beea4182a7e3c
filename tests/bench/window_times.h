#pragma once
// Measures what needs a real window: how soon it appears, and its load when idle.

#include <string>

namespace maskscope::bench {

// Starts the program again as `own_path --window`, which prints its times; returns false without a
// display.
bool print_window_times(const std::string& own_path);

// Does what the started program does: opens the start page, waits, prints and ends. `started`:
// seconds of the steady clock at which it was started. Returns the exit status.
int measure_window(double started);

// Returns the memory of this process that is not swapped out, in bytes.
double resident_bytes();
double steady_seconds();

}  // namespace maskscope::bench
