// Decides where the mask comes from and what its numbers mean.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

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

// Reads row i of the first head of the first sequence, or the only row if there is one for all.
Array row_of(const ListedTensor& tensor, Index rows, Index i) {
    std::vector<Index> at(tensor.axes.size() - 1, 0);
    if (rows > 1) at.back() = i;
    return read_part(tensor, at);
}

// Returns whether true blocks a key, as weights or scores beside the mask show it: a key that has
// weight, or a score that does not block it, is allowed. nullopt if the first and the last row do
// not tell.
std::optional<bool> truth_by_numbers(const DumpPlan& plan) try {
    const ListedTensor& mask = plan.of(TensorRole::mask)->tensor;
    const bool weights = plan.gives(TensorRole::weights);
    const TensorRole from = weights ? TensorRole::weights : TensorRole::scores;
    if (!plan.gives(from)) return std::nullopt;
    const FourAxes axes = four_axes(plan, from);
    if (axes.rows != plan.mask_axes[2] && plan.mask_axes[2] != 1) return std::nullopt;
    if (axes.columns != plan.mask_axes[3]) return std::nullopt;
    std::set<bool> allowed, blocked;
    for (const Index i : {Index{0}, axes.rows - 1}) {
        const Array truths = row_of(mask, plan.mask_axes[2], i);
        const Array numbers = row_of(plan.of(from)->tensor, axes.rows, i);
        for (Index j = 0; j < axes.columns; ++j) {
            const double x = (*numbers.values)[j];
            (x > (weights ? 0 : blocking) ? allowed : blocked).insert((*truths.values)[j] != 0);
        }
    }
    if (allowed.size() != 1 || blocked.empty()) return std::nullopt;
    return !*allowed.begin();
} catch (const Error&) {  // broken numbers are reported when they are opened
    return std::nullopt;
}

// True if the mask is [n_k] or [b, n_k]: each number is about one key, for all queries.
bool mask_is_for_keys(const DumpPlan& plan) {
    const std::vector<Index> axes = axes_of_mask(plan);
    if (axes.size() == 1) return true;
    const DumpTensor& mask = *plan.of(TensorRole::mask);
    const bool by_name = names(mask, "padding") || names(mask, "attention_mask");
    return axes.size() == 2 && axes[0] == plan.sequences && (axes[0] != plan.shape.n_q || by_name);
}

// Returns what the first axis of the mask may be, such as "sequences or heads"; "" if its size or
// the name of the mask decides.
std::string uncertain_axis(const DumpPlan& plan) {
    const std::vector<Index> axes = axes_of_mask(plan);
    const Index b = plan.sequences;
    if (b == 1 || axes.size() < 2 || axes[0] != b || plan.way == TensorRole::mask) return "";
    if (axes.size() == 3 && b == plan.shape.h) return "sequences or heads";
    const DumpTensor& mask = *plan.of(TensorRole::mask);
    const auto is_in_name = [&](const char* part) { return names(mask, part); };
    constexpr std::array known{"attn_mask", "src_mask", "tgt_mask",
                               "causal",    "padding",  "attention_mask"};
    const bool is_known = std::ranges::any_of(known, is_in_name);
    return axes.size() == 2 && b == plan.shape.n_q && !is_known ? "sequences or queries" : "";
}

// Returns the role of the tensor whose numbers show what was blocked, if there is no mask: scores
// of −∞, weights of 0, or a bias of −∞. Returns `none` if there is no such tensor.
TensorRole mask_shown_by(const DumpPlan& plan) {
    const bool of_scores = plan.way == TensorRole::scores;
    if (plan.way != TensorRole::queries && !of_scores) return TensorRole::none;
    for (const TensorRole role : {TensorRole::scores, TensorRole::weights, TensorRole::bias}) {
        if (of_scores && role != TensorRole::bias) continue;
        if (!plan.gives(role) || plan.of(role)->tensor.axes.size() < 2) continue;
        const FourAxes axes = four_axes(plan, role);
        const Shape& s = plan.shape;
        if ((axes.b == s.b || role == TensorRole::bias) && axes.rows == s.n_q &&
            axes.columns == s.n_k && (axes.h == s.h || axes.h == 1))
            return role;
    }
    return TensorRole::none;
}

// True for "~attn_mask": a true value then blocks a key.
bool is_inverted(const DumpChoice& choice) { return choice.mask.starts_with('~'); }
std::string name_of_mask(const DumpChoice& choice) {
    return choice.mask.substr(is_inverted(choice) ? 1 : 0);
}

bool is_named(const DumpTensor& tensor, const std::string& name) {
    return tensor.tensor.name == name || tensor.tensor.name.ends_with("." + name);
}

