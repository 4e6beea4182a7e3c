#pragma once
// Settings of variants and layers in a few words. No ImGui.

#include <string>

#include "core/scene/scene.h"

namespace maskscope {

// What distinguishes a variant from the others, under its name: "value −∞ · float32".
std::string summary(const Variant& variant);
// The parameters of a layer at the right of its row: "top left", "2 back, 0 after", "3 cells".
std::string summary(const MaskLayer& layer);
// What is typed; false if it is none.
bool read_value(const std::string& text, BlockedValue& value);  // "-inf", "−∞", "lowest", a number
bool read_scale(const std::string& text, Scale& scale);  // "1/√d", "sqrt_d_k", …, a number

// A term as the window draws it ("+ M", "Into the softmax", "Prefix"), explained for a tooltip: a
// sentence, its formula, and the file's word, a line each; "" if it is none.
std::string explanation(const std::string& term);

}  // namespace maskscope
