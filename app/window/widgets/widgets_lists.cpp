// Draws the widgets for choosing: lists that open, and sliders.

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "app/style/labels.h"
#include "app/window/paint/imgui_compat.h"
#include "app/window/widgets/focus.h"
#include "app/window/widgets/widgets.h"

namespace maskscope {
namespace {

constexpr double field_height = 32, choice_height = 28, group_gap = 9;  // points

struct ListRow {
    MenuLine line;
    std::string tip{};
};

// Draws a small triangle that points down, at the right end of a combo.
void draw_arrow(Gui& gui, const Rect& rect) {
    const double x = rect.right() - points(gui, 16), y = rect.y + rect.h / 2;
    const double half = points(gui, 4);
    panel_list().AddTriangleFilled(
        imgui_point({x - half, y - half / 2}), imgui_point({x + half, y - half / 2}),
        imgui_point({x, y + half}), imgui_colour(colours(gui)[Role::dim]));
}

bool moves_row(const Gui& gui) {
    return !gui.now.text.empty() ||
           std::ranges::any_of(std::array{GLFW_KEY_UP, GLFW_KEY_DOWN, GLFW_KEY_HOME, GLFW_KEY_END},
                               [&](int key) { return was_pressed(gui, key); });
}

// --- typing in an open list

// Converts ASCII letters to lower case.
std::string lower(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
    return text;
}

// Returns the first row that begins with the text; if there is none, the first with a word that
// does.
std::optional<int> row_that_begins(const std::vector<ListRow>& rows, const std::string& typed) {
    const std::string wanted = lower(typed);
    for (const std::string_view before : {"", " "})
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const std::string words = lower(rows[k].line.words);
            if (before.empty() ? words.starts_with(wanted)
                               : words.find(" " + wanted) != std::string::npos)
                return static_cast<int>(k);
        }
    return std::nullopt;
}

// Moves to the row that begins with the typed text. Returns true if it used that text; a space that
// is typed first is left for pressing the row.
bool take_typed(const Gui& gui, OpenList& list, const std::vector<ListRow>& rows) {
    constexpr double seconds = 1;
    if (gui.now.text.empty()) return false;
    if (gui.time - list.typed_at > seconds) list.typed.clear();
    if (list.typed.empty() && gui.now.text == " ") return false;
    list.typed += gui.now.text;
    list.typed_at = gui.time;
    if (const auto row = row_that_begins(rows, list.typed)) list.row = *row;
    return true;
}

// Handles keys in an open list. Returns the row to choose, -1 to leave the list, or nullopt to
// stay.
std::optional<int> use_list(Gui& gui, OpenList& list, const std::vector<ListRow>& rows) {
    const auto count = static_cast<int>(rows.size());
    list.row = std::min(list.row, count - 1);  // in case there were more before
    if (list.begun) return std::nullopt;
    const bool typed = take_typed(gui, list, rows);
    if (was_pressed(gui, GLFW_KEY_ESCAPE) || was_pressed(gui, GLFW_KEY_TAB)) return -1;
    if (was_pressed(gui, GLFW_KEY_ENTER) || (!typed && was_pressed(gui, GLFW_KEY_SPACE)))
        return list.row;
    if (was_pressed(gui, GLFW_KEY_UP)) --list.row;
    if (was_pressed(gui, GLFW_KEY_DOWN)) ++list.row;
    if (was_pressed(gui, GLFW_KEY_HOME)) list.row = 0;
    if (was_pressed(gui, GLFW_KEY_END)) list.row = count - 1;
    list.row = std::clamp(list.row, 0, count - 1);
    return std::nullopt;
}

// --- drawing

void draw_row(Gui& gui, const Rect& rect, const MenuLine& line) {
    const double inset = points(gui, 10), middle = rect.y + rect.h / 2;
    const std::string& right = line.why_not.empty() ? line.keys : line.why_not;
    const TextStyle small{.size = 12 * gui.scale};
    const double taken = right.empty() ? 0 : measure(right, small).width + points(gui, 16);
    if (!right.empty())
        draw_text(gui, {.at = {rect.right() - inset, middle},
                        .text = right,
                        .style = small,
                        .role = Role::dim,
                        .anchor = Anchor::right});
    draw_text(gui, {.at = {rect.x + inset, middle},
                    .text = line.words,
                    .style = {.size = 13 * gui.scale,
                              .weight = line.chosen ? Weight::semibold : Weight::regular},
                    .role = line.why_not.empty() ? Role::ink : Role::dim,
                    .max_width = std::max(1.0, rect.w - points(gui, 12) - taken)});
}

// Draws the rows of an open list. Returns the pressed one, -1 if the list is left, otherwise
// nullopt. Pointer and keys mark the same row.
std::optional<int> choose_row(Gui& gui, const std::vector<ListRow>& rows, double width) {
    OpenList& list = *gui.list;
    std::optional<int> pressed = use_list(gui, list, rows);
    const ImVec2 moved = ImGui::GetIO().MouseDelta;
    for (int k = 0; k < static_cast<int>(rows.size()); ++k) {
        const MenuLine& line = rows[k].line;
        if (line.below_line) {
            const Rect above = row_at_cursor(gui, group_gap);
            draw_box(gui, {.rect = {above.x, std::round(above.y + above.h / 2), width, 1},
                           .filled = true,
                           .fill = Role::line});
            take_room(width, above.h);
        }
        ImGui::PushID(k);
        press_area_without_focus("row", width, points(gui, choice_height));
        const Rect rect = item_rect();
        if (ImGui::IsItemHovered() && (moved.x != 0 || moved.y != 0)) list.row = k;
        if (k == list.row) draw_chosen(gui, rect, Role::panel);
        if (k == list.row && (list.begun || moves_row(gui))) scroll_to_item();
        draw_row(gui, rect, line);
        if (ImGui::IsItemClicked()) pressed = k;
        if (!rows[k].tip.empty()) tooltip_beside(gui, rows[k].tip);
        ImGui::PopID();
    }
    // A row that cannot act is only a text.
    const bool acts = !pressed || *pressed < 0 || rows[*pressed].line.why_not.empty();
    return acts ? pressed : std::nullopt;
}

double list_height(const Gui& gui, const std::vector<ListRow>& rows) {
    double all = points(gui, 8);
    for (const ListRow& row : rows)
        all += points(gui, choice_height) + (row.line.below_line ? points(gui, group_gap) : 0);
    return std::min(all, gui.height - points(gui, 16));
}

// Returns the top of a list: below its opener, or above it if the rows fit only there. A list that
// fits nowhere scrolls.
double list_top(const Gui& gui, const Rect& opener, double height) {
    const double padding = points(gui, 4);
    const double below = opener.bottom() + padding, above = opener.y - padding - height;
    if (below + height <= gui.height) return below;
    return above >= 0 ? above : std::max(0.0, gui.height - padding - height);
}

double list_width(const Gui& gui, const std::vector<ListRow>& rows, double at_least) {
    double width = at_least;
    for (const ListRow& row : rows) {
        const auto& [words, keys, why_not, chosen, below_line] = row.line;
        const std::string& right = why_not.empty() ? keys : why_not;
        const double taken =
            right.empty() ? 0 : measure(right, {.size = 12 * gui.scale}).width + points(gui, 16);
        const TextStyle style{.size = 13 * gui.scale,
                              .weight = chosen ? Weight::semibold : Weight::regular};
        width = std::max(width, measure(words, style).width + taken + points(gui, 24));
    }
    return std::round(width);
}

// Draws the list while it is open. Choosing a row closes it.
std::optional<int> list_popup(Gui& gui, const std::vector<ListRow>& rows, int chosen,
                              const Rect& opener) {
    std::optional<int> pressed;
    if (rows.empty()) return pressed;
    const auto padding = static_cast<float>(points(gui, 4));
    const double height = list_height(gui, rows), width = list_width(gui, rows, opener.w);
    const double most = gui.width - width - points(gui, 12);
    ImGui::SetNextWindowPos(imgui_point(
        {std::clamp(opener.x, 0.0, std::max(0.0, most)), list_top(gui, opener, height)}));
    ImGui::SetNextWindowSizeConstraints(imgui_size(0, 0), imgui_size(gui.width, height));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {padding, padding});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_PopupRounding, static_cast<float>(points(gui, 6)));
    ImGui::PushStyleColor(ImGuiCol_PopupBg, imgui_colour(colours(gui)[Role::raised]));
    ImGui::PushStyleColor(ImGuiCol_Border, imgui_colour(colours(gui)[Role::hatch]));
    if (ImGui::BeginPopup("list")) {
        if (!gui.list) gui.list = OpenList{.row = chosen};
        gui.list->drawn = true;
        pressed = choose_row(gui, rows, width);
        if (pressed) ImGui::CloseCurrentPopup();
        ImGui::EndPopup();
        if (pressed) gui.list.reset();
    }
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar(3);
    return pressed && *pressed >= 0 ? pressed : std::nullopt;
}

}  // namespace

