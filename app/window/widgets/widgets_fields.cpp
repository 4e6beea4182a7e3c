// The widgets in which something is chosen from a list or typed.

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "app/style/labels.h"
#include "app/window/paint/imgui_compat.h"
#include "app/window/paint/label_atlas.h"
#include "app/window/widgets/focus.h"
#include "app/window/widgets/widgets.h"
#include "core/base/error.h"
#include "core/scene/names.h"

namespace maskscope {
namespace {

constexpr double field_height = 32, choice_height = 28;  // points

double wide(const Gui& gui, double width) {
    return width > 0 ? points(gui, width) : std::max(1.0, room_width());
}

// A small triangle that points down, at the right end of a combo.
void draw_arrow(Gui& gui, const Rect& rect) {
    const double x = rect.right() - points(gui, 16), y = rect.y + rect.h / 2;
    const double half = points(gui, 4);
    panel_list().AddTriangleFilled(
        imgui_point({x - half, y - half / 2}), imgui_point({x + half, y - half / 2}),
        imgui_point({x, y + half}), imgui_colour(colours(gui)[Role::dim]));
}

bool moves_row(const Gui& gui) {
    return std::ranges::any_of(std::array{GLFW_KEY_UP, GLFW_KEY_DOWN, GLFW_KEY_HOME, GLFW_KEY_END},
                               [&](int key) { return was_pressed(gui, key); });
}

// Keys in an open list: the chosen row, or -1 if the list is left.
std::optional<int> use_list(Gui& gui, OpenList& list, int count) {
    list.row = std::min(list.row, count - 1);  // there may have been more
    if (list.begun) return std::nullopt;
    if (was_pressed(gui, GLFW_KEY_ESCAPE) || was_pressed(gui, GLFW_KEY_TAB)) return -1;
    if (was_pressed(gui, GLFW_KEY_ENTER) || was_pressed(gui, GLFW_KEY_SPACE)) return list.row;
    if (was_pressed(gui, GLFW_KEY_UP)) --list.row;
    if (was_pressed(gui, GLFW_KEY_DOWN)) ++list.row;
    if (was_pressed(gui, GLFW_KEY_HOME)) list.row = 0;
    if (was_pressed(gui, GLFW_KEY_END)) list.row = count - 1;
    list.row = std::clamp(list.row, 0, count - 1);
    return std::nullopt;
}

// The rows of an open combo; returns the pressed one. The pointer and the keys share one mark.
std::optional<int> choose_row(Gui& gui, const std::vector<std::string>& choices, int chosen,
                              const std::vector<std::string>& tips, double width) {
    OpenList& list = *gui.list;
    std::optional<int> pressed = use_list(gui, list, static_cast<int>(choices.size()));
    const ImVec2 moved = ImGui::GetIO().MouseDelta;
    for (int k = 0; k < static_cast<int>(choices.size()); ++k) {
        ImGui::PushID(k);
        press_area_without_focus("row", width, points(gui, choice_height));
        const Rect rect = item_rect();
        if (ImGui::IsItemHovered() && (moved.x != 0 || moved.y != 0)) list.row = k;
        if (k == list.row) draw_chosen(gui, rect, Role::panel);
        if (k == list.row && (list.begun || moves_row(gui))) scroll_to_item();
        draw_text(gui, {.at = {rect.x + points(gui, 10), rect.y + rect.h / 2},
                        .text = choices[k],
                        .style = {.size = 13 * gui.scale,
                                  .weight = k == chosen ? Weight::semibold : Weight::regular},
                        .max_width = std::max(1.0, rect.w - points(gui, 12))});
        if (ImGui::IsItemClicked()) pressed = k;
        if (k < std::ssize(tips)) tooltip_beside(gui, tips[k]);
        ImGui::PopID();
    }
    return pressed;
}

double list_height(const Gui& gui, std::size_t rows) {
    const double all = static_cast<double>(rows) * points(gui, choice_height) + points(gui, 8);
    return std::min(all, gui.height - points(gui, 16));
}

// Under the combo, or above it if the rows fit only there; a list that fits nowhere scrolls.
double list_top(const Gui& gui, const Rect& combo, std::size_t rows) {
    const double padding = points(gui, 4), height = list_height(gui, rows);
    const double below = combo.bottom() + padding, above = combo.y - padding - height;
    if (below + height <= gui.height) return below;
    return above >= 0 ? above : std::max(0.0, gui.height - padding - height);
}

double popup_width(const Gui& gui, const std::vector<std::string>& choices, double at_least) {
    double width = at_least;
    for (const std::string& choice : choices)
        width = std::max(width, measure(choice, {.size = 13 * gui.scale}).width + points(gui, 24));
    return std::round(width);
}

std::optional<int> combo_popup(Gui& gui, const std::vector<std::string>& choices, int chosen,
                               const std::vector<std::string>& tips, const Rect& below) {
    std::optional<int> pressed;
    const auto padding = static_cast<float>(points(gui, 4));
    ImGui::SetNextWindowPos(imgui_point({below.x, list_top(gui, below, choices.size())}));
    ImGui::SetNextWindowSizeConstraints(imgui_size(0, 0),
                                        imgui_size(gui.width, list_height(gui, choices.size())));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {padding, padding});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_PopupRounding, static_cast<float>(points(gui, 6)));
    ImGui::PushStyleColor(ImGuiCol_PopupBg, imgui_colour(colours(gui)[Role::raised]));
    ImGui::PushStyleColor(ImGuiCol_Border, imgui_colour(colours(gui)[Role::hatch]));
    if (ImGui::BeginPopup("list")) {
        if (!gui.list) gui.list = OpenList{.row = chosen};
        gui.list->drawn = true;
        pressed = choose_row(gui, choices, chosen, tips, popup_width(gui, choices, below.w));
        if (pressed) ImGui::CloseCurrentPopup();
        ImGui::EndPopup();
        if (pressed) gui.list.reset();
    }
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar(3);
    return pressed;
}

