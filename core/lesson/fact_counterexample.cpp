#include "core/lesson/fact_counterexample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/format/scene_parts.h"
#include "core/scene/names.h"
#include "core/settings/setting.h"

namespace maskscope {

namespace {

// Other values that the key at `place` may have.
struct Choices {
    std::string place;  // "/mask/apply"
    std::vector<Json> values;
};

// A longer list of numbers is not changed.
constexpr std::size_t most_typed_numbers = 4096;

// --- which lanes

std::vector<int> lanes_of(const Fact& fact) {
    std::vector<int> lanes;
    for (const Address* address : addresses_of(fact))
        for (const int lane : {address->lane, address->minus.value_or(address->lane)})
            if (std::ranges::find(lanes, lane) == lanes.end()) lanes.push_back(lane);
    return lanes;
}

// --- of a lane

// Returns the rules without one of them; with one more that blocks or allows the fact's own cell;
// and others.
std::vector<Json> other_layers(const Json& layers, const Fact& fact) {
    std::vector<Json> lists = {Json::array()};
    for (std::size_t k = 0; layers.size() > 1 && k < layers.size(); ++k) {
        lists.push_back(layers);
        lists.back().erase(k);
    }
    const auto with = [&](Json layer) {
        lists.push_back(layers);
        lists.back().push_back(std::move(layer));
    };
    const std::vector<At>& at = fact.address.at;
    const auto is_index = [&](std::size_t k) {
        return k < at.size() && at[k].kind == At::Kind::index;
    };
    for (const char* kind : {"blocked", "allowed"}) {
        if (is_index(2) && is_index(3))
            with({{"kind", kind}, {"cells", Json::array({{at[2].index, at[3].index}})}});
        if (is_index(2)) with({{"kind", kind}, {"rows", Json::array({at[2].index})}});
    }
    for (const char* kind : {"causal", "padding", "padding_queries"}) with({{"kind", kind}});
    const Json window = {{"kind", "window"}, {"left", 0}, {"right", 0}};
    with(window);
    for (const char* kind : {"causal", "padding", "padding_queries"})
        lists.push_back(Json::array({{{"kind", kind}}}));
    lists.push_back(Json::array({window}));
    lists.push_back(Json::array({{{"kind", "alibi"}}}));
    return lists;
}

// Adds choices for parameters of single rules.
void add_layer_choices(const Json& layers, std::vector<Choices>& choices) {
    for (std::size_t k = 0; k < layers.size(); ++k) {
        const std::string place = fmt::format("/mask/layers/{}", k);
        const Json& layer = layers[k];
        if (layer.contains("align"))
            choices.push_back({place + "/align", {names<Align>().begin(), names<Align>().end()}});
        for (const char* number : {"left", "right", "length"})
            if (layer.contains(number)) choices.push_back({place + "/" + number, {0, 1, 2}});
        if (layer.contains("heads")) choices.push_back({place + "/heads", {Json::array({0})}});
        if (layer["kind"] == "bias")
            choices.push_back({place, {{{"kind", "bias"}, {"cells", Json::array()}}}});
    }
}

// Adds the choices that the menu of a setting offers, and numbers near them.
void add_choices(const Setting& setting, const Scene& scene, int k, std::vector<Choices>& choices) {
    std::string place = fmt::format("/{}", setting.key);
    std::ranges::replace(place, '.', '/');
    Choices& here = choices.emplace_back(place);
    for (const Choice& choice : choices_of(setting, scene, k)) {
        Variant changed = scene.variants[k];
        choice.put(changed);
        if (setting.settle) setting.settle(scene.inputs, scene.variants[k], changed);
        here.values.push_back(setting.write(changed, array_to_json));
    }
    if (setting.key == "mask.value") here.values.emplace_back(0);
    if (setting.key == "scale") here.values.insert(here.values.end(), {0.01, 8});
    if (setting.key == "heads_off") here.values = {{0}, {1}, {2}, {3}};
}

// Returns the choices of a variant, the mask's first, as they are the most instructive.
std::vector<Choices> choices_of_lane(const Scene& scene, int k, const Json& variant,
                                     const Fact& fact) {
    const Json& layers = variant["mask"]["layers"];
    std::vector<Choices> choices, others;
    for (const Setting* setting : listed_settings())
        if (setting->write && setting->stands(scene.inputs) && setting->key != "mask.layers")
            add_choices(*setting, scene, k, setting->key.starts_with("mask.") ? choices : others);
    choices.push_back({"/mask/layers", other_layers(layers, fact)});
    add_layer_choices(layers, choices);
    choices.insert(choices.end(), others.begin(), others.end());
    return choices;
}

// --- of the inputs

// Returns nested lists with every number replaced.
Json filled(const Json& list, double number) {
    if (!list.is_array()) return number;
    Json copy = Json::array();
    for (const Json& item : list) copy.push_back(filled(item, number));
    return copy;
}

std::size_t count_of_numbers(const Json& list) {
    if (!list.is_array()) return 1;
    std::size_t count = 0;
    for (const Json& item : list) count += count_of_numbers(item);
    return count;
}

void add_choices_of_inputs(const Scene& scene, const Json& inputs, const std::string& place,
                           std::vector<Choices>& choices) {
    const auto add = [&](const std::string& key, std::vector<Json> values) {
        if (inputs.contains(key)) choices.push_back({place + "/" + key, std::move(values)});
    };
    add("seed", {1, 2, 3, 7});
    add("d_k", {1, 2, 64, 1024});
    if (inputs["kind"] == "patterns")
        for (std::size_t h = 0; h < inputs["heads"].size(); ++h)
            choices.push_back({fmt::format("{}/heads/{}/strength", place, h), {0, 1}});
    for (const char* key : {"scores", "weights", "queries", "keys", "values"})
        if (inputs.contains(key) && inputs[key].is_array() &&
            count_of_numbers(inputs[key]) <= most_typed_numbers)
            add(key, {filled(inputs[key], 0), filled(inputs[key], 1)});
    const auto* output = std::get_if<OutputInputs>(&scene.inputs);
    const auto add_layer = [&](const LayerBefore& layer, const char* key) {
        const std::string below = fmt::format("{}/{}", place, key);
        const Scene before = scene_of_layer(scene, layer, key == std::string_view("keys"));
        for (Choices& choice : choices_of_lane(before, 0, inputs[key]["variant"], {}))
            choices.push_back({below + "/variant" + choice.place, std::move(choice.values)});
        add_choices_of_inputs(before, inputs[key]["inputs"], below + "/inputs", choices);
    };
    if (output) add_layer(*output->of, "of");
    if (output && output->keys) add_layer(**output->keys, "keys");
}

void add_choices_of_tokens(const Json& scene, std::vector<Choices>& choices) {
    for (std::size_t b = 0; b < scene["sequences"].size(); ++b)
        for (const char* side : {"queries", "keys"}) {
            const Json& sequence = scene["sequences"][b];
            if (!sequence.contains(side)) continue;
            for (std::size_t k = 0; k < std::min<std::size_t>(sequence[side].size(), 16); ++k)
                choices.push_back({fmt::format("/sequences/{}/{}/{}", b, side, k),
                                   {"other", scene["pad_token"]}});
        }
}

// --- one list

class Changes {
public:
    explicit Changes(const Json& scene) : scene_(scene) {}

