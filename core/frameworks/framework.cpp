#include "core/frameworks/framework.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "core/base/build.h"
#include "core/base/error.h"
#include "core/edit/edit.h"
#include "core/files/file.h"
#include "core/json/json_read.h"

namespace maskscope {

namespace {

constexpr std::string_view true_words[] = {"attend", "ignore", "added"};
constexpr std::string_view causal_words[] = {"top_left", "bottom_right", "positions", "given"};

Fields within_variant(const Fields& sets, int variant) {
    Fields fields;
    for (const auto& [pointer, value] : sets)
        fields.emplace_back(fmt::format("/variants/{}{}", variant, pointer), value);
    return fields;
}

// Makes a scene in which settings are checked: a framework may set whatever its variant may have.
Scene some_scene() {
    Scene scene;
    scene.sequences = {{{"token"}, std::nullopt}};
    scene.variants.resize(1);
    scene.variants.front().name = "any";
    return scene;
}

Fields read_sets(const Node& node) {
    if (!node.json.is_object()) fail(node, "an object");
    Fields sets;
    for (const auto& item : node.json.items()) {
        sets.emplace_back(item.key(), write_json_line(item.value()));
        try {
            with_fields(some_scene(), within_variant({sets.back()}, 0), ".");
        } catch (const InputError& error) {
            throw InputError(place_of(node, item.key()), error.what());
        }
    }
    return sets;
}

void align_causal(std::vector<MaskLayer>& layers, Align align) {
    for (MaskLayer& layer : layers) {
        if (layer.kind == LayerKind::causal) layer.align = align;
        align_causal(layer.layers, align);
    }
}

}  // namespace

Framework read_framework(std::string_view json) {
    const Json parsed = parse_json(json);
    const Node node{parsed, ""};
    expect_keys(node, {"maskscope_framework", "name", "version", "source", "says", "true_means",
                       "causal", "sets"});
    read_integer(require(node, "maskscope_framework"), 1, 1);  // the version of the format
    Framework framework;
    framework.name = read_label(require(node, "name"));
    framework.version = read_label(require(node, "version"));
    framework.source = read_label(require(node, "source"));
    framework.says = read_label(require(node, "says"));
    framework.true_means =
        static_cast<TrueMeans>(read_word(require(node, "true_means"), true_words));
    const std::size_t causal = read_word(require(node, "causal"), causal_words);
    if (causal_words[causal] != "given") framework.causal = static_cast<Align>(causal);
    framework.sets = read_sets(require(node, "sets"));
    return framework;
}

void set_framework(Scene& scene, int index, const Framework& framework) {
    if (std::holds_alternative<WeightsInputs>(scene.inputs))
        throw EditError("Given weights do not have these settings, as they have no softmax input.");
    Scene next = scene;
    Variant& variant = next.variants.at(static_cast<std::size_t>(index));
    if (framework.causal) align_causal(variant.mask.layers, *framework.causal);
    next = with_fields(next, within_variant(framework.sets, index), ".");
    next.variants[index].name = framework.name;
    scene = std::move(next);
}

namespace {

std::vector<Framework> read_all() {
    std::vector<std::filesystem::path> files;
    std::error_code none;
    for (const auto& entry :
         std::filesystem::directory_iterator(assets_folder() / "frameworks", none))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::ranges::sort(files);
    std::vector<Framework> all;
    for (const auto& file : files) try {
            all.push_back(read_framework(read_file(file)));
        } catch (const Error&) {}
    return all;
}

}  // namespace

const std::vector<Framework>& frameworks() {
    static const std::vector<Framework> all = read_all();
    return all;
}

}  // namespace maskscope