// --- text fields

struct Inside {
    Rect rect;  // of the text: the field without its insets
    // Of a text that is wider than its field, so that the caret is seen. A text that was selected
    // as a whole is seen from its beginning.
    double shift = 0;
    double text_x() const { return rect.x + shift; }
};

Inside inside_of(const Gui& gui, const Rect& field, const Editing* editing,
                 const TextStyle& style) {
    const double inset = points(gui, 10);
    Inside inside{{field.x + inset, field.y, std::max(1.0, field.w - 2 * inset), field.h}};
    if (editing != nullptr && !editing->field.has_all_selected())
        inside.shift = std::min(
            0.0, inside.rect.w - caret_x(editing->field.text(), style, editing->field.caret()));
    return inside;
}

void draw_field(Gui& gui, const Rect& rect, const std::string& text, const Editing* editing,
                const FieldOptions& options) {
    const TextStyle style = scaled(gui, options.style);
    const Theme& theme = colours(gui);
    const bool framed = editing != nullptr || !options.quiet || ImGui::IsItemHovered();
    draw_field_frame(gui, rect, editing != nullptr, framed);
    const Inside inside = inside_of(gui, rect, editing, style);
    const Rect& in = inside.rect;
    panel_list().PushClipRect(imgui_point({in.x - 2, in.y}),
                              imgui_point({in.right() + 2, in.bottom()}), true);
    if (editing != nullptr) {
        const TokenField& field = editing->field;
        const double middle = in.y + in.h / 2;
        const double caret = inside.text_x() + caret_x(field.text(), style, field.caret());
        const double other = inside.text_x() + caret_x(field.text(), style, field.anchor());
        if (field.has_selection()) draw_selected(gui, caret, other, middle, style.size);
        draw_caret(gui, caret, middle, style.size);
    }
    const bool empty = text.empty();
    // Of a text that is longer than a label, the part that is seen.
    const std::size_t first = editing != nullptr && text.size() > longest_label
                                  ? caret_at(text, style, -inside.shift)
                                  : 0;
    gui.labels->draw(
        panel_list(),
        {.at = {inside.text_x() + (first > 0 ? caret_x(text, style, first) : 0), in.y + in.h / 2},
         .text = empty ? options.hint : text.substr(first),
         .style = style,
         .max_width = editing != nullptr ? 0 : in.w},
        theme[empty ? Role::dim : Role::ink]);
    panel_list().PopClipRect();
}

