#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "core/base/shape.h"

namespace maskscope {

// Caches the blocks that were read last, up to a number of bytes. Any thread.
template <class Key, class Block>
class BlockCache {
public:
    explicit BlockCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

    // Returns nullptr if it is not there.
    std::shared_ptr<const Block> find(const Key& key) {
        const std::lock_guard lock(mutex_);
        for (auto entry = entries_.begin(); entry != entries_.end(); ++entry)
            if (entry->key == key) {
                entries_.splice(entries_.begin(), entries_, entry);
                return entry->block;
            }
        return nullptr;
    }
    // Keeps a block, even if it alone is larger than the limit for all.
    void keep(Key key, std::shared_ptr<const Block> block, std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        entries_.push_front({std::move(key), std::move(block), bytes});
        bytes_ += bytes;
        while (bytes_ > most_bytes_ && entries_.size() > 1) {
            bytes_ -= entries_.back().bytes;
            entries_.pop_back();
        }
    }
    std::size_t bytes() const {
        const std::lock_guard lock(mutex_);
        return bytes_;
    }

private:
    struct Entry {
        Key key;
        std::shared_ptr<const Block> block;
        std::size_t bytes = 0;
    };
    mutable std::mutex mutex_;
    std::list<Entry> entries_;  // the one that was read last first
    std::size_t most_bytes_, bytes_ = 0;
};

}  // namespace maskscope
