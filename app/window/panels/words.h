#pragma once
// Settings of variants and layers in a few words. No ImGui.

#include <string>

#include "core/scene/scene.h"

namespace maskscope {

// Summarizes the settings that distinguish a variant, under its name: "mask value −∞ · float32".
std::string summary(const Variant& variant);
// The parameters of a layer at the right of its row: "top left", "2 back, 0 after", "3 cells".
std::string summary(const MaskLayer& layer);

// A term as the window draws it ("+ M", "Into the softmax", "Prefix"), explained for a tooltip: a
// sentence, its formula, and the file's word, a line each; "" if it is none.
std::string explanation(const std::string& term);

}  // namespace maskscope
