#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/pytorch/parts.h"
#include "core/scene/names.h"

namespace maskscope::python {

namespace {

std::string tokens(const std::vector<std::vector<std::string>>& sequences) {
    std::vector<std::string> lines;
    for (const auto& sequence : sequences) lines.push_back(strings(sequence));
    return fmt::format("[{}]", fmt::join(lines, ",\n     "));
}

std::string four_axes(const Array& numbers, Dtype dtype) {
    return fmt::format("rounded({})", with_four_axes(numbers, array(numbers, dtype)));
}

std::string pattern_condition(Pattern pattern) {
    switch (pattern) {
        case Pattern::previous:
            return "j == i - 1";
        case Pattern::next:
            return "j == i + 1";
        case Pattern::self:
            return "j == i";
        case Pattern::first:
            return "(j == 0) & (i >= 0)";
        case Pattern::local:
            return "(i - j).abs() <= 1";
        case Pattern::same_token:
            return "same & (j != i)";
        case Pattern::induction:
            return "same.roll(1, -1) & (0 < j) & (j <= i)";
        case Pattern::uniform:
        case Pattern::random:
            break;
    }
    return "";
}

struct InputsScript {
    const LayerScript& layer;

    bool lists_places() const { return !layer.positions.empty() || !layer.key_positions.empty(); }

    // Writes the positions of the tokens of one side, [b][n].
    std::string places(const std::vector<std::vector<Index>>& listed, Index n) const {
        if (!listed.empty()) return lists(listed);
        std::vector<std::vector<Index>> counted;
        for (Index b = 0; b < layer.shape.b; ++b)
            for (Index k = 0; k < n; ++k) {
                if (k == 0) counted.emplace_back();
                counted.back().push_back(k);
            }
        return lists(counted);
    }

    // Writes embedded vectors for listed positions.
    std::string embedded_at_places(const EmbeddingInputs& inputs) const {
        const std::string of_keys =
            inputs.kv_heads ? fmt::format(", {}", *inputs.kv_heads) : std::string();
        return fmt::format(
                   R"(# Seeded vectors of tokens and positions, projected by each head.
d_model, d_k, d_v = {0}, {1}, {2}


def embed(sequences, positions):  # [b, n, d_model]
    return torch.stack([torch.stack([
        (normal({3}, "token:" + token, d_model) + normal({3}, f"position:{{at}}", d_model))
        / math.sqrt(2) for at, token in zip(some, tokens)])
        for tokens, some in zip(sequences, positions)])


def project(x, stream, d, heads=h):  # [b, heads, n, d]
    w = torch.stack([normal({3}, f"{{stream}}:{{head}}", d_model, d) for head in range(heads)])
    return rounded(x[:, None] @ (w * (1 / math.sqrt(d_model))))


places = {4}
q = project(embed(queries, places), "w_q", d_k)
places = {5}
k = project(embed(keys, places), "w_k", d_k{6})
v = project(embed(keys, places), "w_v", d_v{6})
)",
                   inputs.d_model, inputs.d_k, inputs.d_v, inputs.seed,
                   places(layer.positions, layer.shape.n_q),
                   places(layer.key_positions, layer.shape.n_k), of_keys) +
               shared_heads();
    }

