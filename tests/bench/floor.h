#pragma once
// Measures the best that this machine can do. A computation takes at least as long as its FLOPs at
// peak speed, and at least as long as writing its bytes.

#include <cstddef>

namespace maskscope::bench {

// Multiplies and adds in registers, with the widest vectors that the machine has: `rounds` times.
// Returns the FLOPs that were done, in this thread.
double burn_flops(std::size_t rounds);

// Writes `bytes`, bypassing the cache, as one stage of a result is written. `numbers` is aligned to
// 64.
void stream(float* numbers, std::size_t bytes);

}  // namespace maskscope::bench
