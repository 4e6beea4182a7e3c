#include "core/tensors/npy_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "core/base/error.h"
#include "core/tensors/tensor_formats.h"

namespace maskscope {
namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are written in native byte order");

struct NumberType {
    std::string_view name;
    std::size_t bytes;
};

NumberType type_of(NpyNumbers numbers) {
    if (numbers == NpyNumbers::boolean) return {"|b1", 1};
    return numbers == NpyNumbers::float32 ? NumberType{"<f4", 4} : NumberType{"<f8", 8};
}

[[noreturn]] void fail(int error) { throw WorkError(std::generic_category().message(error)); }

}  // namespace

std::string npy_header(NpyNumbers numbers, const Shape& shape) {
    std::string text = "{'descr': '" + std::string(type_of(numbers).name) +
                       "', 'fortran_order': False, 'shape': (";
    const Index axes[] = {shape.b, shape.h, shape.n_q, shape.n_k};
    for (const Index& axis : axes) text += (&axis > axes ? ", " : "") + std::to_string(axis);
    text += "), }";
    // The numbers start at a multiple of 64 bytes, as NumPy requires.
    const std::size_t before = npy_magic.size() + 4;
    text.append(63 - (before + text.size()) % 64, ' ');
    text += '\n';
    std::string header(npy_magic);
    header += {'\x01', '\x00', static_cast<char>(text.size() & 0xff),
               static_cast<char>(text.size() >> 8)};
    return header + text;
}

double npy_size(NpyNumbers numbers, const Shape& shape) {
    return static_cast<double>(npy_header(numbers, shape).size()) +
           static_cast<double>(shape.b * shape.h * shape.n_q) * static_cast<double>(shape.n_k) *
               static_cast<double>(type_of(numbers).bytes);
}

NpyFile::NpyFile(const std::filesystem::path& path, NpyNumbers numbers, const Shape& shape)
    : descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)),
      row_bytes_(static_cast<std::size_t>(shape.n_k) * type_of(numbers).bytes) {
    if (!descriptor_.is_open()) fail(errno);
    const std::string header = npy_header(numbers, shape);
    start_ = header.size();
    const auto size = static_cast<off_t>(npy_size(numbers, shape));
    const int file = descriptor_.number();
    if (::pwrite(file, header.data(), header.size(), 0) != std::ssize(header) ||
        ::ftruncate(file, size) != 0)
        fail(errno);
}

void NpyFile::write(Index first, Index count, const void* numbers) {
    const auto* from = static_cast<const char*>(numbers);
    std::size_t left = static_cast<std::size_t>(count) * row_bytes_;
    auto at = static_cast<off_t>(start_ + static_cast<std::size_t>(first) * row_bytes_);
    while (left > 0) {
        const ssize_t done = ::pwrite(descriptor_.number(), from, left, at);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) fail(errno);
        from += done, at += done, left -= static_cast<std::size_t>(done);
    }
}

void NpyFile::close() {
    if (const int error = descriptor_.close()) fail(error);
}

}  // namespace maskscope
