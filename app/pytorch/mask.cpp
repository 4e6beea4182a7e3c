#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "app/pytorch/parts.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"

namespace maskscope::python {

namespace {

// Writes the index of the heads that a rule applies to, such as "[:, [0, 2]]".
std::string heads_of_layer(const MaskLayer& layer) {
    return layer.heads ? fmt::format("[:, {}]", indices(*layer.heads)) : "";
}

// Writes the assignment of `value` to the listed cells of `target`, limited to those below the
// current n_q and n_k.
std::string listed_so_far(const MaskLayer& layer, const std::string& target, bool value) {
    std::string lines;
    const auto add = [&](const std::string& names, const std::string& list,
                         const std::string& is_here, const std::string& where) {
        lines += fmt::format("for {} in {}:\n    if {}:\n        {}[:, {}, {}] = {}\n", names, list,
                             is_here, target, layer.heads ? indices(*layer.heads) : ":", where,
                             value ? "True" : "False");
    };
    if (layer.cells && !layer.cells->empty()) {
        std::vector<std::string> cells;
        for (const Cell& cell : *layer.cells)
            cells.push_back(fmt::format("({}, {})", cell.i, cell.j));
        add("row, column", fmt::format("[{}]", fmt::join(cells, ", ")),
            "row < n_q and column < n_k", "row, column");
    }
    if (layer.rows) add("row", indices(*layer.rows), "row < n_q", "row");
    if (layer.columns) add("column", indices(*layer.columns), "column < n_k", ":, column");
    return lines;
}

std::string listed(const MaskLayer& layer, const std::string& target, bool value, bool grows) {
    if (grows) return listed_so_far(layer, target, value);
    const std::string heads = layer.heads ? indices(*layer.heads) : ":";
    const char* truth = value ? "True" : "False";
    std::string lines;
    const auto add = [&](const std::string& where) {
        if (layer.heads)  // indexed together, the lists of heads and of cells would be paired
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

std::string pads(const LayerScript& layer, const char* side) {
    return fmt::format("torch.tensor([[token != {} for token in tokens] for tokens in {}])",
                       string_literal(layer.pad_token), side);
}

// --- formulas: their postfix steps become calls on tensors of float64

std::string named(const LayerScript& script, Expression::Name name) {
    using enum Expression::Name;
    const auto are_pads = [&](const char* side, const char* axes) {
        return fmt::format("(~{}).double(){}", pads(script, side), axes);
    };
    switch (name) {
        case i:
            return is_shifted(script) ? "p.double()" : "i.double()";
        case j:
            return lists_keys(script) ? "r.double()" : "j.double()";
        case n_q:
            return "number(n_q)";
        case n_k:
            return "number(n_k)";
        case h:
            return "torch.arange(h).double()[:, None, None]";
        case heads:
            return "number(h)";
        case b:
            return "torch.arange(b).double()[:, None, None, None]";
        case pad_i:
            return are_pads("queries", "[:, None, :, None]");
        case pad_j:
            return are_pads("keys", "[:, None, None, :]");
    }
    return "";
}

std::string applied(Expression::Operation operation, const std::string& x, const std::string& y) {
    using enum Expression::Operation;
    const auto compared = [&](const char* sign) {
        return fmt::format("({} {} {}).double()", x, sign, y);
    };
    const auto combined = [&](const char* sign) { return fmt::format("({} {} {})", x, sign, y); };
    switch (operation) {
        case logical_or:
            return fmt::format("(({} != 0) | ({} != 0)).double()", x, y);
        case logical_and:
            return fmt::format("(({} != 0) & ({} != 0)).double()", x, y);
        case less:
            return compared("<");
        case less_equal:
            return compared("<=");
        case equal:
            return compared("==");
        case not_equal:
            return compared("!=");
        case greater_equal:
            return compared(">=");
        case greater:
            return compared(">");
        case add:
            return combined("+");
        case subtract:
            return combined("-");
        case multiply:
            return combined("*");
        case divide:
            return combined("/");
        case divide_down:
            return fmt::format("torch.floor({} / {})", x, y);
        case remainder:
            return fmt::format("({0} - {1} * torch.floor({0} / {1}))", x, y);
        case negate:
            return fmt::format("(-{})", x);
        case logical_not:
            return fmt::format("({} == 0).double()", x);
        case min:
            return fmt::format("torch.minimum({}, {})", x, y);
        case max:
            return fmt::format("torch.maximum({}, {})", x, y);
        case pow:
            return fmt::format("torch.pow({}, {})", x, y);
        case abs:
            return fmt::format("torch.abs({})", x);
        case floor:
            return fmt::format("torch.floor({})", x);
        case exp:
            return fmt::format("torch.exp({})", x);
        case log:
            return fmt::format("torch.log({})", x);
        case maskscope::Expression::Operation::number:
        case maskscope::Expression::Operation::name:
            break;
    }
    return "";
}

}  // namespace

std::string expression_text(const LayerScript& script, const std::string& text) {
    using enum Expression::Operation;
    const Expression expression(text);
    std::vector<std::string> stack;
    for (const Expression::Step& step : expression.steps()) {
        if (step.operation == Expression::Operation::number) {
            stack.push_back(fmt::format("number({})", python::number(step.number)));
        } else if (step.operation == Expression::Operation::name) {
            stack.push_back(named(script, step.name));
        } else {
            std::string y;
            if (takes_two(step.operation)) {
                y = stack.back();
                stack.pop_back();
            }
            stack.back() = applied(step.operation, stack.back(), y);
        }
    }
    return stack.back();
}

namespace {

// --- what a rule allows, as a condition

// Conditions, and the lines that must come before them.
struct Conditions {
    const LayerScript& script;
    std::string lines = {};
    int named = 0;  // the number of helper tensors so far
    const std::string p = is_shifted(script) ? "p" : "i", r = lists_keys(script) ? "r" : "j";

    // Adds a tensor that these lines make. "{}" in `made` is its name, but not in `rest`, which may
    // contain text from the scene.
    std::string tensor(const char* name, const std::string& made, const std::string& rest = "") {
        const std::string own = fmt::format("{}_{}", name, ++named);
        std::string text = made;
        for (auto at = text.find("{}"); at != text.npos; at = text.find("{}", at + own.size()))
            text.replace(at, 2, own);
        lines += text + rest;
        return own;
    }

    std::string of_list(const MaskLayer& layer) {
        MaskLayer all = layer;
        all.heads.reset();
        if (script.grows) {
            const std::string grown =
                tensor("listed", "{} = torch.zeros(1, 1, n_q, n_k, dtype=torch.bool)\n");
            lines += listed_so_far(all, grown, true);
            return grown;
        }
        const std::string own = tensor("listed", "{} = torch.zeros(n_q, n_k, dtype=torch.bool)\n");
        if (layer.cells)
            for (const Cell& cell : *layer.cells)
                lines += fmt::format("{}[{}, {}] = True\n", own, cell.i, cell.j);
        if (layer.rows && !layer.rows->empty())
            lines += fmt::format("{}[{}] = True\n", own, indices(*layer.rows));
        if (layer.columns && !layer.columns->empty())
            lines += fmt::format("{}[:, {}] = True\n", own, indices(*layer.columns));
        return own;
    }

    std::string of_tree(const MaskLayer& layer) {
        return tensor("tree", fmt::format("{{}} = torch.eye(n_k, dtype=torch.bool)\n"
                                          "for token, parent in enumerate({}{}):\n"
                                          "    if parent >= 0:\n"
                                          "        {{}}[token] |= {{}}[parent]\n",
                                          indices(layer.parents), script.grows ? "[:n_k]" : "")) +
               fmt::format("[{}, j]", p);
    }

    std::string of_group(const MaskLayer& layer) {
        std::string text;
        for (const MaskLayer& inner : layer.layers)
            text += (text.empty()                   ? ""
                     : layer.kind == LayerKind::any ? " | "
                                                    : " & ") +
                    fmt::format("({})", condition(inner));
        return text;
    }

    static std::vector<std::vector<Index>> numbers_of_documents(const MaskLayer& layer) {
        std::vector<std::vector<Index>> numbers;
        for (const auto& lengths : layer.lengths_each) {
            auto& own = numbers.emplace_back();
            for (std::size_t k = 0; k < lengths.size(); ++k)
                own.insert(own.end(), static_cast<std::size_t>(lengths[k]), static_cast<Index>(k));
        }
        return numbers;
    }

    // Returns the condition that query and key have the same number, which is not negative.
    // numbers: one for each token of each sequence.
    std::string same_in_each(const std::vector<std::vector<Index>>& numbers) {
        const std::string own =
            tensor("ids", fmt::format("{{}} = torch.tensor({})\n", lists(numbers)));
        const std::string sequence = "torch.arange(b)[:, None, None, None]";
        return fmt::format("({0}[{1}, {2}] == {0}[{1}, j]) & ({0}[{1}, j] >= 0)", own, sequence, p);
    }

    std::string of_tensor(const MaskLayer& layer) {
        const Array& array = *layer.tensor;
        const std::string own = tensor(
            "given", "{} = ",
            with_four_axes(array, fmt::format("({} {} 0)", python::array(array, Dtype::float64),
                                              array.truths ? "!=" : "==")) +
                "\n");
        return script.grows ? own + "[..., :n_q, :n_k]" : own;
    }

    std::string causal(const MaskLayer& layer) const {
        if (layer.align == Align::positions) return fmt::format("{} <= {}", r, p);
        return layer.align == Align::bottom_right ? "j <= i + (n_k - n_q)" : "j <= i";
    }

    std::string plain(const MaskLayer& layer) {
        switch (layer.kind) {
            case LayerKind::causal:
                return causal(layer);
            case LayerKind::padding:
                return pads(script, "keys") + "[:, None, None, :]";
            case LayerKind::padding_queries:
                return pads(script, "queries") + "[:, None, :, None]";
            case LayerKind::window:
                return fmt::format("(-{0} <= {3} - {1}) & ({3} - {1} <= {2})", layer.left, p,
                                   layer.right, r);
            case LayerKind::prefix:
                return fmt::format("(j < {}) | ({} <= {})", layer.length, r, p);
            case LayerKind::documents: {
                if (!layer.lengths_each.empty()) return same_in_each(numbers_of_documents(layer));
                const std::string own =
                    tensor("document", fmt::format("{{}} = torch.arange({}).repeat_interleave("
                                                   "torch.tensor({}))\n",
                                                   layer.lengths.size(), indices(layer.lengths)));
                return fmt::format("{}[{}] == {}[j]", own, p, own);
            }
            case LayerKind::sinks:
                return fmt::format("j < {}", layer.count);
            case LayerKind::chunked:
                return fmt::format("{3} // {0} == {1} // {2}", layer.size, p, layer.size, r);
            case LayerKind::block_causal:
                return fmt::format("{3} // {0} <= {1} // {2}", layer.size, p, layer.size, r);
            case LayerKind::global: {
                const std::string own = tensor(
                    "tokens", fmt::format("{{}} = torch.tensor({})\n", indices(layer.tokens)));
                return fmt::format("torch.isin({}, {}) | torch.isin(j, {})", p, own, own);
            }
            case LayerKind::groups: {
                if (!layer.ids_each.empty()) return same_in_each(layer.ids_each);
                const std::string own =
                    tensor("ids", fmt::format("{{}} = torch.tensor({})\n", indices(layer.ids)));
                return fmt::format("({0}[{1}] == {0}[j]) & ({0}[j] >= 0)", own, p);
            }
            case LayerKind::tree:
                return of_tree(layer);
            case LayerKind::formula: {
                const std::string own = tensor("formula", "{} = ",
                                               expression_text(script, layer.expression) +
                                                   fmt::format("  # {}\n", layer.expression));
                return fmt::format("({0} != 0) & ~{0}.isnan()", own);
            }
            case LayerKind::tensor:
                return of_tensor(layer);
            case LayerKind::blocked:
                return "~" + of_list(layer);
            case LayerKind::allowed:
                return of_list(layer);
            case LayerKind::any:
            case LayerKind::all:
                return of_group(layer);
            case LayerKind::alibi:
            case LayerKind::bias:
            case LayerKind::formula_bias:
                break;
        }
        return "";
    }

    std::string condition(const MaskLayer& layer) {
        const std::string text = plain(layer);
        return layer.invert ? fmt::format("~({})", text) : text;
    }
};

// Writes the right side of "allowed[:, [0, 2]] &= …": the condition `text`. If a formula makes it
// for every head, selects the heads of the rule.
std::string narrowed(const LayerScript& script, const MaskLayer& layer, const std::string& text) {
    if (!layer.heads || !reads_of(layer).head) return text;
    return fmt::format("({}).expand({}, h, n_q, n_k){}", text, script.shape.b,
                       heads_of_layer(layer));
}

// Writes the slope of `head`: the plain formula, or a list of slopes if the number of heads is not
// a power of two.
std::string slope_text(const LayerScript& script, const MaskLayer& layer) {
    const Index h = script.shape.h;
    if (layer.slopes == Slopes::geometric || std::has_single_bit(static_cast<std::uint64_t>(h)))
        return "2 ** (-8 * (head + 1) / h)";
    std::string slopes;
    for (Index head = 0; head < h; ++head)
        slopes += (head == 0 ? "[" : ", ") + number(alibi_slope(layer.slopes, head, h));
    return slopes + "][head]";
}

std::string bias_lines(const LayerScript& script, const MaskLayer& layer) {
    if (layer.kind == LayerKind::alibi) {
        const bool by_sequence = is_shifted(script) || lists_keys(script);
        return fmt::format(
            "for head in {}:  # ALiBi\n    bias[:, {}] -= {} * ({} - {}).abs().double()\n",
            layer.heads ? indices(*layer.heads) : "range(h)", by_sequence ? "[head]" : "head",
            slope_text(script, layer), is_shifted(script) ? "p" : "i",
            lists_keys(script) ? "r" : "j");
    }
    if (layer.tensor) {
        const std::string numbers =
            with_four_axes(*layer.tensor, array(*layer.tensor, Dtype::float64)) +
            (script.grows ? "[..., :n_q, :n_k]" : "");
        return fmt::format("bias{} += {}\n", layer.heads ? heads_of_layer(layer) : "[:]",
                           narrowed(script, layer, numbers));
    }
    if (layer.kind == LayerKind::formula_bias)
        return fmt::format("bias{} += {}  # {}\n", layer.heads ? heads_of_layer(layer) : "[:]",
                           narrowed(script, layer, expression_text(script, layer.expression)),
                           layer.expression);
    const std::string heads = layer.heads ? indices(*layer.heads) : ":";
    std::string lines;
    for (const BiasCell& cell : layer.bias) {
        if (script.grows) lines += fmt::format("if {} < n_q and {} < n_k:\n    ", cell.i, cell.j);
        lines += fmt::format("bias[:, {}, {}, {}] += {}\n", heads, cell.i, cell.j, number(cell.x));
    }
    return lines;
}

}  // namespace

bool has_bias(const Mask& mask) { return std::ranges::any_of(mask.layers, is_bias); }

std::string mask_lines(const LayerScript& script) {
    const Mask& mask = script.variant.mask;
    std::string lines =
        "\n# True: the query may attend to the key.\nallowed = torch.ones(b, h, n_q, n_k, "
        "dtype=torch.bool)\n";
    Conditions conditions{script};
    for (const MaskLayer& layer : mask.layers) {
        if (is_bias(layer) || layer.kind == LayerKind::allowed) continue;
        if (layer.kind == LayerKind::blocked && !layer.invert) {
            lines += listed(layer, "allowed", false, script.grows);
            continue;
        }
        const std::string allows = narrowed(script, layer, conditions.condition(layer));
        lines += std::exchange(conditions.lines, "");
        lines +=
            fmt::format("allowed{} &= {}  # {}\n", heads_of_layer(layer), allows, name(layer.kind));
    }
    for (const MaskLayer& layer : mask.layers)
        if (layer.kind == LayerKind::allowed) lines += listed(layer, "allowed", true, script.grows);
    if (!has_bias(mask)) return lines;
    lines += "bias = torch.zeros(b, h, n_q, n_k, dtype=torch.float64)\n";
    for (const MaskLayer& layer : mask.layers)
        if (is_bias(layer)) lines += bias_lines(script, layer);
    return lines;
}

}  // namespace maskscope::python
