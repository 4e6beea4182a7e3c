#pragma once
// Makes one allocation fail, or one call that reads or writes a file or starts a thread. These are
// the calls of the program's own code, and a few of the standard library.

namespace maskscope {

// What a program of faults begins with: should it end by itself, it prints who failed last. Whether
// it was asked for "all".
bool begin_faults(int count, char** arguments);

enum class Fault { allocation, call };

void fail_at(Fault fault, long n);  // the n-th from now on, of any thread
bool end_of_faults();               // none fails any more; whether one did
const char* last_failed();          // "allocation", or the name of the call
void print_last_failed();           // on standard error: who allocated

}  // namespace maskscope
