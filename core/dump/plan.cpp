// Decides which tensors are opened, finds the names of the tokens, and describes the plan in words.

#include "core/dump/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/dump/plan_parts.h"
#include "core/scene/names.h"

namespace maskscope {

// --- which tensors are opened: their layer, their roles, and which inputs they give

using Numbers = ListedTensor::Numbers;

namespace {

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

// Returns the layer's number: 11 for "model layers 11 self attn", 3 for "encoder block 3 layer 0".
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

}  // namespace

// Returns the group that a number means: by its own number, or if two share a number, by its index.
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
    // A tensor whose role the user chose comes first, then one that belongs to the group itself.
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
    // Sort the rows of the table by the guessed roles, so that a choice does not move them.
    const auto order = [](const DumpTensor* tensor) {
        return tensor->guess == TensorRole::none ? tensor_role_count
                                                 : static_cast<std::size_t>(tensor->guess);
    };
    std::ranges::stable_sort(plan.shown, {}, order);
}

// Chooses the inputs: queries and keys contain more than scores, and scores more than weights.
void choose_way(const Dump& dump, const DumpChoice& choice, DumpPlan& plan) {
    if (plan.gives(TensorRole::queries) && plan.gives(TensorRole::keys))
        plan.ways.push_back(TensorRole::queries);
    if (plan.gives(TensorRole::scores)) plan.ways.push_back(TensorRole::scores);
    if (plan.gives(TensorRole::weights)) plan.ways.push_back(TensorRole::weights);
    const auto is_mask = [&](const DumpTensor& tensor) {
        const TensorRole role = role_of(choice, tensor);
        const bool not_chosen = role == TensorRole::none && tensor.guess == TensorRole::mask;
        return role == TensorRole::mask || role == TensorRole::ids || not_chosen;
    };
    if (plan.gives(TensorRole::mask) && std::ranges::all_of(dump.tensors, is_mask))
        plan.ways.push_back(TensorRole::mask);  // on its own
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

// --- the names of the tokens

namespace {

std::vector<std::string> numbered(Index count) {
    std::vector<std::string> tokens;
    for (Index i = 0; i < count; ++i) tokens.push_back(std::to_string(i));
    return tokens;
}

// Returns the lists in the metadata; adds a note if they are broken.
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

// Returns the list of each opened sequence, padded with pad tokens; none if they do not fit
// `count`.
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

}  // namespace

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
            fmt::format("The tokens do not fit: there are {}, but {} queries and {} keys.",
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
                         "is a tokenizer, but the file of tensors has no token ids. Provide "
                         "the tokens as a list or as plain text");
    TokenLists lists;
    for (const auto& list : ids) lists.push_back(tokens_of(vocabulary, list));
    return lists;
}

// --- words for what will be opened, and what is left out

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

namespace {

// True if the tensor's numbers become part of the scene, or are compared with it.
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
        case TensorRole::key_documents:
            return plan.mask_from == TensorRole::none && plan.gives(TensorRole::documents);
        default:
            return true;
    }
}

}  // namespace

void note_what_is_lost(const DumpChoice& choice, DumpPlan& plan) {
    if (plan.key_heads < plan.shape.h)
        plan.notes.push_back(fmt::format("{} repeated for {}.",
                                         plan.key_heads == 1
                                             ? "The one KV head is"
                                             : fmt::format("The {} KV heads are", plan.key_heads),
                                         counted(plan.shape.h, "query head", "query heads")));
    std::vector<std::string> left_out;
    for (const DumpTensor* tensor : plan.shown)
        if (!is_used(plan, *tensor)) left_out.push_back(printable(tensor->tensor.name));
    if (!left_out.empty())
        plan.notes.push_back(fmt::format("Not used: {}.", fmt::join(left_out, ", ")));
    if (plan.way == TensorRole::queries && plan.mask_from == TensorRole::none && !plan.causal &&
        !plan.gives(TensorRole::documents))
        plan.notes.push_back(fmt::format("No mask {}: every key is allowed.",
                                         choice.mask == "none" ? "is used" : "in the file"));
    if (plan.mask_from == TensorRole::scores || plan.mask_from == TensorRole::weights)
        plan.notes.push_back("The mask is what " + printable(plan.of(plan.mask_from)->tensor.name) +
                             " blocks.");
    if (names(*plan.of(plan.way), "_proj"))
        plan.notes.emplace_back(
            "These are projections before any rotary embedding, so weights may differ.");
}

