#include "core/dump/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/dump/dump_mask.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

using Numbers = ListedTensor::Numbers;

// --- which tensors

bool has_number(const DumpTensor& tensor) { return tensor.kind.find('#') != std::string::npos; }

bool is_said(const DumpChoice& choice, const DumpTensor& tensor) {
    return choice.roles.count(tensor.kind) > 0;
}

bool is_of_group(const DumpChoice& choice, const DumpTensor& tensor, const std::string& group) {
    return tensor.group.empty() || tensor.group == group ||
           (is_said(choice, tensor) && !has_number(tensor));
}

std::vector<std::string> groups_of(const Dump& dump, const DumpChoice& choice) {
    std::vector<std::string> opened, others;
    std::set<std::string> seen;
    for (const DumpTensor& tensor : dump.tensors) {
        const TensorRole role = role_of(choice, tensor);
        const bool is_opened = role == TensorRole::queries || role == TensorRole::keys ||
                               role == TensorRole::scores || role == TensorRole::weights;
        if (is_opened && seen.insert(tensor.group).second) opened.push_back(tensor.group);
    }
    for (const DumpTensor& tensor : dump.tensors)
        if (seen.insert(tensor.group).second) others.push_back(tensor.group);
    opened.insert(opened.end(), others.begin(), others.end());
    // What goes with any is a choice of its own only if it is all there is.
    if (opened.size() > 1) std::erase(opened, "");
    return opened;
}

void choose_tensors(const Dump& dump, const DumpChoice& choice, DumpPlan& plan) {
    plan.groups = groups_of(dump, choice);
    const bool known = std::ranges::find(plan.groups, choice.group) != plan.groups.end();
    plan.group = known ? choice.group : plan.groups.front();
    // What a person said counts first, then what belongs to the group alone.
    const auto rank = [&](const DumpTensor& tensor) {
        return (is_said(choice, tensor) ? 2 : 0) + (tensor.group == plan.group ? 1 : 0);
    };
    for (const DumpTensor& tensor : dump.tensors) {
        if (!is_of_group(choice, tensor, plan.group)) continue;
        plan.shown.push_back(&tensor);
        const TensorRole role = role_of(choice, tensor);
        const DumpTensor*& used = plan.with_role[static_cast<std::size_t>(role)];
        if (role != TensorRole::none && (used == nullptr || rank(tensor) > rank(*used)))
            used = &tensor;
    }
    // In the order of a lecture; a choice moves no row.
    const auto order = [](const DumpTensor* tensor) {
        return tensor->guess == TensorRole::none ? tensor_role_count
                                                 : static_cast<std::size_t>(tensor->guess);
    };
    std::ranges::stable_sort(plan.shown, {}, order);
}

// Queries and keys say more than scores, and scores more than weights.
void choose_way(const DumpChoice& choice, DumpPlan& plan) {
    if (plan.gives(TensorRole::queries) && plan.gives(TensorRole::keys))
        plan.ways.push_back(TensorRole::queries);
    if (plan.gives(TensorRole::scores)) plan.ways.push_back(TensorRole::scores);
    if (plan.gives(TensorRole::weights)) plan.ways.push_back(TensorRole::weights);
    if (plan.ways.empty()) return;
    const bool can = choice.opens && std::ranges::count(plan.ways, *choice.opens) > 0;
    plan.way = can ? *choice.opens : plan.ways.front();
}

std::string no_way(const Dump& dump, const DumpPlan& plan) {
    if (plan.gives(TensorRole::queries)) return "Say which tensor holds the keys.";
    if (plan.gives(TensorRole::keys)) return "Say which tensor holds the queries.";
    const auto is_parameter = [](const DumpTensor& t) { return t.tensor.name.ends_with("weight"); };
    const auto may_be_attention = [](const DumpTensor& t) {
        return t.tensor.numbers == Numbers::floats && t.tensor.axes.size() >= 3;
    };
    if (std::ranges::any_of(dump.tensors, is_parameter) &&
        std::ranges::none_of(dump.tensors, may_be_attention))
        return "These look like a model's parameters; attention appears when the model runs: "
               "assets/python/dump_attention.py writes it.";
    return "Say which tensors hold queries and keys, or scores, or weights.";
}

