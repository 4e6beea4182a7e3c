#include "core/dump/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

std::string counted(Index count, const std::string& one, const std::string& many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

// Parses JSON, "[0.5, -1]"; empty if it is not a list of numbers.
std::vector<double> number_list(std::string_view text) {
    text = trimmed(text);
    if (!text.starts_with('[') || !text.ends_with(']')) return {};
    std::vector<double> numbers;
    text = text.substr(1, text.size() - 2);
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const auto number = factor_in(text.substr(0, comma));
        if (!number || std::abs(*number) > 1e9) return {};
        numbers.push_back(*number);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return numbers;
}

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
    // Tensors that go with any group are a choice of their own only if there is nothing else.
    if (opened.size() > 1) std::erase(opened, "");
    return opened;
}

// The layer's number: 11 for "model layers 11 self attn", 3 for "encoder block 3 layer 0".
std::optional<Index> number_of(const std::string& group) {
    constexpr std::array<std::string_view, 6> counted_by{"layer",  "layers", "block",
                                                         "blocks", "h",      "l"};
    std::optional<Index> number;
    std::string before;
    for (const std::string& word : words_of_name(group)) {
        Index read = 0;
        const char* end = word.data() + word.size();
        if (std::from_chars(word.data(), end, read).ptr == end) number = read;
        if (number && std::ranges::count(counted_by, before) > 0) return number;
        before = word;
    }
    return number;
}

// The group that a number means: by its own number, or where two have the same one by its place.
std::optional<std::string> group_of(const std::vector<std::string>& groups, Index number) {
    std::set<std::optional<Index>> numbers;
    for (const std::string& group : groups) numbers.insert(number_of(group));
    if (numbers.size() < groups.size())
        return number < std::ssize(groups) ? std::optional(groups[number]) : std::nullopt;
    const auto found = std::ranges::find(groups, std::optional(number), number_of);
    return found == groups.end() ? std::nullopt : std::optional(*found);
}

