// The field in which a formula is typed: while it is valid the mask follows each key stroke.

#include <imgui.h>

#include <charconv>

#include "app/window/panels/parts.h"
#include "app/window/panels/sidebar/layer_row.h"

namespace maskscope {

namespace {

const TextStyle formula_style{.size = 12, .mono = true};

// Why this layer cannot take the place of the row's, "" if it can.
std::string why_not(const Session& session, const LayerRow& row, const MaskLayer& next) {
    Scene tried = session.scene();
    try {
        replace_layer(tried, row.listed.lanes, row.path, next);
        return "";
    } catch (const EditError& error) {
        return error.what();
    }
}

// The byte at which the error "column 6: …" is, counted in characters; nothing if it names none.
std::optional<std::size_t> place_of_error(const std::string& error, const std::string& text) {
    constexpr std::string_view column = "column ";
    if (!error.starts_with(column)) return std::nullopt;
    std::size_t number = 0;
    std::from_chars(error.data() + column.size(), error.data() + error.size(), number);
    std::size_t byte = 0;
    for (; byte < text.size(); ++byte) {
        const bool begins = (static_cast<unsigned char>(text[byte]) & 0xC0U) != 0x80U;
        if (begins && --number == 0) break;
    }
    return byte;
}

// A caret under the offending character, and below it what is wrong.
void draw_error(Gui& gui, const Rect& field, const std::string& id, const std::string& text,
                const std::string& error) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (const auto byte = place_of_error(error, text)) {
        const double x = x_in_field(gui, field, id, text, scaled(gui, formula_style), *byte);
        draw_text(gui, {.at = {std::min(x, field.right() - points(gui, 10)), at.y + points(gui, 3)},
                        .text = "^",
                        .style = {.size = 15 * gui.scale, .weight = Weight::bold, .mono = true},
                        .role = Role::wrong});
        set_cursor(at.x, at.y + points(gui, 8));
    }
    paragraph(gui, error, {.style = {.size = 12}, .role = Role::wrong});
}

}  // namespace

void draw_formula(Gui& gui, Session& session, SidebarState& sidebar, const LayerRow& row,
                  std::string MaskLayer::*formula) {
    const std::string id = row.id() + "/formula", what = std::string(rule_of(row.layer.kind).edit);
    const Rect field = row_at_cursor(gui, 32);
    const auto committed =
        text_field(gui, id, row.layer.*formula,
                   {.hint = "j <= i", .style = formula_style, .select_all = false});
    const auto typed = edited_text(gui, id);
    if (typed && sidebar.formula_before.first != id)
        sidebar.formula_before = {id, row.layer.*formula};
    MaskLayer next = row.layer;
    next.*formula = typed.value_or(committed.value_or(row.layer.*formula));
    const std::string error = typed || committed ? why_not(session, row, next) : "";
    if (typed && !error.empty()) draw_error(gui, field, id, *typed, error);
    if ((typed || committed) && error.empty() && next != row.layer)
        change_layer(session, row, next, what, id);
    if (typed || sidebar.formula_before.first != id) return;
    // The field was left: by Enter, or by Escape, which takes back what was typed.
    const bool changed = sidebar.formula_before.second != row.layer.*formula;
    if (!committed && changed) session.undo();
    if (committed && !error.empty()) session.say(error, true);
    session.end_merge();
    sidebar.formula_before = {};
}

}  // namespace maskscope
