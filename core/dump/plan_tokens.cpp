// Finds the names of the tokens.

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/dump/plan_parts.h"

namespace maskscope {

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

// Returns the list of each opened sequence, filled up with pad tokens; none if they do not fit
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
                         "is a tokenizer, and the tensors come without token ids; provide "
                         "the tokens as a list or a text");
    TokenLists lists;
    for (const auto& list : ids) lists.push_back(tokens_of(vocabulary, list));
    return lists;
}

}  // namespace maskscope
