// Draws the mask rules: a row for each, with its parameters below; groups are drawn as a small
// tree.

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/style/labels.h"
#include "app/window/panels/parts.h"
#include "app/window/panels/sidebar/sidebar.h"
#include "app/window/panels/words.h"
#include "app/window/widgets/focus.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

constexpr double row_height = 32;    // points
constexpr double indent = 38;        // points: below the name of the rule
constexpr double group_indent = 20;  // points: for the rules of a group
constexpr double invert_width = 58, out_width = 36;

using Layers = std::vector<MaskLayer>;

ListedVariants listed_variants(const Session& session, const SidebarState& sidebar) {
    const Scene& scene = session.scene();
    const std::vector<int> shown = shown_variants(session.view(), scene);
    const auto layers = [&](int variant) { return scene.variants[variant].mask.layers; };
    const bool equal = std::ranges::all_of(
        shown, [&](int variant) { return layers(variant) == layers(shown.front()); });
    if (equal) return {shown, true};
    const int wanted = sidebar.variant.value_or(shown.front());
    const bool is_shown = std::ranges::count(shown, wanted) > 0;
    return {{is_shown ? wanted : shown.front()}, false};
}

// A rule that was drawn in this pass, onto which another one can be dropped.
struct DrawnRow {
    LayerPath path;
    bool is_group = false;
    Rect rect;
};

// The state that the rows share in this pass, and the user's actions on them.
struct LayerList {
    Gui& gui;
    Session& session;
    SidebarState& sidebar;
    const ListedVariants& listed;
    std::vector<DrawnRow> drawn;
    std::optional<LayerPath> dragged, dropped;

    void edit(const std::string& what, const std::function<void(Scene&)>& change) const {
        session.edit(what, change);
    }
    const Layers& layers() const { return session.scene().variants[listed.first()].mask.layers; }
    // Adds a rule. If it is a formula, starts typing it.
    void add(const LayerPath& group, LayerKind kind) const {
        edit("add a mask rule",
             [&](Scene& scene) { add_layer(scene, listed.variants, group, kind); });
        const MaskLayer* inside = find_layer(layers(), group);
        const Layers& all = inside ? inside->layers : layers();
        if (all.empty() || all.back().kind != kind) return;  // the edit was rejected
        LayerPath path = group;
        path.push_back(all.size() - 1);
        edit_formula(gui, {listed, path, all.back()});
    }
    void move(const LayerPath& from, const LayerPath& group) const {
        const std::string what = group.size() < from.size() ? "take a mask rule out of its group"
                                                            : "move a mask rule into a group";
        edit(what, [&](Scene& scene) { move_layer(scene, listed.variants, from, group); });
    }
    bool is_chosen(const LayerPath& path) const {
        return std::ranges::count(sidebar.chosen_layers, path) > 0;
    }
};

// --- a row

bool may_invert(const LayerRow& row) {
    const LayerRule& rule = rule_of(row.layer.kind);
    return !rule.is_bias() && !(rule.opens && !row.in_group());
}

// Draws a small toggle, whose word is visible only while it is on or has the focus, or while the
// pointer is over it or its row (seen). Returns true if it was clicked.
bool quiet_toggle(Gui& gui, const std::string& text, double width, bool on, bool seen,
                  const std::string& tip) {
    same_line(gui, 4);
    const bool clicked = press_area(gui, text, points(gui, width - 4), points(gui, row_height));
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    const Rect rect{low.x, low.y, high.x - low.x, high.y - low.y};
    const bool hovered = ImGui::IsItemHovered();
    tooltip_beside(gui, tip);
    if (hovered || on)
        draw_box(gui, {.rect = rect,
                       .radius = points(gui, 5),
                       .filled = true,
                       .outlined = on,
                       .fill = Role::raised,
                       .outline = Role::hatch});
    if (on || seen || hovered || has_focus(gui, ImGui::GetID(text.c_str())))
        draw_text(gui, {.at = {rect.x + rect.w / 2, rect.y + rect.h / 2},
                        .text = text.substr(0, text.find("##")),
                        .style = {.size = 12 * gui.scale},
                        .role = on ? Role::ink : Role::dim,
                        .anchor = Anchor::centre});
    return clicked;
}

// Returns the rule's summary; "" if fields below show it. If the row is too narrow, returns only
// the number ("12" for "12 cells"), or nothing.
std::string note_of(const Gui& gui, const MaskLayer& layer, double room) {
    const LayerRule& rule = rule_of(layer.kind);
    const bool is_typed = std::ranges::any_of(rule.parameters, [](const LayerParameter& p) {
        return std::holds_alternative<std::string MaskLayer::*>(p.member) ||
               p.counts == Counts::ids || p.counts == Counts::parents;
    });
    if (rule.is_group || is_typed) return "";
    const TextStyle style{.size = 13 * gui.scale};
    const double beside = measure(std::string(rule.label), style).width + points(gui, indent + 28);
    const auto fits = [&](const std::string& note) {
        return beside + measure(note, style).width <= room;
    };
    const std::string note = summary(layer), number = note.substr(0, note.find(' '));
    const bool counts =
        number.find_first_not_of("0123456789") == number.npos && note.find(',') == note.npos;
    return fits(note) ? note : counts && fits(number) ? number : "";
}

