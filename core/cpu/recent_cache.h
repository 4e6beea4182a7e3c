#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace maskscope {

// Caches values of the last computations, by the keys they were made from.
template <class Key, class Value>
class RecentCache {
public:
    struct Entry {
        Key key;
        Value value;
        bool used = false;
    };
    // Returns the value of an equal key, or a new one from make(). `key` may be of another type,
    // such as a tuple of references, and is copied once. A linear search: for few keys.
    template <class Alike, class Make>
    const Value& find_or_make(const Alike& key, const Make& make) {
        const auto known =
            std::ranges::find_if(all_, [&](const Entry& entry) { return entry.key == key; });
        if (known != all_.end()) {
            known->used = true;
            known->key = key;  // shares data with later keys, so comparing is cheap
            return known->value;
        }
        Value value = make();
        all_.push_back({Key(key), std::move(value), true});
        return all_.back().value;
    }
    // Returns the last value whose key passes, or nullptr.
    template <class Test>
    const Entry* find_last(const Test& test) const {
        const auto found = std::find_if(all_.rbegin(), all_.rend(),
                                        [&](const Entry& entry) { return test(entry.key); });
        return found == all_.rend() ? nullptr : &*found;
    }
    template <class Test>
    bool any_of(const Test& test) const {
        return std::ranges::any_of(all_, [&](const Entry& entry) { return test(entry.value); });
    }
    // Drops values that were not used since the last call.
    void forget_unused() {
        std::erase_if(all_, [](const Entry& entry) { return !entry.used; });
        for (Entry& entry : all_) entry.used = false;
    }
    // Drops values whose keys pass.
    template <class Test>
    void forget(const Test& test) {
        std::erase_if(all_, [&](const Entry& entry) { return test(entry.key); });
    }

private:
    std::vector<Entry> all_;
};

}  // namespace maskscope
