#pragma once
// A backend's cache between computations: inputs, and what is derived from them.

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "core/cpu/prepared.h"
#include "core/result/request.h"
#include "core/scene/mask_rules.h"

namespace maskscope {

// A cache of values of the last computations, by the keys they were made from.
template <class Key, class Value>
class RecentCache {
public:
    struct Entry {
        Key key;
        Value value;
        bool used = false;
    };
    // Returns the value of an equal key, or a new one from make(). `key` may be of another type,
    // such as a tuple of references, and is copied once. The search is linear, so keep only a few
    // keys.
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
    // Returns the last entry whose key passes the test, or nullptr.
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
    // Drops values whose keys pass the test.
    template <class Test>
    void forget(const Test& test) {
        std::erase_if(all_, [&](const Entry& entry) { return test(entry.key); });
    }

private:
    std::vector<Entry> all_;
};

// --- the masks of all heads, each distinct mask stored once, with the extents of its rows

// The extent of the allowed keys of one row, [begin, end), and their count; all 0 if there are
// none.
struct RowExtent {
    std::uint32_t begin = 0, end = 0, count = 0;
    bool is_dense() const { return count == end - begin; }
};

// Returns the extent of a row of n cells.
RowExtent extent_of(const std::uint8_t* row, std::size_t n);

struct MaskSheet {
    MaskCells::Sheet cells;       // [rows, n_k]
    std::vector<RowExtent> rows;  // extents of the requested queries
    bool has_empty_row = false;
};
using SharedSheet = std::shared_ptr<const MaskSheet>;

// The sheets of the last scenes, cached so that only edits of a mask make new ones.
class MaskSheets {
public:
    // Returns the masks of these queries only, for each head of each sequence, [b, h]. With `head`
    // (numbered across all sequences), makes only the mask of this head, and returns it for every
    // head.
    std::vector<SharedSheet> of(const Scene& scene, const std::vector<MaskLayer>& layers,
                                const Rows& rows, std::optional<Index> head = std::nullopt);
    // True if this sheet is still remembered.
    bool has(const MaskCells::Sheet& cells) const {
        return known_.any_of([&](const SharedSheet& sheet) { return sheet->cells == cells; });
    }
    void forget_unused() { known_.forget_unused(); }

private:
    struct Key {
        HeadPositions attending;  // only parts that the rules depend on; the others are 0
        std::vector<MaskLayer>
            layers;              // rules that hold for the head, with `heads` removed; no biases
        std::vector<bool> pads;  // for the tokens that the rules depend on
        Rows rows;
        bool operator==(const Key&) const = default;
    };
    SharedSheet like_known(const Scene& scene, const Key& key, const HeadPositions& whole) const;
    RecentCache<Key, SharedSheet> known_;
};

class InputCache {
public:
    using Inputs = std::shared_ptr<const BatchInputs>;

    // Returns the inputs of a scene: from the cache, else `known` (may be null), else computed.
    Inputs inputs(const Scene& scene, Inputs known, Progress& progress);
    // Returns the labels of the scene with these inputs: see labelled().
    std::shared_ptr<const VariantResult> labels(const Scene& scene, const Inputs& inputs);
    std::shared_ptr<const Parameters> parameters(const Scene& scene, const Variant& variant,
                                                 const Inputs& inputs);
    // Returns the prepared inputs, with the numbers of one head, or of all.
    std::shared_ptr<const PreparedInputs> prepared(const Variant& variant,
                                                   const Parameters& parameters,
                                                   const Inputs& inputs, std::optional<Index> head,
                                                   Pool& pool);
    MaskSheets sheets;
    void forget_unused();
    // Drops what belongs to other inputs, but keeps what variants with these inputs use. Call it
    // after a request for one head: the same head of other variants may be requested next.
    void forget_other_inputs(const Inputs& inputs);

private:
    using InputsKey = std::tuple<std::vector<Sequence>, std::string, maskscope::Inputs>;
    using ParametersKey = std::tuple<Inputs, Score, Scale, Dtype, Output>;
    using PreparedKey = std::tuple<Inputs, Score, Dtype, const Kernels*>;
    RecentCache<InputsKey, Inputs> inputs_;
    RecentCache<Inputs, std::shared_ptr<const VariantResult>> labels_;
    RecentCache<ParametersKey, std::shared_ptr<const Parameters>> parameters_;
    RecentCache<PreparedKey, std::shared_ptr<PreparedInputs>> prepared_;
};

}  // namespace maskscope
