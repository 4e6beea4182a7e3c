#pragma once
// Seeded numbers, the same on every machine: they need only integers, and sums of twelve numbers in
// a fixed order.

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/shape.h"

namespace maskscope {

// A seeded stream of numbers: SplitMix64, whose state starts as seed XOR FNV-1a of the name.
class Stream {
public:
    Stream(std::uint64_t seed, std::string_view name);
    std::uint64_t next();
    double uniform();  // 0 <= x < 1
    double normal();   // twelve uniforms minus 6: mean 0, variance 1, no libm

    // Fills in the numbers that as many calls of normal() would return, to the bit, but computes
    // several at a time.
    void fill_normals(std::span<double> numbers);
    void skip_normals(std::uint64_t count);  // has the effect of that many calls of normal()

private:
    std::uint64_t state_;
};

// Returns [rows, columns] of normal numbers times factor, filled row by row.
Matrix seeded_matrix(std::uint64_t seed, std::string_view stream, Index rows, Index columns,
                     double factor);

}  // namespace maskscope
