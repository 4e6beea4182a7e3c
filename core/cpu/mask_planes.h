#pragma once
// The masks of all heads, each different one made once, with what its rows look like.

#include <memory>
#include <vector>

#include "core/cpu/recent_cache.h"
#include "core/result/result.h"

namespace maskscope {

// The allowed keys of one row: all of them lie from begin to end; begin = end = 0 where none does.
struct RowExtent {
    std::uint32_t begin = 0, end = 0, count = 0;
    bool is_dense() const { return count == end - begin; }
};

// Of n cells.
RowExtent extent_of(const std::uint8_t* row, std::size_t n);

struct MaskPlane {
    MaskCells::Plane cells;       // [n_q, n_k]
    std::vector<RowExtent> rows;  // [n_q]
    bool has_empty_row = false;
};
using SharedPlane = std::shared_ptr<const MaskPlane>;

// Remembers the planes of the last scenes, so that an edit elsewhere makes none.
class MaskPlanes {
public:
    // For each head of each sequence, [b, h].
    std::vector<SharedPlane> of(const Scene& scene, const std::vector<MaskLayer>& layers);
    // Is it one of those that were asked for since, or before, the last call of forget_unused()?
    bool has(const MaskCells::Plane& cells) const {
        return known_.any_of([&](const SharedPlane& plane) { return plane->cells == cells; });
    }
    void forget_unused() { known_.forget_unused(); }

private:
    struct Key {
        Index n_q, n_k;
        std::vector<MaskLayer> layers;    // those that hold, without their heads; no biases
        std::vector<std::string> tokens;  // what layers of padding look at
        bool operator==(const Key&) const = default;
    };
    RecentCache<Key, SharedPlane> known_;
};

}  // namespace maskscope
