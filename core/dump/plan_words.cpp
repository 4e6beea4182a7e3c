// Describes in words what will be opened, and what is left out.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/dump/plan_parts.h"
#include "core/scene/names.h"

namespace maskscope {

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

// True if its numbers become part of the scene, or are compared with it.
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
        plan.notes.push_back(fmt::format("Left out: {}.", fmt::join(left_out, ", ")));
    if (plan.way == TensorRole::queries && plan.mask_from == TensorRole::none && !plan.causal &&
        !plan.gives(TensorRole::documents))
        plan.notes.push_back(fmt::format("No mask {}: every key is allowed.",
                                         choice.mask == "none" ? "is used" : "in the file"));
    if (plan.mask_from == TensorRole::scores || plan.mask_from == TensorRole::weights)
        plan.notes.push_back("The mask is what " + printable(plan.of(plan.mask_from)->tensor.name) +
                             " blocks.");
    if (names(*plan.of(plan.way), "_proj"))
        plan.notes.emplace_back("Projections are taken before any rotation: weights may differ.");
}

}  // namespace maskscope
