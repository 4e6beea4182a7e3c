#include "app/window/panels/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/window/widgets/widgets.h"
#include "core/base/cases.h"
#include "core/base/number_text.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

std::string joined(const std::vector<Index>& numbers) {
    std::string text;
    for (const Index number : numbers) text += (text.empty() ? "" : " ") + std::to_string(number);
    return text;
}

}  // namespace

std::string summary(const Variant& variant) {
    const std::string value = in_words(variant.mask.value);
    const std::string twice = variant.mask.times == 2 ? ", twice" : "";
    const std::string dtype = " · " + std::string(name(variant.dtype));
    switch (variant.mask.apply) {
        case Apply::additive:
            return "mask value " + value + twice + dtype;
        case Apply::replace:
            return "replaced by " + value + dtype;
        case Apply::multiply_scores:
            return "scores × 0 or 1" + dtype;
        case Apply::multiply_weights:
            return "0 or 1 · not renormalized";
        case Apply::multiply_weights_renormalized:
            return "0 or 1 · renormalized";
        case Apply::none:
            return "mask not applied" + dtype;
    }
    return "";
}

std::string summary(const MaskLayer& layer) {
    std::string text, nothing;  // nothing: if all lists are empty
    const auto add = [&text](const std::string& part) {
        text += (text.empty() ? "" : ", ") + part;
    };
    for (const LayerParameter& parameter : rule_of(layer.kind).parameters) {
        const auto count = [&](std::size_t size) {
            return fmt::format("{} {}", size, size == 1 ? parameter.unit : parameter.units);
        };
        const auto add_size = [&](std::size_t size) {
            if (nothing.empty()) nothing = count(0);
            if (size > 0) add(count(size));
        };
        std::visit(
            Cases{
                [&](Align MaskLayer::*align) {
                    std::string words(name(layer.*align));
                    std::ranges::replace(words, '_', ' ');
                    add(words);
                },
                [&](Slopes MaskLayer::*slopes) {
                    if (layer.*slopes != Slopes::published) add(std::string(name(layer.*slopes)));
                },
                [&](std::optional<Array> MaskLayer::*tensor) {
                    if (layer.*tensor)
                        add((layer.*tensor)->file.empty() ? "in the scene" : (layer.*tensor)->file);
                },
                [&](Index MaskLayer::*number) {
                    add(count(static_cast<std::size_t>(layer.*number)));
                },
                [&](std::vector<Index> MaskLayer::*numbers) {
                    if (parameter.each && !(layer.*parameter.each).empty())
                        return add("a list for each sequence");
                    std::vector<Index> shown = layer.*numbers;
                    if (parameter.counts == Counts::tokens)
                        for (Index& token : shown) ++token;  // from 1, as everywhere in the window
                    add(joined(shown));
                },
                [&](std::vector<BiasCell> MaskLayer::*cells) {
                    if (!layer.tensor) add_size((layer.*cells).size());
                },
                [&](std::string MaskLayer::*expression) { add(layer.*expression); },
                [&](std::vector<MaskLayer> MaskLayer::*) { add(in_words(layer)); },
                [&](auto MaskLayer::*list) { add_size(layer.*list ? (layer.*list)->size() : 0); },
            },
            parameter.member);
    }
    return text.empty() ? nothing : text;
}

}  // namespace maskscope
