#pragma once
// The public names of the scene file, which options and code also use, and the words of labels.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/scene/scene.h"

namespace maskscope {

// Returns the names of T in the order of its enumerators: names<Apply>()[0] == "additive".
// Instantiated for every enum of scene.h. The kinds `number` and `formula` have the name "",
// because files write a number or an object in place of a name.
template <class T>
std::span<const std::string_view> names();
template <>
std::span<const std::string_view> names<LayerKind>();  // from the table of mask_rules.cpp
template <>
std::span<const std::string_view> names<ViewKind>();  // from view_rows

template <class T>
std::string_view name(T value) {
    return names<T>()[static_cast<std::size_t>(value)];
}

template <class T>
std::optional<T> from_name(std::string_view word) {
    const auto all = names<T>();
    for (std::size_t k = 0; k < all.size(); ++k)
        if (all[k] == word && !word.empty()) return static_cast<T>(k);
    return std::nullopt;
}

// Returns the kinds of inputs in the order of the std::variant Inputs: "embedding", "patterns", …
std::span<const std::string_view> inputs_names();

// Returns the label of a stage, mask rule, … in words: logits = "Softmax input", allowed = "Mask".
std::string_view label(StageKind stage);
std::string_view label(LayerKind kind);
std::string_view label(ModelAttention attention);
std::string_view label(Apply apply);
std::string_view label(Normalizer normalizer);
std::string_view label(EmptyRows policy);
std::string_view label(ScoreKind kind);  // "additive" is also a word for masks: "Additive (tanh)"
std::string_view label(OutputKind kind);
std::string_view label_inputs(const Inputs& inputs);

// Return the words as they are written within a sentence, and at its beginning: "empty rows" <->
// "Empty rows".
std::string within_sentence(std::string_view words);
std::string capital(std::string_view words);

std::string joined(const std::vector<std::string>& words);  // with spaces between
// Removes spaces and tabs at both ends.
std::string_view trimmed(std::string_view text);
void replace_all(std::string& text, std::string_view from, std::string_view to);
// Reads a number as it is typed: "-0.5", "−1e9". Returns false if the text is not a finite number.
bool read_number(const std::string& text, double& number);

// --- settings in words

std::string in_words(const BlockedValue& value);  // "−∞", "lowest", "−1e9"
std::string in_words(const Scale& scale);         // "1/√d", "1/√n", "none", "0.125"
std::string_view in_words(Order order);           // "scale, then mask"
// Returns "window or (sinks and not causal)"; biases and rules that allow cells are left out.
std::string in_words(const std::vector<MaskLayer>& layers);
std::string in_words(const MaskLayer& layer);
// Returns the words after the name of a changed variant: " (changed: float16)", or
// " (same as A)"; "" for no changes.
std::string changes_note(const std::string& changes);
// Returns "No mask (changed: float16)".
std::string with_changes(const std::string& name, const std::string& changes);

}  // namespace maskscope
