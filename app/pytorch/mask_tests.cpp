
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

std::string indented(const std::string& lines) {
    std::string text;
    for (std::size_t begin = 0; begin < lines.size();) {
        const std::size_t end = std::min(lines.find('\n', begin), lines.size());
        if (end > begin) text += "    " + lines.substr(begin, end - begin);
        text += '\n';
        begin = end + 1;
    }
    return text;
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

constexpr const char* shared_lines = R"(

def row_named(s, i):
    of_sequence = f" of sequence {s}" if b > 1 else ""
    return f'row "{queries[s][i]}" ({i}){of_sequence}'


def apart(x, y):
    """How far two outputs are apart; inf where one of them is NaN."""
    x, y = x.double(), y.double()
    same = (x == y) | (x.isnan() & y.isnan())
    return (x - y).abs().masked_fill(same, 0.0).nan_to_num(nan=inf, posinf=inf)


def largest(x):
    return x.double().abs().nan_to_num(nan=0.0, posinf=0.0)


class Worst:
    def __init__(self):
        self.amount, self.place = 0.0, None

    def take(self, amount, *place):
        if amount > self.amount:
            self.amount, self.place = amount, place
)";

constexpr const char* future_lines = R"(

def future():
    """No output changes with a later token: a model that generates cannot see the future."""
    before, worst = attention(q, k, v, mask), Worst()
    for t in range(1, n_q):
        replaced = [x.clone() for x in (q, k, v)]
        for s, tokens in enumerate(queries):
            others = [o % n_q for o in range(t + 1, t + n_q) if tokens[o % n_q] != tokens[t]]
            other = others[0] if others else (t + 1) % n_q
            for x, own in zip(replaced, (q, k, v)):
                x[s, :, t] = own[s, :, other]
        after = attention(*replaced, mask)
        change = apart(before, after)[:, :, :t].amax(-1)
        allowed_change = tolerance_of_output * largest(before)[:, :, :t].amax(-1)
        change = change.masked_fill(change <= allowed_change, 0.0).amax(1)
        for s in range(b):
            for i in range(t):
                worst.take(change[s, i].item(), s, i, t)
    if worst.place:
        s, i, t = worst.place
        return (f'{row_named(s, i)} changes by {worst.amount:.6g} '
                f'when "{queries[s][t]}" ({t}) is replaced')
)";

constexpr const char* padding_lines = R"(

def padding():
    """A sequence gives the same outputs alone as in a padded batch."""
    padded, worst = attention(q, k, v, mask), Worst()

    def own(tokens):
        return max((place + 1 for place, token in enumerate(tokens) if token != pad_token),
                   default=0)

    for s in range(b):
        rows, columns = own(queries[s]), own(keys[s])
        if rows == 0 or columns == 0:
            continue
        one = slice(s, s + 1)
        alone = attention(q[one, :, :rows], k[one, :, :columns], v[one, :, :columns],
                          mask[one, :, :rows, :columns])
        change = apart(padded[one, :, :rows], alone).amax(-1).amax(1)[0]
        for i in range(rows):
            if not change[i] <= tolerance * largest(alone).max():
                worst.take(change[i].item(), s, i)
    if worst.place:
        return (f'{row_named(*worst.place)} differs by {worst.amount:.6g} '
                'from the sequence alone')
)";

constexpr const char* cache_lines = R"(

def cache():
    """Step by step with a KV cache, the outputs are the same as in a full pass."""
    at_once, worst = attention(q, k, v, mask), Worst()
    for t in range(n_q):
        step = attention(q[:, :, t:t + 1], k[:, :, :t + 1], v[:, :, :t + 1], mask_of_step(t))
        change = apart(at_once[:, :, t:t + 1], step).amax(-1).amax(1)
        for s in range(b):
            if not change[s, 0] <= tolerance * largest(v).max():
                worst.take(change[s, 0].item(), s, t)
    if worst.place:
        return (f'{row_named(*worst.place)} differs by {worst.amount:.6g} '
                'when it is computed step by step')
)";

constexpr const char* gradient_lines = R"(

def gradient():
    """Every gradient is finite, and no gradient flows through a blocked key."""
    inputs = [x.clone().requires_grad_() for x in (q, k, v)]
    output, worst = attention(*inputs, mask), Worst()
    seen = allowed.expand(b, h, n_q, n_k)
    # A row that attends to all has no blocked key.
    opened = seen.any(-1, keepdim=True).logical_not() & opens_empty_rows
    rounding = min(64 * torch.finfo(dtype).eps, 1e-6) * largest(q).max() * largest(v).max()
    for i in range(n_q):
        row = output[:, :, i]
        factors = (1 + torch.arange(row.shape[-1]) % 7).to(row.dtype)
        found = torch.autograd.grad((row * factors).sum(), inputs, retain_graph=True,
                                    allow_unused=True)
        found = [torch.zeros_like(x) if grad is None else grad for x, grad in zip(inputs, found)]
        blocked = found[1].abs().sum(-1).double().masked_fill(
            (seen | opened)[:, :, i], 0.0).sum(-1)
        for s in range(b):
            if opened[s, :, i].all():
                continue
            for grad in found:
                if not torch.isfinite(grad[s]).all():
                    wrong = grad[s][~torch.isfinite(grad[s])][0].item()
                    return f'{wrong} in {row_named(s, i)}'
            least = tolerance_of_gradient * largest(found[1][s]).max()
            if blocked[s].max() > max(least, rounding):
                worst.take(blocked[s].max().item(), s, i)
    if worst.place:
        return f'{worst.amount:.6g} on blocked keys in {row_named(*worst.place)}'
)";

std::string lines_of(std::string_view name) {
    return name == "future"    ? future_lines
           : name == "padding" ? padding_lines
           : name == "cache"   ? cache_lines
                               : gradient_lines;
}

constexpr const char* last_lines = R"(

fails = False
for test in (TESTS):
    name, reason = test if isinstance(test, tuple) else (test.__name__, None)
    found = None if reason else test()
    fails = fails or found is not None
    print(f"{name}: " + (f"n/a: {reason}" if reason else f"fail: {found}" if found else "pass"))
sys.exit(1 if fails else 0)
)";

std::string test_lines(const Scene& scene, int variant, const std::vector<std::string>& only) {
    std::string functions, listed;
    for (const MaskTest& test : mask_tests()) {
        if (!only.empty() && std::ranges::count(only, test.name) == 0) continue;
        const std::string reason = test.unavailable_reason(scene, variant);
        if (reason.empty()) {
            if (test.name == "cache") functions += step_lines(scene, variant);
            functions += lines_of(test.name);
        }
        listed += reason.empty() ? fmt::format("{}, ", test.name)
                                 : fmt::format("({}, {}), ", string_literal(test.name),
                                               string_literal(reason));
    }
    std::string last = last_lines;
    last.replace(last.find("(TESTS)"), 7, "(" + listed.substr(0, listed.size() - 1) + ")");
    return shared_lines + functions + last;
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
