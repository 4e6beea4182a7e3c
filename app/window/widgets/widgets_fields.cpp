// The widgets in which something is chosen from a list or typed.

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "app/figure/style/labels.h"
#include "app/window/paint/imgui_compat.h"
#include "app/window/paint/label_atlas.h"
#include "app/window/widgets/focus.h"
#include "app/window/widgets/widgets.h"

namespace maskscope {
namespace {

constexpr double field_height = 32, row_height = 28;  // points

Rect item_rect() {
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    return {low.x, low.y, high.x - low.x, high.y - low.y};
}

double wide(const App& app, double width) {
    return width > 0 ? points(app, width) : std::max(1.0, room_width());
}

// A small triangle that points down, at the right end of a combo.
void draw_arrow(App& app, const Rect& rect) {
    const double x = rect.right() - points(app, 16), y = rect.y + rect.h / 2;
    const double half = points(app, 4);
    panel_list().AddTriangleFilled(
        imgui_point({x - half, y - half / 2}), imgui_point({x + half, y - half / 2}),
        imgui_point({x, y + half}), imgui_colour(colours(app)[Role::dim]));
}

// What the keys do with an open list: the row that is chosen, or -1 where it is left.
std::optional<int> use_list(App& app, OpenList& list, int count) {
    if (list.begun) return std::nullopt;
    if (was_pressed(app, GLFW_KEY_ESCAPE) || was_pressed(app, GLFW_KEY_TAB)) return -1;
    if (was_pressed(app, GLFW_KEY_ENTER) || was_pressed(app, GLFW_KEY_SPACE)) return list.row;
    if (was_pressed(app, GLFW_KEY_UP)) --list.row;
    if (was_pressed(app, GLFW_KEY_DOWN)) ++list.row;
    if (was_pressed(app, GLFW_KEY_HOME)) list.row = 0;
    if (was_pressed(app, GLFW_KEY_END)) list.row = count - 1;
    list.row = std::clamp(list.row, 0, count - 1);
    return std::nullopt;
}

// The rows of an open combo; the one that was pressed. The pointer and the keys share one mark.
std::optional<int> choose_row(App& app, const std::vector<std::string>& choices, int chosen,
                              double width) {
    OpenList& list = *app.ui.list;
    std::optional<int> pressed = use_list(app, list, static_cast<int>(choices.size()));
    const ImVec2 moved = ImGui::GetIO().MouseDelta;
    for (int k = 0; k < static_cast<int>(choices.size()); ++k) {
        ImGui::PushID(k);
        ImGui::InvisibleButton(
            "row", ImVec2(static_cast<float>(width), static_cast<float>(points(app, row_height))));
        const Rect rect = item_rect();
        if (ImGui::IsItemHovered() && (moved.x != 0 || moved.y != 0)) list.row = k;
        if (k == list.row)
            draw_box(app, {.rect = rect,
                           .radius = points(app, 4),
                           .filled = true,
                           .outlined = true,
                           .fill = Role::panel,
                           .outline = Role::hatch,
                           .line_width = std::max(1.0, points(app, 1))});
        draw_text(app, {.at = {rect.x + points(app, 10), rect.y + rect.h / 2},
                        .text = choices[k],
                        .style = {.size = 13 * app.ui_scale,
                                  .weight = k == chosen ? Weight::semibold : Weight::regular},
                        .max_width = std::max(1.0, rect.w - points(app, 12))});
        if (ImGui::IsItemClicked()) pressed = k;
        ImGui::PopID();
    }
    return pressed;
}

// Under the combo; over it where the rows do not fit below and do above.
double list_top(const App& app, const Rect& combo, std::size_t rows) {
    const double padding = points(app, 4);
    const double height = static_cast<double>(rows) * points(app, row_height) + 2 * padding;
    const double below = combo.bottom() + padding, above = combo.y - padding - height;
    return below + height > app.height && above >= 0 ? above : below;
}

double popup_width(const App& app, const std::vector<std::string>& choices, double at_least) {
    double width = at_least;
    for (const std::string& choice : choices)
        width =
            std::max(width, measure(choice, {.size = 13 * app.ui_scale}).width + points(app, 24));
    return std::round(width);
}

std::optional<int> combo_popup(App& app, const std::vector<std::string>& choices, int chosen,
                               const Rect& below) {
    std::optional<int> pressed;
    const auto padding = static_cast<float>(points(app, 4));
    ImGui::SetNextWindowPos(imgui_point({below.x, list_top(app, below, choices.size())}));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {padding, padding});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_PopupRounding, static_cast<float>(points(app, 6)));
    ImGui::PushStyleColor(ImGuiCol_PopupBg, imgui_colour(colours(app)[Role::raised]));
    ImGui::PushStyleColor(ImGuiCol_Border, imgui_colour(colours(app)[Role::hatch]));
    if (ImGui::BeginPopup("list")) {
        if (!app.ui.list) app.ui.list = OpenList{.row = chosen};
        app.ui.list->drawn = true;
        pressed = choose_row(app, choices, chosen, popup_width(app, choices, below.w));
        if (pressed) ImGui::CloseCurrentPopup();
        ImGui::EndPopup();
        if (pressed) app.ui.list.reset();
    }
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar(3);
    return pressed;
}

