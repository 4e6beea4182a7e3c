#pragma once
// A regular file, open for reading in any order, whose path may come from a stranger.

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "core/base/byte_source.h"
#include "core/base/error.h"
#include "core/files/descriptor.h"
#include "core/files/file_place.h"

namespace maskscope {

// The system does not give what is in a file that may well be whole: it lacks memory or
// descriptors, or the disk fails.
struct UnreadableNow : InputError {
    using InputError::InputError;
};

class InputFile : public ByteSource {
public:
    enum class Links { followed, refused };  // refused: the path itself must not be a link

    // Never waits for a pipe or a device. Throws InputError (empty place): "No such file or
    // directory", "is a directory", "is not a regular file"; UnreadableNow where that may pass.
    explicit InputFile(const std::filesystem::path& path, Links links = Links::followed);
    explicit InputFile(const FilePlace& place);  // which must not be a link

    std::uint64_t size() const override { return size_; }  // when it was opened
    int descriptor() const { return descriptor_.number(); }
    std::size_t read(std::uint64_t offset, char* to, std::size_t count) const override;

private:
    InputFile(int folder, const char* path, Links links);
    Descriptor descriptor_;
    std::uint64_t size_ = 0;
};

}  // namespace maskscope
