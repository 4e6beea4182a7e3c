// The layers of the mask: a row each, its parameters under it.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <sstream>

#include "app/window/panels/parts.h"
#include "app/window/panels/sidebar/sidebar.h"
#include "app/window/panels/sidebar/sidebar_bias.h"
#include "app/window/panels/words.h"
#include "core/base/cases.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

constexpr double largest = 9007199254740991;  // 2^53 - 1
constexpr double indent = 38;                 // points: under the name of the layer

// Whose layers are listed: all shown lanes where theirs are equal, biases too, else one lane.
struct Listed {
    std::vector<int> lanes;
    bool shared = true;
    int first() const { return lanes.front(); }
};

Listed listed_lanes(const App& app) {
    const Scene& scene = app.session.scene();
    const std::vector<int> shown = shown_lanes(app.session.view(), scene);
    const auto layers = [&](int lane) { return scene.variants[lane].mask.layers; };
    const bool equal = std::all_of(shown.begin(), shown.end(),
                                   [&](int lane) { return layers(lane) == layers(shown.front()); });
    if (equal) return {shown, true};
    const int wanted = app.ui.variant.value_or(shown.front());
    const bool is_shown = std::find(shown.begin(), shown.end(), wanted) != shown.end();
    return {{is_shown ? wanted : shown.front()}, false};
}

const std::vector<MaskLayer>& layers_of(const App& app, const Listed& listed) {
    return app.session.scene().variants[listed.first()].mask.layers;
}

// Changes the same layer of every listed lane, as one step.
template <class Change>
void change_layer(App& app, const Listed& listed, std::size_t at, const std::string& what,
                  const Change& change) {
    app.session.edit(what, [lanes = listed.lanes, at, change](Scene& scene) {
        for (const int lane : lanes)
            change(scene.variants.at(static_cast<std::size_t>(lane)).mask.layers.at(at));
    });
}

void remove_layer(App& app, const Listed& listed, std::size_t at) {
    app.session.edit("remove a layer", [lanes = listed.lanes, at](Scene& scene) {
        for (const int lane : lanes) {
            auto& layers = scene.variants.at(static_cast<std::size_t>(lane)).mask.layers;
            if (at < layers.size()) layers.erase(layers.begin() + static_cast<std::ptrdiff_t>(at));
        }
    });
}

void add_layer(App& app, const Listed& listed, LayerKind kind) {
    app.session.edit("add a layer", [lanes = listed.lanes, kind](Scene& scene) {
        set_layer(scene, lanes, kind, true);
    });
}

// --- parameters

// A whole number in the line under a layer, its name before it.
std::optional<Index> whole_number(App& app, const std::string& id, const LayerParameter& parameter,
                                  Index number) {
    const auto typed = number_row(
        app, id, std::string(parameter.label), static_cast<double>(number),
        {.low = static_cast<double>(parameter.low), .high = largest, .whole = true, .width = 64});
    return typed ? std::optional<Index>(static_cast<Index>(*typed)) : std::nullopt;
}

// "2 3 1" or "2, 3, 1"; nothing where a word is no whole number from `low` on.
std::optional<std::vector<Index>> read_list(std::string text, Index low) {
    std::replace(text.begin(), text.end(), ',', ' ');
    std::istringstream words_in(text);
    std::vector<Index> numbers;
    for (std::string word; words_in >> word;) {
        double number = 0;
        if (!read_number(word, number) || number < static_cast<double>(low) || number > largest ||
            number != static_cast<double>(static_cast<Index>(number)))
            return std::nullopt;
        numbers.push_back(static_cast<Index>(number));
    }
    return numbers;
}

std::string written(const std::vector<Index>& numbers) {
    std::string text;
    for (const Index number : numbers) text += fmt::format("{}{}", text.empty() ? "" : " ", number);
    return text;
}

std::optional<std::vector<Index>> list_field(App& app, const std::string& id,
                                             const std::string& name, const std::string& text,
                                             Index low) {
    const auto typed = text_row(app, id, name, text, 120);
    if (!typed) return std::nullopt;
    auto list = *typed == "all" ? std::vector<Index>{} : read_list(*typed, low);
    if (!list)
        app.session.say(fmt::format("\"{}\" is no list of whole numbers, like 3 2 1", *typed),
                        true);
    return list;
}

