// The layers of the mask: one row each, with its parameters below.

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

// The lanes whose layers are listed: all shown ones if their layers are equal, else one lane.
struct Listed {
    std::vector<int> lanes;
    bool shared = true;
    int first() const { return lanes.front(); }
};

Listed listed_lanes(const Session& session, const SidebarState& sidebar) {
    const Scene& scene = session.scene();
    const std::vector<int> shown = shown_lanes(session.view(), scene);
    const auto layers = [&](int lane) { return scene.variants[lane].mask.layers; };
    const bool equal =
        std::ranges::all_of(shown, [&](int lane) { return layers(lane) == layers(shown.front()); });
    if (equal) return {shown, true};
    const int wanted = sidebar.variant.value_or(shown.front());
    const bool is_shown = std::ranges::count(shown, wanted) > 0;
    return {{is_shown ? wanted : shown.front()}, false};
}

const std::vector<MaskLayer>& layers_of(const Session& session, const Listed& listed) {
    return session.scene().variants[listed.first()].mask.layers;
}

// Changes the same layer of every listed lane, as one step.
template <class Change>
void change_layer(Session& session, const Listed& listed, std::size_t at, const std::string& what,
                  const Change& change) {
    session.edit(what, [lanes = listed.lanes, at, change](Scene& scene) {
        for (const int lane : lanes)
            change(scene.variants.at(static_cast<std::size_t>(lane)).mask.layers.at(at));
    });
}

void remove_layer(Session& session, const Listed& listed, std::size_t at) {
    session.edit("remove a layer", [lanes = listed.lanes, at](Scene& scene) {
        for (const int lane : lanes) {
            auto& layers = scene.variants.at(static_cast<std::size_t>(lane)).mask.layers;
            if (at < layers.size()) layers.erase(layers.begin() + static_cast<std::ptrdiff_t>(at));
        }
    });
}

void add_layer(Session& session, const Listed& listed, LayerKind kind) {
    session.edit("add a layer", [lanes = listed.lanes, kind](Scene& scene) {
        set_layer(scene, lanes, kind, true);
    });
}

// --- parameters

// A whole number in the line below a layer, preceded by its name.
std::optional<Index> whole_number(Gui& gui, const std::string& id, const LayerParameter& parameter,
                                  Index number) {
    const auto typed = number_row(
        gui, id, capital(parameter.label), static_cast<double>(number),
        {.low = static_cast<double>(parameter.low), .high = largest, .whole = true, .width = 64});
    return typed ? std::optional<Index>(static_cast<Index>(*typed)) : std::nullopt;
}

// "2 3 1" or "2, 3, 1"; nullopt if a word is not a whole number from `low` on.
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

std::optional<std::vector<Index>> list_field(Gui& gui, Session& session, const std::string& id,
                                             const std::string& name, const std::string& text,
                                             Index low) {
    const auto typed = text_row(gui, id, name, text, 120);
    if (!typed) return std::nullopt;
    auto list = *typed == "all" ? std::vector<Index>{} : read_list(*typed, low);
    if (!list)
        session.say(fmt::format("\"{}\" is not a list of whole numbers, such as 3 2 1", *typed),
                    true);
    return list;
}

std::optional<Align> draw_align(Gui& gui, const Session& session, std::string_view key,
                                Align align) {
    const Shape shape = shape_of(session.scene());
    const bool alike = shape.n_q == shape.n_k && last_position(session.scene()) < shape.n_q;
    if (alike && align == Align::top_left) return std::nullopt;  // all alignments are the same
    const auto pressed = segments(gui, std::string(key), {"top left", "bottom right", "positions"},
                                  static_cast<int>(align));
    return pressed ? std::optional(static_cast<Align>(*pressed)) : std::nullopt;
}