// Handles the pointer's actions on the row that was just drawn.
void use_row(LayerList& list, const LayerRow& row, bool pressed) {
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    const Rect rect{low.x, low.y, high.x - low.x, high.y - low.y};
    list.drawn.push_back({row.path, rule_of(row.layer.kind).is_group, rect});
    const ChipEvents events = events_of_item(list.gui, pressed);
    if (events.dragged) list.dragged = row.path;
    if (events.dropped) list.dropped = row.path;
    if (list.is_chosen(row.path))
        draw_box(list.gui, {.rect = rect,
                            .radius = points(list.gui, 5),
                            .outlined = true,
                            .outline = Role::ink,
                            .line_width = points(list.gui, 1.5)});
    if (!events.clicked) return;
    if ((list.gui.now.modifiers & GLFW_MOD_CONTROL) == 0) return remove_layer(list.session, row);
    if (std::erase(list.sidebar.chosen_layers, row.path) == 0)
        list.sidebar.chosen_layers.push_back(row.path);
}

// Draws the switch that inverts the rule, so that it blocks what it allowed.
void draw_invert(LayerList& list, const LayerRow& row, bool seen) {
    if (!may_invert(row)) return;
    if (!quiet_toggle(list.gui, "Invert##" + row.id(), invert_width, row.layer.invert, seen,
                      explanation("Invert")))
        return;
    MaskLayer next = row.layer;
    next.invert = !next.invert;
    change_layer(list.session, row, next,
                 next.invert ? "invert a mask rule" : "stop inverting a mask rule");
}

void draw_layer(LayerList& list, const LayerRow& row, const std::string& id);

// Draws the choice between any and all of a group's rules, and the rules one below the other.
void draw_group(LayerList& list, const LayerRow& row) {
    Gui& gui = list.gui;
    const bool any = row.layer.kind == LayerKind::any;
    if (const auto pressed =
            segments(gui, row.id(), {"any of these", "all of these"}, any ? 0 : 1)) {
        MaskLayer next = row.layer;
        next.kind = *pressed == 0 ? LayerKind::any : LayerKind::all;
        change_layer(list.session, row, next, "change a group of mask rules");
    }
    for (std::size_t k = 0; k < row.layer.layers.size(); ++k) {
        LayerPath path = row.path;
        path.push_back(k);
        const LayerRow inner{row.listed, path, row.layer.layers[k]};
        draw_layer(list, inner, fmt::format("{}###{}", label(inner.layer.kind), inner.id()));
    }
}

// Draws the list of what can be added to a group: rules next to it, which move in, and new rules.
void draw_group_additions(LayerList& list, const LayerRow& row, const Layers& beside) {
    std::vector<std::string> choices;
    std::vector<std::size_t> moved;
    std::vector<LayerKind> kinds;
    for (std::size_t k = 0; k < beside.size(); ++k) {
        LayerPath path = row.path;
        path.back() = k;
        if (path == row.path || is_bias(beside[k]) || beside[k].heads) continue;
        moved.push_back(k);
        const std::string words = summary(beside[k]);
        choices.push_back(fmt::format("move in: {}{}", label(beside[k].kind),
                                      words.empty() ? "" : fmt::format(" ({})", words)));
    }
    for (const LayerRule& rule : layer_rules()) {
        if (rule.is_bias()) continue;
        kinds.push_back(rule.kind);
        choices.emplace_back(rule.label);
    }
    const auto pressed = combo(list.gui, row.id() + "/add", choices, -1, {.hint = "+ rule"});
    if (!pressed) return;
    const auto at = static_cast<std::size_t>(*pressed);
    if (at >= moved.size()) return list.add(row.path, kinds[at - moved.size()]);
    LayerPath from = row.path;
    from.back() = moved[at];
    list.move(from, row.path);
}

bool has_pads(const Session& session) {
    const auto& variants = session.shown().variants;
    return variants.empty() || std::ranges::count(variants.front().pads, 1) > 0;
}

const Layers& layers_beside(const LayerList& list, const LayerPath& path) {
    const MaskLayer* group = find_layer(list.layers(), LayerPath(path.begin(), path.end() - 1));
    return group ? group->layers : list.layers();
}

