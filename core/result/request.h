#pragma once
// A request to a backend, and rows that are computed when they are read.

#include <bitset>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/result/result.h"

namespace maskscope {

// Queries of each head, from `first` on.
struct Rows {
    Index first = 0, count = 0;
    bool operator==(const Rows&) const = default;
};

struct Request {
    std::bitset<stage_count> stages = std::bitset<stage_count>().set();  // by StageKind
    std::vector<int> variants;                                           // empty = all
    // The only queries that are computed, with the same bits as in a full result; nullopt = all.
    // The shape, labels, stages and statistics of each VariantResult are those of a scene without
    // other queries, and its numbers are in memory. On the GPU the bits are those of a request for
    // all stages. Not for models.
    std::optional<Rows> rows{};
    // Only with `rows`: the only head that is computed, counted through the batch. The result then
    // has one sequence, one head and no labels. Not for the output `projected`, which needs all
    // heads.
    std::optional<Index> head{};
};

// Returns the requested queries, or all if none were requested.
Rows rows_of(const Request& request, const Shape& shape);

// Returns labels (unless one head is requested), padding and shape of the requested rows, without
// numbers.
VariantResult labelled(const Scene& scene, const Request& request);

// True if the stage is requested, and these inputs have it.
bool wants(const Request& request, const Inputs& inputs, StageKind stage);
std::vector<int> variants_of(const Request& request, const Scene& scene);  // the requested variants

// The rows of a large result, which are computed again on reading instead of being stored.
class ComputedRows {
public:
    virtual ~ComputedRows() = default;
    // Returns the statistics of one row, and computes the row first unless they are known. Any
    // thread. Throws WorkError.
    virtual RowFigures figures(Index b, Index h, Index i) const = 0;
    // Returns the statistics if they are known, nullopt if the row has not been computed yet. Does
    // not wait.
    virtual std::optional<RowFigures> known_figures(Index b, Index h, Index i) const = 0;
    // Returns these stages of some rows of one head, as a Request with these `rows` and this `head`
    // would get them, but with the output `projected`, which is that of all heads. Any thread.
    // Throws Cancellation, WorkError.
    virtual VariantResult block(Index b, Index h, Rows rows, const std::bitset<stage_count>& stages,
                                Progress& progress) const = 0;
    // True for x − y of two variants: float64, without a mask, padding or statistics.
    virtual bool is_difference() const { return false; }
};

}  // namespace maskscope