    std::string operator()(const EmbeddingInputs& inputs) const {
        if (lists_places()) return embedded_at_places(inputs);
        const bool shifted = is_shifted(layer), fewer = inputs.kv_heads.has_value();
        const std::string of_keys = fewer ? fmt::format(", {}", *inputs.kv_heads) : "";
        return fmt::format(
                   R"(# Seeded vectors of tokens and positions, projected by each head.
d_model, d_k, d_v = {}, {}, {}


def embed(sequences{}):  # [b, n, d_model]
    return torch.stack([torch.stack([
        (normal({}, "token:" + token, d_model) + normal({}, f"position:{{at}}", d_model))
        / math.sqrt(2) for at, token in enumerate(tokens{})]) for {} in {}])


def project(x, stream, d{}):  # [b, {}, n, d]
    w = torch.stack([normal({}, f"{{stream}}:{{head}}", d_model, d) for head in range({})])
    return rounded(x[:, None] @ (w * (1 / math.sqrt(d_model))))


q = project(embed(queries{}), "w_q", d_k{})
k = project(embed(keys), "w_k", d_k{})
v = project(embed(keys), "w_v", d_v{})
)",
                   inputs.d_model, inputs.d_k, inputs.d_v, shifted ? ", starts=[0] * b" : "",
                   inputs.seed, inputs.seed, shifted ? ", begin" : "",
                   shifted ? "tokens, begin" : "tokens",
                   shifted ? "zip(sequences, starts)" : "sequences", fewer ? ", heads" : "",
                   fewer ? "heads" : "h", inputs.seed, fewer ? "heads" : "h",
                   shifted ? ", " + indices(layer.starts) : "", fewer ? ", h" : "", of_keys,
                   of_keys) +
               shared_heads();
    }

    // Writes the lines that share KV heads; "" if each query head has its own.
    std::string shared_heads() const {
        const Index g = kv_heads_of(layer.inputs);
        if (g == layer.shape.h) return "";
        const bool tiled = kv_head_of(layer.inputs, 1) == 1;
        const Index times = layer.shape.h / g;
        const auto repeated = [&](const char* numbers) {
            return tiled ? fmt::format("{0} = {0}.repeat(1, {1}, 1, 1)\n", numbers, times)
                         : fmt::format("{0} = {0}.repeat_interleave({1}, dim=1)\n", numbers, times);
        };
        return "# Query heads share KV heads.\n" + repeated("k") +
               (d_v_of(layer.inputs) ? repeated("v") : "");
    }

    std::string operator()(const PatternsInputs& inputs) const {
        std::string lines =
            "# Raw scores: a strength where a head's pattern holds.\n"
            "same = torch.tensor([[[key == query for key in some_keys] for query in some_queries]\n"
            "                     for some_queries, some_keys in zip(queries, keys)])\n"
            "scores = torch.zeros(b, h, n_q, n_k, dtype=torch.float64)\n";
        for (std::size_t k = 0; k < inputs.heads.size(); ++k) lines += head(inputs, k);
        return lines + fmt::format(
                           R"(scores = rounded(scores)
v = rounded(torch.stack([torch.stack([torch.stack([
    normal({}, f"value:{{head}}:{{token}}", {}) for token in tokens])
    for head in range(h)]) for tokens in keys]))
)",
                           inputs.seed, inputs.d_v);
    }

    static std::string head(const PatternsInputs& inputs, std::size_t k) {
        const PatternHead& head = inputs.heads[k];
        const std::string strength = number(head.strength);
        if (head.pattern == Pattern::random)
            return fmt::format("scores[:, {}] = {} * normal({}, \"random:{}\", b, n_q, n_k)\n", k,
                               strength, inputs.seed, k);
        const std::string condition = pattern_condition(head.pattern);
        if (condition.empty()) return "";
        return fmt::format("scores[:, {}] = {} * ({}).double()  # {}\n", k, strength, condition,
                           name(head.pattern));
    }

    std::string operator()(const TensorsInputs& inputs) const {
        return fmt::format("q = {}\nk = {}\n", four_axes(inputs.queries, layer.variant.dtype),
                           four_axes(inputs.keys, layer.variant.dtype)) +
               values(inputs.values) + shared_heads();
    }

    std::string operator()(const ScoresInputs& inputs) const {
        const std::string width =
            inputs.d_k ? fmt::format("d_k = {}\n", *inputs.d_k) : std::string();
        return width + fmt::format("scores = {}\n", four_axes(inputs.scores, layer.variant.dtype)) +
               values(inputs.values);
    }

    std::string operator()(const WeightsInputs& inputs) const {
        return fmt::format("softmax = {}  # given\n",
                           four_axes(inputs.weights, layer.variant.dtype)) +
               values(inputs.values);
    }

    // Returns "": a model has its own script.
    std::string operator()(const auto&) const { return ""; }

    std::string values(const std::optional<Array>& values) const {
        return values ? fmt::format("v = {}\n", four_axes(*values, layer.variant.dtype))
                      : "v = None\n";
    }

    // Writes the earlier layers first, because the inputs are their outputs.
    std::string operator()(const OutputInputs& inputs) const {
        std::string lines = "# The output of the previous layer.\n";
        lines += fmt::format("q = rounded(output_{}_queries)\n", layer.depth + 1);
        lines += fmt::format("k = v = rounded(output_{}_{})\n", layer.depth + 1,
                             inputs.keys ? "keys" : "queries");
        return lines;
    }
};