// --- shapes

struct FourAxes {
    Index b = 1, h = 1, rows = 1, columns = 1;
};

// Without the axis of layers; what is missing has size 1.
FourAxes four_axes(std::vector<Index> axes, bool positions_first) {
    if (axes.size() == 5) axes.erase(axes.begin());
    while (axes.size() < 4) axes.insert(axes.begin(), 1);
    if (positions_first) std::swap(axes[1], axes[2]);
    return {axes[0], axes[1], axes[2], axes[3]};
}

FourAxes four_axes(const DumpPlan& plan, TensorRole role) {
    const std::vector<Index>& axes = plan.of(role)->tensor.axes;
    const bool vectors =
        role == TensorRole::queries || role == TensorRole::keys || role == TensorRole::values;
    return four_axes(axes, vectors && plan.positions_first && axes.size() >= 3);
}

// Those whose numbers become inputs of the scene.
std::vector<TensorRole> opened_roles(const DumpPlan& plan) {
    std::vector<TensorRole> roles{plan.way};
    if (plan.way == TensorRole::queries) roles.push_back(TensorRole::keys);
    if (plan.gives(TensorRole::values)) roles.push_back(TensorRole::values);
    return roles;
}

std::optional<Index> layers_in(const ListedTensor& tensor) {
    return tensor.axes.size() == 5 ? std::optional(tensor.axes.front()) : std::nullopt;
}

std::string problem_of_axes(const DumpPlan& plan) {
    for (const TensorRole role : opened_roles(plan)) {
        const ListedTensor& tensor = plan.of(role)->tensor;
        const std::string name = printable(tensor.name);
        if (tensor.numbers != Numbers::floats)
            return fmt::format("{} cannot be {}: its numbers are {}, not floating point.", name,
                               within_sentence(label(role)),
                               tensor.dtype.empty() ? "unknown" : printable(tensor.dtype));
        if (tensor.axes.size() < 2 || tensor.axes.size() > 5)
            return fmt::format("{} has {} axes; 2 to 5 can be opened.", name, tensor.axes.size());
        if (std::ranges::count(tensor.axes, 0) > 0) return name + " is empty.";
        if (layers_in(tensor) != layers_in(plan.of(plan.way)->tensor))
            return name + " has another number of layers than the rest.";
    }
    return "";
}

// The number of keys, where scores, weights, a mask or the tokens tell it.
std::optional<Index> told_keys(const Dump& dump, const DumpPlan& plan) {
    for (const TensorRole role : {TensorRole::scores, TensorRole::weights, TensorRole::mask})
        if (plan.gives(role) && plan.of(role)->tensor.axes.size() >= 3)
            return plan.of(role)->tensor.axes.back();
    const auto tokens = dump.metadata.find("tokens");
    if (tokens == dump.metadata.end()) return std::nullopt;
    try {
        std::size_t longest = 0;
        for (const auto& list : token_lists(tokens->second))
            longest = std::max(longest, list.size());
        return static_cast<Index>(longest);
    } catch (const InputError&) {  // a note says so
        return std::nullopt;
    }
}

void settle_axes(const Dump& dump, const DumpChoice& choice, DumpPlan& plan) {
    const TensorRole of = plan.way == TensorRole::queries ? TensorRole::keys : TensorRole::values;
    if (!plan.gives(of)) return;
    const ListedTensor& keys = plan.of(of)->tensor;
    const FourAxes given = four_axes(keys.axes, false);
    const auto n_k = told_keys(dump, plan);
    const bool evident = n_k && (given.h == *n_k) != (given.rows == *n_k);
    plan.asks_axes = keys.axes.size() >= 3 && given.h != given.rows && !evident;
    const bool lens = keys.name.find("hook_") != std::string::npos;  // TransformerLens
    const bool told = n_k && given.h == *n_k && given.rows != *n_k;
    plan.positions_first = choice.positions_first.value_or(lens || told);
}