void choose_tensors(const Dump& dump, const DumpChoice& choice, DumpPlan& plan) {
    plan.groups = groups_of(dump, choice);
    const bool known = std::ranges::find(plan.groups, choice.group) != plan.groups.end();
    const auto numbered = choice.layer ? group_of(plan.groups, *choice.layer) : std::nullopt;
    plan.group = known ? choice.group : numbered.value_or(plan.groups.front());
    // The user's choice counts first, then what belongs only to the group.
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
void choose_way(const Dump& dump, const DumpChoice& choice, DumpPlan& plan) {
    if (plan.gives(TensorRole::queries) && plan.gives(TensorRole::keys))
        plan.ways.push_back(TensorRole::queries);
    if (plan.gives(TensorRole::scores)) plan.ways.push_back(TensorRole::scores);
    if (plan.gives(TensorRole::weights)) plan.ways.push_back(TensorRole::weights);
    const auto is_mask = [&](const DumpTensor& tensor) {
        const TensorRole role = role_of(choice, tensor);
        return role == TensorRole::mask || role == TensorRole::ids;
    };
    if (plan.gives(TensorRole::mask) && std::ranges::all_of(dump.tensors, is_mask))
        plan.ways.push_back(TensorRole::mask);  // alone
    if (plan.ways.empty()) return;
    const bool can = choice.opens && std::ranges::count(plan.ways, *choice.opens) > 0;
    plan.way = can ? *choice.opens : plan.ways.front();
}

std::string no_way(const Dump& dump, const DumpPlan& plan) {
    if (plan.gives(TensorRole::queries)) return "Choose the tensor that holds the keys.";
    if (plan.gives(TensorRole::keys)) return "Choose the tensor that holds the queries.";
    const auto is_parameter = [](const DumpTensor& t) { return t.tensor.name.ends_with("weight"); };
    const auto may_be_attention = [](const DumpTensor& t) {
        return t.tensor.numbers == Numbers::floats && t.tensor.axes.size() >= 3;
    };
    if (std::ranges::any_of(dump.tensors, is_parameter) &&
        std::ranges::none_of(dump.tensors, may_be_attention))
        return "These look like model weights. Attention exists only while the model runs; record "
               "it with assets/python/dump_attention.py.";
    return "Choose the tensors that hold queries and keys, or scores, or weights.";
}

// --- shapes

struct FourAxes {
    Index b = 1, h = 1, rows = 1, columns = 1;
};

// Without the axis of layers; what is missing has size 1. d: the width of each of merged heads.
FourAxes four_axes(std::vector<Index> axes, bool positions_first, Index d = 0) {
    if (axes.size() == 5) axes.erase(axes.begin());
    if (d > 0 && axes.back() % d == 0) axes = {axes[0], axes[1], axes[2] / d, d};
    while (axes.size() < 4) axes.insert(axes.begin(), 1);
    if (positions_first) std::swap(axes[1], axes[2]);
    return {axes[0], axes[1], axes[2], axes[3]};
}

// The width of one head, if the last axis of queries [b, n, h·d] holds all heads.
Index merged_width(const DumpPlan& plan) {
    return plan.merged_heads == 0
               ? 0
               : plan.of(TensorRole::queries)->tensor.axes.back() / plan.merged_heads;
}

FourAxes four_axes(const DumpPlan& plan, TensorRole role) {
    std::vector<Index> axes = plan.of(role)->tensor.axes;
    if (plan.averaged && role == TensorRole::weights) axes.insert(axes.begin() + 1, 1);
    const bool vectors =
        role == TensorRole::queries || role == TensorRole::keys || role == TensorRole::values;
    return four_axes(axes, vectors && plan.positions_first && axes.size() >= 3,
                     vectors && axes.size() == 3 ? merged_width(plan) : 0);
}

// The roles whose numbers become inputs of the scene.
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
        if (tensor.numbers != Numbers::floats && role != TensorRole::mask)
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

// The text of "scale", or of "layer.3.scale" where that is of this layer; nullptr if there is none.
const std::string* text_of(const Dump& dump, const DumpPlan& plan, const std::string& what) {
    const std::string* found = nullptr;
    for (const auto& [key, text] : dump.metadata) {
        if (key == what) found = &text;
        if (!key.ends_with("." + what)) continue;
        // The entry belongs to the layer whose queries have the same name.
        if (meaning_of(key.substr(0, key.size() - what.size()) + "q").group == plan.group)
            return &text;
    }
    return found;
}

// The number of keys, where scores, weights, a mask or the tokens tell it.
std::optional<Index> told_keys(const Dump& dump, const DumpPlan& plan) {
    for (const TensorRole role : {TensorRole::scores, TensorRole::weights, TensorRole::mask})
        if (plan.gives(role) && plan.of(role)->tensor.axes.size() >= 2 &&
            !plan.of(role)->tensor.name.ends_with("bias"))  // GPT-2's is larger
            return plan.of(role)->tensor.axes.back();
    const std::string* tokens = text_of(dump, plan, "key_tokens");
    if (tokens == nullptr) tokens = text_of(dump, plan, "tokens");
    if (tokens == nullptr) return std::nullopt;
    try {
        std::size_t longest = 0;
        for (const auto& list : token_lists(*tokens)) longest = std::max(longest, list.size());
        return static_cast<Index>(longest);
    } catch (const InputError&) {  // a note says so
        return std::nullopt;
    }
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

// --- axes

bool names(const DumpTensor& tensor, std::string_view part) {
    return tensor.tensor.name.find(part) != std::string::npos;
}

// Whether the vectors can be read in this order.
bool fits(const Dump& dump, DumpPlan plan, bool positions_first) {
    plan.positions_first = positions_first;
    const auto n = told_keys(dump, plan);
    return settle_shape(plan).empty() && (!n || plan.shape.n_k == *n || plan.shape.n_q == *n);
}

// The order that metadata, or the names of a library, tell.
std::optional<bool> told_order(const Dump& dump, const DumpPlan& plan, const DumpTensor& tensor) {
    if (const std::string* axes = text_of(dump, plan, "axes")) {
        if (*axes == "bhnd" || *axes == "hnd") return false;
        if (*axes == "bnhd" || *axes == "nhd") return true;
    }
    if (names(tensor, "hook_")) return true;  // TransformerLens
    if (plan.gives(TensorRole::documents) && tensor.tensor.axes.size() == 3) return true;
    const bool of_transformers =
        names(tensor, "_states") || names(tensor, "key_layer") || names(tensor, "value_layer");
    // dump_attention.py writes the scale of each layer.
    const bool of_script = std::ranges::any_of(
        dump.metadata, [](const auto& entry) { return entry.first.ends_with(".scale"); });
    if (of_transformers || of_script) return false;
    return std::nullopt;
}

Index told_heads(const Dump& dump) {
    for (const char* key : {"num_attention_heads", "num_heads", "n_heads", "n_head"})
        if (const auto text = dump.metadata.find(key); text != dump.metadata.end())
            return static_cast<Index>(factor_in(text->second).value_or(0));
    return 0;
}

// Returns the question, "" if the order is certain.
std::string settle_axes(const Dump& dump, const DumpChoice& choice, DumpPlan& plan) {
    const TensorRole of = plan.way == TensorRole::queries ? TensorRole::keys : TensorRole::values;
    if (!plan.gives(of)) return "";
    const DumpTensor& tensor = *plan.of(of);
    std::size_t count = tensor.tensor.axes.size();
    if (count < 3) return "";
    const Index heads = told_heads(dump);
    if (plan.way == TensorRole::queries && count == 3 && heads > 0 && choice.axes.empty() &&
        plan.of(TensorRole::queries)->tensor.axes.size() == 3 &&
        plan.of(TensorRole::queries)->tensor.axes.back() % heads == 0) {
        plan.merged_heads = heads;
        plan.positions_first = true;
        return "";
    }
    count = std::min<std::size_t>(count, 4);
    plan.axes_ways = count == 3 ? std::vector<std::string>{"hnd", "nhd"}
                                : std::vector<std::string>{"bhnd", "bnhd"};
    if (!choice.axes.empty()) {
        plan.asks_axes = true;
        plan.positions_first = choice.axes == plan.axes_ways[1];
        const bool known = std::ranges::count(plan.axes_ways, choice.axes) > 0;
        return known ? ""
                     : fmt::format("{} has {} axes, not {}.", printable(tensor.tensor.name), count,
                                   choice.axes);
    }
    if (const auto order = told_order(dump, plan, tensor)) {
        plan.positions_first = *order;
        return "";
    }
    const bool heads_first = fits(dump, plan, false), positions_first = fits(dump, plan, true);
    plan.positions_first = positions_first && !heads_first;
    plan.asks_axes = heads_first == positions_first;
    if (!heads_first || !positions_first) return "";  // what does not agree is said
    return fmt::format("Choose whether {} [{}] has heads or tokens first; the file does not say.{}",
                       printable(tensor.tensor.name), fmt::join(tensor.tensor.axes, ", "),
                       count == 3 ? " Merged heads, [b, n, h·d], need num_attention_heads in the "
                                    "metadata."
                                  : "");
}

// Refuses more than a scene can hold.
std::string problem_of_size(const DumpPlan& plan) {
    constexpr Index most_heads = 1024, most_tokens = 65536, largest_width = 65536;
    constexpr double most_cells = 1 << 26;  // of a mask alone
    const Shape& s = plan.shape;
    if (plan.way == TensorRole::mask &&
        static_cast<double>(s.b * s.h) * static_cast<double>(s.n_q * s.n_k) > most_cells)
        return fmt::format("A mask of {} × {} cells is too large.", s.n_q, s.n_k);
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

// A layer or a sequence that a person names and the file lacks.
std::string problem_of_part(const DumpChoice& choice, const DumpPlan& plan) {
    const bool layer_is_there = !choice.layer || *choice.layer < plan.layers ||
                                group_of(plan.groups, *choice.layer) == plan.group;
    if (!layer_is_there)
        return fmt::format("There is no layer {}: the file has {}.", *choice.layer,
                           plan.layers > 1 ? counted(plan.layers, "layer", "layers")
                                           : fmt::format("{}", fmt::join(plan.groups, ", ")));
    if (choice.sequence && *choice.sequence >= plan.sequences)
        return fmt::format("There is no sequence {}: the file has {}, counted from 0.",
                           *choice.sequence, counted(plan.sequences, "sequence", "sequences"));
    return "";
}

void settle_part(const DumpChoice& choice, DumpPlan& plan) {
    plan.layer = std::clamp<Index>(choice.layer.value_or(0), 0, plan.layers - 1);
    if (plan.sequences == 1) return;
    if (choice.sequence || plan.sequences > most_sequences)
        plan.sequence = std::clamp<Index>(choice.sequence.value_or(0), 0, plan.sequences - 1);
    if (plan.sequence) plan.shape.b = 1;
}

// --- mask

std::vector<Index> axes_of_mask(const DumpPlan& plan) {
    std::vector<Index> axes = plan.of(TensorRole::mask)->tensor.axes;
    if (axes.size() == 5) axes.erase(axes.begin());
    return axes;
}

// The meaning of true, if two rows show it: the first query attends only to itself, the last to all
// keys.
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

// The tensor whose numbers show what was blocked, if there is no mask: scores of −∞, weights of 0.
TensorRole mask_shown_by(const DumpPlan& plan) {
    if (plan.way != TensorRole::queries) return TensorRole::none;
    for (const TensorRole role : {TensorRole::scores, TensorRole::weights, TensorRole::bias}) {
        if (!plan.gives(role) || plan.of(role)->tensor.axes.size() < 2) continue;
        const FourAxes axes = four_axes(plan, role);
        const Shape& s = plan.shape;
        if ((axes.b == s.b || role == TensorRole::bias) && axes.rows == s.n_q &&
            axes.columns == s.n_k && (axes.h == s.h || axes.h == 1))
            return role;
    }
    return TensorRole::none;
}

// The user's choice of the mask overrides what the file says.
std::string choose_mask(const DumpChoice& choice, DumpPlan& plan) {
    const DumpTensor*& mask = plan.with_role[static_cast<std::size_t>(TensorRole::mask)];
    plan.causal = choice.mask == "causal";
    if (choice.mask.empty() || plan.way == TensorRole::mask) {
        plan.mask_from = mask != nullptr ? TensorRole::mask : mask_shown_by(plan);
        return "";
    }
    mask = nullptr;
    if (plan.causal || choice.mask == "none") return "";
    for (const DumpTensor* tensor : plan.shown)
        if (tensor->tensor.name == choice.mask || tensor->tensor.name.ends_with("." + choice.mask))
            mask = tensor;
    plan.mask_from = TensorRole::mask;
    return mask != nullptr ? "" : "There is no tensor " + printable(choice.mask) + " for a mask.";
}

std::string settle_mask(const DumpChoice& choice, DumpPlan& plan) {
    if (auto problem = choose_mask(choice, plan); !problem.empty()) return problem;
    if (plan.mask_from == TensorRole::none || plan.mask_from == TensorRole::bias) return "";
    if (plan.mask_from != TensorRole::mask) {
        constexpr double most = 1 << 26;
        double count = 1;
        for (const Index axis : plan.of(plan.mask_from)->tensor.axes)
            count *= static_cast<double>(axis);
        if (count / static_cast<double>(plan.layers) > most)
            return "Choose what is masked; " + printable(plan.of(plan.mask_from)->tensor.name) +
                   " is too large to be read for it.";
        const FourAxes axes = four_axes(plan, plan.mask_from);
        plan.mask_axes = {axes.b, axes.h, axes.rows, axes.columns};
        return "";
    }
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
    else if (by_name || !choice.mask.empty())  // true = attend, as in scenes
        plan.true_blocks = false;
    else
        plan.true_blocks = truth_by_rows(plan);
    plan.asks_truth = !plan.true_blocks;
    if (plan.asks_truth && plan.way == TensorRole::mask) {
        plan.true_blocks = false;
        plan.notes.emplace_back("True is read as: the key is allowed.");
    }
    if (choice.true_blocks) plan.true_blocks = choice.true_blocks;
    return plan.true_blocks ? "" : "Choose what True means in the mask; the file does not say.";
}

// --- scale

Scale scale_of(double factor, std::optional<Index> d_k) {
    if (factor == 1) return {ScaleKind::none, 1};
    const double root = d_k ? 1 / std::sqrt(static_cast<double>(*d_k)) : 0;
    if (std::abs(factor - root) <= 1e-12 * root) return {ScaleKind::sqrt_d_k, 1};
    return {ScaleKind::number, factor};
}

std::string settle_scale(const Dump& dump, const DumpChoice& choice, DumpPlan& plan) {
    if (plan.way == TensorRole::weights || plan.way == TensorRole::mask) return "";
    plan.asks_scale = true;
    if (plan.way == TensorRole::scores && names(*plan.of(TensorRole::scores), "hook_attn_scores")) {
        plan.scale = Scale{ScaleKind::none, 1};  // TransformerLens has scaled and masked them
        plan.scale_in_file = true;
    } else if (const std::string* text = text_of(dump, plan, "scale")) {
        if (const auto factor = factor_in(*text)) plan.scale = scale_of(*factor, plan.d_k);
        plan.scale_in_file = plan.scale.has_value();
        if (!plan.scale)
            plan.notes.push_back("The scale in the file is not a number: " + printable(*text) +
                                 ".");
    }
    if (choice.scale) plan.scale = choice.scale;
    return plan.scale ? "" : "Choose the scale; the file does not say.";
}

// Settings of the softmax that a model such as gpt-oss or gemma2 adds.
void settle_softmax(const Dump& dump, DumpPlan& plan) {
    if (plan.way == TensorRole::weights) return;
    if (const std::string* text = text_of(dump, plan, "softcap")) {
        const auto cap = factor_in(*text);
        if (cap && *cap >= 1e-3 && *cap <= 1e6)
            plan.variant.softcap = Softcap{*cap, CapOrder::before_mask};
        else
            plan.notes.push_back("The softcap in the file is left out: " + printable(*text) + ".");
    }
    if (const std::string* text = text_of(dump, plan, "sinks")) {
        auto sinks = number_list(*text);
        if (std::ssize(sinks) == plan.shape.h) {
            plan.variant.normalizer = Normalizer::softmax_sink;
            plan.variant.sink = std::move(sinks);
            return;
        }
        plan.notes.push_back(fmt::format("The sinks in the file are left out: {} numbers for {}.",
                                         sinks.size(), counted(plan.shape.h, "head", "heads")));
    }
}

// --- tokens

std::vector<std::string> numbered(Index count) {
    std::vector<std::string> tokens;
    for (Index i = 0; i < count; ++i) tokens.push_back(std::to_string(i));
    return tokens;
}

// The lists of metadata; a note where they are broken.
TokenLists lists_in(const Dump& dump, const std::string& key, DumpPlan& plan) {
    const std::string* text = text_of(dump, plan, key);
    if (text == nullptr) return {};
    try {
        return token_lists(*text);
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
        plan.notes.push_back(
            "The file has token ids. Choose the model's tokenizer.json to see the tokens.");
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

std::string words_of(const DumpPlan& plan) {
    const bool values = plan.gives(TensorRole::values);
    std::string text = plan.way == TensorRole::scores    ? "Scores"
                       : plan.way == TensorRole::weights ? "Weights"
                       : plan.way == TensorRole::mask    ? "A mask"
                       : values                          ? "Queries, keys"
                                                         : "Queries and keys";
    if (values) text += " and values";
    if (!plan.group.empty() && plan.way != TensorRole::mask) text += " of " + printable(plan.group);
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
    return text + (plan.mask_from == TensorRole::mask && plan.way != TensorRole::mask
                       ? ", with a mask."
                       : ".");
}

// Whether its numbers become part of the scene, or are compared with it.
bool is_used(const DumpPlan& plan, const DumpTensor& tensor) {
    const auto at = std::ranges::find(plan.with_role, &tensor) - plan.with_role.begin();
    const auto role = static_cast<TensorRole>(at);
    const bool queries = plan.way == TensorRole::queries, weights = plan.way == TensorRole::weights;
    switch (at < std::ssize(plan.with_role) ? role : TensorRole::none) {
        case TensorRole::none:
            return false;
        case TensorRole::queries:
        case TensorRole::keys:
            return queries;
        case TensorRole::scores:
            return plan.way == role || plan.mask_from == role;
        case TensorRole::weights:
            return !(plan.way == TensorRole::scores);
        case TensorRole::bias:
        case TensorRole::sinks:
            return !weights;
        case TensorRole::documents:
            return plan.mask_from == TensorRole::none;
        default:
            return true;
    }
}

// The options that settle the mask.
std::string mask_options(const DumpPlan& plan) {
    const std::string name =
        plan.gives(TensorRole::mask) ? printable(plan.of(TensorRole::mask)->tensor.name) : "";
    const bool truth = plan.asks_truth && !plan.true_blocks;
    return (truth ? fmt::format("--mask {} (true = attend), ", name) : "") +
           "--mask causal or --mask none";
}

void note_what_is_lost(DumpPlan& plan) {
    if (plan.key_heads < plan.shape.h)
        plan.notes.push_back(fmt::format("{} repeated for {}.",
                                         plan.key_heads == 1
                                             ? "The one KV head is"
                                             : fmt::format("The {} KV heads are", plan.key_heads),
                                         counted(plan.shape.h, "query head", "query heads")));
    std::vector<std::string> left_out;
    for (const DumpTensor* tensor : plan.shown)
        if (!is_used(plan, *tensor)) left_out.push_back(printable(tensor->tensor.name));
    constexpr std::size_t most = 12;
    const std::size_t more = left_out.size() - std::min(left_out.size(), most);
    left_out.resize(std::min(left_out.size(), most));
    if (!left_out.empty())
        plan.notes.push_back(fmt::format("Left out: {}{}.", fmt::join(left_out, ", "),
                                         more > 0 ? fmt::format(" and {} more", more) : ""));
    if (plan.way == TensorRole::queries && plan.mask_from == TensorRole::none && !plan.causal &&
        !plan.gives(TensorRole::documents))
        plan.notes.emplace_back("No mask in the file: every key is allowed.");
    if (plan.mask_from == TensorRole::scores || plan.mask_from == TensorRole::weights)
        plan.notes.push_back("The mask is what " + printable(plan.of(plan.mask_from)->tensor.name) +
                             " blocks.");
    if (names(*plan.of(plan.way), "_proj"))
        plan.notes.emplace_back("Projections are taken before any rotation: weights may differ.");
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
    const bool of_merged =
        plan.merged_heads > 0 &&
        (role == TensorRole::queries || role == TensorRole::keys || role == TensorRole::values);
    const bool of_averaged = plan.averaged && role == TensorRole::weights;
    if (plan.sequence && (axes.size() >= 4 || of_mask || of_merged || of_averaged))
        at.push_back(axes[at.size()] == 1 ? 0 : *plan.sequence);
    return at;
}

DumpPlan plan_of(const Dump& dump, const DumpChoice& choice) {
    DumpPlan plan;
    choose_tensors(dump, choice, plan);
    choose_way(dump, choice, plan);
    if (plan.gives(TensorRole::mask) && names(*plan.of(TensorRole::mask), ".bias"))
        plan.notes.push_back(printable(plan.of(TensorRole::mask)->tensor.name) +
                             " is a causal mask, not a bias.");
    plan.missing = plan.ways.empty() ? no_way(dump, plan) : problem_of_axes(plan);
    if (!plan.missing.empty()) return plan;
    // PyTorch's MultiheadAttention returns the mean of its heads.
    plan.averaged = plan.gives(TensorRole::weights) &&
                    plan.of(TensorRole::weights)->tensor.axes.size() == 3 &&
                    names(*plan.of(TensorRole::weights), "attn_output_weights");
    const std::string axes = settle_axes(dump, choice, plan);
    plan.missing = settle_shape(plan);
    if (plan.missing.empty()) plan.missing = problem_of_size(plan);
    if (!plan.missing.empty()) return plan;
    const std::string part = problem_of_part(choice, plan);
    const std::string mask = settle_mask(choice, plan);
    settle_part(choice, plan);
    const std::string scale = settle_scale(dump, choice, plan);
    settle_softmax(dump, plan);
    settle_tokens(dump, choice, plan);
    note_what_is_lost(plan);
    // The first thing that is missing, and the options that settle it.
    if (!(plan.missing = axes).empty())
        plan.settled_by = fmt::format("--axes {}", fmt::join(plan.axes_ways, " or --axes "));
    else if (!(plan.missing = part).empty())
        plan.settled_by = "";
    else if (!(plan.missing = mask).empty())
        plan.settled_by = mask_options(plan);
    else if (!(plan.missing = scale).empty())
        plan.settled_by = "--scale 0.125, --scale sqrt_d_k or --scale none";
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