std::string layer_before(const LayerScript& layer, const LayerBefore& before, bool among_keys) {
    const auto& tokens = among_keys ? layer.keys : layer.queries;
    const Index n = among_keys ? layer.shape.n_k : layer.shape.n_q;
    const LayerScript inner{before.inputs,
                            before.variant,
                            layer.pad_token,
                            tokens,
                            tokens,
                            {layer.shape.b, heads_of(before.inputs), n, n},
                            {},
                            layer.depth + 1,
                            among_keys ? layer.key_positions : layer.positions,
                            among_keys ? layer.key_positions : layer.positions};
    return fmt::format(
        "# --- the previous layer, over the {}\ndtype = torch.{}\n{}output_{}_{} = output\n\n",
        among_keys ? "keys" : "queries", name(before.variant.dtype), layer_lines(inner),
        inner.depth, among_keys ? "keys" : "queries");
}

std::string layers_before(const LayerScript& layer) {
    const auto* inputs = std::get_if<OutputInputs>(&layer.inputs);
    if (inputs == nullptr) return "";
    std::string lines = layer_before(layer, *inputs->of, false);
    if (inputs->keys) lines += layer_before(layer, **inputs->keys, true);
    return lines +
           fmt::format("# --- the layer itself\ndtype = torch.{}\n", name(layer.variant.dtype));
}

}  // namespace

std::string with_four_axes(const Array& array, const std::string& text) {
    const std::size_t missing = 4 - array.axes.size();
    if (missing == 0) return text;
    return fmt::format("{}[{}]", text, fmt::join(std::vector<std::string>(missing, "None"), ", "));
}

std::string lists(const std::vector<std::vector<Index>>& lists) {
    std::vector<std::string> texts;
    for (const auto& list : lists) texts.push_back(indices(list));
    return fmt::format("[{}]", fmt::join(texts, ", "));
}

bool lists_keys(const LayerScript& layer) {
    return layer.rules_see_lists && !layer.key_positions.empty();
}

bool is_shifted(const LayerScript& layer) {
    if (layer.rules_see_lists && !layer.positions.empty()) return true;
    return std::ranges::any_of(layer.starts, [](Index start) { return start > 0; });
}

std::string inputs_lines(const LayerScript& layer) {
    const Shape& shape = layer.shape;
    const std::string keys =
        layer.queries == layer.keys ? "queries" : "\\\n    " + tokens(layer.keys);
    return layers_before(layer) +
           fmt::format(
               "queries = \\\n    {}\nkeys = {}\nb, h, n_q, n_k = {}, {}, {}, {}\n"
               "i = torch.arange(n_q)[:, None]  # queries\nj = torch.arange(n_k)[None, :]  # "
               "keys\n\n",
               tokens(layer.queries), keys, shape.b, shape.h, shape.n_q, shape.n_k) +
           (lists_keys(layer)
                ? fmt::format("r = torch.tensor({})[:, None, None, :]  # positions of keys\n\n",
                              lists(layer.key_positions))
                : "") +
           (layer.rules_see_lists && !layer.positions.empty()
                ? fmt::format("p = torch.tensor({})[:, None, :, None]  # positions\n\n",
                              lists(layer.positions))
            : is_shifted(layer)
                ? fmt::format("p = i + torch.tensor({})[:, None, None, None]  # positions\n\n",
                              indices(layer.starts))
                : "") +
           std::visit(InputsScript{layer}, layer.inputs);
}

}  // namespace maskscope::python
