#pragma once
// Finds where a Try is followed: from what it sets, not from its words.

#include <optional>

#include "core/lesson/lesson.h"

namespace maskscope {

struct TryPlace {
    // bench: cells of the mask, scores, or nothing that is known; vectors: Q, K and V on the bench;
    // view: another tab; the rest are sections of the left panel.
    enum class Kind { bench, vectors, view, tokens, rules, variant, inputs };
    Kind kind = Kind::bench;
    std::optional<int> lane;  // of a variant; of rules, where variants have different ones
    ViewKind view = ViewKind::pipeline;
    bool operator==(const TryPlace&) const = default;
};

// Returns the place for the Try; the bench if the step has no Try, or does not say what it sets.
TryPlace try_place(const Step& step, const SceneSources& sources);

}  // namespace maskscope