std::optional<Align> draw_align(App& app, std::string_view key, Align align) {
    const Shape shape = shape_of(app.session.scene());
    if (shape.n_q == shape.n_k) return std::nullopt;  // both alignments are the same
    const auto pressed =
        segments(app, std::string(key), {"top left", "bottom right"}, static_cast<int>(align));
    return pressed ? std::optional(static_cast<Align>(*pressed)) : std::nullopt;
}

void set_heads(App& app, const Listed& listed, std::size_t at, std::vector<Index> heads) {
    const Index all = heads_of(app.session.scene().inputs);
    if (heads.empty()) {
        app.session.say("a layer holds for one head at least; the box removes it", true);
        return;
    }
    std::sort(heads.begin(), heads.end());
    change_layer(app, listed, at, "choose heads of a layer",
                 [heads, every = Index(heads.size()) == all](MaskLayer& l) {
                     l.heads = every ? std::nullopt : std::optional(heads);
                 });
}

std::vector<Index> heads_of_layer(const MaskLayer& layer, Index count) {
    if (layer.heads) return *layer.heads;
    std::vector<Index> all;
    for (Index h = 0; h < count; ++h) all.push_back(h);
    return all;
}

// A chip a head, counted from 1; a click lets the layer hold for it or not.
void draw_head_chips(App& app, const Listed& listed, std::size_t at, const MaskLayer& layer,
                     Index count) {
    std::vector<Index> heads = heads_of_layer(layer, count);
    label(app, "heads", {.style = {13}, .role = Role::dim});
    for (Index h = 0; h < count; ++h) {
        const std::string text = fmt::format("{}##head", h + 1);
        ImGui::SameLine(0, static_cast<float>(points(app, 3)));
        if (room_width() < chip_width(app, text)) ImGui::NewLine();
        const auto found = std::find(heads.begin(), heads.end(), h);
        const bool holds = found != heads.end();
        if (!chip(app, text, {.selected = holds, .dimmed = !holds}).clicked) continue;
        if (holds)
            heads.erase(found);
        else
            heads.push_back(h);
        set_heads(app, listed, at, heads);
        return;
    }
}

constexpr Index most_chips = 16;  // more heads are typed: "1 3 5"

void draw_heads(App& app, const Listed& listed, std::size_t at, const MaskLayer& layer,
                const std::string& id) {
    const Index count = heads_of(app.session.scene().inputs);
    if (count < 2) return;
    if (count <= most_chips) return draw_head_chips(app, listed, at, layer, count);
    std::vector<Index> from_one = layer.heads.value_or(std::vector<Index>{});
    for (Index& h : from_one) ++h;
    const std::string text = layer.heads ? written(from_one) : "all";
    auto heads = list_field(app, id + "/heads", "heads", text, 1);
    if (!heads) return;
    for (Index& h : *heads) --h;
    if (heads->empty()) *heads = heads_of_layer({}, count);
    set_heads(app, listed, at, *heads);
}

void draw_parameter(App& app, const Listed& listed, std::size_t at, const MaskLayer& layer,
                    const LayerParameter& parameter, const std::string& id) {
    const auto set = [&](auto member, const auto& typed) {
        if (typed)
            change_layer(app, listed, at, std::string(rule_of(layer.kind).edit),
                         [member, typed](MaskLayer& l) { l.*member = *typed; });
    };
    const std::string key = fmt::format("{}/{}", id, parameter.key);
    std::visit(Cases{
                   [&](Align MaskLayer::*align) {
                       set(align, draw_align(app, parameter.key, layer.*align));
                   },
                   [&](Index MaskLayer::*number) {
                       set(number, whole_number(app, key, parameter, layer.*number));
                   },
                   [&](std::vector<Index> MaskLayer::*numbers) {
                       set(numbers, list_field(app, key, std::string(parameter.label),
                                               written(layer.*numbers), parameter.low));
                   },
                   [&](std::vector<BiasCell> MaskLayer::*bias) {
                       const auto cells = draw_bias_cells(app, id, layer.*bias);
                       if (cells && cells->empty())  // its last cell was taken away
                           remove_layer(app, listed, at);
                       else
                           set(bias, cells);
                   },
                   [](const auto&) {},  // cells are painted on the bench
               },
               parameter.member);
}

