#pragma once

#include <cstddef>
#include <cstdint>

namespace maskscope {

// Bytes that can be read in any order: those of a file, or some in memory.
class ByteSource {
public:
    virtual ~ByteSource() = default;
    virtual std::uint64_t size() const = 0;
    // Reads up to `count` bytes from `offset` on; fewer only at the end. Throws InputError.
    virtual std::size_t read(std::uint64_t offset, char* to, std::size_t count) const = 0;
};

}  // namespace maskscope
