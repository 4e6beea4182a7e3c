#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace maskscope {

// What was made for the last computation, to be found again by what it was made from.
template <class Key, class Value>
class RecentCache {
public:
    // The value of an equal key, or make() of it. Found by comparing: for a few keys.
    template <class Make>
    const Value& find_or_make(Key key, const Make& make) {
        const auto known =
            std::ranges::find_if(all_, [&](const Entry& entry) { return entry.key == key; });
        if (known != all_.end()) {
            known->used = true;
            known->key = std::move(key);  // shares what the next key shares: compared at once
            return known->value;
        }
        Value value = make();
        all_.push_back({std::move(key), std::move(value), true});
        return all_.back().value;
    }
    template <class Test>
    bool any_of(const Test& test) const {
        return std::ranges::any_of(all_, [&](const Entry& entry) { return test(entry.value); });
    }
    // Drops what was not asked for since the last call.
    void forget_unused() {
        std::erase_if(all_, [](const Entry& entry) { return !entry.used; });
        for (Entry& entry : all_) entry.used = false;
    }

private:
    struct Entry {
        Key key;
        Value value;
        bool used = false;
    };
    std::vector<Entry> all_;
};

}  // namespace maskscope
