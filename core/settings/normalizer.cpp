#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/number_text.h"
#include "core/settings/parts.h"

namespace maskscope {

namespace {

constexpr double largest_sink = 1e9;

double read_sink(const Node& node) {
    const double sink = read_number(node);
    if (std::abs(sink) > largest_sink) fail(node, "a number from -1000000000 to 1000000000");
    return sink;
}

// Reads "sigmoid", or {"kind": "softmax_sink", "sink": s}.
void read_normalizer(const Node& node, const VariantPlace& place, Variant& variant) {
    constexpr std::string_view sink_kind[] = {"softmax_sink"};
    if (!node.json.is_object()) {
        constexpr std::string_view words[] = {"softmax", "softmax_plus_one", "sigmoid"};
        const auto* word = node.json.get_ptr<const std::string*>();
        if (!word || std::ranges::find(words, *word) == std::end(words))
            fail(node, alternatives(words, "{\"kind\": \"softmax_sink\", \"sink\": …}"));
        variant.normalizer = *from_name<Normalizer>(*word);
        return;
    }
    read_word(require(node, "kind"), sink_kind);
    expect_keys(node, {"kind", "sink"});
    variant.normalizer = Normalizer::softmax_sink;
    const Node sink = require(node, "sink");
    if (!sink.json.is_array()) {
        variant.sink = read_sink(sink);
        return;
    }
    std::vector<double> each;
    for (const Node& item : read_list_of(sink, static_cast<std::size_t>(heads_of(place.inputs))))
        each.push_back(read_sink(item));
    variant.sink = std::move(each);
}

Json write_normalizer(const Variant& variant, const WriteArray&) {
    if (variant.normalizer != Normalizer::softmax_sink) return name(variant.normalizer);
    Json json = {{"kind", name(variant.normalizer)}};
    if (const auto* each = std::get_if<std::vector<double>>(&variant.sink)) {
        json["sink"] = Json::array();
        for (const double sink : *each) json["sink"].push_back(number_to_json(sink));
    } else {
        json["sink"] = number_to_json(std::get<double>(variant.sink));
    }
    return json;
}

std::vector<double> sinks_of(const Variant& variant) {
    const auto* each = std::get_if<std::vector<double>>(&variant.sink);
    return each ? *each : std::vector{std::get<double>(variant.sink)};
}

std::string describe_normalizer(const Variant& variant) {
    std::string text(name(variant.normalizer));
    if (variant.normalizer != Normalizer::softmax_sink) return text;
    return fmt::format("{} {}", text, fmt::join(sinks_of(variant), " "));
}

std::vector<Operation> normalizer_operations(const Variant& variant) {
    constexpr std::string_view words[] = {"softmax", "softmax + 1", "softmax + eˢ", "sigmoid"};
    return {
        {StageKind::softmax, 0, std::string(words[static_cast<std::size_t>(variant.normalizer)])}};
}

std::string sink_text(const Variant& variant) {
    std::vector<std::string> words;
    for (const double sink : sinks_of(variant)) words.push_back(typed_text(sink));
    return joined(words);
}

// Reads one number for all heads, or one for each.
std::string type_sink(const std::string& text, Variant& variant) {
    constexpr std::string_view between = " ,\t\n";
    std::vector<double> each;
    bool are_numbers = true;
    for (std::size_t at = text.find_first_not_of(between), end = 0; at < text.size();
         at = text.find_first_not_of(between, end)) {
        end = std::min(text.find_first_of(between, at), text.size());
        are_numbers = read_number(text.substr(at, end - at), each.emplace_back()) && are_numbers;
    }
    if (!are_numbers || each.empty()) return "sink: a number, or one for each head";
    variant.sink = each.size() == 1 ? Sink(each.front()) : Sink(each);
    return "";
}

std::string conflict_of_sink(const Scene& scene, const Variant& variant) {
    const Index heads = heads_of(scene.inputs);
    const std::vector<double> sinks = sinks_of(variant);
    if (std::holds_alternative<std::vector<double>>(variant.sink) && std::ssize(sinks) != heads)
        return fmt::format("A sink is one number, or {} numbers, one for each head.", heads);
    if (std::ranges::any_of(sinks, [](double s) { return !(std::abs(s) <= largest_sink); }))
        return "A sink is a number from −1e9 to 1e9.";
    return "";
}

}  // namespace

Settings normalizer_settings() {
    const Setting normalizer{
        .key = "normalizer",
        .label = "normalizer",
        .undo = "change the normalizer",
        .stands = has_scores,
        .read = read_normalizer,
        .write = write_normalizer,
        .words = [](const Variant& v) { return within_sentence(label(v.normalizer)); },
        .described = describe_normalizer,
        .operations = normalizer_operations,
        .choices = all_choices<&Variant::normalizer, true>,
        .settle =
            [](const Inputs&, const Variant&, Variant& now) {
                if (now.normalizer != Normalizer::softmax_sink) now.sink = 0.0;
            }};
    const Setting sink{
        .key = "normalizer.sink",
        .label = "sink",
        .undo = "change the sink",
        .term = "Softmax with a sink",
        .stands = has_scores,
        .has_effect = [](const Inputs&,
                         const Variant& v) { return v.normalizer == Normalizer::softmax_sink; },
        .text = sink_text,
        .typed = type_sink,
        .conflict = conflict_of_sink};
    return {normalizer, sink};
}

}  // namespace maskscope