// --- text fields

TextStyle field_style(const App& app, const FieldOptions& options) {
    TextStyle style = options.style;
    style.size *= app.ui_scale;
    return style;
}

// How far a text that is wider than its field is shifted, so that the caret is seen.
double shift_of(double caret, double room) { return std::min(0.0, room - caret); }

struct Inside {
    Rect rect;  // of the text: the field without its insets
    double shift = 0;
    double text_x() const { return rect.x + shift; }
};

Inside inside_of(const App& app, const Rect& field, const Editing* editing,
                 const TextStyle& style) {
    const double inset = points(app, 10);
    Inside inside{{field.x + inset, field.y, std::max(1.0, field.w - 2 * inset), field.h}};
    if (editing != nullptr)
        inside.shift =
            shift_of(caret_x(editing->field.text(), style, editing->field.caret()), inside.rect.w);
    return inside;
}

void draw_caret(App& app, const Editing& editing, const Inside& inside, const TextStyle& style) {
    const TokenField& field = editing.field;
    const double half = 0.65 * style.size, middle = inside.rect.y + inside.rect.h / 2;
    const double caret = inside.text_x() + caret_x(field.text(), style, field.caret());
    if (field.has_selection()) {
        const double other = inside.text_x() + caret_x(field.text(), style, field.anchor());
        Colour tint = colours(app)[Role::lane_c];
        tint.a = 90;
        panel_list().AddRectFilled(imgui_point({std::min(caret, other), middle - half}),
                                   imgui_point({std::max(caret, other), middle + half}),
                                   imgui_colour(tint));
    }
    const double width = std::max(1.0, points(app, 1.5));
    panel_list().AddRectFilled(imgui_point({std::round(caret), middle - half}),
                               imgui_point({std::round(caret) + width, middle + half}),
                               imgui_colour(colours(app)[Role::ink]));
}

void draw_field(App& app, const Rect& rect, const std::string& text, const Editing* editing,
                const FieldOptions& options) {
    const TextStyle style = field_style(app, options);
    const Theme& theme = colours(app);
    const bool framed = editing != nullptr || !options.quiet || ImGui::IsItemHovered();
    draw_box(app, {.rect = rect,
                   .radius = points(app, 5),
                   .filled = editing != nullptr,
                   .outlined = framed,
                   .fill = Role::ground,
                   .outline = editing != nullptr ? Role::ink : Role::hatch,
                   .line_width = std::max(1.0, points(app, editing != nullptr ? 1.5 : 1))});
    const Inside inside = inside_of(app, rect, editing, style);
    const Rect& in = inside.rect;
    panel_list().PushClipRect(imgui_point({in.x - 2, in.y}),
                              imgui_point({in.right() + 2, in.bottom()}), true);
    if (editing != nullptr) draw_caret(app, *editing, inside, style);
    const bool empty = text.empty();
    app.labels->draw(panel_list(),
                     {.at = {inside.text_x(), in.y + in.h / 2},
                      .text = empty ? options.hint : text,
                      .style = style,
                      .max_width = editing != nullptr ? 0 : in.w},
                     theme[empty ? Role::dim : Role::ink]);
    panel_list().PopClipRect();
}

void point_in_field(App& app, Editing& editing, const Rect& rect, const FieldOptions& options) {
    const TextStyle style = field_style(app, options);
    const Inside inside = inside_of(app, rect, &editing, style);
    const double x = app.now.pointer.x - inside.text_x();
    if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0))
        editing.field.select_word_at(caret_at(editing.field.text(), style, x));
    else if (ImGui::IsItemActivated())
        editing.field.press(x, style, ImGui::GetIO().KeyShift);
    else if (ImGui::IsItemActive() && ImGui::IsMouseDragging(0))
        editing.field.drag(x, style);
}

// What the field does with this frame's input; true when it is left.
bool use_field(App& app, Editing& editing, const FieldOptions& options, bool& commits) {
    using Outcome = TokenField::Outcome;
    const Outcome outcome = editing.field.use(app.now, {app.read_clipboard, app.write_clipboard});
    if (outcome == Outcome::tab && options.on_tab) {
        editing.field.set_text(options.on_tab(editing.field.text()));
        return false;
    }
    if (outcome == Outcome::tab) focus_beside(app, ImGui::GetID(editing.id.c_str()));
    const bool left = editing.leave || (ImGui::IsMouseClicked(0) && !ImGui::IsItemHovered());
    commits =
        outcome == Outcome::commit || outcome == Outcome::tab || (left && options.commit_on_leave);
    return commits || left || outcome == Outcome::cancel;
}

