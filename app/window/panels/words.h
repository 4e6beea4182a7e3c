#pragma once
// Describes settings of variants and rules in a few words. Independent of ImGui.

#include <string>

#include "core/scene/scene.h"

namespace maskscope {

// Summarizes the settings that distinguish a variant, under its name: "mask value −∞ · float32".
std::string summary(const Variant& variant);
// Returns the parameters of a rule, shown on the right of its row: "top left", "2 back, 0 after",
// "3 cells".
std::string summary(const MaskLayer& layer);

// Returns an explanation of a term as the window draws it ("+ M", "Softmax input", "Prefix") for a
// tooltip: a sentence, its formula, and the file's word, a line each; "" if it is not a term.
std::string explanation(const std::string& term);
// Explains the word of a sentence that begins at a byte: alone or with the word beside it, in any
// number and case; "" if it is not a term, or quoted, as tokens are.
std::string explanation_in(const std::string& sentence, std::size_t word);

}  // namespace maskscope
