#pragma once
// The plan of a computation: for each variant, which stages are new, which are kept, and which rows
// change.

#include <deque>
#include <vector>

#include "core/cpu/cpu_task.h"
#include "core/cpu/input_cache.h"

namespace maskscope {

// A variant that the reference implementation computes, in blocks of rows.
struct PlainTask {
    const Variant* variant = nullptr;
    VariantResult* result = nullptr;
};

struct Plan {
    std::vector<CpuTask> tasks;
    std::vector<Group> groups;  // the variants that compute rows
    std::vector<PlainTask> plain;

    // Stages that keep their previous numbers except for some rows, which are merged into them at
    // the end.
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

// --- the effect of an edit: which variants of the previous result can be reused, and which rows
// cannot

// A variant of the previous result.
struct PreviousVariant {
    const Variant* variant = nullptr;
    const VariantResult* result = nullptr;
    explicit operator bool() const { return result != nullptr; }
    // True if the stage exists and its rows can be read here as float32.
    bool has(StageKind kind) const;
};

// Returns the previous variant that equals the variant `index` of the scene, else the one at the
// same index. Only variants of which `sheets` remembers the first mask count, because this backend
// computed those; empty if none counts. Both scenes have the same inputs; `before` may be nullptr.
PreviousVariant previous_variant(const Scene& scene, std::size_t index, const Result* before,
                                 const MaskSheets& sheets);

bool same_scores(const Variant& x, const Variant& y);  // given the same inputs
bool same_but_layers(const Variant& x, Variant y);     // except name, reference, rules
bool same_biases(const Variant& x, const Variant& y);  // among the mask rules
bool same_masks(const std::vector<SharedSheet>& sheets, const VariantResult& old);

// Returns the rows, numbered across all heads, whose mask or bias has changed. If the heads are
// joined into one output, a changed row counts in every head of its sequence.
std::vector<std::size_t> changed_rows(const CpuTask& task, const PreviousVariant& old);

}  // namespace maskscope