Editing* editing_of(App& app, const std::string& id) {
    return app.ui.editing && app.ui.editing->id == id ? &*app.ui.editing : nullptr;
}

std::optional<double> plain_number(const std::string& text) {
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, number);
    if (failed != std::errc() || stop != end || !std::isfinite(number)) return std::nullopt;
    return number;
}

}  // namespace

std::optional<int> combo(App& app, const std::string& id, const std::vector<std::string>& choices,
                         int chosen, const ComboOptions& options) {
    ImGui::PushID(id.c_str());
    const bool opens =
        press_area(app, "combo", wide(app, options.width), points(app, field_height));
    const Rect rect = item_rect();
    const bool hovered = options.enabled && ImGui::IsItemHovered();
    draw_box(app, {.rect = rect,
                   .radius = points(app, 5),
                   .filled = true,
                   .fill = hovered ? Role::line : Role::raised});
    const TextStyle style{.size = 13 * app.ui_scale};
    const double inset = points(app, 10), middle = rect.y + rect.h / 2;
    draw_text(app, {.at = {rect.x + inset, middle},
                    .text = options.name,
                    .style = style,
                    .role = Role::dim,
                    .max_width = std::max(1.0, 0.6 * rect.w)});
    const double name_width =
        options.name.empty() ? 0 : measure(options.name, style).width + points(app, 12);
    const bool known = chosen >= 0 && chosen < static_cast<int>(choices.size());
    const double room = rect.w - inset - name_width - points(app, 28);
    draw_text(app, {.at = {options.name.empty() ? rect.x + inset : rect.right() - points(app, 28),
                           middle},
                    .text = known ? choices[chosen] : "—",
                    .style = style,
                    .role = options.enabled ? Role::ink : Role::dim,
                    .anchor = options.name.empty() ? Anchor::left : Anchor::right,
                    .max_width = std::max(1.0, room)});
    draw_arrow(app, rect);
    if (options.enabled && opens) ImGui::OpenPopup("list");
    const std::optional<int> pressed = combo_popup(app, choices, chosen, rect);
    ImGui::PopID();
    return pressed && *pressed >= 0 && *pressed != chosen ? pressed : std::nullopt;
}

void edit_field(App& app, const std::string& id, const std::string& text, bool select_all) {
    app.ui.editing = Editing{.id = id, .field = TokenField(text), .drawn = true};
    if (select_all) app.ui.editing->field.select_all();
}

std::optional<std::string> edited_text(const App& app, const std::string& id) {
    if (!app.ui.editing || app.ui.editing->id != id) return std::nullopt;
    return app.ui.editing->field.text();
}

std::optional<std::string> text_field(App& app, const std::string& id, const std::string& text,
                                      const FieldOptions& options) {
    const bool enters = press_area(app, id, wide(app, options.width), points(app, field_height));
    const Rect rect = item_rect();
    if (ImGui::IsItemHovered()) app.ui.over_text = true;
    const bool clicked = ImGui::IsItemActivated();
    if (editing_of(app, id) == nullptr && (clicked || enters)) {
        edit_field(app, id, text, options.select_all);
        if (clicked && !options.select_all) point_in_field(app, *app.ui.editing, rect, options);
    } else if (Editing* editing = editing_of(app, id)) {
        point_in_field(app, *editing, rect, options);
    }
    std::optional<std::string> committed;
    if (Editing* editing = editing_of(app, id)) {
        editing->drawn = true;
        bool commits = false;
        if (std::exchange(editing->begun, false)) {
            scroll_to_item();
        } else if (is_uppermost(app) && use_field(app, *editing, options, commits)) {
            if (commits && editing->field.edited()) committed = editing->field.text();
            app.ui.editing.reset();
        }
    }
    const Editing* editing = editing_of(app, id);
    draw_field(app, rect, editing != nullptr ? editing->field.text() : committed.value_or(text),
               editing, options);
    return committed;
}

std::optional<double> number_field(App& app, const std::string& id, double number,
                                   const NumberOptions& options) {
    const std::string shown = fmt::format("{}", number);
    const auto typed = text_field(app, id, shown, {.width = options.width});
    if (!typed) return std::nullopt;
    const std::optional<double> read = options.read ? options.read(*typed) : plain_number(*typed);
    if (!read || *read < options.low || *read > options.high ||
        (options.whole && *read != std::floor(*read))) {
        app.session.say(
            fmt::format("\"{}\" is no {} from {} to {}", *typed,
                        options.whole ? "whole number" : "number", options.low, options.high),
            true);
        return std::nullopt;
    }
    return read;
}

}  // namespace maskscope
