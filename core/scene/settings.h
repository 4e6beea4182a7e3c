#pragma once
// The settings of a lane in words: the same in menus, captions and beside a lane's name.

#include <span>
#include <string>
#include <string_view>

#include "core/scene/scene.h"

namespace maskscope {

std::string in_words(const BlockedValue& value);  // "−∞", "lowest", "−1e9"
std::string in_words(const Scale& scale);         // "1/√d", "1/√n", "none", "0.125"
std::string_view in_words(Order order);           // "scale, then mask"
std::string in_words(const Softcap& softcap);     // "50", "50, after the mask"
// "window or (sinks and not causal)"; biases are left out, and layers that open cells.
std::string in_words(const std::vector<MaskLayer>& layers);
std::string in_words(const MaskLayer& layer);
std::string_view times_in_words(int times);  // "once", "twice"

struct LaneSetting {
    std::string_view name;  // its place in the file, dots for slashes: "mask.value"
    // Whether it has an effect on this lane.
    bool (*acts)(const Inputs& inputs, const Variant& variant);
    // As within a sentence: "multiplied after the softmax", "−1e9", "float16".
    std::string (*words)(const Variant& variant);
};
std::span<const LaneSetting> lane_settings();
// nullptr if there is none of this name.
const LaneSetting* lane_setting(std::string_view name);

// What was changed in a lane since its step: "value −2, float16". Empty if nothing was that has a
// word, if the lane was renamed, or if the step has no such lane. A name that says how the mask is
// applied follows that by itself: see set_apply().
std::string changes_since(const Scene& step, const Scene& scene, int lane);
// What comes behind the name: " (changed: float16)"; empty if nothing was changed.
std::string changes_note(const std::string& changes);
// "No mask (changed: float16)"
std::string with_changes(const std::string& name, const std::string& changes);

}  // namespace maskscope
