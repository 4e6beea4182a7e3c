// The key help, made from the table of shortcuts, in as many columns as fit. A click beside it,
// Escape, and the keys that opened it close it.

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/figure/style/labels.h"
#include "app/window/panels/key_help_lines.h"
#include "app/window/panels/panels.h"
#include "app/window/widgets/focus.h"
#include "app/window/widgets/widgets.h"

namespace maskscope {

namespace {

// Points.
constexpr double column_width = 376, gutter = 36, padding = 28, line_height = 24;
constexpr double heading_height = 28, block_gap = 14, title_height = 44, margin = 24,
                 least_keys = 104, scrollbar_room = 12;

struct Column {
    std::vector<KeyHelpBlock> blocks;
    double height = 0;  // points
};

double height_of(const KeyHelpBlock& block) {
    return heading_height + line_height * static_cast<double>(block.lines.size()) + block_gap;
}

// In order, with no column higher than `most` unless one block is.
std::vector<Column> filled(const std::vector<KeyHelpBlock>& blocks, double most) {
    std::vector<Column> columns(1);
    for (const KeyHelpBlock& block : blocks) {
        const double height = height_of(block);
        if (!columns.back().blocks.empty() && columns.back().height + height > most)
            columns.emplace_back();
        columns.back().blocks.push_back(block);
        columns.back().height += height;
    }
    return columns;
}

// `count` columns, as low as they can be.
std::vector<Column> columns_of(std::size_t count) {
    const std::vector<KeyHelpBlock> blocks = key_help_blocks();
    double most = 0;
    for (const KeyHelpBlock& block : blocks) most = std::max(most, height_of(block));
    while (filled(blocks, most).size() > count) most += line_height;
    return filled(blocks, most);
}

TextStyle text_style(const Gui& gui, Weight weight) {
    return {.size = 13 * gui.scale, .weight = weight};
}

// Where the descriptions of a block begin, in pixels from the left.
double keys_width(const Gui& gui, const KeyHelpBlock& block, double room) {
    double width = points(gui, least_keys);
    for (const KeyHelpLine& line : block.lines)
        width = std::max(width, measure(line.keys, text_style(gui, Weight::semibold)).width);
    return std::min(width, 0.55 * room) + points(gui, 14);
}

void draw_line(Gui& gui, const Rect& row, const KeyHelpLine& line, double left) {
    const double middle = row.y + row.h / 2;
    draw_text(gui, {.at = {row.x, middle},
                    .text = line.keys,
                    .style = text_style(gui, Weight::semibold),
                    .max_width = std::max(1.0, left - points(gui, 6))});
    draw_text(gui, {.at = {row.x + left, middle},
                    .text = line.what,
                    .style = text_style(gui, Weight::regular),
                    .max_width = std::max(1.0, row.w - left)});
}

void draw_column(Gui& gui, const Column& column, Rect room) {
    for (const KeyHelpBlock& block : column.blocks) {
        draw_text(gui, {.at = {room.x, room.y + points(gui, heading_height) / 2},
                        .text = block.heading,
                        .style = text_style(gui, Weight::semibold),
                        .role = Role::dim});
        room.y += points(gui, heading_height);
        const double left = keys_width(gui, block, room.w);
        for (const KeyHelpLine& line : block.lines) {
            draw_line(gui, {room.x, room.y, room.w, points(gui, line_height)}, line, left);
            room.y += points(gui, line_height);
        }
        room.y += points(gui, block_gap);
    }
}

bool closes(const Gui& gui, const Rect& rect) {
    if (!takes_keys(gui, Layer::key_help)) return false;
    const bool beside = ImGui::IsMouseClicked(0) && !rect.contains(gui.now.pointer);
    return beside || gui.now.text == "?" || was_pressed(gui, GLFW_KEY_ESCAPE) ||
           was_pressed(gui, GLFW_KEY_F1);
}

void scroll_by_keys(const Gui& gui) {
    if (!takes_keys(gui, Layer::key_help)) return ImGui::SetScrollY(0);  // it has just been opened
    const auto page = static_cast<double>(ImGui::GetWindowHeight()) - points(gui, 2 * padding);
    double by = 0;
    if (was_pressed(gui, GLFW_KEY_DOWN)) by = 3 * points(gui, line_height);
    if (was_pressed(gui, GLFW_KEY_UP)) by = -3 * points(gui, line_height);
    if (was_pressed(gui, GLFW_KEY_PAGE_DOWN)) by = page;
    if (was_pressed(gui, GLFW_KEY_PAGE_UP)) by = -page;
    if (by != 0) ImGui::SetScrollY(ImGui::GetScrollY() + static_cast<float>(by));
}

// Where it is, and what is in it.
struct Place {
    Rect rect;
    std::vector<Column> columns;
    double content = 0;  // pixels, how high all of it is
};

Place place(const Gui& gui) {
    const double most_width = gui.width - points(gui, 2 * margin);
    const double most_height = gui.height - points(gui, 2 * margin);
    const double frame = points(gui, 2 * padding), between = points(gui, gutter);
    const double step = points(gui, column_width) + between;
    const double fit = std::clamp(std::floor((most_width - frame + between) / step), 1.0, 4.0);
    Place at{{}, columns_of(static_cast<std::size_t>(fit))};
    const double tallest = std::ranges::max(at.columns, {}, &Column::height).height;
    at.content = points(gui, title_height + tallest);
    const bool scrolls = at.content + frame > most_height;
    const double wanted = static_cast<double>(at.columns.size()) * step - between + frame +
                          (scrolls ? points(gui, scrollbar_room) : 0);
    const double w = std::max(1.0, std::min(most_width, wanted));
    const double h = std::max(1.0, std::min(at.content + frame, most_height));
    at.rect = {std::round((gui.width - w) / 2), std::round((gui.height - h) / 2), w, h};
    return at;
}

}  // namespace

Rect draw_key_help(Gui& gui, bool& open) {
    if (!open) return {};
    begin_layer(gui, Layer::key_help);
    const Place help = place(gui);
    cover_below(gui, "behind the key help");
    begin_panel(
        gui, "key help", help.rect,
        {.ground = Role::panel, .padding = padding, .outlined = true, .radius = 10, .above = true});
    const ImVec2 at = ImGui::GetCursorScreenPos();
    label_pair(gui, "Keys and mouse", "Escape closes",
               {.style = {.size = 17, .weight = Weight::semibold}}, {.role = Role::dim});
    const double each = std::min(points(gui, column_width), room_width());
    for (std::size_t k = 0; k < help.columns.size(); ++k)
        draw_column(gui, help.columns[k],
                    {at.x + double(k) * (each + points(gui, gutter)),
                     at.y + points(gui, title_height), each, 0});
    ImGui::SetCursorScreenPos(at);
    take_room(1, help.content);
    scroll_by_keys(gui);
    end_panel();
    if (closes(gui, help.rect)) open = false;
    return help.rect;
}

}  // namespace maskscope
