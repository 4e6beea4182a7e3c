#include "app/pytorch/script.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/pytorch/model.h"
#include "app/pytorch/parts.h"
#include "app/pytorch/python.h"
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
            return "2e-3";  // two steps near 1
        case Dtype::bfloat16:
            return "2e-2";
    }
    return "0";
}

std::vector<double> numbers_of(const Stage& stage) {
    if (stage.is_float64()) return {stage.float64s().begin(), stage.float64s().end()};
    return {stage.float32s().begin(), stage.float32s().end()};
}

// Writes a check. A few weights are listed in full; many are checked by a weighted sum of each row,
// with weights 1 to 7.
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

// Writes a line that keeps Python from taking "coding: x" in a comment of the first two lines for
// the encoding of the file; it does so only once (PEP 263).
std::string encoding_line(const std::string& title) {
    const bool misleads =
        title.find("coding:") != title.npos || title.find("coding=") != title.npos;
    return misleads ? "# -*- coding: utf-8 -*-\n" : "";
}

// modules: before and after `math`.
std::string title_lines(const Scene& scene, int variant, const std::string& what,
                        std::pair<const char*, const char*> modules) {
    const Variant& v = scene.variants[variant];
    const std::string title =
        fmt::format("# {}{}: {}\n", scene.title.empty() ? "" : scene.title + ", variant ",
                    lane_letter(variant), v.name);
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

// Adds positions [b][n], if a sequence lists them.
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