void set_heads(Session& session, const Listed& listed, std::size_t at, std::vector<Index> heads) {
    const Index all = heads_of(session.scene().inputs);
    if (heads.empty()) {
        session.say("A layer needs at least one head. To remove the layer, clear its box.", true);
        return;
    }
    std::sort(heads.begin(), heads.end());
    change_layer(session, listed, at, "choose heads of a layer",
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

// A chip for each head, counted from 1; a click includes or excludes it.
void draw_head_chips(Gui& gui, Session& session, const Listed& listed, std::size_t at,
                     const MaskLayer& layer, Index count) {
    std::vector<Index> heads = heads_of_layer(layer, count);
    label(gui, "Heads", {.style = {13}, .role = Role::dim});
    for (Index h = 0; h < count; ++h) {
        const std::string text = fmt::format("{}##head", h + 1);
        same_line(gui, 3);
        if (room_width() < chip_width(gui, text)) ImGui::NewLine();
        const auto found = std::find(heads.begin(), heads.end(), h);
        const bool holds = found != heads.end();
        if (!chip(gui, text, {.selected = holds, .dimmed = !holds}).clicked) continue;
        if (holds)
            heads.erase(found);
        else
            heads.push_back(h);
        set_heads(session, listed, at, heads);
        return;
    }
}

constexpr Index most_chips = 16;  // more heads are typed: "1 3 5"

void draw_heads(Gui& gui, Session& session, const Listed& listed, std::size_t at,
                const MaskLayer& layer, const std::string& id) {
    const Index count = heads_of(session.scene().inputs);
    if (count < 2) return;
    if (count <= most_chips) return draw_head_chips(gui, session, listed, at, layer, count);
    std::vector<Index> from_one = layer.heads.value_or(std::vector<Index>{});
    for (Index& h : from_one) ++h;
    const std::string text = layer.heads ? written(from_one) : "all";
    auto heads = list_field(gui, session, id + "/heads", "Heads", text, 1);
    if (!heads) return;
    for (Index& h : *heads) --h;
    if (heads->empty()) *heads = heads_of_layer({}, count);
    set_heads(session, listed, at, *heads);
}

void draw_parameter(Gui& gui, Session& session, const SidebarState& sidebar, const Listed& listed,
                    std::size_t at, const MaskLayer& layer, const LayerParameter& parameter,
                    const std::string& id) {
    const auto set = [&](auto member, const auto& typed) {
        if (typed)
            change_layer(session, listed, at, std::string(rule_of(layer.kind).edit),
                         [member, typed](MaskLayer& l) { l.*member = *typed; });
    };
    const std::string key = fmt::format("{}/{}", id, parameter.key);
    std::visit(Cases{
                   [&](Align MaskLayer::*align) {
                       set(align, draw_align(gui, session, parameter.key, layer.*align));
                   },
                   [&](Index MaskLayer::*number) {
                       set(number, whole_number(gui, key, parameter, layer.*number));
                   },
                   [&](std::vector<Index> MaskLayer::*numbers) {
                       set(numbers, list_field(gui, session, key, capital(parameter.label),
                                               written(layer.*numbers), parameter.low));
                   },
                   [&](std::vector<BiasCell> MaskLayer::*bias) {
                       const auto cells = draw_bias_cells(gui, session, sidebar, id, layer.*bias);
                       if (cells && cells->empty())  // its last cell was removed
                           remove_layer(session, listed, at);
                       else
                           set(bias, cells);
                   },
                   [](const auto&) {},  // cells are painted on the bench
               },
               parameter.member);
}

void draw_parameters(Gui& gui, Session& session, const SidebarState& sidebar, const Listed& listed,
                     std::size_t at, const MaskLayer& layer) {
    const std::string id = fmt::format("layer/{}/{}", listed.first(), at);
    ImGui::Indent(static_cast<float>(points(gui, indent)));
    ImGui::PushID(id.c_str());
    for (const LayerParameter& parameter : rule_of(layer.kind).parameters)
        draw_parameter(gui, session, sidebar, listed, at, layer, parameter, id);
    draw_heads(gui, session, listed, at, layer, id);
    ImGui::PopID();
    ImGui::Unindent(static_cast<float>(points(gui, indent)));
}

// --- rows

// The layers of a kind; if there is none, a row to add one.
void draw_kind(Gui& gui, Session& session, const SidebarState& sidebar, const Listed& listed,
               const std::vector<MaskLayer>& layers, LayerKind kind) {
    const std::string name(label(kind));
    bool found = false;
    for (std::size_t at = 0; at < layers.size(); ++at) {
        if (layers[at].kind != kind) continue;
        // The first row of a kind has the id of the row that adds one, so it keeps the focus.
        const bool pressed = check_row(gui, found ? fmt::format("{}##{}", name, at) : name, true,
                                       summary(layers[at]));
        tooltip_beside(gui, explanation(name));
        if (pressed)
            remove_layer(session, listed, at);
        else
            draw_parameters(gui, session, sidebar, listed, at, layers[at]);
        found = true;
    }
    if (found) return;
    const bool pressed = check_row(gui, name, false);
    tooltip_beside(gui, explanation(name));
    if (pressed) add_layer(session, listed, kind);
}

// The rarer kinds: listed if present, else in a combo to add from.
void draw_rare_kinds(Gui& gui, Session& session, const SidebarState& sidebar, const Listed& listed,
                     const std::vector<MaskLayer>& layers) {
    const bool takes_biases = !std::holds_alternative<WeightsInputs>(session.scene().inputs);
    std::vector<std::string> absent;
    std::vector<LayerKind> kinds;
    for (const LayerRule& rule : layer_rules()) {
        const LayerKind kind = rule.kind;
        if (!rule.is_rare) continue;
        const bool is_there = std::ranges::count(layers, kind, &MaskLayer::kind) > 0;
        if (is_there) draw_kind(gui, session, sidebar, listed, layers, kind);
        if (is_there || (rule.is_bias() && !takes_biases)) continue;
        absent.emplace_back(label(kind));
        kinds.push_back(kind);
    }
    if (kinds.empty()) return;
    if (const auto pressed = combo(gui, "add a layer", absent, -1, {.hint = "+ layer"}))
        add_layer(session, listed, kinds[*pressed]);
}

// Lanes with different layers: the letters choose the listed lane.
void pick_lane(Gui& gui, const Session& session, SidebarState& sidebar, const Listed& listed) {
    if (listed.shared) return;
    const std::vector<int> shown = shown_lanes(session.view(), session.scene());
    std::vector<std::string> letters;
    letters.reserve(shown.size());
    for (const int lane : shown) letters.emplace_back(1, lane_letter(lane));
    const auto at = std::find(shown.begin(), shown.end(), listed.first()) - shown.begin();
    if (const auto picked = segments(gui, "lane", letters, static_cast<int>(at)))
        sidebar.variant = shown[*picked];
}

}  // namespace

void draw_layers(Gui& gui, Session& session, SidebarState& sidebar) {
    const Listed listed = listed_lanes(session, sidebar);
    // A copy: an edit below replaces the scene while its layers are still being drawn.
    const std::vector<MaskLayer> layers = layers_of(session, listed);
    heading(gui, "Mask layers", listed.shared ? "key allowed if all agree" : "of one lane");
    pick_lane(gui, session, sidebar, listed);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing,
                        {static_cast<float>(points(gui, 8)), static_cast<float>(points(gui, 4))});
    for (const LayerRule& rule : layer_rules())
        if (!rule.is_rare) draw_kind(gui, session, sidebar, listed, layers, rule.kind);
    draw_rare_kinds(gui, session, sidebar, listed, layers);
    ImGui::PopStyleVar();
}

}  // namespace maskscope