// Returns what does not agree, "" if all does.
std::string settle_shape(DumpPlan& plan) {
    const auto differ = [](const std::string& what, Index x, Index y, const std::string& of) {
        return fmt::format("{} differ: {}, and {} of the {}.", what, x, y, of);
    };
    const FourAxes first = four_axes(plan, plan.way);
    plan.layers = layers_in(plan.of(plan.way)->tensor).value_or(1);
    plan.sequences = first.b;
    plan.shape = {first.b, first.h, first.rows, first.columns};
    plan.key_heads = first.h;
    if (plan.way == TensorRole::queries) {
        const FourAxes k = four_axes(plan, TensorRole::keys);
        plan.shape.n_k = k.rows;
        plan.key_heads = k.h;
        plan.d_k = k.columns;
        if (k.b != first.b) return differ("Sequences", first.b, k.b, "keys");
        if (k.columns != first.columns) return differ("Widths", first.columns, k.columns, "keys");
        if (first.h % k.h != 0) return differ("Heads", first.h, k.h, "keys");
    }
    if (!plan.gives(TensorRole::values)) return "";
    const FourAxes v = four_axes(plan, TensorRole::values);
    plan.d_v = v.columns;
    if (plan.way != TensorRole::queries) plan.key_heads = v.h;
    if (v.b != first.b) return differ("Sequences", first.b, v.b, "values");
    if (v.h != plan.key_heads || first.h % v.h != 0)
        return differ("Heads", plan.key_heads, v.h, "values");
    return v.rows == plan.shape.n_k ? "" : differ("Tokens", plan.shape.n_k, v.rows, "values");
}

// What a scene can hold; more would not be worth reading.
std::string problem_of_size(const DumpPlan& plan) {
    constexpr Index most_heads = 1024, most_tokens = 65536, largest_width = 65536;
    const Shape& s = plan.shape;
    const auto refuse = [](const std::string& what, Index count, Index most) {
        return fmt::format("{} {} are too many: at most {} can be opened.", count, what, most);
    };
    if (s.h > most_heads) return refuse("heads", s.h, most_heads);
    if (std::max(s.n_q, s.n_k) > most_tokens)
        return refuse("tokens", std::max(s.n_q, s.n_k), most_tokens);
    if (std::max(plan.d_k.value_or(1), plan.d_v.value_or(1)) > largest_width)
        return refuse("components", std::max(plan.d_k.value_or(1), plan.d_v.value_or(1)),
                      largest_width);
    return "";
}

void settle_part(const DumpChoice& choice, DumpPlan& plan) {
    plan.layer = std::clamp<Index>(choice.layer, 0, plan.layers - 1);
    if (plan.sequences == 1) return;
    if (choice.sequence || plan.sequences > most_sequences)
        plan.sequence = std::clamp<Index>(choice.sequence.value_or(0), 0, plan.sequences - 1);
    if (plan.sequence) plan.shape.b = 1;
}

// --- mask

bool names(const DumpTensor& tensor, std::string_view part) {
    return tensor.tensor.name.find(part) != std::string::npos;
}

std::vector<Index> axes_of_mask(const DumpPlan& plan) {
    std::vector<Index> axes = plan.of(TensorRole::mask)->tensor.axes;
    if (axes.size() == 5) axes.erase(axes.begin());
    return axes;
}

// What true means, if two rows tell: the first query sees itself alone, the last sees all.
std::optional<bool> truth_by_rows(const DumpPlan& plan) try {
    const ListedTensor& mask = plan.of(TensorRole::mask)->tensor;
    const std::size_t count = mask.axes.size();
    if (count < 2 || mask.axes[count - 2] != mask.axes.back() || mask.axes.back() < 2)
        return std::nullopt;
    std::vector<Index> at(count - 1, 0);
    const Array first = read_part(mask, at);
    at.back() = mask.axes.back() - 1;
    const Array last = read_part(mask, at);
    const double itself = (*first.values)[0];
    const bool alone = std::ranges::count(first.values->view(), itself) == 1;
    const bool all =
        std::ranges::count(last.values->view(), itself) == std::ssize(last.values->view());
    if (!alone || !all) return std::nullopt;
    return itself == 0;
} catch (const Error&) {  // broken numbers: it is said when they are opened
    return std::nullopt;
}

