#pragma once
// Makes one allocation fail, or one call that reads or writes a file or starts a thread. These are
// the calls of the program's own code, and a few of the standard library.

namespace maskscope {

// Call this at the beginning of a faults program. If the program crashes, it prints which call
// failed last. Returns whether "all" was requested.
bool begin_faults(int count, char** arguments);

enum class Fault { allocation, call };

void fail_at(Fault fault, long n);  // the n-th from now on, in any thread
bool end_of_faults();               // stops failing; returns whether one did
const char* last_failed();          // "allocation", or the name of the call
void print_last_failed();           // on standard error: which code allocated

}  // namespace maskscope
