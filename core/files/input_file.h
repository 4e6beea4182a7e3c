#pragma once
// A regular file, open for reading in any order. Its path may be untrusted.

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "core/base/byte_source.h"
#include "core/base/error.h"
#include "core/files/descriptor.h"
#include "core/files/file.h"

namespace maskscope {

// A file that may well be valid cannot be read now: the system lacks memory or descriptors, or the
// disk fails.
struct TemporaryError : InputError {
    using InputError::InputError;
};

class InputFile : public ByteSource {
public:
    enum class Links { followed, refused };  // refused: the path itself must not be a link

    // Opens the file, and never waits for a pipe or a device. Throws InputError (empty place): "No
    // such file or directory", "is a directory", "is not a regular file"; TemporaryError if a later
    // attempt may succeed.
    explicit InputFile(const std::filesystem::path& path, Links links = Links::followed);
    explicit InputFile(const FilePlace& place);  // which must not be a link

    std::uint64_t size() const override { return size_; }  // as it was when opened
    int descriptor() const { return descriptor_.number(); }
    std::size_t read(std::uint64_t offset, char* to, std::size_t count) const override;

private:
    InputFile(int folder, const char* path, Links links);
    Descriptor descriptor_;
    std::uint64_t size_ = 0;
};

}  // namespace maskscope
