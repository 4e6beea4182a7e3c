#pragma once
// A .npy file (version 1) that is written in parts.

#include <cstddef>
#include <filesystem>

#include "core/base/shape.h"
#include "core/files/descriptor.h"

namespace maskscope {

enum class NpyNumbers { boolean, float32, float64 };

// An array of shape [b, h, rows, columns], filled in any order; numbers that are never written are
// 0.
class NpyFile {
public:
    // Creates a new file. Throws WorkError ("No space left on device"), as do all functions.
    NpyFile(const std::filesystem::path& path, NpyNumbers numbers, const Shape& shape);
    // Writes `count` rows, counted across all heads from `first` on, as they are in memory.
    void write(Index first, Index count, const void* numbers);
    void close();  // after all writes; throws errors that only closing reports

private:
    Descriptor descriptor_;
    std::size_t start_ = 0, row_bytes_ = 0;
};

// Returns the size of such a file in bytes.
double npy_size(NpyNumbers numbers, const Shape& shape);

}  // namespace maskscope