// Whether it is [n_k] or [b, n_k]: of keys that no query may see.
bool mask_is_for_keys(const DumpPlan& plan) {
    const std::vector<Index> axes = axes_of_mask(plan);
    if (axes.size() == 1) return true;
    const DumpTensor& mask = *plan.of(TensorRole::mask);
    const bool by_name = names(mask, "padding") || names(mask, "attention_mask");
    return axes.size() == 2 && axes[0] == plan.sequences && (axes[0] != plan.shape.n_q || by_name);
}

std::string settle_mask(const DumpChoice& choice, DumpPlan& plan) {
    if (!plan.gives(TensorRole::mask)) return "";
    const DumpTensor& mask = *plan.of(TensorRole::mask);
    if (mask.tensor.numbers == Numbers::other)
        return printable(mask.tensor.name) + " cannot be read as a mask.";
    if (layers_in(mask.tensor).value_or(plan.layers) != plan.layers)
        return printable(mask.tensor.name) + " has another number of layers than the rest.";
    plan.mask_axes = mask_axes(axes_of_mask(plan), plan.shape, mask_is_for_keys(plan));
    if (plan.mask_axes.empty())
        return fmt::format("{} [{}] does not fit {} queries and {} keys.",
                           printable(mask.tensor.name), fmt::join(mask.tensor.axes, ", "),
                           plan.shape.n_q, plan.shape.n_k);
    if (mask.tensor.numbers == Numbers::floats) return "";
    const bool by_name = mask.tensor.numbers == Numbers::integers || names(mask, "bias") ||
                         names(mask, "attention_mask");
    if (names(mask, "key_padding_mask"))
        plan.true_blocks = true;
    else if (by_name)
        plan.true_blocks = false;
    else
        plan.true_blocks = truth_by_rows(plan);
    plan.asks_truth = !plan.true_blocks;
    if (choice.true_blocks) plan.true_blocks = choice.true_blocks;
    return plan.true_blocks ? "" : "Say what true means in the mask: the file does not.";
}

// --- scale

// "scale", or one of the layer's own: "layer.3.scale".
const std::string* scale_text(const Dump& dump, const DumpPlan& plan) {
    const std::string* found = nullptr;
    for (const auto& [key, text] : dump.metadata) {
        if (key == "scale") found = &text;
        if (!key.ends_with(".scale")) continue;
        // Of the layer whose queries are called alike.
        const std::string queries =
            key.substr(0, key.size() - std::string_view("scale").size()) + "q";
        if (meaning_of(queries).group == plan.group) return &text;
    }
    return found;
}

Scale scale_of(double factor, std::optional<Index> d_k) {
    if (factor == 1) return {ScaleKind::none, 1};
    const double root = d_k ? 1 / std::sqrt(static_cast<double>(*d_k)) : 0;
    if (std::abs(factor - root) <= 1e-12 * root) return {ScaleKind::sqrt_d_k, 1};
    return {ScaleKind::number, factor};
}

std::string settle_scale(const Dump& dump, const DumpChoice& choice, DumpPlan& plan) {
    if (plan.way == TensorRole::weights) return "";
    plan.asks_scale = true;
    if (plan.way == TensorRole::scores && names(*plan.of(TensorRole::scores), "hook_attn_scores")) {
        plan.scale = Scale{ScaleKind::none, 1};  // TransformerLens has scaled and masked them
        plan.scale_in_file = true;
    } else if (const std::string* text = scale_text(dump, plan)) {
        if (const auto factor = factor_in(*text)) plan.scale = scale_of(*factor, plan.d_k);
        plan.scale_in_file = plan.scale.has_value();
        if (!plan.scale)
            plan.notes.push_back("The scale in the file is no number: " + printable(*text) + ".");
    }
    if (choice.scale) plan.scale = choice.scale;
    return plan.scale ? "" : "Choose the scale: it is not in the file.";
}

// --- tokens

std::vector<std::string> numbered(Index count) {
    std::vector<std::string> tokens;
    for (Index i = 0; i < count; ++i) tokens.push_back(std::to_string(i));
    return tokens;
}

// The lists of metadata; a note where they are broken.
TokenLists lists_in(const Dump& dump, const std::string& key, DumpPlan& plan) {
    const auto text = dump.metadata.find(key);
    if (text == dump.metadata.end()) return {};
    try {
        return token_lists(text->second);
    } catch (const InputError& error) {
        plan.notes.push_back(
            fmt::format("\"{}\" in the file cannot be read: {}.", key, printable(error.what())));
        return {};
    }
}

