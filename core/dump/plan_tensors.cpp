// Decides which tensors are opened: their layer, their roles, and which inputs are opened.

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "core/dump/plan_parts.h"

namespace maskscope {

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
    // Rows are in the order of a lecture; a choice does not move them.
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

}  // namespace maskscope
