#pragma once
// The masks of all heads, each distinct mask stored once, with the extents of its rows.

#include <memory>
#include <vector>

#include "core/cpu/recent_cache.h"
#include "core/result/request.h"
#include "core/scene/mask_rules.h"

namespace maskscope {

// The allowed keys of one row lie in [begin, end); begin = end = 0 if there are none.
struct RowExtent {
    std::uint32_t begin = 0, end = 0, count = 0;
    bool is_dense() const { return count == end - begin; }
};

// Returns the extent of a row of n cells.
RowExtent extent_of(const std::uint8_t* row, std::size_t n);

struct MaskSheet {
    MaskCells::Sheet cells;       // [rows, n_k]
    std::vector<RowExtent> rows;  // of the requested queries
    bool has_empty_row = false;
};
using SharedSheet = std::shared_ptr<const MaskSheet>;

// Remembers the sheets of the last scenes, so that edits of anything else make no new ones.
class MaskSheets {
public:
    // Returns the masks of these queries only, for each head of each sequence, [b, h]. `head` (b·h
    // + h): returns the mask of this head in place of each.
    std::vector<SharedSheet> of(const Scene& scene, const std::vector<MaskLayer>& layers,
                                const Rows& rows, std::optional<Index> head = std::nullopt);
    // True if this sheet is still remembered.
    bool has(const MaskCells::Sheet& cells) const {
        return known_.any_of([&](const SharedSheet& sheet) { return sheet->cells == cells; });
    }
    void forget_unused() { known_.forget_unused(); }

private:
    struct Key {
        Attending attending;            // the parts that the rules depend on, else 0
        std::vector<MaskLayer> layers;  // those that hold for the head, with `heads` removed; no
                                        // biases
        std::vector<bool> pads;         // for the tokens that the rules depend on
        Rows rows;
        bool operator==(const Key&) const = default;
    };
    SharedSheet like_known(const Scene& scene, const Key& key, const Attending& whole) const;
    RecentCache<Key, SharedSheet> known_;
};

}  // namespace maskscope