void point_in_field(Gui& gui, Editing& editing, const Rect& rect, const FieldOptions& options) {
    const TextStyle style = scaled(gui, options.style);
    const Inside inside = inside_of(gui, rect, &editing, style);
    const double x = gui.now.pointer.x - inside.text_x();
    if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0))
        editing.field.select_word_at(caret_at(editing.field.text(), style, x));
    else if (ImGui::IsItemActivated())
        editing.field.press(x, style, ImGui::GetIO().KeyShift);
    else if (ImGui::IsItemActive() && ImGui::IsMouseDragging(0))
        editing.field.drag(x, style);
}

// What the field does with this frame's input; true when it is left.
bool use_field(Gui& gui, Editing& editing, const FieldOptions& options, bool& commits) {
    using Outcome = TokenField::Outcome;
    const Outcome outcome = editing.field.use(gui.now, gui.clipboard);
    if (outcome == Outcome::tab && options.on_tab) {
        editing.field.set_text(options.on_tab(editing.field.text()));
        return false;
    }
    if (outcome == Outcome::tab) focus_beside(gui, ImGui::GetID(editing.id.c_str()));
    const bool clicked = ImGui::IsMouseClicked(0) && !ImGui::IsItemHovered();
    const bool left = editing.leave || clicked;
    commits = outcome == Outcome::commit || outcome == Outcome::tab ||
              (editing.leave && options.commit_on_end) || (clicked && options.commit_on_leave);
    return commits || left || outcome == Outcome::cancel;
}

}  // namespace

std::optional<int> combo(Gui& gui, const std::string& id, const std::vector<std::string>& choices,
                         int chosen, const ComboOptions& options) {
    ImGui::PushID(id.c_str());
    const bool opens =
        press_area(gui, "combo", wide(gui, options.width), points(gui, field_height));
    const Rect rect = item_rect();
    const bool hovered = options.enabled && ImGui::IsItemHovered();
    tooltip_beside(gui, options.tip);
    draw_box(gui, {.rect = rect,
                   .radius = points(gui, 5),
                   .filled = true,
                   .fill = hovered ? Role::line : Role::raised});
    const TextStyle style{.size = 13 * gui.scale};
    const double inset = points(gui, 10), middle = rect.y + rect.h / 2;
    draw_text(gui, {.at = {rect.x + inset, middle},
                    .text = options.name,
                    .style = style,
                    .role = Role::dim,
                    .max_width = std::max(1.0, 0.6 * rect.w)});
    const double name_width =
        options.name.empty() ? 0 : measure(options.name, style).width + points(gui, 12);
    const bool known = chosen >= 0 && chosen < static_cast<int>(choices.size());
    const double room = rect.w - inset - name_width - points(gui, 28);
    draw_text(gui, {.at = {options.name.empty() ? rect.x + inset : rect.right() - points(gui, 28),
                           middle},
                    .text = known ? choices[chosen] : options.hint,
                    .style = style,
                    .role = options.enabled ? Role::ink : Role::dim,
                    .anchor = options.name.empty() ? Anchor::left : Anchor::right,
                    .max_width = std::max(1.0, room)});
    draw_arrow(gui, rect);
    if (options.enabled && opens) ImGui::OpenPopup("list");
    const std::optional<int> pressed = combo_popup(gui, choices, chosen, options.tips, rect);
    ImGui::PopID();
    return pressed && *pressed >= 0 && *pressed != chosen ? pressed : std::nullopt;
}

