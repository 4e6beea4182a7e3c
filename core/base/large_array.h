#pragma once
// Large arrays of numbers: aligned for vector instructions, not initialized, and in reused memory
// if there is some, because fresh pages cost more than the arithmetic.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace maskscope {

// Returns memory of at least `bytes`, aligned to 64 bytes; throws std::bad_alloc. May be called
// from any thread.
void* take_block(std::size_t bytes);
// Throws std::bad_alloc if the address space is limited (ulimit -v) and `bytes` more do not fit.
// Call it before calling a library that crashes or hangs if it gets no memory.
void need_address_space(std::size_t bytes);
// Takes back a block; `bytes` as passed to take_block(). A large block is kept for the next request
// of its size, up to 4 GiB in all.
void give_block(void* block, std::size_t bytes) noexcept;
std::size_t kept_bytes();             // in unused blocks
void release_kept_blocks() noexcept;  // returns them, and all other freed memory, to the system

// Like std::vector, but numbers have no value until they are written. Destroying the array runs no
// loop over the numbers; with a custom allocator, GCC keeps that of a vector at -O1.
template <class T>
class LargeArray {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
    using value_type = T;
    LargeArray() = default;
    // Throws std::bad_alloc.
    explicit LargeArray(std::size_t size) { resize(size); }
    LargeArray(std::size_t size, T value) { assign(size, value); }
    template <std::forward_iterator I>
    LargeArray(I first, I last) {
        const auto size = std::size_t(std::distance(first, last));
        reserve(size);
        std::uninitialized_copy(first, last, data_);
        size_ = size;
    }
    LargeArray(std::initializer_list<T> all) : LargeArray(all.begin(), all.end()) {}
    LargeArray(const LargeArray& other) : LargeArray(other.begin(), other.end()) {}
    LargeArray(LargeArray&& other) noexcept { swap(other); }
    LargeArray& operator=(LargeArray other) noexcept {
        swap(other);
        return *this;
    }
    ~LargeArray() {
        if (data_) give_block(data_, capacity_ * sizeof(T));
    }
    void swap(LargeArray& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

    void reserve(std::size_t size) {
        if (size <= capacity_) return;
        if (size > PTRDIFF_MAX / sizeof(T)) throw std::bad_alloc();
        LargeArray larger;
        larger.data_ = static_cast<T*>(take_block(size * sizeof(T)));
        larger.capacity_ = size;
        std::uninitialized_copy_n(data_, size_, larger.data_);
        larger.size_ = size_;
        swap(larger);
    }
    // Changes the size, and keeps the numbers up to the smaller size.
    void resize(std::size_t size) {
        reserve(size);
        if (size > size_) std::uninitialized_default_construct_n(data_ + size_, size - size_);
        size_ = size;
    }
    void assign(std::size_t size, T value) {
        clear();
        reserve(size);
        std::uninitialized_fill_n(data_, size, value);
        size_ = size;
    }
    void clear() { size_ = 0; }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    T& operator[](std::size_t k) { return data_[k]; }
    const T& operator[](std::size_t k) const { return data_[k]; }
    bool operator==(const LargeArray& other) const { return std::ranges::equal(*this, other); }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0;
};

// --- how much memory is allocated for a large array

constexpr std::size_t huge_page = std::size_t(2) << 20;  // the size of a huge page: 2 MiB

// Returns the alignment of a block of this size: 64 bytes, or a huge page if it is at least that
// large.
constexpr std::size_t block_alignment(std::size_t size) {
    return size < huge_page ? 64 : huge_page;
}

// Returns the size allocated for this many bytes, a multiple of its alignment. Sizes increase in
// steps of an eighth, so that a block also fits another array of about its size.
constexpr std::size_t block_size(std::size_t bytes) {
    const std::size_t step = std::max(block_alignment(bytes), std::bit_floor(bytes) / 8);
    return (std::max<std::size_t>(bytes, 1) + step - 1) / step * step;
}

}  // namespace maskscope
