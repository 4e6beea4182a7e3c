#include "core/dump/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/error.h"
#include "core/dump/plan_parts.h"
#include "core/scene/names.h"

namespace maskscope {

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

// Decides the settings of the softmax that a model such as gpt-oss or gemma2 adds.
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