void edit_field(Gui& gui, const std::string& id, const std::string& text, bool select_all) {
    gui.editing = Editing{.id = id, .field = TokenField(text), .drawn = true};
    if (select_all) gui.editing->field.select_all();
}

double x_in_field(const Gui& gui, const Rect& field, const std::string& id, const std::string& text,
                  const TextStyle& style, std::size_t byte) {
    const bool edited = gui.editing && gui.editing->id == id;
    return inside_of(gui, field, edited ? &*gui.editing : nullptr, style).text_x() +
           caret_x(text, style, byte);
}

Editing* editing_of(Gui& gui, const std::string& id) {
    return gui.editing && gui.editing->id == id ? &*gui.editing : nullptr;
}

std::optional<std::string> edited_text(const Gui& gui, const std::string& id) {
    if (!gui.editing || gui.editing->id != id) return std::nullopt;
    return gui.editing->field.text();
}

std::optional<std::string> text_field(Gui& gui, const std::string& id, const std::string& text,
                                      const FieldOptions& options) {
    const bool enters = press_area(gui, id, wide(gui, options.width), points(gui, options.height));
    const Rect rect = item_rect();
    if (ImGui::IsItemHovered()) gui.over_text = true;
    const bool clicked = ImGui::IsItemActivated();
    if (editing_of(gui, id) == nullptr && (clicked || enters)) {
        edit_field(gui, id, text, options.select_all);
        if (clicked && !options.select_all) point_in_field(gui, *gui.editing, rect, options);
    } else if (Editing* editing = editing_of(gui, id)) {
        point_in_field(gui, *editing, rect, options);
    }
    std::optional<std::string> committed;
    if (Editing* editing = editing_of(gui, id)) {
        editing->drawn = true;
        bool commits = false;
        if (std::exchange(editing->begun, false)) {
            scroll_to_item();
        } else if (is_uppermost(gui) && use_field(gui, *editing, options, commits)) {
            if (commits && editing->field.edited()) committed = editing->field.text();
            gui.editing.reset();
        }
    }
    const Editing* editing = editing_of(gui, id);
    draw_field(gui, rect, editing != nullptr ? editing->field.text() : committed.value_or(text),
               editing, options);
    return committed;
}

std::string quoted(const std::string& text) {
    return fmt::format("\"{}\"", without_middle(printable(text), 60));
}

bool read_number(const std::string& text, double& number) {
    std::string plain{trimmed(text)};
    replace_all(plain, "−", "-");
    const bool is_decimal =
        !plain.empty() && plain.find_first_not_of("0123456789+-.eE") == std::string::npos;
    if (!is_decimal) return false;
    char* end = nullptr;
    const double value = std::strtod(plain.c_str(), &end);
    if (end != plain.c_str() + plain.size() || !std::isfinite(value)) return false;
    number = value;
    return true;
}

std::string not_a_number_message(const std::string& text) {
    return quoted(text) + " is not a number, such as −0.5 or 1e-3";
}

std::optional<double> number_field(Gui& gui, const std::string& id, double number,
                                   const NumberOptions& options) {
    const std::string shown = fmt::format("{}", number);
    const auto typed = text_field(gui, id, shown, {.width = options.width});
    if (!typed) return std::nullopt;
    double plain = 0;
    const std::optional<double> read = options.read                 ? options.read(*typed)
                                       : read_number(*typed, plain) ? std::optional(plain)
                                                                    : std::nullopt;
    if (!read || *read < options.low || *read > options.high ||
        (options.whole && *read != std::floor(*read))) {
        const NumberOptions any;
        const bool limited = options.low > any.low || options.high < any.high;
        gui.refuse(!limited ? not_a_number_message(*typed)
                            : fmt::format("{} is not a {} between {} and {}", quoted(*typed),
                                          options.whole ? "whole number" : "number", options.low,
                                          options.high));
        return std::nullopt;
    }
    return read;
}

}  // namespace maskscope
