#pragma once
// Describes settings of variants and parameters of rules in a few words. Independent of ImGui.

#include <string>

#include "core/scene/scene.h"

namespace maskscope {

// Returns the settings that distinguish a variant, to be shown below its name: "mask value −∞ ·
// float32".
std::string summary(const Variant& variant);
// Returns the parameters of a rule, to be shown on the right of its row: "top left", "2 back, 0
// after", "3 cells".
std::string summary(const MaskLayer& layer);

// Returns a tooltip for a term as the window draws it ("+ M", "Softmax input", "Prefix"): its
// meaning, and on a second line its formula, if it has one; "" if it is not a term.
std::string explanation(const std::string& term);
// Returns a tooltip for the word that begins at a byte of a sentence, alone or together with a
// neighbouring word, in singular or plural and either case; "" if it is not a term, or is quoted,
// as tokens are.
std::string explanation_in(const std::string& sentence, std::size_t word);

}  // namespace maskscope
