#include "core/tensors/tensor_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "core/base/error.h"
#include "core/compute/memory.h"
#include "core/tensors/tensor_formats.h"

namespace maskscope {

namespace {

// --- references

std::optional<TensorReference> split_at(const std::string& reference, const std::string& ending,
                                        TensorReference::Format format) {
    const std::size_t at = reference.find(ending + ":");
    if (at == std::string::npos) return std::nullopt;
    const std::size_t colon = at + ending.size();
    return TensorReference{reference.substr(0, colon), reference.substr(colon + 1), format};
}

// --- numbers

std::uint64_t little_endian(const char* bytes, std::size_t count) {
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < count; ++k)
        bits |= std::uint64_t{static_cast<unsigned char>(bytes[k])} << (8 * k);
    return bits;
}

double from_float16(std::uint64_t bits) {
    const int exponent = static_cast<int>(bits >> 10 & 0x1f);
    const auto fraction = static_cast<double>(bits & 0x3ff);
    double magnitude = 0;
    if (exponent == 31)
        magnitude = fraction == 0 ? infinity : not_a_number;
    else if (exponent == 0)
        magnitude = std::ldexp(fraction, -24);
    else
        magnitude = std::ldexp(1024 + fraction, exponent - 25);
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

double from_float32(std::uint64_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

template <class Integer>
double integer(std::uint64_t bits) {
    return static_cast<double>(static_cast<Integer>(bits));
}

double number_at(const char* bytes, FileNumber type) {
    const std::uint64_t bits = little_endian(bytes, size_of(type));
    switch (type) {
        case FileNumber::float16:
            return from_float16(bits);
        case FileNumber::bfloat16:
            return from_float32(bits << 16);
        case FileNumber::float32:
            return from_float32(bits);
        case FileNumber::float64:
            return std::bit_cast<double>(bits);
        case FileNumber::boolean:
        case FileNumber::uint8:
        case FileNumber::uint16:
        case FileNumber::uint32:
        case FileNumber::uint64:
            return integer<std::uint64_t>(bits);
        case FileNumber::int8:
            return integer<std::int8_t>(bits);
        case FileNumber::int16:
            return integer<std::int16_t>(bits);
        case FileNumber::int32:
            return integer<std::int32_t>(bits);
        case FileNumber::int64:
            break;
    }
    return integer<std::int64_t>(bits);
}

std::string mebibytes(double bytes) {
    return std::to_string(static_cast<long long>(std::ceil(bytes / (1 << 20)))) + " MiB";
}

void refuse_beyond_memory(double needed) {
    const auto available = available_bytes();
    if (available && needed > 0.9 * *available)
        throw WorkError("its numbers need " + mebibytes(needed) + ", and " + mebibytes(*available) +
                        " of memory are free");
}

// Converts numbers from Fortran order, first axis fastest, to C order, last axis fastest.
template <class Numbers>
Numbers by_rows(const Numbers& numbers, const std::vector<Index>& axes) {
    Numbers result(numbers.size());
    std::vector<Index> index(axes.size(), 0);
    std::vector<std::size_t> stride(axes.size(), 1);
    for (std::size_t axis = 1; axis < axes.size(); ++axis)
        stride[axis] = stride[axis - 1] * static_cast<std::size_t>(axes[axis - 1]);
    std::size_t from = 0;
    for (auto& number : result) {
        number = numbers[from];
        for (std::size_t axis = axes.size(); axis-- > 0;) {
            from += stride[axis];
            if (++index[axis] < axes[axis]) break;
            from -= stride[axis] * static_cast<std::size_t>(axes[axis]);
            index[axis] = 0;
        }
    }
    return result;
}

// The numbers that ArrayNumbers is made of. A file may have many float32 numbers, which a
// LargeArray holds in reused memory.
template <class T>
using ReadNumbers =
    std::conditional_t<std::is_same_v<T, float>, LargeArray<float>, std::vector<double>>;

template <class T>
ReadNumbers<T> read_in_order(ByteReader& reader, std::size_t count, FileNumber type) {
    static_assert(std::endian::native == std::endian::little,
                  "float32 is copied without conversion");
    const std::size_t size = size_of(type);
    ReadNumbers<T> numbers;
    numbers.reserve(count);
    std::vector<char> block(std::size_t{1} << 16);
    while (numbers.size() < count) {
        const std::size_t done = numbers.size();
        const std::size_t now = std::min(block.size() / size, count - done);
        numbers.resize(done + now);
        T* const to = numbers.data() + done;
        if (std::is_same_v<T, float> && type == FileNumber::float32) {
            reader.read(reinterpret_cast<char*>(to), now * size);
            continue;
        }
        reader.read(block.data(), now * size);
        for (std::size_t k = 0; k < now; ++k)
            to[k] = static_cast<T>(number_at(block.data() + k * size, type));
    }
    return numbers;
}

// Returns part number `first` of a tensor with these axes, which is divided into parts of `count`
// numbers.
template <class T>
ArrayNumbers read_some(ByteReader& reader, const std::vector<Index>& axes, FileNumber type,
                       bool by_columns, std::uint64_t first, std::uint64_t count) {
    const std::uint64_t all = count_of(axes);
    refuse_beyond_memory(static_cast<double>(by_columns ? 2 * all : count) * sizeof(T));
    if (!by_columns) {
        reader.skip(first * count * size_of(type));
        return read_in_order<T>(reader, static_cast<std::size_t>(count), type);
    }
    ReadNumbers<T> numbers =
        by_rows(read_in_order<T>(reader, static_cast<std::size_t>(all), type), axes);
    if (count == all) return numbers;
    const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(first * count);
    return ReadNumbers<T>(begin, begin + static_cast<std::ptrdiff_t>(count));
}

}  // namespace

TensorReference parse_reference(const std::string& reference) {
    const auto npz = split_at(reference, ".npz", TensorReference::Format::npz);
    const auto safetensors =
        split_at(reference, ".safetensors", TensorReference::Format::safetensors);
    std::optional<TensorReference> found = npz ? npz : safetensors;
    if (npz && safetensors && safetensors->file.size() < npz->file.size()) found = safetensors;
    if (found && found->name.empty()) throw InputError("", "has no tensor name after the colon");
    if (found) return *found;
    if (reference.ends_with(".npy")) return {reference, "", TensorReference::Format::npy};
    if (reference.ends_with(".npz") || reference.ends_with(".safetensors"))
        throw InputError("", "has no tensor name; expected \"" + reference + ":NAME\"");
    throw InputError("", "expected \"FILE.npy\", \"FILE.npz:NAME\" or \"FILE.safetensors:NAME\"");
}

Array read_tensor(const ByteSource& file, const TensorReference& reference, const JudgeAxes& judge,
                  bool of_mask) {
    if (reference.format == TensorReference::Format::safetensors)
        return read_safetensors(file, reference.name, judge, of_mask);
    FileReader reader(file, 0, file.size());
    return read_npy(reader, judge, of_mask);
}

void ByteReader::skip(std::uint64_t count) {
    std::vector<char> block(std::size_t{1} << 16);
    for (std::uint64_t now = 0; count > 0; count -= now) {
        now = std::min<std::uint64_t>(count, block.size());
        read(block.data(), static_cast<std::size_t>(now));
    }
}

void FileReader::read(char* to, std::size_t count) {
    if (count > left() || file_.read(at_, to, count) < count)
        throw InputError("", "ends too early");
    at_ += count;
}

std::size_t size_of(FileNumber type) {
    constexpr std::array<std::size_t, 13> sizes{2, 2, 4, 8, 1, 1, 1, 2, 2, 4, 4, 8, 8};
    return sizes[static_cast<std::size_t>(type)];
}

std::uint64_t count_of(const std::vector<Index>& axes) {
    if (std::find(axes.begin(), axes.end(), 0) != axes.end()) return 0;
    std::uint64_t count = 1;
    for (const Index axis : axes)
        if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(axis), &count))
            throw InputError("", "its shape is too large");
    return count;
}

