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
    // A new file. Throws WorkError ("No space left on device"), as do all.
    NpyFile(const std::filesystem::path& path, NpyNumbers numbers, const Shape& shape);
    // `count` rows, counted across all heads from `first` on, as they lie in memory.
    void write(Index first, Index count, const void* numbers);
    void close();  // all was written; says what only closing tells

private:
    Descriptor descriptor_;
    std::size_t start_ = 0, row_bytes_ = 0;
};

// The bytes of such a file.
double npy_size(NpyNumbers numbers, const Shape& shape);

}  // namespace maskscope