std::optional<int> combo(Gui& gui, const std::string& id, const std::vector<std::string>& choices,
                         int chosen, const ComboOptions& options) {
    ImGui::PushID(id.c_str());
    const double width =
        options.width > 0 ? points(gui, options.width) : std::max(1.0, room_width());
    const bool opens = press_area(gui, "combo", width, points(gui, field_height));
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
    std::vector<ListRow> rows;
    if (ImGui::IsPopupOpen("list"))
        for (std::size_t k = 0; k < choices.size(); ++k)
            rows.push_back({{.words = choices[k], .chosen = static_cast<int>(k) == chosen},
                            k < options.tips.size() ? options.tips[k] : ""});
    const std::optional<int> pressed = list_popup(gui, rows, chosen, rect);
    ImGui::PopID();
    return pressed != chosen ? pressed : std::nullopt;
}

std::optional<int> menu_button(Gui& gui, const std::string& text,
                               const std::vector<MenuLine>& lines, const ButtonOptions& options) {
    ImGui::PushID(text.c_str());
    const bool opens = button(gui, text, options);
    const Rect rect = item_rect();
    if (opens) ImGui::OpenPopup("list");
    std::vector<ListRow> rows;
    if (ImGui::IsPopupOpen("list"))
        for (const MenuLine& line : lines) rows.push_back({line});
    const std::optional<int> pressed = list_popup(gui, rows, 0, rect);
    ImGui::PopID();
    return pressed;
}

