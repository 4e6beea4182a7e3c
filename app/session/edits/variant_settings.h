#pragma once
// The settings of a variant with their choices, for the sidebar, the palette and the what-if line
// of presenting mode.

#include <functional>
#include <string>
#include <vector>

#include "app/session/session.h"

namespace maskscope {

struct VariantSetting {
    enum class Kind {
        apply,
        value,
        dtype,
        scale,
        empty_rows,
        order,
        times,
        score,
        normalizer,
        softcap,
        cap_order
    };
    Kind kind = Kind::apply;
    std::string name;                  // "apply"
    std::string undo;                  // what the step of undo is called: "change the value"
    std::vector<std::string> choices;  // in words
    int chosen = -1;                   // -1: none of them
    std::function<void(Scene&, int choice)> set;
};

// The settings that affect this variant.
std::vector<VariantSetting> variant_settings(const Scene& scene, int lane);
// Those offered while presenting: apply, value (without choices where the lane does not use it),
// dtype, scale, empty rows.
std::vector<VariantSetting> what_if_settings(const Scene& scene, int lane);

// One undoable edit; does nothing if the scene has no such lane, setting or choice.
void choose_setting(Session& session, int lane, VariantSetting::Kind kind, int choice);

}  // namespace maskscope
