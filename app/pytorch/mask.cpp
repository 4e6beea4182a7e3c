#include <fmt/format.h>

#include <algorithm>

#include "app/pytorch/parts.h"
#include "app/pytorch/python.h"
#include "core/scene/names.h"

namespace maskscope::python {

namespace {

// "[:, [0, 2]]" for a layer that holds for some heads.
std::string heads_of_layer(const MaskLayer& layer) {
    return layer.heads ? fmt::format("[:, {}]", indices(*layer.heads)) : "";
}

std::string listed(const MaskLayer& layer, const std::string& target, bool value) {
    const std::string heads = layer.heads ? indices(*layer.heads) : ":";
    const char* truth = value ? "True" : "False";
    std::string lines;
    const auto add = [&](const std::string& where) {
        if (layer.heads)  // side by side, lists of heads and of cells would be paired
            lines += fmt::format("for head in {}:\n    {}[:, head, {}] = {}\n", heads, target,
                                 where, truth);
        else
            lines += fmt::format("{}[:, :, {}] = {}\n", target, where, truth);
    };
    if (layer.cells && !layer.cells->empty()) {
        std::vector<Index> rows, columns;
        for (const Cell& cell : *layer.cells) {
            rows.push_back(cell.i);
            columns.push_back(cell.j);
        }
        add(indices(rows) + ", " + indices(columns));
    }
    if (layer.rows && !layer.rows->empty()) add(indices(*layer.rows) + ", :");
    if (layer.columns && !layer.columns->empty()) add(":, " + indices(*layer.columns));
    return lines;
}

std::string causal(const MaskLayer& layer) {
    return layer.align == Align::bottom_right ? "j <= i + (n_k - n_q)" : "j <= i";
}

std::string pads(const LayerScript& layer, const char* side) {
    return fmt::format("torch.tensor([[token != {} for token in tokens] for tokens in {}])",
                       string_literal(layer.pad_token), side);
}

std::string documents(const MaskLayer& layer) {
    return fmt::format(
        "(lambda document: document[:, None] == document)(torch.arange({}).repeat_interleave("
        "torch.tensor({})))",
        layer.lengths.size(), indices(layer.lengths));
}

// What a layer allows, as a condition; "" for lists of cells and for biases.
std::string condition(const LayerScript& script, const MaskLayer& layer) {
    switch (layer.kind) {
        case LayerKind::causal:
            return causal(layer);
        case LayerKind::padding:
            return pads(script, "keys") + "[:, None, None, :]";
        case LayerKind::padding_queries:
            return pads(script, "queries") + "[:, None, :, None]";
        case LayerKind::window:
            return fmt::format("(-{} <= j - i) & (j - i <= {})", layer.left, layer.right);
        case LayerKind::prefix:
            return fmt::format("(j < {}) | (j <= i)", layer.length);
        case LayerKind::documents:
            return documents(layer);
        case LayerKind::sinks:
            return fmt::format("j < {}", layer.count);
        case LayerKind::blocked:
        case LayerKind::allowed:
        case LayerKind::alibi:
        case LayerKind::bias:
            break;
    }
    return "";
}

std::string bias_lines(const MaskLayer& layer) {
    if (layer.kind == LayerKind::alibi)
        return fmt::format(
            "for head in {}:  # ALiBi\n    bias[:, head] -= 2 ** (-8 * (head + 1) / h) * (i - "
            "j).abs()\n",
            layer.heads ? indices(*layer.heads) : "range(h)");
    const std::string heads = layer.heads ? indices(*layer.heads) : ":";
    std::string lines;
    for (const BiasCell& cell : layer.bias)
        lines += fmt::format("bias[:, {}, {}, {}] += {}\n", heads, cell.i, cell.j, number(cell.x));
    return lines;
}

}  // namespace

bool has_bias(const Mask& mask) { return std::ranges::any_of(mask.layers, is_bias); }

std::string mask_lines(const LayerScript& script) {
    const Mask& mask = script.variant.mask;
    std::string lines =
        "\n# True = the query may see the key.\n"
        "allowed = torch.ones(b, h, n_q, n_k, dtype=torch.bool)\n";
    for (const MaskLayer& layer : mask.layers) {
        const std::string allows = condition(script, layer);
        if (!allows.empty())
            lines += fmt::format("allowed{} &= {}  # {}\n", heads_of_layer(layer), allows,
                                 name(layer.kind));
        if (layer.kind == LayerKind::blocked) lines += listed(layer, "allowed", false);
    }
    for (const MaskLayer& layer : mask.layers)
        if (layer.kind == LayerKind::allowed) lines += listed(layer, "allowed", true);
    if (!has_bias(mask)) return lines;
    lines += "bias = torch.zeros(b, h, n_q, n_k, dtype=torch.float64)\n";
    for (const MaskLayer& layer : mask.layers)
        if (is_bias(layer)) lines += bias_lines(layer);
    return lines;
}

}  // namespace maskscope::python
