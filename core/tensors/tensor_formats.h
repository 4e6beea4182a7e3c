#pragma once
// What the readers of .npy, .npz and .safetensors share. All throw InputError with an empty place.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/input_file.h"
#include "core/scene/scene.h"

namespace maskscope {

// Bytes in order, from a part of a file or an entry of an archive.
class ByteReader {
public:
    virtual ~ByteReader() = default;
    virtual std::uint64_t left() const = 0;  // bytes to come, as declared
    // Reads exactly `count` bytes, at most left(); InputError if there are fewer.
    virtual void read(char* to, std::size_t count) = 0;
};

class FileReader : public ByteReader {
public:
    FileReader(const InputFile& file, std::uint64_t begin, std::uint64_t end)
        : file_(file), at_(begin), end_(end) {}
    std::uint64_t left() const override { return end_ - at_; }
    void read(char* to, std::size_t count) override;

private:
    const InputFile& file_;
    std::uint64_t at_, end_;
};

// The numbers that tensor files hold, little-endian.
enum class FileNumber { float16, bfloat16, float32, float64 };
std::size_t size_of(FileNumber type);  // bytes

// The product of the axes; InputError if it overflows. 1 without axes.
std::uint64_t count_of(const std::vector<Index>& axes);

// Reads all of reader, which must hold count_of(axes) numbers: checked before anything is
// allocated. WorkError if the numbers do not fit in memory. by_columns: Fortran order.
Array read_numbers(ByteReader& reader, std::vector<Index> axes, FileNumber type, bool by_columns);

// A whole .npy file, of version 1 to 3; no byte may follow.
Array read_npy(ByteReader& reader);
// The entry `name` or `name`.npy of an archive.
Array read_npz(const InputFile& file, const std::string& name);
Array read_safetensors(const InputFile& file, const std::string& name);

}  // namespace maskscope
