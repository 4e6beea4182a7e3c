#pragma once
// The plan of a computation: for each variant, which stages are new, which are kept, and which rows
// change.

#include <deque>

#include "core/cpu/cpu_lane.h"
#include "core/cpu/input_cache.h"

namespace maskscope {

// A variant that the reference implementation computes, in blocks of rows.
struct PlainLane {
    const Variant* variant = nullptr;
    VariantResult* result = nullptr;
};

struct Plan {
    std::vector<CpuLane> lanes;
    std::vector<Group> groups;  // the lanes that compute any row
    std::vector<PlainLane> plain;

    // Stages that keep their previous numbers except for some rows, merged at the end.
    struct Change {
        VariantResult* result;
        std::vector<StageKind> kinds;  // stages that share these rows
        Stage before;
        std::vector<std::size_t> rows;
        std::shared_ptr<LargeArray<float>> numbers;
    };
    std::vector<Change> changes;
    // A previous stage, to be copied before its changed rows are overwritten.
    struct Copy {
        Stage from;
        Target target;
    };
    std::vector<Copy> copies;
};

// Fills result.inputs, and result.variants except for the rows to compute. The plan points into
// `result`.
Plan make_plan(Result& result, const Request& request, const Result* before, InputCache& known,
               Pool& pool, Progress& progress);

}  // namespace maskscope
