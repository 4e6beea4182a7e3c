#pragma once
// Finds the place in the window where a Try is followed, from what it sets rather than from its
// words.

#include <optional>

#include "core/lesson/lesson.h"

namespace maskscope {

struct TryPlace {
    // bench: the Try sets cells of the mask or scores, or it is not known what it sets; vectors: Q,
    // K and V on the bench; view: another tab. The others are sections of the left panel.
    enum class Kind { bench, vectors, view, tokens, rules, variant, inputs };
    Kind kind = Kind::bench;
    std::optional<int> variant;  // for variant, and for rules if they differ between variants
    ViewKind view = ViewKind::pipeline;
    bool operator==(const TryPlace&) const = default;
};

// Returns the place for the Try; the bench if the step has no Try, or the Try does not say what it
// sets.
TryPlace try_place(const Step& step, const SceneSources& sources);

}  // namespace maskscope