// The list of each sequence that is opened, filled with pads; none if they do not fit `count`.
TokenLists fitted(const TokenLists& lists, const DumpPlan& plan, Index count) {
    std::size_t longest = 0;
    for (const auto& list : lists) longest = std::max(longest, list.size());
    const bool one = lists.size() == 1, each = std::ssize(lists) == plan.sequences;
    if (static_cast<Index>(longest) != count || !(one || each)) return {};
    TokenLists chosen;
    for (Index s = 0; s < plan.shape.b; ++s) {
        const auto of = static_cast<std::size_t>(one ? 0 : plan.sequence.value_or(s));
        chosen.push_back(lists[std::min(of, lists.size() - 1)]);
        chosen.back().resize(longest, plan.pad_token);
    }
    return chosen;
}

void settle_tokens(const Dump& dump, const DumpChoice& choice, DumpPlan& plan) {
    if (const auto pad = dump.metadata.find("pad_token"); pad != dump.metadata.end())
        plan.pad_token = shown_tokens({pad->second}).front();
    const TokenLists lists = choice.tokens ? *choice.tokens : lists_in(dump, "tokens", plan);
    const Index n_q = plan.shape.n_q, n_k = plan.shape.n_k;
    TokenLists queries = fitted(lists, plan, n_q);
    TokenLists keys = fitted(lists_in(dump, "key_tokens", plan), plan, n_k);
    if (keys.empty() && n_q != n_k) keys = fitted(lists, plan, n_k);
    plan.has_tokens = !queries.empty() || !keys.empty();
    if (!plan.has_tokens && !lists.empty())
        plan.notes.push_back(
            fmt::format("The tokens do not fit: {} of them, for {} queries and "
                        "{} keys.",
                        lists.front().size(), n_q, n_k));
    if (!plan.has_tokens && lists.empty() &&
        (plan.gives(TensorRole::ids) || dump.metadata.count("input_ids")))
        plan.notes.push_back("The file has token ids: the model's tokenizer.json names them.");
    const bool self = n_q == n_k && keys.empty();
    for (Index s = 0; s < plan.shape.b; ++s) {
        Sequence& sequence = plan.tokens.emplace_back();
        if (!self) sequence.keys = keys.empty() ? numbered(n_k) : keys[s];
        if (!queries.empty())
            sequence.queries = queries[s];
        else if (!keys.empty() && n_q < n_k)  // the last ones, as while generating
            sequence.queries = std::vector(keys[s].end() - n_q, keys[s].end());
        else
            sequence.queries = numbered(n_q);
    }
}

// --- words

std::string counted(Index count, const std::string& one, const std::string& many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string words_of(const DumpPlan& plan) {
    const bool values = plan.gives(TensorRole::values);
    std::string text = plan.way == TensorRole::scores    ? "Scores"
                       : plan.way == TensorRole::weights ? "Weights"
                       : values                          ? "Queries, keys"
                                                         : "Queries and keys";
    if (values) text += " and values";
    if (!plan.group.empty()) text += " of " + printable(plan.group);
    if (plan.layers > 1) text += fmt::format(" of layer {}", plan.layer + 1);
    if (plan.sequence) text += fmt::format(", sequence {}", *plan.sequence + 1);
    text += ": ";
    const Shape& s = plan.shape;
    if (s.b > 1) text += counted(s.b, "sequence", "sequences") + ", ";
    text += counted(s.h, "head", "heads") + ", ";
    if (s.n_q == s.n_k)
        text += counted(s.n_k, "token", "tokens");
    else
        text += counted(s.n_q, "query", "queries") + ", " + counted(s.n_k, "key", "keys");
    if (plan.d_k) text += fmt::format(", width {}", *plan.d_k);
    return text + (plan.gives(TensorRole::mask) ? ", with a mask." : ".");
}

void note_what_is_lost(const Dump& dump, DumpPlan& plan) {
    if (plan.key_heads < plan.shape.h)
        plan.notes.push_back(fmt::format(
            "{} repeated for {}.",
            plan.key_heads == 1 ? "The one head of keys is"
                                : fmt::format("The {} heads of keys are", plan.key_heads),
            counted(plan.shape.h, "head of queries", "heads of queries")));
    for (const auto& [key, text] : dump.metadata) {
        const std::vector<std::string> words = words_of_name(key);
        if (words.empty() || plan.way == TensorRole::weights) continue;
        if (words.back() == "softcap")
            plan.notes.push_back("The model caps its scores (softcap " + printable(text) +
                                 "), which is not shown: weights differ.");
        if (words.back() == "sinks")
            plan.notes.push_back("The model has sinks, which are not shown: weights differ.");
    }
}

}  // namespace

