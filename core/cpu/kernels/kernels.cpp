#include "core/cpu/kernels/kernels.h"

// Vectors whose length is unknown when compiling cannot be held in arrays. Every 64-bit Arm
// processor has NEON instead.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#define HWY_TARGET_INCLUDE "core/cpu/kernels/kernels.cpp"
#include "hwy/foreach_target.h"  // builds what follows once for each instruction set

#include "core/cpu/kernels/kernels_matrix-inl.h"
#include "core/cpu/kernels/kernels_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace maskscope {
namespace HWY_NAMESPACE {

const Kernels* table() {
    static constexpr Kernels all = {
        packed_size, pack,  scores, logits, exponentials, normalize, plain, multiply,
        divide,      round, sum_of, store,  sensitivity,  figures,   mix,   hwy::FlushStream,
    };
    return &all;
}

}  // namespace HWY_NAMESPACE
}  // namespace maskscope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include <atomic>
#include <cstring>

namespace maskscope {
namespace {

HWY_EXPORT(table);

struct Choice {
    const char* name;
    const Kernels* kernels;
};

// The instruction sets that this machine supports, the best first. Read once, before any thread
// computes.
struct Choices {
    Choice all[16];
    std::size_t count = 0;

    Choices() {
        for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
            hwy::SetSupportedTargetsForTest(target);
            hwy::GetChosenTarget().Update(hwy::SupportedTargets());
            all[count++] = {hwy::TargetName(target), HWY_DYNAMIC_DISPATCH(table)()};
        }
        hwy::SetSupportedTargetsForTest(0);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    }
};

const Choices& choices() {
    static const Choices made;
    return made;
}

std::atomic<const Kernels*> asked_for = nullptr;

}  // namespace

const Kernels& kernels() {
    const Kernels* chosen = asked_for.load(std::memory_order_relaxed);
    return chosen ? *chosen : *choices().all[0].kernels;
}

std::size_t supported_kernels(const char** names, std::size_t most) {
    std::size_t count = 0;
    for (; count < choices().count && count < most; ++count)
        names[count] = choices().all[count].name;
    return count;
}

bool use_kernels(const char* name) {
    asked_for = nullptr;
    if (!name) return true;
    for (std::size_t k = 0; k < choices().count; ++k)
        if (std::strcmp(choices().all[k].name, name) == 0) {
            asked_for = choices().all[k].kernels;
            return true;
        }
    return false;
}

}  // namespace maskscope
#endif  // HWY_ONCE
