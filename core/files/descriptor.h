#pragma once
// A file descriptor that is closed with its owner.

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace maskscope {

class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int descriptor) : descriptor_(descriptor) {}  // below 0: no descriptor
    ~Descriptor() { close(); }
    Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }

    bool is_open() const { return descriptor_ >= 0; }
    int number() const { return descriptor_; }
    int release() { return std::exchange(descriptor_, -1); }  // the caller must then close it
    // Returns 0, or the errno of a write that only closing reports. The descriptor is closed in any
    // case.
    int close() {
        if (!is_open()) return 0;
        const int before = errno;
        const int error = ::close(std::exchange(descriptor_, -1)) == 0 ? 0 : errno;
        errno = before;
        return error;
    }

private:
    int descriptor_ = -1;
};

}  // namespace maskscope
