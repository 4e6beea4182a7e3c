#include "core/scene/names.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include "core/base/number_text.h"
#include "core/scene/mask_rules.h"

namespace maskscope {

namespace {

// The words of each enum, in the order of its enumerators.
template <class T>
constexpr std::string_view words_of[] = {""};

template <>
constexpr std::string_view words_of<Pattern>[] = {
    "previous", "next", "self", "first", "local", "same_token", "induction", "uniform", "random"};
template <>
constexpr std::string_view words_of<ScoreKind>[] = {"dot", "gaussian", "bilinear", "additive"};
template <>
constexpr std::string_view words_of<ScaleKind>[] = {"sqrt_d_k", "sqrt_n_k", "none", "", ""};
template <>
constexpr std::string_view words_of<Align>[] = {"top_left", "bottom_right", "positions"};
template <>
constexpr std::string_view words_of<Slopes>[] = {"published", "geometric"};
template <>
constexpr std::string_view words_of<KvMap>[] = {"interleave", "tile"};
template <>
constexpr std::string_view words_of<CapOrder>[] = {"before_mask", "after_mask"};
template <>
constexpr std::string_view words_of<Apply>[] = {
    "additive", "replace", "multiply_scores", "multiply_weights", "multiply_weights_renormalized",
    "none"};
template <>
constexpr std::string_view words_of<ValueKind>[] = {"-inf", "lowest", ""};
template <>
constexpr std::string_view words_of<Order>[] = {"scale_then_mask", "mask_then_scale",
                                                "queries_first"};
template <>
constexpr std::string_view words_of<Normalizer>[] = {"softmax", "softmax_plus_one", "softmax_sink",
                                                     "sigmoid"};
template <>
constexpr std::string_view words_of<EmptyRows>[] = {"nan", "zero", "zero_after", "all"};
template <>
constexpr std::string_view words_of<Dtype>[] = {"float64", "float32", "float16", "bfloat16"};
template <>
constexpr std::string_view words_of<OutputKind>[] = {"values", "projected", "alternative"};
template <>
constexpr std::string_view words_of<StageKind>[] = {"allowed", "scores",      "scaled",
                                                    "logits",  "softmax",     "weights",
                                                    "output",  "sensitivity", "depends"};
template <>
constexpr std::string_view words_of<ModelAttention>[] = {"encoder", "decoder", "cross"};

constexpr std::array<std::string_view, 7> kinds_of_inputs = {
    "embedding", "patterns", "tensors", "scores", "weights", "output", "model"};

template <class T>
std::string_view pick(std::initializer_list<std::string_view> labels, T value) {
    return std::data(labels)[static_cast<std::size_t>(value)];
}

}  // namespace

template <class T>
std::span<const std::string_view> names() {
    return words_of<T>;
}

template std::span<const std::string_view> names<Pattern>();
template std::span<const std::string_view> names<ScoreKind>();
template std::span<const std::string_view> names<ScaleKind>();
template std::span<const std::string_view> names<Align>();
template std::span<const std::string_view> names<Slopes>();
template std::span<const std::string_view> names<KvMap>();
template std::span<const std::string_view> names<CapOrder>();
template std::span<const std::string_view> names<Apply>();
template std::span<const std::string_view> names<ValueKind>();
template std::span<const std::string_view> names<Order>();
template std::span<const std::string_view> names<Normalizer>();
template std::span<const std::string_view> names<EmptyRows>();
template std::span<const std::string_view> names<Dtype>();
template std::span<const std::string_view> names<OutputKind>();
template std::span<const std::string_view> names<StageKind>();
template std::span<const std::string_view> names<ModelAttention>();

template <>
std::span<const std::string_view> names<ViewKind>() {
    static const auto all = [] {
        std::array<std::string_view, std::size(view_rows)> words;
        std::ranges::transform(view_rows, words.begin(), &ViewRow::name);
        return words;
    }();
    return all;
}

std::span<const std::string_view> inputs_names() { return kinds_of_inputs; }

std::string_view label(StageKind stage) {
    return pick({"Mask", "Scores", "Scaled scores", "Softmax input", "Softmax output", "Weights",
                 "Output", "Sensitivity", "Influence"},
                stage);
}

std::string_view label(ModelAttention attention) {
    return pick({"Encoder", "Decoder", "Cross-attention"}, attention);
}

std::string_view label(Apply apply) {
    return pick(
        {"Added before the softmax", "Replaced before the softmax", "Multiplied before the softmax",
         "Multiplied after the softmax", "Multiplied, then renormalized", "Not applied"},
        apply);
}

std::string_view label(Normalizer normalizer) {
    return pick({"Softmax", "Softmax plus one", "Softmax with a sink", "Sigmoid"}, normalizer);
}

std::string_view label(ScoreKind kind) {
    return pick({"Dot product", "Gaussian", "Bilinear", "Additive (tanh)"}, kind);
}

std::string_view label(OutputKind kind) {
    return pick({"Values", "Projected", "Alternative"}, kind);
}

std::string_view label(EmptyRows policy) {
    return pick({"As computed (NaN)", "Zero, before the softmax", "Zero, after the softmax",
                 "Attend to all keys"},
                policy);
}

std::string_view label_inputs(const Inputs& inputs) {
    return pick({"Seeded vectors", "Patterns", "Given numbers", "Given scores", "Given weights",
                 "Output of a layer", "Translator"},
                inputs.index());
}

std::string within_sentence(std::string_view words) {
    const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
    std::string text(words);
    const bool is_name = text.size() > 1 && is_capital(text[1]);  // such as ALiBi
    if (is_capital(text[0]) && !is_name) text[0] += 'a' - 'A';
    return text;
}

std::string capital(std::string_view words) {
    std::string text(words);
    if (text[0] >= 'a' && text[0] <= 'z') text[0] += 'A' - 'a';
    return text;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

bool read_number(const std::string& text, double& number) {
    std::string plain{trimmed(text)};
    replace_all(plain, "−", "-");
    const bool is_decimal =
        !plain.empty() && plain.find_first_not_of("0123456789+-.eE") == std::string::npos;
    if (!is_decimal) return false;
    char* end = nullptr;
    const double value = std::strtod(plain.c_str(), &end);
    if (end != plain.c_str() + plain.size() || !std::isfinite(value)) return false;
    number = value;
    return true;
}

// --- settings in words

std::string in_words(const BlockedValue& value) {
    switch (value.kind) {
        case ValueKind::minus_infinity:
            return "−∞";
        case ValueKind::lowest:
            return "lowest";
        case ValueKind::number:
            break;
    }
    return typed_text(value.number);
}

std::string in_words(const Scale& scale) {
    switch (scale.kind) {
        case ScaleKind::sqrt_d_k:
            return "1/√d";
        case ScaleKind::sqrt_n_k:
            return "1/√n";
        case ScaleKind::none:
            return "none";
        case ScaleKind::formula:
            return scale.expression;
        case ScaleKind::number:
            break;
    }
    return typed_text(scale.number);
}

std::string_view in_words(Order order) {
    if (order == Order::queries_first) return "queries scaled first";
    return order == Order::scale_then_mask ? "scale, then mask" : "mask, then scale";
}

namespace {

// Joins rules with "or" or "and", with groups in brackets: "window or (sinks and causal)".
std::string joined_words(const std::vector<MaskLayer>& layers, LayerKind kind) {
    std::string text;
    for (const MaskLayer& layer : layers) {
        const std::string words = in_words(layer);
        const bool bare = layers.size() == 1 || layer.layers.size() < 2 || layer.invert;
        text += text.empty() ? "" : kind == LayerKind::any ? " or " : " and ";
        text += bare ? words : "(" + words + ")";
    }
    return text;
}

}  // namespace

std::string in_words(const MaskLayer& layer) {
    const std::string negated = layer.invert ? "not " : "";
    if (!rule_of(layer.kind).is_group)
        return negated + (layer.kind == LayerKind::formula ? layer.expression
                                                           : within_sentence(label(layer.kind)));
    const bool brackets = layer.invert && layer.layers.size() > 1;
    const std::string words = joined_words(layer.layers, layer.kind);
    return negated + (brackets ? "(" + words + ")" : words);
}

std::string in_words(const std::vector<MaskLayer>& layers) {
    std::vector<MaskLayer> terms;
    std::ranges::copy_if(layers, std::back_inserter(terms), [](const MaskLayer& layer) {
        return !is_bias(layer) && !rule_of(layer.kind).opens;
    });
    return joined_words(terms, LayerKind::all);
}

std::string changes_note(const std::string& changes) {
    if (changes.empty()) return "";
    return changes.starts_with("same as ") ? " (" + changes + ")" : " (changed: " + changes + ")";
}

std::string with_changes(const std::string& name, const std::string& changes) {
    return name + changes_note(changes);
}

}  // namespace maskscope
