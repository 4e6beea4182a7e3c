#include "app/commands/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ostream>

#include "app/session/files/load.h"
#include "app/show/bench/alternative_text.h"
#include "core/attention/row_figures.h"
#include "core/base/cases.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/compute/plain.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"
#include "core/settings/setting.h"

namespace maskscope {

namespace {

std::string counted(Index count, const std::string& what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// --- the scene

std::string inputs_text(const Inputs& inputs) {
    std::string text(inputs_names()[inputs.index()]);
    if (const auto d_q = d_q_of(inputs)) text += fmt::format(", d_q {}", *d_q);
    if (const auto d_k = d_k_of(inputs)) text += fmt::format(", d_k {}", *d_k);
    const auto d_v = d_v_of(inputs);
    text += d_v ? fmt::format(", d_v {}", *d_v) : ", no values";
    if (const Index of_keys = kv_heads_of(inputs); of_keys != heads_of(inputs))
        text += ", " + counted(of_keys, "head") + " of keys";
    return text + shown_attention(inputs);
}

std::string model_text(const Scene& scene) {
    std::string text =
        fmt::format("{}, {}\ninputs: {}\n", counted(std::ssize(scene.sequences), "sequence"),
                    counted(heads_of(scene.inputs), "head"), inputs_text(scene.inputs));
    for (std::size_t b = 0; b < scene.sequences.size(); ++b) {
        const Sequence& sequence = scene.sequences[b];
        text += fmt::format("sequence {}, source: {}\n", b, joined(sequence.source));
        if (sequence.target)
            text += fmt::format("sequence {}, target: {}\n", b, joined(*sequence.target));
    }
    return text;
}

std::string scene_text(const Scene& scene) {
    const Shape shape = shape_of(scene);
    std::string text = scene.title.empty() ? "" : scene.title + "\n";
    if (is_trained(scene.inputs)) return text + model_text(scene);
    text += fmt::format("{}, {}, {} and {} each\ninputs: {}\n", counted(shape.b, "sequence"),
                        counted(shape.h, "head"),
                        shape.n_q == 1 ? "1 query" : fmt::format("{} queries", shape.n_q),
                        counted(shape.n_k, "key"), inputs_text(scene.inputs));
    for (Index b = 0; b < shape.b; ++b) {
        const Sequence& sequence = scene.sequences[b];
        const auto at_positions = [](const std::vector<Index>& listed) {
            return listed.empty() ? std::string()
                                  : fmt::format(" at positions {}", fmt::join(listed, " "));
        };
        text +=
            fmt::format("sequence {}, queries{}{}: {}\n", b,
                        sequence.start == 0 ? "" : fmt::format(" from position {}", sequence.start),
                        at_positions(*sequence.positions), tokens_text(query_tokens(scene, b)));
        if (!is_self_attention(scene))
            text +=
                fmt::format("sequence {}, keys{}: {}\n", b, at_positions(*sequence.key_positions),
                            tokens_text(key_tokens(scene, b)));
    }
    return text;
}

// --- a variant

std::string layers_text(const std::vector<MaskLayer>& layers);

// Returns the rule in the words of the file: "window left 2 right 0", "not padding", "blocked 3
// cells".
std::string layer_text(const MaskLayer& layer) {
    std::string text = (layer.invert ? "not " : "") + std::string(name(layer.kind));
    const auto add = [&](std::string_view key, const std::string& value) {
        text += fmt::format(" {} {}", key, without_middle(value, longest_token));
    };
    for (const LayerParameter& parameter : rule_of(layer.kind).parameters) {
        const std::string_view key = parameter.key;
        const auto add_numbers = [&](const std::vector<Index>& numbers) {
            add(key, fmt::format("{}", fmt::join(numbers, " ")));
        };
        std::visit(Cases{
                       [&](Align MaskLayer::*align) {
                           if (layer.*align != Align::top_left)
                               add(key, std::string(name(layer.*align)));
                       },
                       [&](Slopes MaskLayer::*slopes) {
                           if (layer.*slopes != Slopes::published)
                               add(key, std::string(name(layer.*slopes)));
                       },
                       [&](std::optional<Array> MaskLayer::*tensor) {
                           if (!(layer.*tensor)) return;
                           const Array& array = *(layer.*tensor);
                           text += array.file.empty()
                                       ? fmt::format(" [{}]", fmt::join(array.axes, ", "))
                                       : " " + array.file;
                       },
                       [&](Index MaskLayer::*number) { add(key, std::to_string(layer.*number)); },
                       [&](std::vector<Index> MaskLayer::*numbers) {
                           if (!parameter.each || (layer.*parameter.each).empty())
                               return add_numbers(layer.*numbers);
                           std::vector<std::string> lists;
                           for (const auto& list : layer.*parameter.each)
                               lists.push_back(fmt::format("{}", fmt::join(list, " ")));
                           add(key, fmt::format("{}", fmt::join(lists, " | ")));
                       },
                       [&](std::optional<std::vector<Index>> MaskLayer::*numbers) {
                           if (layer.*numbers) add_numbers(*(layer.*numbers));
                       },
                       [&](std::optional<std::vector<Cell>> MaskLayer::*cells) {
                           if (layer.*cells)
                               text += " " + counted(std::ssize(*(layer.*cells)), "cell");
                       },
                       [&](std::vector<BiasCell> MaskLayer::*cells) {
                           if (layer.tensor) return;
                           text += " " + counted(std::ssize(layer.*cells), "cell");
                       },
                       [&](std::string MaskLayer::*expression) { text += " " + layer.*expression; },
                       [&](std::vector<MaskLayer> MaskLayer::*inside) {
                           text += fmt::format(" of ({})", layers_text(layer.*inside));
                       },
                   },
                   parameter.member);
    }
    if (layer.heads) add("in heads", fmt::format("{}", fmt::join(*layer.heads, " ")));
    return text;
}

std::string layers_text(const std::vector<MaskLayer>& layers) {
    std::string text;
    for (const MaskLayer& layer : layers) text += (text.empty() ? "" : ", ") + layer_text(layer);
    return text.empty() ? "no rules" : text;
}

// Describes the settings of the variant, separated by commas: those of its mask, or all others.
std::string settings_text(const Variant& variant, const Inputs& inputs, bool of_mask) {
    std::vector<std::string> texts;
    for (const Setting& setting : settings())
        if (setting.described && setting.stands(inputs) &&
            setting.key.starts_with("mask.") == of_mask)
            if (std::string text = setting.described(variant); !text.empty())
                texts.push_back(std::move(text));
    return fmt::format("{}", fmt::join(texts, ", "));
}

bool has_sixteen_bits(const Variant& variant) {
    return variant.dtype == Dtype::float16 || variant.dtype == Dtype::bfloat16;
}

std::string variant_text(const Scene& scene, std::size_t variant) {
    const Variant& v = scene.variants[variant];
    std::string text =
        fmt::format("\n{} {}\n{}\nmask: {}, {}\n", variant_letter(static_cast<int>(variant)),
                    v.name, settings_text(v, scene.inputs, false), layers_text(v.mask.layers),
                    settings_text(v, scene.inputs, true));
    if (v.reference)
        text += fmt::format("reference: {} {}\n", variant_letter(*v.reference),
                            scene.variants[*v.reference].name);
    if (has_sixteen_bits(v))
        text += fmt::format(
            "{}: stages are rounded to it; sensitivity, and sums within a stage, are not\n",
            name(v.dtype));
    if (!v.heads_off.empty()) text += fmt::format("heads off: {}\n", fmt::join(v.heads_off, ", "));
    return text;
}

// --- its rows

std::string reference_text(const Result& result, int variant, Index b, Index h, Index i) {
    if (!result.scene.variants[variant].reference) return "";
    const ReferenceFigures row = reference_figures(result, variant, b, h, i);
    return fmt::format(", leak against the reference {}, missing against the reference {}",
                       exact_text(row.leak, 4), row.missing);
}

std::string lse_text(const Scene& scene, const RowFigures& row) {
    if (!has_stage(scene.inputs, StageKind::logits)) return "";
    return ", log-sum-exp " + exact_text(row.lse, 4);
}

std::string row_text(const Result& all, int variant, Index b, Index h, Index i) {
    const VariantResult& result = all.variants[variant];
    const RowFigures& row = result.row(b, h, i);
    Index seen = 0;
    for (Index j = 0; j < result.shape.n_k; ++j) seen += result.is_allowed(b, h, i, j) ? 1 : 0;
    const auto text = [](double value) { return exact_text(value, 4); };
    return fmt::format(
        "  row {} {}: {} of {} keys allowed, sum {}, max {}, entropy {}, leak {}, "
        "{}pads {}{}{}{}{}\n",
        i, without_middle(result.queries[b][i], longest_token), seen, result.shape.n_k,
        text(row.sum), text(row.max), text(row.entropy), text(row.leak),
        has_stage(all.scene.inputs, StageKind::sensitivity)
            ? fmt::format("gradient leak {}, ", text(row.gradient_leak))
            : "",
        text(row.pads), reference_text(all, variant, b, h, i), lse_text(all.scene, row),
        row.empty ? ", empty" : "", row.nan ? ", NaN" : "");
}

// Returns ", 3 scores infinite" if scores are too large for a dtype of 16 bits, else "".
std::string overflow_text(const Result& result, int variant) {
    const Stage& scores = result.variants[variant].stage(StageKind::scores);
    if (!has_sixteen_bits(result.scene.variants[variant]) || !scores.exists()) return "";
    Index infinite = 0;
    for (Index b = 0; b < scores.b(); ++b)
        for (Index h = 0; h < scores.h(); ++h)
            for (Index i = 0; i < scores.rows(); ++i)
                for (const double x : scores.row_at(b, h, i)) infinite += std::isinf(x) ? 1 : 0;
    return infinite == 0 ? "" : fmt::format(", {} infinite", counted(infinite, "score"));
}

// Returns the most important observations, which come first in the text.
std::string findings(const Result& result, int variant) {
    const Shape& shape = result.variants[variant].shape;
    const auto all = [](Index count) {
        std::vector<Index> indices(static_cast<std::size_t>(count));
        std::iota(indices.begin(), indices.end(), Index{0});
        return indices;
    };
    const RowCounts counts =
        count_rows(result, variant, all(shape.b), all(shape.h), {0, shape.n_q});
    std::string text = fmt::format(
        "of {}: {} NaN, {} empty, {} with weight on blocked keys or padding, {} that sum to less "
        "than 1",
        counted(counts.rows, "row"), counts.nan, counts.empty, counts.leaking, counts.losing);
    text += overflow_text(result, variant);
    if (counts.faint > 0) text += fmt::format(", {} with leaks below 1e-6", counts.faint);
    if (result.scene.variants[variant].reference)
        text += fmt::format(
            ", {} with weight on keys that the reference blocks, {} without keys "
            "that it allows",
            counts.against, counts.missing);
    return text + "\n";
}

std::string rows_text(const Result& all, int variant) {
    const Shape& shape = all.variants[variant].shape;
    std::string text;
    for (Index b = 0; b < shape.b; ++b)
        for (Index h = 0; h < shape.h; ++h) {
            if (shape.b * shape.h > 1) text += fmt::format(" sequence {}, head {}\n", b, h);
            for (Index i = 0; i < shape.n_q; ++i) text += row_text(all, variant, b, h, i);
        }
    return text;
}

}  // namespace

std::string description(const Result& result) {
    std::string text = scene_text(result.scene);
    for (std::size_t variant = 0; variant < result.variants.size(); ++variant)
        text += variant_text(result.scene, variant) + run_text(result.variants[variant]) +
                findings(result, static_cast<int>(variant)) +
                rows_text(result, static_cast<int>(variant));
    return text;
}

void describe(const SceneArgument& scene, std::ostream& out) {
    const LoadedScene loaded = load_scene(scene);
    Request request;
    request.stages.reset();
    for (const StageKind stage : {StageKind::weights, StageKind::sensitivity})
        request.stages.set(static_cast<std::size_t>(stage));
    if (std::ranges::any_of(loaded.scene.variants, has_sixteen_bits))
        request.stages.set(static_cast<std::size_t>(StageKind::scores));
    try {
        out << description(
            PlainBackend().compute(loaded.scene, request, nullptr, command_progress()));
    } catch (const WorkError& error) {
        throw at_file(scene.name, error);
    }
    tell_notes(scene, loaded);
}

}  // namespace maskscope
