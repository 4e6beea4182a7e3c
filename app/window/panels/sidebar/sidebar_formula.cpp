// The field in which a formula is typed: while it is valid the mask follows each keystroke.

#include <imgui.h>

#include <charconv>

#include "app/window/panels/parts.h"
#include "app/window/panels/sidebar/layer_row.h"

namespace maskscope {

namespace {

const TextStyle formula_style{.size = 12, .mono = true};

// Returns why this rule cannot replace the row's, "" if it can.
std::string why_not(const Session& session, const LayerRow& row, const MaskLayer& next) {
    Scene tried = session.scene();
    try {
        replace_layer(tried, row.listed.lanes, row.path, next);
        return "";
    } catch (const EditError& error) {
        return error.what();
    }
}

// Returns the byte of the error "column 6: …", which counts characters; nullopt if it names no
// column.
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

// Draws a caret below the offending character, and below it what is wrong.
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

namespace {

std::string field_of(const LayerRow& row) { return row.id() + "/formula"; }

// The words listed below the field while a formula is typed.
constexpr const char* formula_words =
    "i (query), j (key), n_q, n_k, h (head), heads, b, pad_i, pad_j · + - * / // % · < <= > >= == "
    "!= · && || ! · "
    "min max pow abs floor exp log";

// Restores the mask as it was before the field was entered.
void take_back(Session& session, const LayerRow& row, const std::string& before,
               std::string MaskLayer::*formula) {
    if (row.layer.*formula != before) session.undo();
}

}  // namespace

void edit_formula(Gui& gui, const LayerRow& row) {
    for (const LayerParameter& parameter : rule_of(row.layer.kind).parameters)
        if (const auto* formula = std::get_if<std::string MaskLayer::*>(&parameter.member))
            edit_field(gui, field_of(row), row.layer.**formula);
}

void draw_formula(Gui& gui, Session& session, SidebarState& sidebar, const LayerRow& row,
                  std::string MaskLayer::*formula) {
    const std::string id = field_of(row), what = std::string(rule_of(row.layer.kind).edit);
    const Rect field = row_at_cursor(gui, 32);
    auto& [edited, before] = sidebar.formula_before;
    const std::string shown = edited == id ? before : row.layer.*formula;
    const auto committed =
        text_field(gui, id, shown,
                   {.hint = "j <= i", .style = formula_style, .select_all = false, .tells = true});
    const auto typed = edited_text(gui, id);
    if (!typed && !committed && edited != id) return;
    if (edited != id) sidebar.formula_before = {id, row.layer.*formula};
    const std::optional<std::string> text = typed ? typed : committed;
    MaskLayer next = row.layer;
    next.*formula = text.value_or(before);
    const std::string error = text ? why_not(session, row, next) : "";
    if (!text || !error.empty())
        take_back(session, row, before, formula);  // left by Escape, or not valid
    else if (next != row.layer)
        change_layer(session, row, next, what, id);
    if (typed && !error.empty())
        draw_error(gui, field, id, *typed, error);
    else if (typed)
        paragraph(gui, formula_words, {.style = {.size = 12}, .role = Role::dim});
    if (typed) return;
    if (!error.empty()) return edit_field(gui, id, *committed, false);  // rejected: the field stays
    session.end_merge();
    sidebar.formula_before = {};
}

}  // namespace maskscope
