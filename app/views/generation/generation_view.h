#pragma once
// Computes generation: the weights of each variant in a full pass, and the same rows step by step,
// with a KV cache.

#include <string>
#include <vector>

#include "app/figure/layout/lay_out.h"
#include "app/show/cells/cells.h"
#include "app/show/views/view_entry.h"

namespace maskscope {

inline constexpr Index most_generated = 64;  // the most tokens that are generated

// One variant, for one sequence and head with n tokens.
struct GenerationVariant {
    int index = 0;
    std::string name;
    SharedCells at_once;             // the weights in a full pass, [n, n]
    std::vector<SharedCells> alone;  // [n]: row t computed step by step, [1, t + 1]
    // [n]: the largest absolute difference of a row's weights between full pass and step by step; 0
    // if it is only rounding, NaN if one of two numbers is NaN.
    std::vector<double> apart;
    std::vector<std::string> why;  // [n]: why the row differs, in words; "" if it does not
    // Query–key pairs of this head: in a full pass, and in all steps if each computes only its own
    // row (with a KV cache), or every row so far (without).
    Index pairs = 0, pairs_with_cache = 0, pairs_without = 0;
    std::vector<Index> needed;  // [n]: how many keys in the cache of step t are still needed
    Index bytes = 4;            // bytes that a number takes
};

// The part of the cache that belongs to one KV head.
struct CachedHead {
    std::string title;         // the query heads that use it, "heads 1–2"; "" for a single head
    SharedCells keys, values;  // [n, d_k], [n, d_v]
};

struct GenerationView {
    Index b = 0, h = 0;
    std::vector<std::string> tokens;
    std::vector<GenerationVariant> variants;
    Index heads = 1;  // number of query heads
    Index key_heads = 1, d_k = 0, d_v = 0;
    std::vector<CachedHead> cache;  // for every KV head, or if there are many, for the shown head
    Limits limits, cache_limits;    // for weights; for keys and values
    ColourMap map = ColourMap::viridis;
    std::string missing;  // why nothing can be generated, as a sentence; "" if it can
};

// Returns why this scene cannot be generated step by step, as a sentence; "" if it can.
std::string why_no_generation(const Scene& scene);

// Computes generation for the variants, the first sequence and the first head of the view. Throws
// Cancellation.
GenerationView make_generation(const Result& result, const View& view, Progress& progress);

// Lays out the view. t: index of the last generated token; bench: for its title and flags.
Figure lay_out_generation(const GenerationView& data, const Bench& bench, const View& view, Index t,
                          const LayoutOptions& options);

extern const ViewEntry generation_entry;
// Returns the view's content; nullptr if it was not made.
inline const GenerationView* generation_of(const ViewData& data) {
    return static_cast<const GenerationView*>(data.content(ViewKind::generation));
}

// Returns how a row computed step by step compares with that of the full pass: "matches", "differs
// by 0.12" or "NaN in one".
std::string apart_words(double apart);
// Returns why the row that differs most does, of those up to row t; "" if none differs.
std::string why_apart(const GenerationVariant& variant, Index t);
// Returns the costs: "Query–key pairs: 21 of 36 in a full pass; step by step 21 with a KV cache, 56
// without". in_short: only the costs of the full pass.
std::string pairs_words(const GenerationVariant& variant, Index tokens, bool in_short);
Index cached_numbers(const GenerationView& view, Index t);  // for all heads, after step t
// Returns the size of the cache after step t: "4 tokens × 2 heads × (4 + 4) = 64 numbers, 256
// bytes; 2 are still needed"; "" if there are no keys and values.
std::string cache_words(const GenerationView& view, const GenerationVariant& variant, Index t);

}  // namespace maskscope