// --- sliders

namespace {

double share_of(double number, const SliderRange& range) {
    const auto at = [&](double x) { return range.logarithmic ? std::log(x) : x; };
    const double from = at(range.low), to = at(range.high);
    const double known = std::isfinite(number) ? number : range.low;
    const double inside = std::clamp(known, range.low, range.high);
    return to > from ? (at(inside) - from) / (to - from) : 0;
}

double number_at(double share, const SliderRange& range) {
    const double inside = std::clamp(share, 0.0, 1.0);
    const double number = range.logarithmic ? range.low * std::pow(range.high / range.low, inside)
                                            : range.low + (range.high - range.low) * inside;
    if (range.whole) return std::round(number);
    const double step = std::pow(10, std::floor(std::log10(std::max(std::abs(number), 1e-9))) - 2);
    return std::round(number / step) * step;  // rounded to three digits
}

void draw_slider(Gui& gui, const Rect& rect, double share, bool held) {
    const double radius = points(gui, 6), line = points(gui, 3), middle = rect.y + rect.h / 2;
    const double from = rect.x + radius, to = rect.right() - radius;
    const double at = from + share * (to - from);
    const auto draw = [&](double x0, double x1, Role role) {
        draw_box(gui, {.rect = {x0, std::round(middle - line / 2), std::max(0.0, x1 - x0), line},
                       .radius = line / 2,
                       .filled = true,
                       .fill = role});
    };
    draw(from, to, Role::hatch);
    draw(from, at, Role::ink);
    panel_list().AddCircleFilled(imgui_point({at, middle}), static_cast<float>(radius),
                                 imgui_colour(colours(gui)[held ? Role::variant_a : Role::ink]));
}

}  // namespace

std::optional<double> slider(Gui& gui, const std::string& id, double number,
                             const SliderRange& range) {
    const Rect rect = row_at_cursor(gui, 20);
    press_area_without_focus(id, rect.w, rect.h);
    const bool held = ImGui::IsItemActive();
    const double radius = points(gui, 6), width = std::max(1.0, rect.w - 2 * radius);
    double share = share_of(number, range);
    std::optional<double> moved;
    if (held && gui.slides == id)
        moved = number_at((gui.now.pointer.x - rect.x - radius) / width, range);
    if (held) gui.slides = id;  // applies from the next pass on
    if (moved) share = share_of(*moved, range);
    draw_slider(gui, rect, share, held);
    return moved && *moved != number ? moved : std::nullopt;
}

}  // namespace maskscope