void draw_out_of_group(LayerList& list, const LayerRow& row, bool seen) {
    if (row.in_group() && quiet_toggle(list.gui, "out##" + row.id(), out_width, false, seen,
                                       "Take the rule out of its group"))
        list.move(row.path, LayerPath(row.path.begin(), row.path.end() - 2));
}

// Draws a rule. id: the id of its row. The first rule of a kind has the id of the row that added
// it, and so keeps the focus.
void draw_layer(LayerList& list, const LayerRow& row, const std::string& id) {
    Gui& gui = list.gui;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const double row_width = room_width();
    const bool seen =
        ImGui::IsMouseHoveringRect(at, {at.x + static_cast<float>(row_width),
                                        at.y + static_cast<float>(points(gui, row_height))}) &&
        ImGui::IsWindowHovered();
    const double taken = (may_invert(row) ? invert_width : 0) + (row.in_group() ? out_width : 0);
    if (taken > 0)
        draw_box(gui, {.rect = {at.x, at.y, row_width, points(gui, row_height)},
                       .radius = points(gui, 5),
                       .filled = true,
                       .fill = Role::raised});
    const std::string note =
        row.in_group() ? "" : note_of(gui, row.layer, row_width - points(gui, taken));
    const bool pressed = check_row(gui, id, true, note, true, taken);
    tooltip_beside(gui, explanation(std::string(label(row.layer.kind))));
    use_row(list, row, pressed);
    draw_out_of_group(list, row, seen);
    draw_invert(list, row, seen);
    const bool group = rule_of(row.layer.kind).is_group;
    const auto in = static_cast<float>(points(gui, group ? group_indent : indent));
    ImGui::Indent(in);
    ImGui::PushID(row.id().c_str());
    if (group) draw_group(list, row);
    if (row.layer.kind == LayerKind::padding && !has_pads(list.session))
        paragraph(gui, "No token is padding yet. Click one, then press Pad.",
                  {.style = {.size = 12}, .role = Role::dim});
    draw_parameters(gui, list.session, list.sidebar, row);
    if (group) draw_group_additions(list, row, Layers(layers_beside(list, row.path)));
    ImGui::PopID();
    ImGui::Unindent(in);
}

// --- rows for each kind

// Draws the rules of a kind; if there are none, a row for adding one.
void draw_kind(LayerList& list, const Layers& layers, LayerKind kind) {
    const std::string name(label(kind));
    bool found = false;
    for (std::size_t at = 0; at < layers.size(); ++at) {
        if (layers[at].kind != kind) continue;
        draw_layer(list, {list.listed, {at}, layers[at]},
                   found ? fmt::format("{}##{}", name, at) : name);
        found = true;
    }
    if (found) return;
    const bool pressed = check_row(list.gui, name, false);
    tooltip_beside(list.gui, explanation(name));
    if (pressed) list.add({}, kind);
}

// True if several rules of a kind make sense: their formulas, or the rules within them, can differ.
bool may_repeat(const LayerRule& rule) {
    return rule.is_group || rule.kind == LayerKind::formula || rule.kind == LayerKind::formula_bias;
}

// Draws the rules of rarer kinds, and a list of those kinds that can be added.
void draw_rare_kinds(LayerList& list, const Layers& layers) {
    const bool takes_biases = !std::holds_alternative<WeightsInputs>(list.session.scene().inputs);
    std::vector<const LayerRule*> absent;
    for (const LayerRule& rule : layer_rules()) {
        if (!rule.is_rare) continue;
        const bool is_there = std::ranges::count(layers, rule.kind, &MaskLayer::kind) > 0;
        if (is_there) draw_kind(list, layers, rule.kind);
        if ((is_there && !may_repeat(rule)) || (rule.is_bias() && !takes_biases)) continue;
        absent.push_back(&rule);
    }
    std::ranges::sort(absent, {}, &LayerRule::label);
    std::vector<std::string> choices, tips;
    for (const LayerRule* rule : absent) {
        choices.emplace_back(rule->label);
        tips.push_back(explanation(choices.back()));
    }
    const ComboOptions options{.hint = "+ rule", .tips = std::move(tips)};
    if (const auto pressed = combo(list.gui, "add a mask rule", choices, -1, options))
        list.add({}, absent[*pressed]->kind);
}

// --- groups

// Returns the chosen rules, or if none is chosen, all rules except biases and those that allow
// cells.
std::vector<LayerPath> to_be_grouped(const LayerList& list, const Layers& layers) {
    if (!list.sidebar.chosen_layers.empty()) return list.sidebar.chosen_layers;
    std::vector<LayerPath> all;
    for (std::size_t k = 0; k < layers.size(); ++k)
        if (!is_bias(layers[k]) && !rule_of(layers[k].kind).opens) all.push_back({k});
    return all;
}