// Applies the user's choice of the mask, which overrides what the file says. Returns the problem if
// there is no such mask, else "".
std::string choose_mask(const DumpChoice& choice, DumpPlan& plan) {
    const DumpTensor*& mask = plan.with_role[static_cast<std::size_t>(TensorRole::mask)];
    if (plan.way == TensorRole::mask) {
        plan.mask_from = TensorRole::mask;
        const std::string name = name_of_mask(choice);
        const auto is_it = [&](const DumpTensor* tensor) { return is_named(*tensor, name); };
        const auto found = std::ranges::find_if(plan.shown, is_it);
        if (!choice.mask.empty() && found == plan.shown.end())
            return "There is no mask " + printable(name) + ".";
        if (!choice.mask.empty()) mask = *found;
        return "";
    }
    plan.causal = choice.mask == "causal";
    if (choice.mask.empty()) {
        plan.mask_from = mask != nullptr ? TensorRole::mask : mask_shown_by(plan);
        return "";
    }
    mask = nullptr;
    if (choice.mask == "none")
        for (const TensorRole role : {TensorRole::documents, TensorRole::key_documents})
            plan.with_role[static_cast<std::size_t>(role)] = nullptr;
    if (plan.causal || choice.mask == "none") return "";
    const std::string name = name_of_mask(choice);
    for (const DumpTensor* tensor : plan.shown)
        if (is_named(*tensor, name)) mask = tensor;
    plan.mask_from = TensorRole::mask;
    return mask != nullptr ? "" : "There is no tensor " + printable(name) + " for a mask.";
}

// Returns whether true blocks in a Boolean mask, according to the user, the name of the mask, or
// other numbers of the file; nullopt if none of these tells.
std::optional<bool> truth_of(const DumpChoice& choice, const DumpPlan& plan) {
    const DumpTensor& mask = *plan.of(TensorRole::mask);
    if (is_inverted(choice)) return true;
    if (names(mask, "key_padding_mask")) return true;
    const bool by_name = mask.tensor.numbers == Numbers::integers || names(mask, "bias") ||
                         names(mask, "attention_mask");
    if (by_name || !choice.mask.empty()) return false;  // true = attend, as in scenes
    return truth_by_numbers(plan);
}

// True if the first or the last row of an added mask holds a finite number other than 0 and 1 that
// does not block.
bool adds_numbers(const DumpPlan& plan) try {
    const ListedTensor& mask = plan.of(TensorRole::mask)->tensor;
    bool others = false;
    for (const Index i : {Index{0}, plan.mask_axes[2] - 1}) {
        const Array row = row_of(mask, plan.mask_axes[2], i);
        for (const double x : row.values->view())
            others = others || (std::isfinite(x) && x != 0 && x != 1 && !(x <= blocking));
    }
    return others;
} catch (const Error&) {  // broken numbers are reported when they are opened
    return false;
}

// Makes a mask that also adds other numbers, as MPT's and T5's do, the bias; the cells that it
// blocks are then the mask. Returns true if it did so.
bool is_taken_as_bias(DumpPlan& plan) {
    if (plan.way != TensorRole::queries && plan.way != TensorRole::scores) return false;
    if (plan.gives(TensorRole::bias) || !adds_numbers(plan)) return false;
    const DumpTensor*& mask = plan.with_role[static_cast<std::size_t>(TensorRole::mask)];
    plan.with_role[static_cast<std::size_t>(TensorRole::bias)] = mask;
    plan.notes.push_back(printable(mask->tensor.name) +
                         " adds numbers other than −∞ to the scores, so it is used as a bias.");
    plan.mask_from = plan.mask_axes[2] == plan.shape.n_q ? TensorRole::bias : TensorRole::none;
    mask = nullptr;
    return true;
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
            return "Choose a mask. " + printable(plan.of(plan.mask_from)->tensor.name) +
                   " is too large to derive one from.";
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
    if (const std::string what = uncertain_axis(plan); !what.empty())
        return fmt::format(
            "The first axis of {} [{}] may be {}; the file does not say. Save the mask with 4 "
            "axes.",
            printable(mask.tensor.name), fmt::join(mask.tensor.axes, ", "), what);
    if (mask.tensor.numbers == Numbers::floats && is_taken_as_bias(plan)) return "";
    if (mask.tensor.numbers == Numbers::floats)
        return is_inverted(choice) ? printable(mask.tensor.name) +
                                         " holds numbers that are added, not true and false."
                                   : "";
    plan.true_blocks = truth_of(choice, plan);
    plan.asks_truth = !plan.true_blocks;
    if (plan.asks_truth && plan.way == TensorRole::mask) {
        plan.true_blocks = false;
        plan.notes.emplace_back("True means that the key is allowed.");
    }
    if (choice.true_blocks) plan.true_blocks = choice.true_blocks;
    return plan.true_blocks ? "" : "Choose what True means in the mask; the file does not say.";
}

// Returns the command options that choose a mask.
std::string mask_options(const DumpPlan& plan) {
    const std::string name =
        plan.gives(TensorRole::mask) ? printable(plan.of(TensorRole::mask)->tensor.name) : "";
    if (plan.way == TensorRole::mask) return fmt::format("--mask {0} or --mask ~{0}", name);
    const bool truth = plan.asks_truth && !plan.true_blocks;
    return (truth ? fmt::format("--mask {0} (true = attend), --mask ~{0} (true = blocked), ", name)
                  : "") +
           "--mask causal or --mask none";
}

}  // namespace maskscope
