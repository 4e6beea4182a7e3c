#pragma once
// Computes generation: each variant's weights in a full pass, and the same rows step by step, with
// a KV cache.

#include <string>
#include <vector>

#include "app/figure/layout/lay_out.h"
#include "app/show/cells/cells.h"
#include "app/show/views/view_entry.h"

namespace maskscope {

inline constexpr Index most_generated = 64;  // the most tokens that are generated

// One variant over one sequence and head of n tokens.
struct GenerationLane {
    int lane = 0;
    std::string name;
    SharedCells at_once;             // its weights in a full pass, [n, n]
    std::vector<SharedCells> alone;  // [n]: row t when it is computed alone, [1, t + 1]
    // The largest |difference| of a row's weights; 0 if only rounding differs, NaN if one of two
    // numbers is NaN. [n]
    std::vector<double> apart;
    // Query–key pairs of this head: those of a full pass, and of all steps, where each computes its
    // own row, or every row so far.
    Index pairs = 0, pairs_with_cache = 0, pairs_without = 0;
    std::vector<Index> needed;  // [n]: how many of the keys cached by step t a later row attends to
    Index bytes = 4;            // bytes of a number
};

// The part of each token that a KV head keeps; null if the inputs have none.
struct CachedHead {
    std::string title;  // "heads 1–2": the query heads that use it; "" if there is only one
    SharedCells keys, values;  // [n, d_k], [n, d_v]
};

struct GenerationView {
    Index b = 0, h = 0;
    std::vector<std::string> tokens;
    std::vector<GenerationLane> lanes;
    Index heads = 1;  // query heads
    Index key_heads = 1, d_k = 0, d_v = 0;
    std::vector<CachedHead> cache;  // for every KV head, or only the shown head's if there are many
    Limits limits, cache_limits;    // of the weights, and of keys and values
    ColourMap map = ColourMap::viridis;
    std::string missing;  // why there is no cache, as a sentence
};

// Returns why the tokens of this scene cannot be generated one at a time, as a sentence; "" if they
// can.
std::string why_no_generation(const Scene& scene);

// Computes it for the variants, the first sequence and the first head of the view. Throws
// Cancelled.
GenerationView make_generation(const Result& result, const View& view, Progress& progress);

// Lays out the view. t: the token that is generated last; bench: its title and signs.
Figure lay_out_generation(const GenerationView& data, const Bench& bench, const View& view, Index t,
                          const LayoutOptions& options);

extern const ViewEntry generation_entry;
// Returns nullptr if it is not made.
inline const GenerationView* generation_of(const ViewData& data) {
    return static_cast<const GenerationView*>(data.content(ViewKind::generation));
}

// Returns "matches", "differs by 0.12": a row of step by step, compared with that of the full pass.
std::string apart_words(double apart);
// Returns "Query–key pairs: 21 of 36 in a full pass; step by step 21 with a KV cache, 56 without".
std::string pairs_words(const GenerationLane& lane, Index tokens, bool in_short);
Index cached_numbers(const GenerationView& view, Index t);  // after step t
// Returns "4 tokens × 2 heads × (4 + 4) = 64 numbers, 256 bytes; 2 are still needed", after step t;
// "" if there are no keys and values.
std::string cache_words(const GenerationView& view, const GenerationLane& lane, Index t);

}  // namespace maskscope
