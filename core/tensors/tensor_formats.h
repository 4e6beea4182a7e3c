#pragma once
// Shared by the readers of .npy, .npz and .safetensors. All throw InputError with an empty place.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/byte_source.h"
#include "core/base/error.h"
#include "core/scene/scene.h"
#include "core/tensors/npy_file.h"
#include "core/tensors/tensor_file.h"

namespace maskscope {

// Bytes in order, from a part of a file or an entry of an archive.
class ByteReader {
public:
    virtual ~ByteReader() = default;
    virtual std::uint64_t left() const = 0;  // bytes to come, as declared
    // Reads exactly `count` bytes, at most left(); InputError if there are fewer.
    virtual void read(char* to, std::size_t count) = 0;
    virtual void skip(std::uint64_t count);  // at most left()
};

class FileReader : public ByteReader {
public:
    FileReader(const ByteSource& file, std::uint64_t begin, std::uint64_t end)
        : file_(file), at_(begin), end_(end) {}
    std::uint64_t left() const override { return end_ - at_; }
    void read(char* to, std::size_t count) override;
    void skip(std::uint64_t count) override { at_ += count; }

private:
    const ByteSource& file_;
    std::uint64_t at_, end_;
};

// --- references

struct TensorReference {
    std::string file, name;  // name "" for .npy
    enum class Format { npy, npz, safetensors } format = Format::npy;
};
// Parses "qkv.npz:q".
TensorReference parse_reference(const std::string& reference);
// Reads the tensor of a file other than an .npz.
Array read_tensor(const ByteSource& file, const TensorReference& reference, const JudgeAxes& judge,
                  bool of_mask);

// Returns the array that read() returns, with its reference; errors begin with the reference.
template <class Read>
Array read_referenced(const std::string& reference, const Read& read) {
    try {
        Array array = read();
        array.file = reference;
        return array;
    } catch (const InputError& error) {
        if (!error.place.empty()) throw;  // thrown by judge
        throw InputError("", reference + ": " + error.what());
    } catch (const WorkError& error) {
        throw WorkError(reference + ": " + error.what());
    }
}

// --- numbers

// The number types of tensor files, little-endian; those of scenes are floats.
enum class FileNumber {
    float16,
    bfloat16,
    float32,
    float64,
    boolean,
    uint8,
    int8,
    uint16,
    int16,
    uint32,
    int32,
    uint64,
    int64
};
std::size_t size_of(FileNumber type);  // bytes
inline bool is_float(FileNumber type) { return type <= FileNumber::float64; }

// Returns the product of the axes; InputError if it overflows. 1 without axes.
std::uint64_t count_of(const std::vector<Index>& axes);

// Reads from reader, which must hold exactly count_of(axes) numbers: checked before anything is
// allocated. at: indices on the leading axes; the array holds only the numbers there, and has the
// remaining axes. WorkError if they do not fit in memory. by_columns: true for Fortran order.
Array read_numbers(ByteReader& reader, std::vector<Index> axes, FileNumber type, bool by_columns,
                   const std::vector<Index>& at, const JudgeAxes& judge = {});

// --- .npy of version 1 to 3

struct NpyHeader {
    std::string dtype;  // as written: "<f4"
    bool by_columns = false;
    std::vector<Index> axes;
};
inline constexpr std::string_view npy_magic = "\x93NUMPY";
std::string npy_header(NpyNumbers numbers, const Shape& shape);  // for a file that we write
// Reads the header, up to the first number.
NpyHeader read_npy_header(ByteReader& reader);
std::optional<FileNumber> npy_number(const std::string& dtype);  // nullopt: not supported
// Reads the numbers at these leading indices, whatever their type.
Array read_npy_part(ByteReader& reader, const std::vector<Index>& at);
// Reads a whole file of floats, or of a mask (of_mask); no byte may follow.
Array read_npy(ByteReader& reader, const JudgeAxes& judge, bool of_mask);

// --- .npz. Entries are called `name` or `name`.npy.

class InputFile;

Array read_npz(const InputFile& file, const std::string& name, const JudgeAxes& judge,
               bool of_mask);
struct NpzEntry {
    std::string name;  // without .npy
    NpyHeader header;  // dtype "" if it cannot be read
};
// Lists the entries whose names are valid UTF-8.
std::vector<NpzEntry> list_npz(const InputFile& file);
Array read_npz_part(const InputFile& file, const std::string& name, const std::vector<Index>& at);

// --- .safetensors

struct SafetensorsEntry {
    std::string name, dtype;  // "BF16"
    std::vector<Index> axes;
    std::uint64_t begin = 0, end = 0;  // bytes after the header
};
struct SafetensorsHeader {
    std::vector<SafetensorsEntry> entries;  // sorted by begin
    std::map<std::string, std::string> metadata;
    std::uint64_t length = 0;  // bytes before the numbers: the length field and the header
};
SafetensorsHeader read_safetensors_header(const ByteSource& file);
std::optional<FileNumber> safetensors_number(const std::string& dtype);
Array read_safetensors(const ByteSource& file, const std::string& name, const JudgeAxes& judge,
                       bool of_mask);
Array read_safetensors_part(const ByteSource& file, const std::string& name,
                            const std::vector<Index>& at);

}  // namespace maskscope
