
#include <fmt/format.h>

#include <algorithm>

#include "app/pytorch/parts.h"
#include "app/pytorch/script.h"
#include "core/attention/mask.h"
#include "core/compute/decode.h"
#include "core/compute/mask_tests.h"
#include "core/scene/mask_rules.h"

namespace maskscope {

namespace {

using namespace python;

bool counts_keys(const MaskLayer& layer) {
    using enum Expression::Name;
    if (layer.kind != LayerKind::formula_bias) return false;
    const Expression expression(layer.expression);
    return expression.reads(n_k) || expression.reads(n_q);
}

// Returns the first lines of attention(), which define the names that the variant's lines use.
std::string unpacked(const Mask& mask) {
    std::string lines =
        "b, h, n_q, n_k = mask.shape\n"
        "q, k, v = q.double(), k.double(), v.double()\n";
    if (has_bias(mask))
        return lines +
               "allowed = mask > -inf\n"
               "bias = mask.double().masked_fill(~allowed, 0.0)";
    return lines + "allowed = mask";
}

// Keeps rows that will be zeroed from being NaN before that. Otherwise their gradients would be NaN
// even though the rows are zeroed afterwards.
std::string with_safe_rows(std::string lines, const Variant& variant) {
    if (variant.empty_rows != EmptyRows::zero ||
        !zeroes_empty_rows(variant.mask.apply, variant.empty_rows))
        return lines;
    const auto at = lines.find("softmax = ");
    const auto first = std::min(at, lines.find("largest = "));
    if (first == std::string::npos) return lines;
    return lines.insert(first,
                        "logits = logits.masked_fill(~allowed.any(-1, keepdim=True), 0.0)\n");
}

std::string attention_function(const LayerScript& layer) {
    const Variant& variant = layer.variant;
    return fmt::format(
        "\n\n# --- Replace this function with your own.\n"
        "def attention(q, k, v, mask):\n"
        "    \"\"\"q [b, h, n_q, d], k and v [b, h, n_k, d] -> output [b, h, n_q, d].\n\n"
        "    mask [b, h, n_q, n_k]: {}\n"
        "    \"\"\"\n{}    return output.to(dtype)\n\n\n# --- The tests.\n",
        has_bias(variant.mask) ? "added to the scores; -inf where a key is blocked."
                               : "True where the query may attend to the key.",
        indented(unpacked(variant.mask) + with_safe_rows(attention_lines(layer), variant)));
}

// --- masks of single steps

// The keys that the last of t + 1 tokens may attend to, such as "110", for [b][h][t]; and whether
// they are always those that row t of the mask of the full pass allows among the first t + 1 keys.
struct Steps {
    std::vector<std::vector<std::vector<std::string>>> allowed{};
    bool as_at_once = true;
};

Steps steps_of(const Scene& scene, int variant) {
    const Shape shape = shape_of(scene);
    const auto& layers = scene.variants[variant].mask.layers;
    Steps steps;
    for (Index b = 0; b < shape.b; ++b) {
        auto& heads = steps.allowed.emplace_back();
        for (Index h = 0; h < shape.h; ++h) {
            auto& rows = heads.emplace_back();
            const Allowed all = allowed_cells(scene, layers, b, h);
            for (Index t = 0; t < shape.n_q; ++t) {
                const Allowed alone = allowed_cells(scene, layers, decoding(scene, b, h, t));
                std::string& row = rows.emplace_back();
                for (Index j = 0; j <= t; ++j) {
                    row += alone(0, j) ? '1' : '0';
                    steps.as_at_once = steps.as_at_once && alone(0, j) == all(t, j);
                }
            }
        }
    }
    return steps;
}

std::string step_lines(const Scene& scene, int variant) {
    const Steps steps = steps_of(scene, variant);
    if (steps.as_at_once)
        return "\n\ndef mask_of_step(t):  # of the last of t + 1 tokens\n"
               "    return mask[:, :, t:t + 1, :t + 1]\n";
    std::vector<std::string> sequences;
    for (const auto& heads : steps.allowed) {
        std::vector<std::string> rows;
        for (const auto& head : heads) rows.push_back(strings(head));
        sequences.push_back(fmt::format("[{}]", fmt::join(rows, ",\n      ")));
    }
    return fmt::format(
        "\n# What the last of 1, 2, 3 ... tokens may attend to, by the rules of the mask.\n"
        "steps = \\\n    [{}]\n\n\n"
        "def mask_of_step(t):\n"
        "    allowed = torch.tensor([[[[key == \"1\" for key in rows[t]]] for rows in heads]\n"
        "                            for heads in steps])\n"
        "    return {}\n",
        fmt::join(sequences, ",\n     "),
        has_bias(scene.variants[variant].mask)
            ? "bias.expand(b, h, n_q, n_k)[:, :, t:t + 1, :t + 1].masked_fill(~allowed, -inf)"
            : "allowed");
}

// --- the tests

std::string test_lines(const Scene& scene, int variant, const std::vector<std::string>& only) {
    std::string functions, listed;
    for (const MaskTest& test : mask_tests()) {
        if (!only.empty() && std::ranges::count(only, test.name) == 0) continue;
        const std::string reason = test.unavailable_reason(scene, variant);
        if (reason.empty()) {
            if (test.name == "cache") functions += step_lines(scene, variant);
            functions += "\n\n" + part(test.name);
        }
        listed += reason.empty() ? fmt::format("{}, ", test.name)
                                 : fmt::format("({}, {}), ", string_literal(test.name),
                                               string_literal(reason));
    }
    std::string last = part("run_tests");
    last.replace(last.find("(TESTS)"), 7, "(" + listed.substr(0, listed.size() - 1) + ")");
    return "\n\n" + part("shared") + functions + "\n\n" + last;
}

std::string constants(const Scene& scene, const Variant& variant) {
    const bool sixteen = variant.dtype == Dtype::float16 || variant.dtype == Dtype::bfloat16;
    const bool opens = opens_empty_rows(variant.mask.apply, variant.empty_rows);
    return fmt::format(
        "q, k, v = (x.expand(b, h, *x.shape[2:]).to(dtype) for x in (q, k, v))\n"
        "mask = {}\n"
        "pad_token = {}\n"
        "opens_empty_rows = {}\n"
        "# Of the largest output of the row, of all (or the largest value), and of gradients.\n"
        "tolerance_of_output, tolerance, tolerance_of_gradient = {}, {}, 1e-6\n",
        has_bias(variant.mask) ? "bias.expand(b, h, n_q, n_k).masked_fill(~allowed, -inf).clone()"
                               : "allowed.expand(b, h, n_q, n_k).clone()",
        string_literal(scene.pad_token), opens ? "True" : "False", sixteen ? "1e-3" : "1e-6",
        sixteen ? "1e-3" : "1e-5");
}

}  // namespace

std::string why_no_test_script(const Scene& scene, int variant) {
    const Variant& v = scene.variants[variant];
    if (!has_score(scene.inputs) || !d_v_of(scene.inputs) ||
        !scene.sequences.front().source.empty())
        return "it needs queries, keys and values";
    if (v.scale.kind == ScaleKind::formula) return "the scale is a formula";
    if (std::ranges::any_of(v.mask.layers, counts_keys))
        return "a bias varies with the number of keys";
    return "";
}

std::string pytorch_tests(const Scene& scene, int variant, const std::vector<std::string>& only) {
    const LayerScript layer = layer_script(scene, variant, labelled(scene));
    return script_head(scene, variant,
                       "Four tests of an attention function, for PyTorch 1.13 and later; made by "
                       "Maskscope.\n"
                       "# Replace attention() with your own and run the script: a line for each "
                       "test, status 1 if one\n# fails. `maskscope test` gives the same lines for "
                       "the variant itself.") +
           inputs_lines(layer) + mask_lines(layer) + "\n" + constants(scene, layer.variant) +
           attention_function(layer) + test_lines(scene, variant, only).substr(1);
}

}  // namespace maskscope
