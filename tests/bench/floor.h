#pragma once
// Measures what this machine can do at most: no computation is faster than its FLOPs at the peak,
// or its bytes at the bandwidth of writing, whichever takes longer.

#include <cstddef>

namespace maskscope::bench {

// Multiplies and adds in registers, with the widest vectors that the machine has: `rounds` times.
// Returns the FLOPs that were done, in this thread.
double burn_flops(std::size_t rounds);

// Writes `bytes` past the cache, as one stage of a result is written. `numbers` is aligned to 64.
void stream(float* numbers, std::size_t bytes);

}  // namespace maskscope::bench