void draw_new_group(LayerList& list, const Layers& layers) {
    const std::vector<LayerPath> paths = to_be_grouped(list, layers);
    if (paths.empty()) return;
    const std::string whose =
        list.sidebar.chosen_layers.empty() ? "these rules" : "the selected rules";
    const auto pressed = combo(list.gui, "add a group", {"any of " + whose, "all of " + whose}, -1,
                               {.tip = "Group the selected rules. Ctrl+click to select. Dragging "
                                       "one rule onto another also makes a group.",
                                .hint = "+ group"});
    if (!pressed) return;
    list.edit("group mask rules", [&](Scene& scene) {
        group_layers(scene, list.listed.variants, paths,
                     *pressed == 0 ? LayerKind::any : LayerKind::all);
    });
    list.sidebar.chosen_layers.clear();
}

const DrawnRow* row_under_pointer(const LayerList& list) {
    const auto found = std::ranges::find_if(
        list.drawn, [&](const DrawnRow& row) { return row.rect.contains(list.gui.now.pointer); });
    return found == list.drawn.end() ? nullptr : &*found;
}

// Drops a rule. If it is dropped onto a group or a rule in one, it joins that group. Otherwise a
// rule from a group leaves it, and a rule outside groups forms one with the rule under it.
void drop(const LayerList& list, const LayerPath& from) {
    const DrawnRow* row = row_under_pointer(list);
    if (row && row->path == from) return;
    const bool inner = row && row->path.size() > 1;
    if (row && row->is_group) return list.move(from, row->path);
    if (inner) return list.move(from, LayerPath(row->path.begin(), row->path.end() - 1));
    if (from.size() > 1) return list.move(from, {});
    if (row)
        list.edit("group mask rules", [&](Scene& scene) {
            group_layers(scene, list.listed.variants, {from, row->path}, LayerKind::any);
        });
}

void draw_drop_target(const LayerList& list) {
    const DrawnRow* row = row_under_pointer(list);
    if (!list.dragged || !row || row->path == *list.dragged) return;
    draw_box(list.gui, {.rect = row->rect,
                        .radius = points(list.gui, 5),
                        .outlined = true,
                        .outline = Role::odd,
                        .line_width = points(list.gui, 2)});
}

// Draws letters for choosing the listed variant, if variants have different rules.
void pick_variant(Gui& gui, const Session& session, SidebarState& sidebar,
                  const ListedVariants& listed) {
    if (listed.shared) return;
    const std::vector<int> shown = shown_variants(session.view(), session.scene());
    std::vector<std::string> letters;
    letters.reserve(shown.size());
    for (const int variant : shown) letters.emplace_back(1, variant_letter(variant));
    const auto at = std::find(shown.begin(), shown.end(), listed.first()) - shown.begin();
    if (const auto picked = segments(gui, "lane", letters, static_cast<int>(at)))
        sidebar.variant = shown[*picked];
}

// Returns the kinds of all rules, depth first.
std::vector<LayerKind> kinds_of(const Layers& layers) {
    std::vector<LayerKind> kinds;
    for (const MaskLayer& layer : layers) {
        kinds.push_back(layer.kind);
        for (const LayerKind kind : kinds_of(layer.layers)) kinds.push_back(kind);
    }
    return kinds;
}

}  // namespace

void draw_layers(Gui& gui, Session& session, Ui& ui) {
    SidebarState& sidebar = ui.sidebar;
    const ListedVariants listed = listed_variants(session, sidebar);
    // A copy, because an edit below replaces the scene while its rules are still being drawn.
    const Layers layers = session.scene().variants[listed.first()].mask.layers;
    if (std::vector<LayerKind> kinds = kinds_of(layers); sidebar.chosen_among != kinds) {
        sidebar.chosen_layers.clear();
        sidebar.chosen_among = std::move(kinds);
    }
    heading(gui, "Mask rules", listed.shared ? "every rule must allow a key" : "of one variant");
    pick_variant(gui, session, sidebar, listed);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing,
                        {static_cast<float>(points(gui, 8)), static_cast<float>(points(gui, 4))});
    LayerList list{gui, session, sidebar, listed, {}, {}, {}};
    for (const LayerRule& rule : layer_rules())
        if (!rule.is_rare) draw_kind(list, layers, rule.kind);
    draw_rare_kinds(list, layers);
    draw_new_group(list, layers);
    draw_drop_target(list);
    if (list.dropped) drop(list, *list.dropped);
    ImGui::PopStyleVar();
    gap(gui, 4);
    const std::string_view why_not = why_not_yet(session);
    if (button(gui, "Test this mask",
               {.outlined = true,
                .enabled = why_not.empty(),
                .width = -1,
                .tip = why_not.empty() ? "Test whether later tokens, padding, a KV cache or "
                                         "gradients reveal a mistake in the mask"
                                       : capital(why_not)}))
        open_mask_tests(session, ui);
}

}  // namespace maskscope