void draw_parameters(App& app, const Listed& listed, std::size_t at, const MaskLayer& layer) {
    const std::string id = fmt::format("layer/{}/{}", listed.first(), at);
    ImGui::Indent(static_cast<float>(points(app, indent)));
    ImGui::PushID(id.c_str());
    for (const LayerParameter& parameter : rule_of(layer.kind).parameters)
        draw_parameter(app, listed, at, layer, parameter, id);
    draw_heads(app, listed, at, layer, id);
    ImGui::PopID();
    ImGui::Unindent(static_cast<float>(points(app, indent)));
}

// --- rows

// first: of its kind; its row is the one that adds it where it is gone, and keeps the focus.
void draw_layer(App& app, const Listed& listed, std::size_t at, const MaskLayer& layer,
                bool first) {
    const std::string kind(label(layer.kind));
    const std::string name = first ? kind : fmt::format("{}##{}", kind, at);
    if (check_row(app, name, true, summary(layer)))
        remove_layer(app, listed, at);
    else
        draw_parameters(app, listed, at, layer);
}

// The layers of a kind; where there is none, a row to add one.
void draw_kind(App& app, const Listed& listed, const std::vector<MaskLayer>& layers,
               LayerKind kind) {
    bool found = false;
    for (std::size_t at = 0; at < layers.size(); ++at) {
        if (row_of(layers[at].kind) != kind) continue;
        draw_layer(app, listed, at, layers[at], !found);
        found = true;
    }
    if (!found && check_row(app, std::string(label(kind)), false)) add_layer(app, listed, kind);
}

// The kinds that are rarer: listed where they are there, and else in a list to add from.
void draw_rare_kinds(App& app, const Listed& listed, const std::vector<MaskLayer>& layers) {
    const bool takes_biases = !std::holds_alternative<WeightsInputs>(app.session.scene().inputs);
    std::vector<std::string> absent{"+ layer"};
    std::vector<LayerKind> kinds{LayerKind::causal};
    for (const LayerRule& rule : layer_rules()) {
        const LayerKind kind = rule.kind;
        if (!rule.is_rare) continue;
        const bool is_there =
            std::any_of(layers.begin(), layers.end(),
                        [kind](const MaskLayer& layer) { return layer.kind == kind; });
        if (is_there) draw_kind(app, listed, layers, kind);
        if (is_there || (rule.is_bias() && !takes_biases)) continue;
        absent.emplace_back(label(kind));
        kinds.push_back(kind);
    }
    if (kinds.size() < 2) return;
    if (const auto pressed = combo(app, "add a layer", absent, 0))
        add_layer(app, listed, kinds[*pressed]);
}

// Lanes with different layers: the letters choose whose are listed.
void pick_lane(App& app, const Listed& listed) {
    if (listed.shared) return;
    const std::vector<int> shown = shown_lanes(app.session.view(), app.session.scene());
    std::vector<std::string> letters;
    letters.reserve(shown.size());
    for (const int lane : shown) letters.emplace_back(1, lane_letter(lane));
    const auto at = std::find(shown.begin(), shown.end(), listed.first()) - shown.begin();
    if (const auto picked = segments(app, "lane", letters, static_cast<int>(at)))
        app.ui.variant = shown[*picked];
}

}  // namespace

void draw_layers(App& app) {
    const Listed listed = listed_lanes(app);
    // A copy: an edit below replaces the scene while its layers are still being drawn.
    const std::vector<MaskLayer> layers = layers_of(app, listed);
    heading(app, "Mask layers", listed.shared ? "key allowed if all agree" : "of one lane");
    pick_lane(app, listed);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing,
                        {static_cast<float>(points(app, 8)), static_cast<float>(points(app, 4))});
    for (const LayerRule& rule : layer_rules())
        if (!rule.is_rare && row_of(rule.kind) == rule.kind)
            draw_kind(app, listed, layers, rule.kind);
    draw_rare_kinds(app, listed, layers);
    ImGui::PopStyleVar();
}

}  // namespace maskscope
