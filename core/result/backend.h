#pragma once

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
    std::bitset<stage_count> stages = std::bitset<stage_count>().set();  // by StageKind, no depends
    std::vector<int> variants;                                           // empty = all
    // Only these queries, to the bit as among all: each VariantResult's shape, labels, stages and
    // figures are of them alone, as if there were no others, and its numbers are in memory. On the
    // GPU the bits are those of a request for all stages. Not of models.
    std::optional<Rows> rows{};
    // With rows: this head alone, b·h + h, as if there were one sequence and one head; no labels.
    // Not for the output `projected`, which is of all heads.
    std::optional<Index> head{};
};

// All queries, if none were asked for.
Rows rows_of(const Request& request, const Shape& shape);

// Labels, pads and shape of what was asked for; no numbers.
VariantResult labelled(const Scene& scene, const Request& request);

// Is the stage requested, and do these inputs have it?
bool wants(const Request& request, const Inputs& inputs, StageKind stage);
std::vector<int> lanes_of(const Request& request, const Scene& scene);  // those requested

class Backend {
public:
    virtual ~Backend() = default;
    virtual std::string name() const = 0;
    // `before` is a result whose parts may be reused; nullptr is always allowed.
    // Throws WorkError if the scene does not fit in memory (before allocating), and Cancelled.
    virtual Result compute(const Scene& scene, const Request& request, const Result* before,
                           Progress& progress) = 0;
};

}  // namespace maskscope
