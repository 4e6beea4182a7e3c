// Draws the help: a tab for the keys, from the table of shortcuts, and one for each page of
// assets/help, in as many columns as fit. It closes on a click beside it, on Escape, and on the
// keys that open it.

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/export/export.h"
#include "app/session/files/load.h"
#include "app/style/labels.h"
#include "app/window/actions/actions.h"
#include "app/window/context/app.h"
#include "app/window/paint/painter.h"
#include "app/window/panels/key_help_lines.h"
#include "app/window/panels/panels.h"
#include "app/window/widgets/focus.h"
#include "app/window/widgets/widgets.h"

namespace maskscope {

namespace {

// Lengths in points.
constexpr double column_width = 376, gutter = 36, padding = 28, line_height = 24, more_height = 19;
constexpr double heading_height = 28, block_gap = 14, title_height = 52, margin = 24,
                 least_keys = 104, key_scrollbar = 12;

TextStyle text_style(const Gui& gui, Weight weight) {
    return {.size = 13 * gui.scale, .weight = weight};
}

// A line as it is drawn, with its text broken into lines that fit.
struct FittedLine {
    std::string keys;
    std::vector<std::string> what;
    std::string leads_to;  // a step of a lesson that a press opens, or ""
    double left = 0;       // pixels: the left edge of `what`
    double height = 0;
    const Figure* picture = nullptr;
    double zoom = 1;  // pixels for each point of the picture
};
struct FittedBlock {
    std::string heading;
    std::vector<FittedLine> lines{};
    double height = 0;  // pixels, including the gap below
};
struct Column {
    std::vector<FittedBlock> blocks;
    double height = 0;  // pixels
};

// Returns a figure of a scene's weights, with the sums of its rows; empty if the file cannot be
// read.
const Figure& picture_of(const std::string& scene) {
    static std::map<std::string, Figure> made;
    const auto [place, is_new] = made.try_emplace(scene);
    if (!is_new) return place->second;
    try {
        const std::string file = (assets_folder() / "help" / scene).string();
        const Result result = compute_shown(file, load_scene(file).scene, {});
        ExportOptions options{.stage = StageKind::weights, .size = {.aspect = 0}};
        options.parts.title = options.parts.legend = options.parts.colour_bars = false;
        place->second = export_figure(result, {}, options);
    } catch (const Error&) {  // show only the words
    }
    return place->second;
}

// Returns the left edge of a block's descriptions. Bullets and numbers of items need little space.
double keys_width(const Gui& gui, const KeyHelpBlock& block, double room) {
    double width = 0;
    for (const KeyHelpLine& line : block.lines)
        width = std::max(width, measure(line.keys, text_style(gui, Weight::semibold)).width);
    if (width > points(gui, 24)) width = std::max(width, points(gui, least_keys));
    return std::min(width, 0.55 * room) + points(gui, 14);
}

// Breaks the texts of a block for a column of this width, in pixels.
FittedBlock fitted(const Gui& gui, const KeyHelpBlock& block, double width) {
    FittedBlock fitted{block.heading};
    if (!block.heading.empty()) fitted.height += points(gui, heading_height);
    const double left = keys_width(gui, block, width);
    for (const KeyHelpLine& line : block.lines) {
        FittedLine& made = fitted.lines.emplace_back();
        made.keys = line.keys;
        made.leads_to = line.leads_to;
        made.left = line.keys.empty() ? 0 : left;
        made.what = broken_into_lines(line.what, text_style(gui, Weight::regular),
                                      std::max(1.0, width - made.left));
        const auto more = std::max(1.0, static_cast<double>(made.what.size())) - 1;
        made.height = points(gui, line_height) + more * points(gui, more_height);
        if (!line.picture.empty()) {
            made.picture = &picture_of(line.picture);
            made.zoom = std::min(gui.scale, width / std::max(1.0, made.picture->width));
            made.height = made.zoom * made.picture->height;
        }
        fitted.height += made.height;
    }
    fitted.height += points(gui, block_gap);
    return fitted;
}

// Returns the index of the first block of each column after the first. No column is higher than
// `most`, unless a single block is.
std::vector<std::size_t> breaks_of(const std::vector<FittedBlock>& blocks, double most) {
    std::vector<std::size_t> breaks;
    double height = 0;
    for (std::size_t k = 0; k < blocks.size(); ++k) {
        if (height > 0 && height + blocks[k].height > most) {
            breaks.push_back(k);
            height = 0;
        }
        height += blocks[k].height;
    }
    return breaks;
}

// Returns at most `count` columns of this width, as low as possible.
std::vector<Column> columns_of(const Gui& gui, const std::vector<KeyHelpBlock>& of,
                               std::size_t count, double width) {
    std::vector<FittedBlock> blocks;
    double most = 0;
    for (const KeyHelpBlock& block : of) {
        blocks.push_back(fitted(gui, block, width));
        most = std::max(most, blocks.back().height);
    }
    auto breaks = breaks_of(blocks, most);
    for (; breaks.size() >= count; breaks = breaks_of(blocks, most))
        most += points(gui, line_height);
    std::vector<Column> columns(1);
    for (std::size_t k = 0; k < blocks.size(); ++k) {
        if (std::ranges::find(breaks, k) != breaks.end()) columns.emplace_back();
        columns.back().height += blocks[k].height;
        columns.back().blocks.push_back(std::move(blocks[k]));
    }
    return columns;
}

double height_of(const std::vector<Column>& columns) {
    return std::ranges::max(columns, {}, &Column::height).height;
}

// Draws a line. Returns true if it leads elsewhere and was pressed; such lines are underlined.
bool draw_line(Gui& gui, const FittedLine& line, double x, double y, double width) {
    double middle = y + points(gui, line_height) / 2;
    bool pressed = false;
    if (line.picture != nullptr) paint(gui, panel_list(), *line.picture, {x, y}, line.zoom);
    if (!line.leads_to.empty()) {
        set_cursor(x, y);
        pressed = press_area_without_focus(line.leads_to + line.what.front(), width, line.height);
    }
    const Role role = !line.leads_to.empty() && !ImGui::IsItemHovered() ? Role::dim : Role::ink;
    draw_text(gui, {.at = {x, middle},
                    .text = line.keys,
                    .style = text_style(gui, Weight::semibold),
                    .max_width = std::max(1.0, line.left - points(gui, 6))});
    for (const std::string& text : line.what) {
        const Text words{.at = {x + line.left, middle},
                         .text = text,
                         .style = text_style(gui, Weight::regular),
                         .role = role,
                         .max_width = std::max(1.0, width - line.left)};
        draw_text(gui, words);
        if (!line.leads_to.empty())
            draw_box(gui, {.rect = {words.at.x, std::round(middle + 0.6 * words.style.size),
                                    std::min(measure(text, words.style).width, words.max_width),
                                    std::max(1.0, points(gui, 1))},
                           .filled = true,
                           .fill = role});
        middle += points(gui, more_height);
    }
    return pressed;
}

// Draws a column. Returns where the pressed line leads; "" if none was pressed.
std::string draw_column(Gui& gui, const Column& column, double x, double y, double width) {
    std::string leads_to;
    for (const FittedBlock& block : column.blocks) {
        double at = y;
        y += block.height;
        if (!block.heading.empty()) {
            draw_text(gui, {.at = {x, at + points(gui, heading_height) / 2},
                            .text = block.heading,
                            .style = text_style(gui, Weight::semibold),
                            .role = Role::dim});
            at += points(gui, heading_height);
        }
        for (const FittedLine& line : block.lines) {
            if (draw_line(gui, line, x, at, width)) leads_to = line.leads_to;
            at += line.height;
        }
    }
    return leads_to;
}

bool closes(const Gui& gui, const Rect& rect) {
    if (!takes_keys(gui)) return false;
    const bool beside = ImGui::IsMouseClicked(0) && !rect.contains(gui.now.pointer);
    return beside || gui.now.text == "?" || was_pressed(gui, GLFW_KEY_F1);
}

void scroll_by_keys(const Gui& gui) {
    // the help was opened in this pass
    if (!takes_keys(gui)) return ImGui::SetScrollY(0);
    const auto page = static_cast<double>(ImGui::GetWindowHeight()) - points(gui, 2 * line_height);
    double by = 0;
    if (was_pressed(gui, GLFW_KEY_DOWN)) by = 3 * points(gui, line_height);
    if (was_pressed(gui, GLFW_KEY_UP)) by = -3 * points(gui, line_height);
    if (was_pressed(gui, GLFW_KEY_PAGE_DOWN)) by = page;
    if (was_pressed(gui, GLFW_KEY_PAGE_UP)) by = -page;
    if (by != 0) ImGui::SetScrollY(ImGui::GetScrollY() + static_cast<float>(by));
}

// Returns by how many pages the keys turn, −1, 0 or 1: Left or Shift+Tab back, Right or Tab
// forward.
int turned_by_keys(const Gui& gui) {
    if (!takes_keys(gui)) return 0;
    const bool shift = (gui.now.modifiers & GLFW_MOD_SHIFT) != 0;
    const bool tab = was_pressed(gui, GLFW_KEY_TAB);
    if (was_pressed(gui, GLFW_KEY_LEFT) || (tab && shift)) return -1;
    return was_pressed(gui, GLFW_KEY_RIGHT) || tab ? 1 : 0;
}

// The place of the help, and its columns. The page of keys determines them, so that the tabs do not
// move.
struct Place {
    Rect rect;
    std::size_t columns = 1;
    double each = 0;  // pixels: the width of each column
};

Place place(const Gui& gui) {
    const double most_width = gui.width - points(gui, 2 * margin);
    const double most_height = gui.height - points(gui, 2 * margin);
    const double frame = points(gui, 2 * padding), between = points(gui, gutter);
    const double scrollbar = points(gui, key_scrollbar);
    const double step = points(gui, column_width) + between;
    const double fit =
        std::clamp(std::floor((most_width - frame - scrollbar + between) / step), 1.0, 4.0);
    Place at{.rect = {}, .columns = static_cast<std::size_t>(fit)};
    at.each = std::max(1.0, std::min(points(gui, column_width), most_width - frame - scrollbar));
    const auto keys = columns_of(gui, key_help_blocks(), at.columns, at.each);
    const double content = points(gui, title_height) + height_of(keys);
    at.columns = keys.size();
    const double wanted = static_cast<double>(at.columns) * step - between + frame + scrollbar;
    const double w = std::max(1.0, std::min(most_width, wanted));
    const double h = std::max(1.0, std::min(content + frame, most_height));
    at.rect = {std::round((gui.width - w) / 2), std::round((gui.height - h) / 2), w, h};
    return at;
}

// Draws the tabs, that of the keys first, in several rows if one is too short. On the right is a
// hint on how to close the help, if it fits.
void draw_tabs(Gui& gui, int& page) {
    const double right = ImGui::GetCursorScreenPos().x + room_width();
    if (tab(gui, "Keys and mouse", page == 0)) page = 0;
    int k = 0;
    for (const HelpPage& other : help_pages()) {
        const double width = tab_width(gui, other.title, page == ++k);
        if (item_rect().right() + points(gui, 12) + width <= right) same_line(gui, 12);
        if (tab(gui, other.title, page == k)) page = k;
    }
    const Rect last = item_rect();
    const std::string closes = "Escape closes";
    const TextStyle style = text_style(gui, Weight::regular);
    if (last.right() + points(gui, 16) + measure(closes, style).width > right) return;
    draw_text(gui, {.at = {right, last.y + last.h / 2},
                    .text = closes,
                    .style = style,
                    .role = Role::dim,
                    .anchor = Anchor::right});
}

// Draws the page, which scrolls below the tabs. Returns where the pressed line leads; "" if none
// was pressed.
std::string draw_page(Gui& gui, const std::vector<KeyHelpBlock>& blocks, const Place& help,
                      bool turned) {
    std::string leads_to;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::BeginChild("page", {0, 0}, false, ImGuiWindowFlags_NoNav);
    const auto columns = columns_of(gui, blocks, help.columns, help.each);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    for (std::size_t k = 0; k < columns.size(); ++k)
        if (const auto pressed =
                draw_column(gui, columns[k], at.x + double(k) * (help.each + points(gui, gutter)),
                            at.y, help.each);
            !pressed.empty())
            leads_to = pressed;
    take_room(1, height_of(columns));
    scroll_by_keys(gui);
    if (turned) ImGui::SetScrollY(0);
    ImGui::EndChild();
    ImGui::PopStyleVar();
    return leads_to;
}

// Returns a command that opens the step of an address, "lesson:NAME/STEP", where STEP counts from
// 1.
WindowCommand open_step(const std::string& address) {
    const auto colon = address.find(':'), slash = address.find('/');
    const int step = slash == std::string::npos ? 1 : std::atoi(address.c_str() + slash + 1);
    return open_lesson(address.substr(colon + 1, slash - colon - 1), step - 1);
}

}  // namespace

void open_help_page(Ui& ui, const std::string& name) {
    const auto& pages = help_pages();
    const auto found = std::ranges::find(pages, name, &HelpPage::name);
    ui.overlays.open(KeyHelp{});
    ui.help_page = found == pages.end() ? 0 : static_cast<int>(found - pages.begin()) + 1;
}

Rect draw_overlay(App& app, KeyHelp& /*help*/) {
    Gui& gui = app.gui;
    int& page = app.ui.help_page;
    const Place help = place(gui);
    begin_sheet(gui, "key help", help.rect, padding);
    const int count = static_cast<int>(help_pages().size()) + 1, before = page;
    page = (page + count + turned_by_keys(gui)) % count;
    draw_tabs(gui, page);
    const std::string leads_to = draw_page(
        gui, page == 0 ? key_help_blocks() : help_pages()[page - 1].blocks, help, page != before);
    end_panel();
    if (!leads_to.empty()) app.ui.commands.push_back(open_step(leads_to));
    if (closes(gui, help.rect) || !leads_to.empty()) app.ui.overlays.close<KeyHelp>();
    return help.rect;
}

}  // namespace maskscope
