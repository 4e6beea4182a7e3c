// The table of settings, and the code that reads all its rows.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "core/scene/mask_rules.h"
#include "core/settings/parts.h"

namespace maskscope {

// Rows that are in files of their own.
Setting score_setting();
Setting scale_setting();
Settings softcap_settings();
Settings mask_settings();
Settings normalizer_settings();
Setting output_setting();

namespace {

Setting empty_rows_setting() {
    Setting setting =
        named_setting<&Variant::empty_rows, true>("empty_rows", "empty rows", "change empty rows");
    setting.prefix = "empty rows ";
    setting.described = [](const Variant& v) {
        return fmt::format("empty rows {}", name(v.empty_rows));
    };
    return setting;
}

Setting dtype_setting() {
    Setting setting = named_setting<&Variant::dtype, false>("dtype", "dtype", "change the dtype");
    setting.described = setting.words;
    return setting;
}

Setting heads_off_setting() {
    return {.key = "heads_off",
            .label = "heads off",
            .undo = "turn a head on or off",
            .stands = is_trained,
            .read = [](const Node& node, const VariantPlace& place,
                       Variant& v) { v.heads_off = read_distinct(node, heads_of(place.inputs)); },
            .write =
                [](const Variant& v, const WriteArray&) {
                    return v.heads_off.empty() ? Json() : Json(v.heads_off);
                }};
}

void read_reference(const Node& node, const VariantPlace& place, Variant& variant) {
    if (place.variants == 0)
        throw InputError(node.place, "only the variants of the scene can have a reference");
    if (place.variants == 1) throw InputError(node.place, "there is no other variant");
    variant.reference = static_cast<int>(read_index(node, place.variants));
    if (*variant.reference == place.own)
        throw InputError(node.place,
                         fmt::format("expected another variant, got {} itself", place.own));
}

std::vector<Choice> reference_choices(const Scene& scene, int k) {
    std::vector<Choice> choices;
    const Variant& variant = scene.variants[k];
    add_choice(choices, variant, &Variant::reference, "none", std::optional<int>());
    for (int other = 0; other < std::ssize(scene.variants); ++other)
        if (other != k)
            add_choice(choices, variant, &Variant::reference,
                       fmt::format("{} {}", variant_letter(other), scene.variants[other].name),
                       std::optional(other));
    return choices;
}

Setting reference_setting() {
    return {.key = "reference",
            .label = "reference",
            .undo = "change the reference",
            .read = read_reference,
            .write = [](const Variant& v,
                        const WriteArray&) { return v.reference ? Json(*v.reference) : Json(); },
            .choices = reference_choices};
}

Settings make_settings() {
    Settings rows{score_setting(), scale_setting()};
    const auto add = [&](const Settings& more) {
        rows.insert(rows.end(), more.begin(), more.end());
    };
    add(softcap_settings());
    add(mask_settings());
    add(normalizer_settings());
    add({empty_rows_setting(), dtype_setting(), heads_off_setting(), output_setting(),
         reference_setting()});
    return rows;
}

// --- reading and writing

// Returns the object that holds a key: "mask" for "mask.value", which is at "value" there; "" for a
// key without a dot.
std::string_view group_of(std::string_view key) {
    const std::size_t dot = key.find('.');
    return dot == std::string_view::npos ? "" : key.substr(0, dot);
}
std::string_view within_group(std::string_view key) { return key.substr(key.find('.') + 1); }

void expect_settings(const Node& node, std::string_view group, const Inputs& inputs) {
    std::vector<std::string_view> keys;
    if (group.empty()) keys.emplace_back("name");
    for (const Setting& setting : settings()) {
        if (!setting.read || !setting.stands(inputs)) continue;
        const std::string_view of = group_of(setting.key);
        if (of == group) keys.push_back(within_group(setting.key));
        if (group.empty() && !of.empty()) keys.push_back(of);
    }
    expect_keys(node, keys);
}

}  // namespace

const Settings& settings() {
    static const Settings rows = make_settings();
    return rows;
}

const std::vector<const Setting*>& listed_settings() {
    static const std::vector<const Setting*> rows = [] {
        std::vector<const Setting*> all;
        for (const Setting& setting : settings()) all.push_back(&setting);
        std::ranges::stable_partition(
            all, [](const Setting* setting) { return group_of(setting->key) == "mask"; });
        return all;
    }();
    return rows;
}

const Setting* find_setting(std::string_view key) {
    const auto found = std::ranges::find(settings(), key, &Setting::key);
    return found == settings().end() ? nullptr : &*found;
}

std::vector<Choice> choices_of(const Setting& setting, const Scene& scene, int variant) {
    if (!setting.choices || !setting.acts(scene.inputs, scene.variants[variant])) return {};
    auto choices = setting.choices(scene, variant);
    return choices.size() > 1 ? choices : std::vector<Choice>{};
}

std::vector<Operation> operations_into(StageKind stage, const Variant& variant) {
    std::vector<Operation> all;
    for (const Setting& setting : settings())
        if (setting.operations)
            for (Operation& operation : setting.operations(variant))
                if (operation.into == stage) all.push_back(std::move(operation));
    std::ranges::stable_sort(all, {}, &Operation::order);
    return all;
}

Variant default_variant(const Inputs& inputs) {
    Variant variant;
    for (const Setting& setting : settings())
        if (setting.be_default) setting.be_default(inputs, variant);
    return variant;
}

namespace {

void read_settings(const Node& object, std::string_view group, const VariantPlace& place,
                   Variant& variant) {
    std::string_view read;  // the group that was read last
    for (const Setting& setting : settings()) {
        const std::string_view of = group_of(setting.key);
        if (!setting.read || (!group.empty() && of != group)) continue;
        if (of == group) {
            if (setting.be_default) setting.be_default(place.inputs, variant);
            const auto node = find(object, within_group(setting.key));
            if (node) setting.read(*node, place, variant);
        } else if (of != read) {
            read = of;
            const Json none = Json::object();
            const Node within = find(object, of).value_or(Node{none, ""});
            expect_settings(within, of, place.inputs);
            read_settings(within, of, place, variant);
        }
    }
}

}  // namespace

Variant read_variant(const Node& node, const VariantPlace& place) {
    Variant variant;
    expect_settings(node, "", place.inputs);
    variant.name = read_label(require(node, "name"));
    read_settings(node, "", place, variant);
    for (const Setting& setting : settings())
        if (setting.check) setting.check(node, place, variant);
    return variant;
}

Mask read_mask(const Node& node, const VariantPlace& place) {
    Variant variant;
    expect_settings(node, "mask", place.inputs);
    read_settings(node, "mask", place, variant);
    return variant.mask;
}

Json variant_to_json(const Variant& variant, const Inputs& inputs, const WriteArray& array) {
    Json json = {{"name", variant.name}};
    for (const Setting& setting : settings()) {
        if (!setting.write || !setting.stands(inputs)) continue;
        Json value = setting.write(variant, array);
        if (value.is_null()) continue;
        const std::string_view group = group_of(setting.key);
        Json& object = group.empty() ? json : json[std::string(group)];
        // If memory runs out, [] on null leaves a half-made object.
        if (object.is_null()) object = Json::object();
        object[std::string(within_group(setting.key))] = std::move(value);
    }
    return json;
}

// --- the changes of a variant since its step

namespace {

struct Changes {
    std::string text;
    void add(std::string_view change) {
        text += text.empty() ? "" : ", ";
        text += change;
    }
};

// True for a rule of painted cells: these are visible in the mask, and need no words.
bool is_painted(const MaskLayer& layer) { return rule_of(layer.kind).lists_cells; }

void add_layer_changes(Changes& changes, const Mask& before, const Mask& now) {
    const auto has_kind = [](const Mask& mask, LayerKind kind) {
        return std::ranges::find(mask.layers, kind, &MaskLayer::kind) != mask.layers.end();
    };
    const auto has = [](const Mask& mask, const MaskLayer& layer) {
        return std::ranges::find(mask.layers, layer) != mask.layers.end();
    };
    for (const MaskLayer& layer : before.layers)
        if (!is_painted(layer) && !has_kind(now, layer.kind))
            changes.add("no " + within_sentence(label(layer.kind)));
    for (const MaskLayer& layer : now.layers) {
        if (is_painted(layer) || has(before, layer)) continue;
        const char* const prefix = has_kind(before, layer.kind) ? "" : "with ";
        changes.add(prefix + within_sentence(label(layer.kind)));
    }
}

std::string changes_of(const Inputs& inputs, const Variant& before, const Variant& now) {
    Changes changes;
    for (const Setting* setting : listed_settings()) {
        if (!setting->words || !setting->acts(inputs, now)) continue;
        const bool is_apply = setting->key == "mask.apply";
        if (is_apply && now.name == label(now.mask.apply)) continue;
        std::string words = setting->words(now);
        if (words == setting->words(before)) continue;
        // A mask with a mask value always acts before the softmax, so that only the first word,
        // such as "added", says anything new.
        if (is_apply && uses_value(now.mask.apply)) words.resize(words.find(' '));
        changes.add(std::string(setting->prefix) + words);
    }
    add_layer_changes(changes, before.mask, now.mask);
    return changes.text;
}

}  // namespace

std::string changes_since(const Scene& step, const Scene& scene, int variant) {
    const Variant& now = scene.variants[variant];
    // The variant of the step at the same index, or after a variant was deleted, that of the same
    // name.
    const Variant* before = nullptr;
    const bool same_place = variant < std::ssize(step.variants);
    if (same_place && step.variants[variant].name == now.name) before = &step.variants[variant];
    for (const Variant& other : step.variants)
        if (!before && other.name == now.name) before = &other;
    const bool follows = same_place && now.name == label(now.mask.apply) &&
                         step.variants[variant].name == label(step.variants[variant].mask.apply);
    if (!before && follows) before = &step.variants[variant];
    if (!before) return "";
    return changes_of(scene.inputs, *before, now);
}

std::string changes_from_namesake(const Scene& scene, int variant) {
    const Variant& now = scene.variants[variant];
    const auto first = std::ranges::find(scene.variants, now.name, &Variant::name);
    if (now.name.empty() || &*first == &now) return "";
    const std::string changes = changes_of(scene.inputs, *first, now);
    const auto index = static_cast<int>(first - scene.variants.begin());
    return changes.empty() && *first == now ? fmt::format("same as {}", variant_letter(index))
                                            : changes;
}

}  // namespace maskscope
