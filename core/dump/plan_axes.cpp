// Decides what the axes of the tensors are, and whether they agree.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/dump/plan_parts.h"
#include "core/scene/names.h"

namespace maskscope {

using Numbers = ListedTensor::Numbers;

namespace {

// Returns the axes without that of layers; missing ones have size 1. d: the width of each of the
// merged heads.
FourAxes four_axes(std::vector<Index> axes, bool positions_first, Index d = 0) {
    if (axes.size() == 5) axes.erase(axes.begin());
    if (d > 0 && axes.back() % d == 0) axes = {axes[0], axes[1], axes[2] / d, d};
    while (axes.size() < 4) axes.insert(axes.begin(), 1);
    if (positions_first) std::swap(axes[1], axes[2]);
    return {axes[0], axes[1], axes[2], axes[3]};
}

// Returns the width of one head, if the last axis of queries [b, n, h·d] holds all heads.
Index merged_width(const DumpPlan& plan) {
    return plan.merged_heads == 0
               ? 0
               : plan.of(TensorRole::queries)->tensor.axes.back() / plan.merged_heads;
}

}  // namespace

std::vector<TensorRole> opened_roles(const DumpPlan& plan) {
    std::vector<TensorRole> roles{plan.way};
    if (plan.way == TensorRole::queries) roles.push_back(TensorRole::keys);
    if (plan.gives(TensorRole::values)) roles.push_back(TensorRole::values);
    return roles;
}

FourAxes four_axes(const DumpPlan& plan, TensorRole role) {
    std::vector<Index> axes = plan.of(role)->tensor.axes;
    if (is_averaged(plan, role)) axes.insert(axes.begin() + 1, 1);
    const bool vectors =
        role == TensorRole::queries || role == TensorRole::keys || role == TensorRole::values;
    return four_axes(axes, vectors && plan.positions_first && axes.size() >= 3,
                     vectors && axes.size() == 3 ? merged_width(plan) : 0);
}

std::string problem_of_axes(const DumpPlan& plan) {
    for (const TensorRole role : opened_roles(plan)) {
        const ListedTensor& tensor = plan.of(role)->tensor;
        const std::string name = printable(tensor.name);
        if (tensor.numbers != Numbers::floats && role != TensorRole::mask)
            return fmt::format("{} cannot be {}: its numbers are {}, not floating point.", name,
                               within_sentence(label(role)),
                               tensor.dtype.empty() ? "unknown" : printable(tensor.dtype));
        const bool may_be_one_row = role == TensorRole::mask && tensor.axes.size() == 1;
        if ((tensor.axes.size() < 2 && !may_be_one_row) || tensor.axes.size() > 5)
            return fmt::format("{} has {}; expected 2 to 5 axes.", name,
                               counted(std::ssize(tensor.axes), "axis", "axes"));
        if (std::ranges::count(tensor.axes, 0) > 0) return name + " is empty.";
        if (layers_in(tensor) != layers_in(plan.of(plan.way)->tensor))
            return name + " has a different number of layers from the rest.";
    }
    return "";
}

namespace {

// Returns the number of keys, if scores, weights, a mask or the tokens give it.
std::optional<Index> told_keys(const Dump& dump, const DumpChoice& choice, const DumpPlan& plan) {
    const auto longest_of = [](const TokenLists& lists) {
        std::size_t longest = 0;
        for (const auto& list : lists) longest = std::max(longest, list.size());
        return static_cast<Index>(longest);
    };
    for (const TensorRole role : {TensorRole::scores, TensorRole::weights, TensorRole::mask})
        if (plan.gives(role) && plan.of(role)->tensor.axes.size() >= 2 &&
            !plan.of(role)->tensor.name.ends_with("bias"))  // GPT-2's mask has more keys
            return plan.of(role)->tensor.axes.back();
    if (choice.tokens) return longest_of(*choice.tokens);
    const std::string* tokens = text_of(dump, plan, "key_tokens");
    if (tokens == nullptr) tokens = text_of(dump, plan, "tokens");
    if (tokens == nullptr) return std::nullopt;
    try {
        return longest_of(token_lists(*tokens));
    } catch (const InputError&) {  // a note reports it
        return std::nullopt;
    }
}

}  // namespace

// Decides the shape of the scene. Returns what does not agree; "" if everything does.
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

std::optional<Index> layers_in(const ListedTensor& tensor) {
    return tensor.axes.size() == 5 ? std::optional(tensor.axes.front()) : std::nullopt;
}

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

bool names(const DumpTensor& tensor, std::string_view part) {
    return tensor.tensor.name.find(part) != std::string::npos;
}

namespace {

// True if the vectors can be read in this order.
bool fits(const Dump& dump, const DumpChoice& choice, DumpPlan plan, bool positions_first) {
    plan.positions_first = positions_first;
    const auto n = told_keys(dump, choice, plan);
    return settle_shape(plan).empty() && (!n || plan.shape.n_k == *n || plan.shape.n_q == *n);
}

Index told_heads(const Dump& dump) {
    for (const char* key : {"num_attention_heads", "num_heads", "n_heads", "n_head"})
        if (const auto text = dump.metadata.find(key); text != dump.metadata.end())
            return static_cast<Index>(factor_in(text->second).value_or(0));
    return 0;
}

// Counts the lists of tokens that the file or the user gives.
std::size_t told_sequences(const Dump& dump, const DumpChoice& choice, const DumpPlan& plan) {
    if (choice.tokens) return choice.tokens->size();
    const std::string* tokens = text_of(dump, plan, "tokens");
    if (tokens == nullptr) return 0;
    try {
        return token_lists(*tokens).size();
    } catch (const InputError&) {  // a note reports it
        return 0;
    }
}

// Returns whether scores or weights [x, n_q, n_k] are those of x sequences rather than of x heads,
// as the name, the metadata, the tokens or the other tensors tell.
std::optional<bool> told_averaged(const Dump& dump, const DumpChoice& choice, const DumpPlan& plan,
                                  const DumpTensor& tensor) {
    const auto first = tensor.tensor.axes.front();
    if (first == 1) return false;
    // PyTorch's MultiheadAttention returns the mean of its heads.
    if (names(tensor, "attn_output_weights")) return true;
    const std::string* axes = text_of(dump, plan, "axes");
    if (axes != nullptr && *axes == "bnd") return true;
    if (names(tensor, "hook_") || (axes != nullptr && *axes == "hnd")) return false;
    if (told_heads(dump) == first) return false;
    const std::size_t lists = told_sequences(dump, choice, plan);
    if (lists == 1) return false;
    if (lists == static_cast<std::size_t>(first)) return true;
    if (plan.way != TensorRole::queries) return std::nullopt;
    const FourAxes queries = four_axes(plan, TensorRole::queries);
    if (queries.h == first && queries.b == 1) return false;
    return queries.b == first && queries.h != first ? std::optional(true) : std::nullopt;
}

// Decides whether the first of three axes of scores or weights is that of heads or of sequences.
// Returns the question; "" if it is certain.
std::string settle_averaged(const Dump& dump, const DumpChoice& choice, DumpPlan& plan) {
    const TensorRole role =
        plan.way == TensorRole::scores ? TensorRole::scores : TensorRole::weights;
    if (!plan.gives(role) || plan.of(role)->tensor.axes.size() != 3) return "";
    const DumpTensor& tensor = *plan.of(role);
    const bool chosen = choice.axes == "hnd" || choice.axes == "bnd";
    const auto told =
        chosen ? std::optional(choice.axes == "bnd") : told_averaged(dump, choice, plan, tensor);
    plan.averaged = told.value_or(false);
    if (plan.way != role || (told && !chosen)) return "";
    plan.asks_axes = true;
    plan.axes_ways = {"hnd", "bnd"};
    if (chosen) return "";
    return fmt::format(
        "Choose whether {} [{}] has heads or sequences first; the file does not say.",
        printable(tensor.tensor.name), fmt::join(tensor.tensor.axes, ", "));
}

// Returns whether positions come before heads, as the metadata or the tensor's name tells; nullopt
// if they do not.
std::optional<bool> told_order(const Dump& dump, const DumpPlan& plan, const DumpTensor& tensor) {
    if (const std::string* axes = text_of(dump, plan, "axes")) {
        if (*axes == "bhnd" || *axes == "hnd") return false;
        if (*axes == "bnhd" || *axes == "nhd") return true;
    }
    if (names(tensor, "hook_")) return true;  // TransformerLens
    if (plan.gives(TensorRole::documents) && tensor.tensor.axes.size() == 3) return true;
    const bool of_transformers =
        names(tensor, "_states") || names(tensor, "key_layer") || names(tensor, "value_layer");
    // A file with the scale of each layer comes from dump_attention.py.
    const bool of_script = std::ranges::any_of(
        dump.metadata, [](const auto& entry) { return entry.first.ends_with(".scale"); });
    if (of_transformers || of_script) return false;
    return std::nullopt;
}

}  // namespace

bool is_averaged(const DumpPlan& plan, TensorRole role) {
    if (!plan.averaged || plan.of(role)->tensor.axes.size() != 3) return false;
    return plan.way == TensorRole::queries ? role == TensorRole::weights
                                           : role == plan.way || role == TensorRole::values;
}

namespace {

// Reads queries and keys as [b, n, h·d]. Returns what does not agree; "" if they can be read in
// this way.
std::string merge_heads(DumpPlan& plan, Index heads) {
    plan.merged_heads = heads;
    plan.positions_first = true;
    const DumpTensor& queries = *plan.of(TensorRole::queries);
    if (queries.tensor.axes.back() % heads == 0) return "";
    return fmt::format("{} [{}] is not as wide as {}.", printable(queries.tensor.name),
                       fmt::join(queries.tensor.axes, ", "), counted(heads, "head", "heads"));
}

}  // namespace

// Decides the order of the axes. Returns the question; "" if the order is certain.
std::string settle_axes(const Dump& dump, const DumpChoice& choice, DumpPlan& plan) {
    if (std::string question = settle_averaged(dump, choice, plan); !question.empty())
        return question;
    if (plan.averaged && plan.way != TensorRole::queries) return "";
    const TensorRole of = plan.way == TensorRole::queries ? TensorRole::keys : TensorRole::values;
    if (!plan.gives(of)) return "";
    const DumpTensor& tensor = *plan.of(of);
    std::size_t count = tensor.tensor.axes.size();
    if (count < 3) return "";
    const Index heads = told_heads(dump);
    const bool may_merge = plan.way == TensorRole::queries && count == 3 &&
                           plan.of(TensorRole::queries)->tensor.axes.size() == 3;
    const std::string* axes = text_of(dump, plan, "axes");
    if (may_merge && choice.axes.empty() && axes != nullptr && *axes == "bnd")
        return merge_heads(plan, std::max<Index>(heads, 1));
    if (may_merge && heads > 0 && choice.axes.empty() &&
        plan.of(TensorRole::queries)->tensor.axes.back() % heads == 0)
        return merge_heads(plan, heads);
    count = std::min<std::size_t>(count, 4);
    plan.axes_ways = count == 3 ? std::vector<std::string>{"hnd", "nhd"}
                                : std::vector<std::string>{"bhnd", "bnhd"};
    if (may_merge) plan.axes_ways.emplace_back("bnd");
    if (!choice.axes.empty()) {
        plan.asks_axes = true;
        if (may_merge && choice.axes == "bnd") return merge_heads(plan, std::max<Index>(heads, 1));
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
    const bool heads_first = fits(dump, choice, plan, false);
    const bool positions_first = fits(dump, choice, plan, true);
    plan.positions_first = positions_first && !heads_first;
    plan.asks_axes = heads_first == positions_first;
    if (!heads_first || !positions_first) return "";  // a disagreement is reported elsewhere
    return fmt::format("Choose whether {} [{}] has {} first; the file does not say.{}",
                       printable(tensor.tensor.name), fmt::join(tensor.tensor.axes, ", "),
                       may_merge ? "heads, tokens or sequences" : "heads or tokens",
                       may_merge ? " Merged heads, [b, n, h·d], need num_attention_heads in the "
                                   "metadata."
                                 : "");
}

// Returns why a scene cannot hold that much; "" if it can.
std::string problem_of_size(const DumpPlan& plan) {
    constexpr Index most_heads = 1024, most_tokens = 65536, largest_width = 65536;
    constexpr double most_cells = 1 << 26;  // for a mask on its own
    const Shape& s = plan.shape;
    if (plan.way == TensorRole::mask &&
        static_cast<double>(s.b * s.h) * static_cast<double>(s.n_q * s.n_k) > most_cells)
        return fmt::format("A mask of {} × {} cells is too large.", s.n_q, s.n_k);
    const auto refuse = [](const std::string& what, Index count, Index most) {
        return fmt::format("{} {} are too many; at most {} can be opened.", count, what, most);
    };
    if (s.h > most_heads) return refuse("heads", s.h, most_heads);
    if (std::max(s.n_q, s.n_k) > most_tokens)
        return refuse("tokens", std::max(s.n_q, s.n_k), most_tokens);
    if (std::max(plan.d_k.value_or(1), plan.d_v.value_or(1)) > largest_width)
        return refuse("components", std::max(plan.d_k.value_or(1), plan.d_v.value_or(1)),
                      largest_width);
    return "";
}

std::vector<Index> part_of(const DumpPlan& plan, TensorRole role) {
    const std::vector<Index>& axes = plan.of(role)->tensor.axes;
    std::vector<Index> at;
    if (axes.size() == 5) at.push_back(plan.layer);
    const bool of_mask = role == TensorRole::mask && plan.mask_axes.front() > 1;
    const bool of_merged =
        plan.merged_heads > 0 &&
        (role == TensorRole::queries || role == TensorRole::keys || role == TensorRole::values);
    if (plan.sequence && (axes.size() >= 4 || of_mask || of_merged || is_averaged(plan, role)))
        at.push_back(axes[at.size()] == 1 ? 0 : *plan.sequence);
    return at;
}

}  // namespace maskscope
