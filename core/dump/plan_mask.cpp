// Decides where the mask comes from and what its numbers mean.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/dump/dump_mask.h"
#include "core/dump/plan_parts.h"

namespace maskscope {

using Numbers = ListedTensor::Numbers;

namespace {

std::vector<Index> axes_of_mask(const DumpPlan& plan) {
    std::vector<Index> axes = plan.of(TensorRole::mask)->tensor.axes;
    if (axes.size() == 5) axes.erase(axes.begin());
    return axes;
}

// Returns the meaning of true, if two rows show it: the first query attends only to itself, the
// last to all keys.
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
} catch (const Error&) {  // broken numbers are reported when they are opened

    return std::nullopt;
}

// True if it is [n_k] or [b, n_k]: the keys that no query may attend to.
bool mask_is_for_keys(const DumpPlan& plan) {
    const std::vector<Index> axes = axes_of_mask(plan);
    if (axes.size() == 1) return true;
    const DumpTensor& mask = *plan.of(TensorRole::mask);
    const bool by_name = names(mask, "padding") || names(mask, "attention_mask");
    return axes.size() == 2 && axes[0] == plan.sequences && (axes[0] != plan.shape.n_q || by_name);
}

// Returns the tensor whose numbers show what was blocked, if there is no mask: scores of −∞,
// weights of 0.
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

// Applies the user's choice of the mask, which overrides what the file says.
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

}  // namespace

std::string settle_mask(const DumpChoice& choice, DumpPlan& plan) {
    if (auto problem = choose_mask(choice, plan); !problem.empty()) return problem;
    if (plan.mask_from == TensorRole::none || plan.mask_from == TensorRole::bias) return "";
    if (plan.mask_from != TensorRole::mask) {
        constexpr double most = 1 << 26;
        double count = 1;
        for (const Index axis : plan.of(plan.mask_from)->tensor.axes)
            count *= static_cast<double>(axis);
        if (count / static_cast<double>(plan.layers) > most)
            return "Choose a mask: " + printable(plan.of(plan.mask_from)->tensor.name) +
                   " is too large to derive one from it.";
        const FourAxes axes = four_axes(plan, plan.mask_from);
        plan.mask_axes = {axes.b, axes.h, axes.rows, axes.columns};
        return "";
    }
    const DumpTensor& mask = *plan.of(TensorRole::mask);
    if (mask.tensor.numbers == Numbers::other)
        return printable(mask.tensor.name) + " cannot be read as a mask.";
    if (layers_in(mask.tensor).value_or(plan.layers) != plan.layers)
        return printable(mask.tensor.name) + " has a different number of layers from the rest.";
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

// Returns the options that decide about the mask.
std::string mask_options(const DumpPlan& plan) {
    const std::string name =
        plan.gives(TensorRole::mask) ? printable(plan.of(TensorRole::mask)->tensor.name) : "";
    const bool truth = plan.asks_truth && !plan.true_blocks;
    return (truth ? fmt::format("--mask {} (true = attend), ", name) : "") +
           "--mask causal or --mask none";
}

}  // namespace maskscope
