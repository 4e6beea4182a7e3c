#pragma once
// The settings of a variant with their choices: what the sidebar, the palette and, while
// presenting, the what-if line show of them.

#include <functional>
#include <string>
#include <vector>

#include "app/session/session.h"

namespace maskscope {

struct VariantSetting {
    enum class Kind { apply, value, dtype, scale, empty_rows, order, times, score, normalizer };
    Kind kind = Kind::apply;
    std::string name;                  // "apply"
    std::string undo;                  // what the step of undo is called: "change the value"
    std::vector<std::string> choices;  // in words
    int chosen = -1;                   // -1: what is set is none of them
    std::function<void(Scene&, int choice)> set;
};

// Those that act on this variant.
std::vector<VariantSetting> variant_settings(const Scene& scene, int lane);
// Those of them that a lecturer turns while presenting: apply, value, dtype, scale, empty rows.
std::vector<VariantSetting> what_if_settings(const Scene& scene, int lane);

// One undoable edit; none where the scene has no such lane, setting or choice (any more).
void choose_setting(Session& session, int lane, VariantSetting::Kind kind, int choice);

}  // namespace maskscope