    // Adds a change, unless the value is set already.
    void add(const std::vector<std::string>& owners, const std::string& place, const Json& value) {
        Fields fields;
        for (const std::string& owner : owners) {
            const Json::json_pointer pointer(owner + place);
            if (!scene_.contains(pointer)) return;
            if (scene_[pointer] != value)
                fields.emplace_back(owner + place, write_json_line(value));
        }
        if (!fields.empty() && std::ranges::find(list, fields) == list.end())
            list.push_back(std::move(fields));
    }

    std::vector<Fields> list;

private:
    const Json& scene_;
};

std::string owner_of(int lane) { return fmt::format("/variants/{}", lane); }

// Adds changes that also apply the mask: one that isn't applied blocks nothing, whatever its rules
// are.
void add_applied_masks(const Json& scene, const Fact& fact, Changes& changes) {
    for (const int lane : lanes_of(fact)) {
        const Json& mask = scene["variants"][lane]["mask"];
        if (mask["apply"] != "none") continue;
        const std::string place = owner_of(lane) + "/mask/";
        for (const Json& layers : other_layers(mask["layers"], fact))
            for (const char* apply : {"\"additive\"", "\"multiply_weights\""})
                changes.list.push_back(
                    {{place + "apply", apply}, {place + "layers", write_json_line(layers)}});
    }
}

void add_changes_of_lanes(const Scene& scene, const Json& json, const Fact& fact,
                          Changes& changes) {
    std::vector<std::string> owners;
    std::vector<std::vector<Choices>> by_lane;
    for (const int lane : lanes_of(fact)) {
        owners.push_back(owner_of(lane));
        by_lane.push_back(choices_of_lane(scene, lane, json["variants"][lane], fact));
    }
    std::vector<std::string> places;  // in all variants, in order
    for (const auto& choices : by_lane)
        for (const Choices& one : choices)
            if (std::ranges::find(places, one.place) == places.end()) places.push_back(one.place);
    const auto each = [&](const std::string& place, const auto& act) {
        for (std::size_t k = 0; k < by_lane.size(); ++k)
            for (const Choices& one : by_lane[k])
                if (one.place == place)
                    for (const Json& value : one.values) act(owners[k], value);
    };
    for (const std::string& place : places)
        each(place, [&](const std::string& owner, const Json& value) {
            changes.add({owner}, place, value);
        });
    if (owners.size() < 2) return;
    for (const std::string& place : places)
        each(place,
             [&](const std::string&, const Json& value) { changes.add(owners, place, value); });
}

// --- searching

bool fails_clearly(const Fact& fact, const Verdict& verdict) {
    const bool exact = fact.is == Relation::equal || fact.is == Relation::not_equal;
    return verdict.exists && !verdict.holds && (exact || verdict.margin <= -clear_miss);
}

// Returns the verdict with these fields set; nullopt if the scene is then invalid or can't be
// computed.
std::optional<Verdict> verdict_with(const Fields& fields, const Fact& fact, const Scene& scene,
                                    Backend& backend, const SceneSources& sources,
                                    Progress& progress) {
    try {
        const Scene changed = with_fields(scene, fields, sources);
        const Result result = backend.compute(changed, {}, nullptr, progress);
        return judge(fact, result, backend, sources, &progress);
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace

std::vector<Fields> changes_to_try(const Scene& scene, const Fact& fact) {
    const Json json = scene_to_json(scene);
    Changes changes(json);
    add_changes_of_lanes(scene, json, fact, changes);
    add_applied_masks(json, fact, changes);
    std::vector<Choices> choices;
    add_choices_of_inputs(scene, json["inputs"], "/inputs", choices);
    add_choices_of_tokens(json, choices);
    for (const Choices& one : choices)
        for (const Json& value : one.values) changes.add({""}, one.place, value);
    return changes.list;
}

std::optional<Failure> find_failure(const Fact& fact, const Scene& scene, Backend& backend,
                                    const SceneSources& sources, std::size_t from,
                                    Progress& progress) {
    const std::vector<Fields> changes = changes_to_try(scene, fact);
    for (std::size_t k = from; k < changes.size(); ++k) {
        if (progress.cancel) throw Cancelled{};
        progress.done = static_cast<double>(k) / static_cast<double>(changes.size());
        const auto verdict = verdict_with(changes[k], fact, scene, backend, sources, progress);
        if (verdict && fails_clearly(fact, *verdict)) return Failure{changes[k], *verdict, k + 1};
    }
    return std::nullopt;
}

}  // namespace maskscope
