// Notes where frameworks disagree: what a reader must know before this becomes a call of a library.

#include <fmt/format.h>

#include <algorithm>

#include "app/pytorch/parts.h"
#include "core/scene/mask_rules.h"

namespace maskscope::python {

namespace {

const MaskLayer* causal_layer(const Mask& mask) {
    const auto found = std::ranges::find_if(
        mask.layers, [](const auto& layer) { return layer.kind == LayerKind::causal; });
    return found == mask.layers.end() ? nullptr : &*found;
}

// True if scaled_dot_product_attention computes this; and with which mask.
bool is_one_call(const LayerScript& layer) {
    const Variant& v = layer.variant;
    const bool hides = v.mask.apply == Apply::none ||
                       (uses_value(v.mask.apply) && v.mask.value.kind == ValueKind::minus_infinity);
    return has_score(layer.inputs) && d_v_of(layer.inputs) && v.score.kind == ScoreKind::dot &&
           rows_sum_to_one(v) && !bends_scores(v) && hides && v.output.kind == OutputKind::values &&
           v.scale.kind != ScaleKind::formula && v.mask.order != Order::queries_first &&
           (v.mask.order == Order::scale_then_mask || v.scale.kind != ScaleKind::number ||
            v.scale.number > 0);  // otherwise what is blocked becomes +∞
}

std::string call_note(const LayerScript& layer) {
    if (!is_one_call(layer)) return "# No single call of PyTorch computes this variant.\n";
    const Mask& mask = layer.variant.mask;
    const std::string given =
        mask.apply == Apply::none
            ? (has_bias(mask) ? "bias" : "None")
            : (has_bias(mask) ? "bias.masked_fill(~allowed, -inf)" : "allowed");
    return fmt::format(
        "# PyTorch 2.1 and later, in one call, nothing rounded between the stages (2.0 has no\n"
        "# scale=, and always divides by the root of the width of a key):\n"
        "# output = torch.nn.functional.scaled_dot_product_attention(\n"
        "#     q, k, v, attn_mask={}, scale=scale)\n",
        given);
}

std::string causal_note(const LayerScript& layer, const MaskLayer& causal) {
    if (layer.shape.n_q == layer.shape.n_k) return "";
    return fmt::format(
        "# Causal masks that are not square: here aligned {}. is_causal=True of PyTorch aligns\n"
        "# top-left; other libraries align bottom-right (flash-attention since 2.1).\n",
        causal.align == Align::top_left       ? "top-left"
        : causal.align == Align::bottom_right ? "bottom-right"
                                              : "by the positions of the queries");
}

}  // namespace

std::string notes(const LayerScript& layer, bool has_empty_row) {
    std::string lines = "\n# --- where frameworks disagree\n" + call_note(layer);
    if (layer.variant.mask.layers.empty()) return lines;
    lines +=
        "# True means \"attend\" here and in scaled_dot_product_attention, and \"ignore\" in\n# "
        "MultiheadAttention (attn_mask, key_padding_mask): pass ~allowed there.\n# A mask of "
        "floats is added to the scores: one of 0 and 1 hardly masks, and the sum of\n# two such "
        "masks is not a mask either. Combine masks as bool, with &.\n";
    if (const MaskLayer* causal = causal_layer(layer.variant.mask))
        lines += causal_note(layer, *causal);
    if (has_empty_row)
        lines +=
            "# A row without an allowed key is NaN in a plain softmax, in MultiheadAttention, and\n"
            "# in scaled_dot_product_attention before PyTorch 2.5; from 2.5 on that call gives\n"
            "# zeros.\n";
    return lines;
}

}  // namespace maskscope::python
