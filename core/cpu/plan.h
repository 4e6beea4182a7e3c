#pragma once
// What has to be computed: per variant the stages that are made and those that stay, and the rows.

#include <deque>

#include "core/cpu/cpu_lane.h"
#include "core/cpu/input_cache.h"

namespace maskscope {

// A variant that the plain functions compute, in blocks of rows.
struct PlainLane {
    int index = 0;
    const Variant* variant = nullptr;
    VariantResult* result = nullptr;
};

struct Plan {
    std::vector<CpuLane> lanes;
    std::vector<Group> groups;  // of lanes; those that make no row are in none
    std::vector<PlainLane> plain;

    // Stages whose changed rows are put into those of before at the end.
    struct Change {
        VariantResult* result;
        std::vector<StageKind> kinds;  // they share these rows
        Stage before;
        const CpuLane* lane;
        std::vector<std::size_t> rows;
        std::shared_ptr<LargeArray<float>> numbers;
    };
    std::vector<Change> changes;
    // Rows that are copied from before.
    struct Copy {
        Stage from;
        const CpuLane* lane;
        Target target;
    };
    std::vector<Copy> copies;
};

// Fills result.inputs, and result.variants but for the rows to compute. `result` must stay where it
// is.
Plan make_plan(Result& result, const Request& request, const Result* before, InputCache& known,
               Pool& pool, Progress& progress);

}  // namespace maskscope