Array read_numbers(ByteReader& reader, std::vector<Index> axes, FileNumber type, bool by_columns,
                   const std::vector<Index>& at, const JudgeAxes& judge) {
    const std::uint64_t all = count_of(axes);
    const std::size_t size = size_of(type);
    if (all > std::numeric_limits<std::uint64_t>::max() / size || all * size != reader.left())
        throw InputError("", "its shape needs " + std::to_string(all) + " numbers of " +
                                 std::to_string(size) + " bytes, but it holds " +
                                 std::to_string(reader.left()) + " bytes");
    if (judge) judge(axes);
    std::uint64_t first = 0;
    for (std::size_t k = 0; k < at.size(); ++k) {
        if (k == axes.size() || at[k] < 0 || at[k] >= axes[k])
            throw InputError("", "has no part at index " + std::to_string(at[k]));
        first = first * static_cast<std::uint64_t>(axes[k]) + static_cast<std::uint64_t>(at[k]);
    }
    std::vector<Index> part(axes.begin() + std::ssize(at), axes.end());
    const std::uint64_t count = count_of(part);
    const auto read =
        is_float(type) && size <= sizeof(float) ? read_some<float> : read_some<double>;
    return {std::move(part), read(reader, axes, type, by_columns, first, count), "",
            !is_float(type)};
}

void check_tensor_path(const std::string& file) {
    const std::filesystem::path path(file);
    if (file.empty() || file.find('\0') != std::string::npos)
        throw InputError("", "is not a valid path");
    if (path.is_absolute()) throw InputError("", "the path must be relative");
    if (std::find(path.begin(), path.end(), "..") != path.end())
        throw InputError("", "the path must not contain \"..\"");
}

std::string file_of_reference(const std::string& reference) {
    return parse_reference(reference).file;
}

}  // namespace maskscope
