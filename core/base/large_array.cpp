#include "core/base/large_array.h"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace maskscope {
namespace {

constexpr std::size_t large = std::size_t(1) << 18;  // worth keeping from this size on
constexpr std::size_t most_kept = std::size_t(4) << 30;

struct Block {
    void* memory;
    std::size_t bytes;
};

struct BlockStore {
    std::mutex mutex;
    std::vector<Block> blocks;  // the most recently returned one last
    std::size_t bytes = 0;
};

BlockStore& free_blocks() {
    static auto* all = new BlockStore;  // outlives every result
    return *all;
}

void* kept_block(std::size_t bytes) {
    BlockStore& all = free_blocks();
    const std::lock_guard lock(all.mutex);
    const auto last = std::find_if(all.blocks.rbegin(), all.blocks.rend(),
                                   [&](const Block& block) { return block.bytes == bytes; });
    if (last == all.blocks.rend()) return nullptr;
    void* memory = last->memory;
    all.blocks.erase(std::next(last).base());
    all.bytes -= bytes;
    return memory;
}

}  // namespace

void* take_block(std::size_t bytes) {
    const std::size_t whole = block_size(bytes);
    if (whole >= large)
        if (void* memory = kept_block(whole)) return memory;
    void* memory = std::aligned_alloc(block_alignment(whole), whole);
    if (!memory) throw std::bad_alloc();
    // This is only advice, which the system may ignore.
    if (whole >= huge_page) madvise(memory, whole, MADV_HUGEPAGE);
    return memory;
}

void need_address_space(std::size_t bytes) {
    rlimit space{};
    if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY) return;
    void* room = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) throw std::bad_alloc();
    munmap(room, bytes);
}

void give_block(void* block, std::size_t bytes) noexcept {
    const std::size_t whole = block_size(bytes);
    if (whole >= large) {
        BlockStore& all = free_blocks();
        const std::lock_guard lock(all.mutex);
        if (all.bytes + whole <= most_kept) try {
                all.blocks.push_back({block, whole});
                all.bytes += whole;
                return;
            } catch (const std::bad_alloc&) {  // the block is then freed
            }
    }
    std::free(block);
}

std::size_t kept_bytes() {
    const std::lock_guard lock(free_blocks().mutex);
    return free_blocks().bytes;
}

void release_kept_blocks() noexcept {
    std::vector<Block> blocks;
    {
        BlockStore& all = free_blocks();
        const std::lock_guard lock(all.mutex);
        blocks.swap(all.blocks);
        all.bytes = 0;
    }
    for (const Block& block : blocks) std::free(block.memory);  // slow, so not under the lock
    malloc_trim(0);
}

}  // namespace maskscope
