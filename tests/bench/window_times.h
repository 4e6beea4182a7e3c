#pragma once
// What can be measured in a real window alone: how soon it is there, and what it takes at rest.

#include <string>

namespace maskscope::bench {

// Starts the program anew as `own_path --window` and prints its lines; false without a display.
bool print_window_times(const std::string& own_path);

// What that started program does: opens the start page, waits, prints and ends. `started`:
// seconds of the steady clock at which it was started. Returns the exit status.
int measure_window(double started);

// Memory of this process that is not swapped out, in bytes.
double resident_bytes();
double steady_seconds();

}  // namespace maskscope::bench
