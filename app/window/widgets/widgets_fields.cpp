// Draws the widgets for typing text.

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

double wide(const Gui& gui, double width) {
    return width > 0 ? points(gui, width) : std::max(1.0, room_width());
}

// --- text fields

struct FieldInterior {
    Rect rect;  // the text: the field without its insets
    // The offset of a text that is wider than its field: negative if the text is scrolled so that
    // the caret is visible. Text that is selected as a whole is shown from its beginning.
    double shift = 0;
    double text_x() const { return rect.x + shift; }
};

FieldInterior inside_of(const Gui& gui, const Rect& field, const ActiveField* editing,
                        const TextStyle& style) {
    const double inset = points(gui, 10);
    FieldInterior inside{{field.x + inset, field.y, std::max(1.0, field.w - 2 * inset), field.h}};
    if (editing != nullptr && !editing->field.has_all_selected())
        inside.shift = std::min(
            0.0, inside.rect.w - caret_x(editing->field.text(), style, editing->field.caret()));
    return inside;
}

void draw_field(Gui& gui, const Rect& rect, const std::string& text, const ActiveField* editing,
                const FieldOptions& options) {
    const TextStyle style = scaled(gui, options.style);
    const Theme& theme = colours(gui);
    const bool framed = editing != nullptr || !options.quiet || ImGui::IsItemHovered();
    draw_field_frame(gui, rect, editing != nullptr, framed);
    const FieldInterior inside = inside_of(gui, rect, editing, style);
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
    // Draws only the visible part of a text that is longer than the longest label.
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

void point_in_field(Gui& gui, ActiveField& editing, const Rect& rect, const FieldOptions& options) {
    const TextStyle style = scaled(gui, options.style);
    const FieldInterior inside = inside_of(gui, rect, &editing, style);
    const double x = gui.now.pointer.x - inside.text_x();
    if (ImGui::IsItemHovered() && ImGui::GetMouseClickedCount(0) > 2)
        editing.field.select_all();
    else if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0))
        editing.field.select_word_at(caret_at(editing.field.text(), style, x));
    else if (ImGui::IsItemActivated())
        editing.field.press(x, style, ImGui::GetIO().KeyShift);
    else if (ImGui::IsItemActive() && ImGui::IsMouseDragging(0))
        editing.field.drag(x, style);
}

// Handles this frame's input; returns true when the user leaves the field.
bool use_field(Gui& gui, ActiveField& editing, const FieldOptions& options, bool& commits) {
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

void edit_field(Gui& gui, const std::string& id, const std::string& text, bool select_all) {
    gui.editing = ActiveField{.id = id, .field = TokenField(text), .drawn = true};
    if (select_all) gui.editing->field.select_all();
}

double x_in_field(const Gui& gui, const Rect& field, const std::string& id, const std::string& text,
                  const TextStyle& style, std::size_t byte) {
    const bool edited = gui.editing && gui.editing->id == id;
    return inside_of(gui, field, edited ? &*gui.editing : nullptr, style).text_x() +
           caret_x(text, style, byte);
}

ActiveField* editing_of(Gui& gui, const std::string& id) {
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
    } else if (ActiveField* editing = editing_of(gui, id)) {
        point_in_field(gui, *editing, rect, options);
    }
    std::optional<std::string> committed;
    if (ActiveField* editing = editing_of(gui, id)) {
        editing->drawn = true;
        bool commits = false;
        if (std::exchange(editing->begun, false)) {
            scroll_to_item();
        } else if (is_uppermost(gui) && use_field(gui, *editing, options, commits)) {
            if (commits && editing->field.edited()) committed = editing->field.text();
            gui.editing.reset();
        }
    }
    if (committed && !options.tells) gui.committed = RefusedText{id, *committed, ""};
    const ActiveField* editing = editing_of(gui, id);
    if (gui.refused && gui.refused->field == id) {
        if (editing == nullptr || editing->field.text() != gui.refused->text)
            gui.refused.reset();
        else
            refusal_below(gui, rect, gui.refused->why);
    }
    draw_field(gui, rect, editing != nullptr ? editing->field.text() : committed.value_or(text),
               editing, options);
    return committed;
}

std::string quoted(const std::string& text) {
    return fmt::format("\"{}\"", without_middle(printable(text), 60));
}

std::string not_a_number_message(const std::string& text) {
    return quoted(text) + " is not a number, such as −0.5 or 1e-3";
}

std::optional<double> number_field(Gui& gui, const std::string& id, double number,
                                   const NumberOptions& options) {
    const std::string shown = fmt::format("{}", number);
    const auto typed =
        text_field(gui, id, shown, {.width = options.width, .height = options.height});
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
                            : fmt::format("{} is not a {} from {} to {}", quoted(*typed),
                                          options.whole ? "whole number" : "number", options.low,
                                          options.high));
        return std::nullopt;
    }
    return read;
}

}  // namespace maskscope