namespace {

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

// Returns the problem if the user names a layer or a sequence that the file lacks.
std::string problem_of_part(const DumpChoice& choice, const DumpPlan& plan) {
    const auto is_numbered = [](const std::string& group) {
        return group.find_first_of("0123456789") != std::string::npos;
    };
    const bool is_one = plan.layers == 1 && std::ranges::any_of(plan.groups, is_numbered);
    const bool layer_is_there = !choice.layer || (*choice.layer < plan.layers && !is_one) ||
                                group_of(plan.groups, *choice.layer) == plan.group;
    if (!layer_is_there)
        return fmt::format("There is no layer {}: the file has {}.", *choice.layer,
                           plan.layers > 1 || plan.groups == std::vector<std::string>{""}
                               ? counted(plan.layers, "layer", "layers")
                               : fmt::format("{}", fmt::join(plan.groups, ", ")));
    if (choice.sequence && *choice.sequence >= plan.sequences)
        return fmt::format("There is no sequence {}: the file has {}, counted from 0.",
                           *choice.sequence, counted(plan.sequences, "sequence", "sequences"));
    return "";
}

void settle_part(const DumpChoice& choice, DumpPlan& plan) {
    plan.layer = std::clamp<Index>(choice.layer.value_or(0), 0, plan.layers - 1);
    if (plan.sequences == 1) return;
    if (!choice.sequence && plan.sequences > most_sequences)
        plan.notes.push_back(fmt::format("The first of {} sequences is opened.", plan.sequences));
    if (choice.sequence || plan.sequences > most_sequences)
        plan.sequence = std::clamp<Index>(choice.sequence.value_or(0), 0, plan.sequences - 1);
    if (plan.sequence) plan.shape.b = 1;
}

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
        plan.scale = Scale{ScaleKind::none, 1};  // TransformerLens records scaled, masked scores
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

// Decides the settings of the softmax that a model such as gpt-oss or gemma2 adds.
void settle_softmax(const Dump& dump, DumpPlan& plan) {
    if (plan.way == TensorRole::weights) return;
    if (const std::string* text = text_of(dump, plan, "softcap")) {
        const auto cap = factor_in(*text);
        if (cap && *cap >= 1e-3 && *cap <= 1e6)
            plan.variant.softcap = Softcap{*cap, CapOrder::before_mask};
        else
            plan.notes.push_back("The softcap in the file is ignored: " + printable(*text) +
                                 " is not a number from 0.001 to 1000000.");
    }
    if (const std::string* text = text_of(dump, plan, "sinks")) {
        auto sinks = number_list(*text);
        if (std::ssize(sinks) == plan.shape.h) {
            plan.variant.normalizer = Normalizer::softmax_sink;
            plan.variant.sink = std::move(sinks);
            return;
        }
        plan.notes.push_back(fmt::format("The sinks in the file are ignored: {} numbers for {}.",
                                         sinks.size(), counted(plan.shape.h, "head", "heads")));
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

DumpPlan plan_of(const Dump& dump, const DumpChoice& choice) {
    DumpPlan plan;
    choose_tensors(dump, choice, plan);
    choose_way(dump, choice, plan);
    if (plan.gives(TensorRole::mask) && names(*plan.of(TensorRole::mask), ".bias"))
        plan.notes.push_back(printable(plan.of(TensorRole::mask)->tensor.name) +
                             " is a causal mask, not a bias.");
    if (plan.ways.empty()) {
        plan.missing = no_way(dump, plan);
        if (plan.missing.starts_with("Choose"))
            plan.settled_by = "names such as q and k, or choose them in the window";
        return plan;
    }
    if (!(plan.missing = problem_of_axes(plan)).empty()) return plan;
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
    note_what_is_lost(choice, plan);
    // Report the first thing that is missing, and the options that provide it.
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

}  // namespace maskscope
