#include "app/pytorch/script.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/pytorch/parts.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

using namespace python;

constexpr std::size_t most_weights_in_script = 4096;

std::string tolerance_text(Dtype dtype) {
    switch (dtype) {
        case Dtype::float64:
            return "1e-9";
        case Dtype::float32:
            return "1e-5";
        case Dtype::float16:
            return "2e-3";  // two steps of float16 near 1
        case Dtype::bfloat16:
            return "2e-2";
    }
    return "0";
}

std::vector<double> numbers_of(const Stage& stage) {
    if (stage.is_float64()) return {stage.float64s().begin(), stage.float64s().end()};
    return {stage.float32s().begin(), stage.float32s().end()};
}

// Writes the lines that check the weights. Few weights are listed in full; of many, a weighted sum
// of each row is checked, with factors 1 to 7.
std::string check_lines(const Stage& weights, Dtype dtype) {
    std::vector<double> numbers = numbers_of(weights);
    std::vector<Index> axes{weights.b(), weights.h(), weights.rows(), weights.columns()};
    std::string compared = "weights";
    if (numbers.size() > most_weights_in_script) {
        std::vector<double> sums(numbers.size() / static_cast<std::size_t>(axes.back()));
        for (std::size_t k = 0; k < numbers.size(); ++k) {
            const std::size_t columns = static_cast<std::size_t>(axes.back());
            sums[k / columns] += numbers[k] * double(1 + k % columns % 7);
        }
        numbers = std::move(sums);
        axes.pop_back();
        compared = "(weights * (1 + torch.arange(n_k) % 7)).sum(-1)";
    }
    const std::string tolerance = tolerance_text(dtype);
    return fmt::format(
        "\n# The weights that Maskscope computed{}; the script must give the same.\nexpected = "
        "torch.tensor(\n{},\n    dtype=torch.float64)\nassert torch.allclose({}, expected, "
        "rtol={}, atol={}, equal_nan=True)\n",
        compared == "weights" ? "" : ", summed up row by row",
        nested(numbers.data(), axes, weights.is_float64() ? Dtype::float64 : Dtype::float32),
        compared, tolerance, tolerance);
}

// Writes a line that declares the encoding, if the title contains "coding: x", which Python would
// take for a declaration. Python reads only the first one, in the first two lines (PEP 263).
std::string encoding_line(const std::string& title) {
    const bool misleads =
        title.find("coding:") != title.npos || title.find("coding=") != title.npos;
    return misleads ? "# -*- coding: utf-8 -*-\n" : "";
}

// Writes the title and imports. modules: the lines before and after `import math`.
std::string title_lines(const Scene& scene, int variant, const std::string& what,
                        std::pair<const char*, const char*> modules) {
    const Variant& v = scene.variants[variant];
    const std::string title =
        fmt::format("# {}{}: {}\n", scene.title.empty() ? "" : scene.title + ", variant ",
                    variant_letter(variant), v.name);
    return encoding_line(title) + title +
           fmt::format(
               "# {}\n\n{}import math\n{}\nimport torch\n\ninf, nan = math.inf, math.nan\n\n"
               "# {} in float64, and each stage rounded to {}.\n",
               what, modules.first, modules.second,
               is_trained(scene.inputs) ? "Attention is computed" : "Everything is computed",
               name(v.dtype));
}

constexpr const char* in_plain_operations =
    "Attention in plain tensor operations, for PyTorch 1.13 and later; made by Maskscope.";

std::string rounding_lines(Dtype dtype) {
    return fmt::format(
        "dtype = torch.{}\n\n\ndef rounded(x):\n    return x.to(dtype).double()\n\n\n",
        name(dtype));
}

// Adds the positions [b][n] of all sequences if at least one sequence lists positions.
void add_positions(const Scene& scene, LayerScript& layer) {
    const auto lists = [](const Sequence& s) {
        return !s.positions->empty() || !s.key_positions->empty();
    };
    if (std::ranges::none_of(scene.sequences, lists)) return;
    layer.rules_see_lists = lists_positions(scene);
    for (const Sequence& sequence : scene.sequences) {
        auto& queries = layer.positions.emplace_back();
        for (Index i = 0; i < layer.shape.n_q; ++i)
            queries.push_back(position_at(*sequence.positions, sequence.start, i));
        auto& keys = layer.key_positions.emplace_back();
        for (Index j = 0; j < layer.shape.n_k; ++j)
            keys.push_back(position_at(*sequence.key_positions, 0, j));
    }
}

}  // namespace

namespace python {

LayerScript layer_script(const Scene& scene, int variant, const VariantResult& labels) {
    std::vector<Index> starts;
    for (const Sequence& sequence : scene.sequences) starts.push_back(sequence.start);
    LayerScript layer{scene.inputs,
                      scene.variants[variant],
                      scene.pad_token,
                      labels.queries.all(),
                      labels.keys.all(),
                      labels.shape,
                      starts};
    add_positions(scene, layer);
    return layer;
}

std::string script_head(const Scene& scene, int variant, const std::string& what) {
    const Variant& v = scene.variants[variant];
    return title_lines(scene, variant, what, {"", "import sys\n"}) + rounding_lines(v.dtype) +
           helpers(scene.inputs, v);
}

}  // namespace python

std::string pytorch_script(const Result& result, int variant) {
    const Scene& scene = result.scene;
    const VariantResult& computed = result.variants[variant];
    const Variant& v = scene.variants[variant];
    const LayerScript layer = layer_script(scene, variant, computed);
    const bool has_empty_row =
        std::ranges::any_of(computed.rows, [](const RowFigures& row) { return row.empty; });
    if (is_trained(scene.inputs))
        return title_lines(scene, variant, in_plain_operations, {"import json\n", "import os\n"}) +
               helpers(scene.inputs, v) + model_lines(result, variant) +
               check_lines(computed.stage(StageKind::weights), v.dtype);
    return title_lines(scene, variant, in_plain_operations, {"", ""}) + rounding_lines(v.dtype) +
           helpers(scene.inputs, v) + layer_lines(layer) +
           check_lines(computed.stage(StageKind::weights), v.dtype) + notes(layer, has_empty_row);
}

}  // namespace maskscope

namespace maskscope::python {

// Writes notes on where frameworks disagree: what a reader must know before replacing lines with a
// call of a library.

namespace {

const MaskLayer* causal_layer(const Mask& mask) {
    const auto found = std::ranges::find_if(
        mask.layers, [](const auto& layer) { return layer.kind == LayerKind::causal; });
    return found == mask.layers.end() ? nullptr : &*found;
}

// True if one call of scaled_dot_product_attention computes the variant, apart from the rounding
// between stages.
bool is_one_call(const LayerScript& layer) {
    const Variant& v = layer.variant;
    const bool hides = v.mask.apply == Apply::none ||
                       (uses_value(v.mask.apply) && v.mask.value.kind == ValueKind::minus_infinity);
    return has_score(layer.inputs) && d_v_of(layer.inputs) && v.score.kind == ScoreKind::dot &&
           rows_sum_to_one(v) && !bends_scores(v) && hides && v.output.kind == OutputKind::values &&
           v.scale.kind != ScaleKind::formula && v.mask.order != Order::queries_first &&
           (v.mask.order == Order::scale_then_mask || v.scale.kind != ScaleKind::number ||
            v.scale.number > 0);  // otherwise blocked scores become +∞
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
