#include "core/lesson/fact_proposal.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/error.h"
#include "core/format/scene_parts.h"
#include "core/lesson/address.h"
#include "core/scene/names.h"
#include "core/scene/scene.h"
#include "core/settings/setting.h"

namespace maskscope {

namespace {

// Returns the least distance of a threshold from the number: a tenth of the number, and for shares
// at least a hundredth.
double room_for(double value, bool share) {
    return std::max(0.1 * std::abs(value), share ? 0.01 : 1e-6);
}

// Returns round numbers around a positive one, ascending: 1, 2 and 5 times powers of ten, and for
// shares also quarters and nine tenths.
std::vector<double> round_numbers(double value, bool share) {
    if (share) {
        std::vector<double> numbers = {0.001, 0.01, 0.02, 0.05, 0.1,  0.2,
                                       0.25,  0.5,  0.75, 0.9,  0.99, 1};
        if (value <= 1) return numbers;
    }
    std::vector<double> numbers;
    const int power = static_cast<int>(std::floor(std::log10(value)));
    for (int k = power - 1; k <= power + 1; ++k)
        for (const int digit : {1, 2, 5})
            numbers.push_back(k < 0 ? digit / std::pow(10, -k) : digit * std::pow(10, k));
    return numbers;
}

std::optional<double> round_below(double value, bool share) {
    const double most = value - room_for(value, share);
    std::optional<double> found;
    for (const double number : round_numbers(value, share))
        if (number <= most) found = number;
    return found;
}

std::optional<double> round_above(double value, bool share) {
    const double least = value + room_for(value, share);
    for (const double number : round_numbers(value, share))
        if (number >= least) return number;
    return std::nullopt;
}

Fact fact_of(const Address& address, Relation is, std::optional<Operand> than) {
    Fact fact;
    fact.address = address;
    fact.is = is;
    if (than) fact.than = Comparand{std::move(*than), std::nullopt, std::nullopt};
    return fact;
}

// Proposes a bound for positive finite numbers: small shares get an upper bound, everything else a
// lower one.
Fact positive_threshold(const Address& address, const Extent& extent, bool share) {
    const auto below = round_below(extent.low, share), above = round_above(extent.high, share);
    const bool from_above = share && extent.high < 0.5;
    if (above && (from_above || !below)) return fact_of(address, Relation::less, *above);
    if (below) return fact_of(address, Relation::greater, *below);
    return fact_of(address, Relation::not_equal, 0.0);
}

Fact threshold(const Address& address, const Extent& extent, bool share) {
    if (extent.low > 0) return positive_threshold(address, extent, share);
    if (extent.high < 0) {
        const Extent turned{-extent.high, -extent.low, false, false};
        if (const auto below = round_below(turned.low, false))
            return fact_of(address, Relation::less, -*below);
        return fact_of(address, Relation::less, 0.0);
    }
    // For numbers around 0, propose an upper bound.
    if (const auto above = round_above(std::max(extent.high, 0.01), share))
        return fact_of(address, Relation::less, *above);
    return fact_of(address, Relation::less_equal, std::ceil(extent.high));
}

bool is_infinite(const Extent& extent) { return std::isinf(extent.low) || std::isinf(extent.high); }

// Proposes a bound on the finite side: −∞ is below and +∞ above every number.
Fact with_infinity(const Address& address, const Extent& extent) {
    if (extent.high < infinity)
        return fact_of(address, Relation::less,
                       extent.high == -infinity ? -1e6 : std::ceil(extent.high) + 1);
    if (extent.low > -infinity)
        return fact_of(address, Relation::greater,
                       extent.low == infinity ? 1e6 : std::floor(extent.low) - 1);
    return fact_of(address, Relation::not_equal, 0.0);
}

// Proposes that the number is more or less than in the other variant by a round margin, at most
// half the difference, so that the fact fails by more than rounding once the variants are equal.
std::optional<Fact> against(const Result& result, const Address& address, const Extent& extent,
                            int variant) {
    Address other = address;
    other.variant = variant;
    other.minus.reset();
    if (address.minus || variant == address.variant || !exists(result.scene, other))
        return std::nullopt;
    const Extent beside = extent_of(result, other);
    if (beside.some_nan || is_infinite(beside)) return std::nullopt;
    const double least = 0.05 * std::max({1.0, std::abs(extent.high), std::abs(beside.high)});
    const double less = beside.low - extent.high, more = extent.low - beside.high;
    if (std::max(less, more) < least) return std::nullopt;
    Fact fact = fact_of(address, less > more ? Relation::less : Relation::greater, other);
    const double room = round_below(std::max(less, more) / 2, false).value_or(0);
    fact.than->plus = less > more ? -room : room;
    return fact;
}

}  // namespace

Extent extent_of(const Result& result, const Address& address) {
    const AddressReader reader(result, address);
    Extent extent;
    extent.all_nan = true;
    Entries entries{};
    const auto walk = [&](const auto& self, std::size_t place) -> void {
        if (place < address.at.size()) {
            const bool quantified = address.at[place].is_quantifier();
            const Index count = quantified ? count_of(result.scene, address, place) : 1;
            for (entries[place] = 0; entries[place] < count; ++entries[place])
                self(self, place + 1);
            entries[place] = 0;
        } else if (const double value = reader.at(entries); std::isnan(value)) {
            extent.some_nan = true;
        } else {
            extent.low = extent.all_nan ? value : std::min(extent.low, value);
            extent.high = extent.all_nan ? value : std::max(extent.high, value);
            extent.all_nan = false;
        }
    };
    walk(walk, 0);
    return extent;
}

Fact propose_fact(const Result& result, const Address& address, const std::vector<int>& others) {
    const Extent extent = extent_of(result, address);
    if (extent.all_nan) return fact_of(address, Relation::nan, std::nullopt);
    if (extent.some_nan) return fact_of(address, Relation::not_equal, 0.0);
    const bool share = is_share(address.of) && !address.minus;
    const Dtype dtype = result.scene.variants[address.variant].dtype;
    if (extent.low == extent.high && (extent.low == 0 || is_truth(address.of)))
        return fact_of(address, Relation::equal, extent.low);
    if (is_infinite(extent)) return with_infinity(address, extent);
    if (share &&
        std::max(std::abs(extent.low - 1), std::abs(extent.high - 1)) <= tolerance_of(dtype))
        return fact_of(address, Relation::near, 1.0);
    for (const int variant : others)
        if (auto fact = against(result, address, extent, variant)) return *fact;
    return threshold(address, extent, share);
}

Fact with_relation(Fact fact, Relation is) {
    fact.is = is;
    if (is != Relation::near) fact.within.reset();
    if (is == Relation::nan)
        fact.than.reset();
    else if (!fact.than)
        fact.than = Comparand{0.0, std::nullopt, std::nullopt};
    return fact;
}

namespace {

// Other values that the key at `place` may have.
struct Choices {
    std::string place;  // "/mask/apply"
    std::vector<Json> values;
};

// The most numbers in a list that is changed.
constexpr std::size_t most_typed_numbers = 4096;

// --- which variants

std::vector<int> variants_of(const Fact& fact) {
    std::vector<int> variants;
    for (const Address* address : addresses_of(fact))
        for (const int variant : {address->variant, address->minus.value_or(address->variant)})
            if (std::ranges::find(variants, variant) == variants.end()) variants.push_back(variant);
    return variants;
}

// --- changes of a variant

// Returns other lists of rules: an empty list, the rules without one of them, the rules with one
// more (such as one that blocks or allows the fact's own cell), and lists of a single common rule.
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
    const std::vector<AddressEntry>& at = fact.address.at;
    const auto is_index = [&](std::size_t k) {
        return k < at.size() && at[k].kind == AddressEntry::Kind::index;
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
std::vector<Choices> choices_of_variant(const Scene& scene, int k, const Json& variant,
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

// --- changes of the inputs

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
        for (Choices& choice : choices_of_variant(before, 0, inputs[key]["variant"], {}))
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

// --- one list of changes

class Changes {
public:
    explicit Changes(const Json& scene) : scene_(scene) {}

    // Adds a change that sets the value at this place of every owner; none if an owner lacks the
    // place, or if all have the value already.
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

std::string owner_of(int variant) { return fmt::format("/variants/{}", variant); }

// Adds, for variants whose mask is not applied, changes of the rules that also apply the mask: such
// a mask blocks nothing, whatever its rules are.
void add_applied_masks(const Json& scene, const Fact& fact, Changes& changes) {
    for (const int variant : variants_of(fact)) {
        const Json& mask = scene["variants"][variant]["mask"];
        if (mask["apply"] != "none") continue;
        const std::string place = owner_of(variant) + "/mask/";
        for (const Json& layers : other_layers(mask["layers"], fact))
            for (const char* apply : {"\"additive\"", "\"multiply_weights\""})
                changes.list.push_back(
                    {{place + "apply", apply}, {place + "layers", write_json_line(layers)}});
    }
}

void add_changes_of_variants(const Scene& scene, const Json& json, const Fact& fact,
                             Changes& changes) {
    std::vector<std::string> owners;
    std::vector<std::vector<Choices>> by_variant;
    for (const int variant : variants_of(fact)) {
        owners.push_back(owner_of(variant));
        by_variant.push_back(choices_of_variant(scene, variant, json["variants"][variant], fact));
    }
    std::vector<std::string> places;  // in all variants, in order
    for (const auto& choices : by_variant)
        for (const Choices& one : choices)
            if (std::ranges::find(places, one.place) == places.end()) places.push_back(one.place);
    const auto each = [&](const std::string& place, const auto& act) {
        for (std::size_t k = 0; k < by_variant.size(); ++k)
            for (const Choices& one : by_variant[k])
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
    add_changes_of_variants(scene, json, fact, changes);
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
        if (progress.cancel) throw Cancellation{};
        progress.done = static_cast<double>(k) / static_cast<double>(changes.size());
        const auto verdict = verdict_with(changes[k], fact, scene, backend, sources, progress);
        if (verdict && fails_clearly(fact, *verdict)) return Failure{changes[k], *verdict, k + 1};
    }
    return std::nullopt;
}

}  // namespace maskscope