std::optional<double> factor_in(std::string_view text) {
    const std::string_view words = trimmed(text);
    double number = 0;
    const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), number);
    const bool whole = error == std::errc() && end == words.data() + words.size();
    return whole && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

TensorRole role_of(const DumpChoice& choice, const DumpTensor& tensor) {
    const auto said = choice.roles.find(tensor.kind);
    return said == choice.roles.end() ? tensor.guess : said->second;
}

void choose_role(DumpChoice& choice, const DumpPlan& plan, const DumpTensor& tensor,
                 TensorRole role) {
    for (const DumpTensor* other : plan.shown)
        if (role != TensorRole::none && role_of(choice, *other) == role)
            choice.roles[other->kind] = TensorRole::none;
    choice.roles[tensor.kind] = role;
    choice.opens.reset();
}

std::vector<Index> part_of(const DumpPlan& plan, TensorRole role) {
    const std::vector<Index>& axes = plan.of(role)->tensor.axes;
    std::vector<Index> at;
    if (axes.size() == 5) at.push_back(plan.layer);
    const bool of_mask = role == TensorRole::mask && plan.mask_axes.front() > 1;
    if (plan.sequence && (axes.size() >= 4 || of_mask))
        at.push_back(axes[at.size()] == 1 ? 0 : *plan.sequence);
    return at;
}

DumpPlan plan_of(const Dump& dump, const DumpChoice& choice) {
    DumpPlan plan;
    choose_tensors(dump, choice, plan);
    choose_way(choice, plan);
    if (plan.gives(TensorRole::mask) && names(*plan.of(TensorRole::mask), ".bias"))
        plan.notes.push_back(printable(plan.of(TensorRole::mask)->tensor.name) +
                             " is a causal mask, not a bias.");
    plan.missing = plan.ways.empty() ? no_way(dump, plan) : problem_of_axes(plan);
    if (!plan.missing.empty()) return plan;
    settle_axes(dump, choice, plan);
    plan.missing = settle_shape(plan);
    if (plan.missing.empty()) plan.missing = problem_of_size(plan);
    if (!plan.missing.empty()) return plan;
    const std::string mask = settle_mask(choice, plan);
    settle_part(choice, plan);
    const std::string scale = settle_scale(dump, choice, plan);
    settle_tokens(dump, choice, plan);
    note_what_is_lost(dump, plan);
    plan.missing = mask.empty() ? scale : mask;
    plan.opens = words_of(plan);
    return plan;
}

TokenLists tokens_for(const Dump& dump, const DumpPlan& plan, std::string_view text) {
    auto read = read_tokens(text);
    if (auto* lists = std::get_if<TokenLists>(&read)) return std::move(*lists);
    const auto& vocabulary = std::get<TokenNames>(read);
    std::vector<std::vector<long long>> ids;
    if (plan.gives(TensorRole::ids)) {
        const Array numbers = read_part(plan.of(TensorRole::ids)->tensor, {});
        const auto length = static_cast<std::size_t>(numbers.axes.back());
        for (std::size_t k = 0; k < numbers.values->size(); ++k) {
            if (k % length == 0) ids.emplace_back();
            ids.back().push_back(static_cast<long long>((*numbers.values)[k]));
        }
    } else if (const auto given = dump.metadata.find("input_ids"); given != dump.metadata.end()) {
        ids = id_lists(given->second);
    }
    if (ids.empty())
        throw InputError("",
                         "is a tokenizer, and the tensors come without token ids; bring the "
                         "tokens as a list or a text");
    TokenLists lists;
    for (const auto& list : ids) lists.push_back(tokens_of(vocabulary, list));
    return lists;
}

}  // namespace maskscope
