#pragma once
// Large arrays of numbers: aligned for vector instructions, not initialised, and in reused memory
// if there is some, since fresh pages cost more than the arithmetic.

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace maskscope {

// Memory of at least `bytes`, aligned to 64 bytes; throws std::bad_alloc. Any thread.
void* take_block(std::size_t bytes);
// Throws std::bad_alloc where the address space is limited (ulimit -v) and `bytes` more do not fit.
// For libraries that crash, or wait for ever, where they get no memory.
void need_address_space(std::size_t bytes);
// `bytes` as passed to take_block(). A large block is kept for the next one of its size.
void give_block(void* block, std::size_t bytes) noexcept;
std::size_t kept_bytes();             // in unused blocks
void release_kept_blocks() noexcept;  // gives them, and all other freed memory, to the system

template <class T>
struct BlockAllocator {
    using value_type = T;
    BlockAllocator() = default;
    template <class U>
    BlockAllocator(const BlockAllocator<U>&) {}
    T* allocate(std::size_t count) { return static_cast<T*>(take_block(count * sizeof(T))); }
    void deallocate(T* block, std::size_t count) noexcept { give_block(block, count * sizeof(T)); }
    // Numbers have no value until they are written.
    template <class U>
    void construct(U* place) {
        ::new (static_cast<void*>(place)) U;
    }
    template <class U, class... Arguments>
    void construct(U* place, Arguments&&... arguments) {
        ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
    }
    bool operator==(const BlockAllocator&) const { return true; }
};

// A vector whose numbers are left uninitialised by resize(n) and by the constructor from a size.
template <class T>
using LargeArray = std::vector<T, BlockAllocator<T>>;

}  // namespace maskscope
