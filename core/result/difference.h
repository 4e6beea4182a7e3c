#pragma once
// Compares two results of the same scene.

#include <vector>

#include "core/result/backend.h"

namespace maskscope {

struct StageDifference {
    StageKind stage = StageKind::weights;
    double largest = 0;  // largest |x − y| over the cells in which both are finite
    // Cells in which one is NaN or infinite and the other is not the same.
    long other_kind = 0;
};

// Compares every stage that both have, over all variants, in the order of the stages; for allowed,
// counts cells that differ. Reads stage by stage, head by head: the GPU's side needs a current
// context. Throws Cancelled.
std::vector<StageDifference> differences(const Result& x, const Result& y, Progress& progress);

}  // namespace maskscope
