#include "app/window/widgets/widgets.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "app/style/labels.h"
#include "app/window/paint/imgui_compat.h"
#include "app/window/paint/label_atlas.h"
#include "app/window/widgets/focus.h"

namespace maskscope {
namespace {

constexpr double control_height = 32, row_height = 32, text_size = 13;  // points
constexpr double large_height = 44, large_size = 15;

// Returns the visible part of a label: "Add" for "Add##variant".
std::string shown(const std::string& label) { return label.substr(0, label.find("##")); }

Rect rect_at_cursor(double width, double height) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    return {std::round(at.x), std::round(at.y), std::round(width), std::round(height)};
}

struct Press {
    Rect rect;
    bool clicked = false, hovered = false, held = false;
};

Press pressable(Gui& gui, const std::string& id, double width, double height, bool enabled = true) {
    Press press{rect_at_cursor(width, height)};
    if (!enabled) {
        take_room(press.rect.w, press.rect.h);
        return press;
    }
    press.clicked = press_area(gui, id, press.rect.w, press.rect.h);
    press.hovered = ImGui::IsItemHovered();
    press.held = ImGui::IsItemActive();
    return press;
}

Text centred(const Gui& gui, const Rect& rect, const std::string& text, Role role,
             Weight weight = Weight::medium) {
    return {.at = {rect.x + rect.w / 2, rect.y + rect.h / 2},
            .text = text,
            .style = scaled(gui, {.size = text_size, .weight = weight}),
            .role = role,
            .anchor = Anchor::centre,
            .max_width = rect.w};
}

Text at_left(const Gui& gui, const Rect& rect, double inset, const std::string& text, Role role,
             Weight weight = Weight::regular) {
    return {.at = {rect.x + inset, rect.y + rect.h / 2},
            .text = text,
            .style = scaled(gui, {.size = text_size, .weight = weight}),
            .role = role,
            .max_width = std::max(1.0, rect.w - inset)};
}

void fill(const Rect& rect, Colour colour, double radius) {
    panel_list().AddRectFilled(imgui_point({rect.x, rect.y}),
                               imgui_point({rect.right(), rect.bottom()}), imgui_colour(colour),
                               static_cast<float>(radius));
}

void outline(const Rect& rect, Colour colour, double radius, double width) {
    const double inset = width / 2;
    panel_list().AddRect(imgui_point({rect.x + inset, rect.y + inset}),
                         imgui_point({rect.right() - inset, rect.bottom() - inset}),
                         imgui_colour(colour), static_cast<float>(radius), 0,
                         static_cast<float>(width));
}

// Returns the background of a control, which changes under the pointer and while it is pressed.
Colour answering(const Gui& gui, Colour ground, const Press& press) {
    const double share = press.held ? 0.2 : press.hovered ? 0.1 : 0;
    return mix(ground, colours(gui)[Role::ink], share);
}

double line_height(const Gui& gui, const TextStyle& style) {
    return std::ceil(style.size * 1.5 * gui.scale);
}

double width_option(const Gui& gui, double width, double otherwise) {
    if (width < 0) return room_width();
    return width > 0 ? points(gui, width) : otherwise;
}

}  // namespace

// --- panels

void begin_panel(Gui& gui, const std::string& name, const Rect& rect, const PanelOptions& options) {
    ImGui::SetNextWindowPos(imgui_point({rect.x, rect.y}));
    ImGui::SetNextWindowSize(imgui_size(rect.w, rect.h));
    const auto padding = static_cast<float>(points(gui, options.padding));
    const auto spacing = static_cast<float>(points(gui, 8));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {padding, padding});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {spacing, spacing});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding,
                        static_cast<float>(points(gui, options.radius)));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, options.outlined ? 1.0F : 0.0F);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, imgui_colour(colours(gui)[options.ground]));
    ImGui::PushStyleColor(ImGuiCol_Border, imgui_colour(colours(gui)[Role::line]));
    int flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav;
    flags &= ~ImGuiWindowFlags_NoScrollbar;
    // Otherwise the panel would take the press from a held button: a click that ends a field may
    // make a panel appear before the button is released.
    flags |= ImGuiWindowFlags_NoFocusOnAppearing;
    if (!options.above) flags |= ImGuiWindowFlags_NoBringToFrontOnFocus;
    if (!options.above && options.ground == Role::ground)
        flags |= ImGuiWindowFlags_NoBackground;  // the canvas has drawn it
    if (!options.wheel_scrolls) flags |= ImGuiWindowFlags_NoScrollWithMouse;
    ImGui::Begin(name.c_str(), nullptr, flags);
    if (options.above && ImGui::IsWindowAppearing())
        ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar(5);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {spacing, spacing});
}

void end_panel() {
    ImGui::PopStyleVar();
    ImGui::End();
}

Rect begin_scrolled(Gui&, const std::string& name, bool wheel_does_other) {
    const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
    int flags = ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoNav;
    if (wheel_does_other) flags |= ImGuiWindowFlags_NoScrollWithMouse;
    ImGui::PushStyleColor(ImGuiCol_ChildBg, {0, 0, 0, 0});
    ImGui::BeginChild(name.c_str(), {std::max(room.x, 1.0F), std::max(room.y, 1.0F)}, false, flags);
    ImGui::PopStyleColor();
    const double bar = ImGui::GetStyle().ScrollbarSize;
    return {at.x, at.y, std::max(1.0, double(room.x) - bar), std::max(1.0, double(room.y) - bar)};
}

Point scrolled_to() { return {ImGui::GetScrollX(), ImGui::GetScrollY()}; }

bool is_scrolled_to(Point at) {
    const auto is_near = [](double now, double wished, float most) {
        return std::abs(now - std::min(wished, double(most))) <=
               1;  // ImGui scrolls by whole pixels
    };
    const Point now = scrolled_to();
    return is_near(now.x, at.x, ImGui::GetScrollMaxX()) &&
           is_near(now.y, at.y, ImGui::GetScrollMaxY());
}

void scroll_to(Point at) {
    ImGui::SetScrollX(static_cast<float>(at.x));
    ImGui::SetScrollY(static_cast<float>(at.y));
}

void end_scrolled(const Rect& room, double width, double height) {
    // Where no bar is needed, the region is larger than the visible part. Add the difference, or
    // the end of the content could not be reached.
    const ImRect inner = ImGui::GetCurrentWindow()->InnerRect;
    const auto length = [](double all, double seen, float has) {
        return all > seen ? all + std::max(0.0, double(has) - seen) : all;
    };
    const Point at = scrolled_to();
    set_cursor(room.x - at.x, room.y - at.y);
    take_room(length(width, room.w, inner.GetWidth()), length(height, room.h, inner.GetHeight()));
    ImGui::EndChild();
}

void cover_below(Gui& gui, const std::string& name) {
    // Bring the veil to the front, and the panel above it, so that a click on the veil does not
    // hide the panel. Not while a list is open or a button is held: then both are in front already,
    // and this would close the list.
    if (!gui.list && !ImGui::IsAnyItemActive()) ImGui::SetNextWindowFocus();
    ImGui::SetNextWindowBgAlpha(0.6F);
    begin_panel(gui, name, {0, 0, double(gui.width), double(gui.height)},
                {.ground = Role::ground, .above = true});
    end_panel();
    if (!gui.list) ImGui::SetNextWindowFocus();
}

void begin_sheet(Gui& gui, const std::string& name, const Rect& rect, double padding, Role ground) {
    cover_below(gui, "behind the " + name);
    begin_panel(
        gui, name, rect,
        {.ground = ground, .padding = padding, .outlined = true, .radius = 10, .above = true});
}

double points(const Gui& gui, double points) { return std::round(points * gui.scale); }

void gap(const Gui& gui, double height) { take_room(1, points(gui, height)); }

void set_cursor(double x, double y) { ImGui::SetCursorScreenPos(imgui_point({x, y})); }
void take_room(double width, double height) { ImGui::Dummy(imgui_point({width, height})); }
void same_line(const Gui& gui, double gap) {
    ImGui::SameLine(0, static_cast<float>(points(gui, gap)));
}

double room_width() { return ImGui::GetContentRegionAvail().x; }

Rect row_at_cursor(const Gui& gui, double height) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    return {at.x, at.y, std::max(1.0, room_width()), points(gui, height)};
}

TextStyle scaled(const Gui& gui, TextStyle style) {
    style.size *= gui.scale;
    return style;
}

ImDrawList& panel_list() { return *ImGui::GetWindowDrawList(); }

// --- text

void draw_text(Gui& gui, const Text& text) {
    gui.labels->draw(panel_list(), text, colours(gui)[text.role]);
}

void draw_box(Gui& gui, const Box& box) {
    if (box.filled) fill(box.rect, colours(gui)[box.fill], box.radius);
    if (box.outlined) outline(box.rect, colours(gui)[box.outline], box.radius, box.line_width);
}

void draw_raised(Gui& gui, const Rect& rect) {
    fill(rect, colours(gui)[Role::raised], points(gui, 5));
}

void draw_chosen(Gui& gui, const Rect& rect, Role role) {
    fill(rect, colours(gui)[role], points(gui, role == Role::panel ? 4 : 5));
    outline(rect, colours(gui)[Role::hatch], points(gui, role == Role::panel ? 4 : 5),
            std::max(1.0, points(gui, 1)));
}

void draw_field_frame(Gui& gui, const Rect& rect, bool edited, bool outlined) {
    draw_box(gui, {.rect = rect,
                   .radius = points(gui, 5),
                   .filled = edited,
                   .outlined = outlined,
                   .fill = Role::ground,
                   .outline = edited ? Role::ink : Role::hatch,
                   .line_width = std::max(1.0, points(gui, edited ? 1.5 : 1))});
}

void draw_selected(Gui& gui, double x0, double x1, double middle, double size) {
    Colour tint = colours(gui)[Role::variant_c];
    tint.a = 90;
    const double left = std::min(x0, x1), half = 0.65 * size;
    fill({left, middle - half, std::max(x0, x1) - left, 2 * half}, tint, 0);
}

void draw_caret(Gui& gui, double x, double middle, double size) {
    const double half = 0.65 * size;
    fill({std::round(x), middle - half, std::max(1.0, points(gui, 1.5)), 2 * half},
         colours(gui)[Role::ink], 0);
}

void label(Gui& gui, const std::string& text, const LabelOptions& options) {
    const TextStyle style = scaled(gui, options.style);
    const double room =
        options.max_width > 0 ? points(gui, options.max_width) : std::max(1.0, room_width());
    const double width = std::min(measure(text, style).width, room);
    const Rect rect =
        rect_at_cursor(options.to_right ? room : width, line_height(gui, options.style));
    draw_text(gui, {.at = {options.to_right ? rect.right() : rect.x, rect.y + rect.h / 2},
                    .text = text,
                    .style = style,
                    .role = options.role,
                    .anchor = options.to_right ? Anchor::right : Anchor::left,
                    .max_width = room + 1});
    take_room(rect.w, rect.h);
}

void paragraph(Gui& gui, const std::string& text, const LabelOptions& options) {
    const TextStyle style = scaled(gui, options.style);
    const double room =
        options.max_width > 0 ? points(gui, options.max_width) : std::max(1.0, room_width());
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    for (const std::string& line : broken_into_lines(text, style, room)) label(gui, line, options);
    ImGui::PopStyleVar();
}

double paragraph_height(const Gui& gui, const std::string& text, const TextStyle& style,
                        double room) {
    const auto lines = broken_into_lines(text, scaled(gui, style), room);
    return double(lines.size()) * line_height(gui, style);
}

void label_pair(Gui& gui, const std::string& left, const std::string& right,
                const LabelOptions& left_options, const LabelOptions& right_options) {
    const double height =
        std::max(line_height(gui, left_options.style), line_height(gui, right_options.style));
    const Rect rect = rect_at_cursor(room_width(), height);
    const TextStyle right_style = scaled(gui, right_options.style);
    const double right_width = std::min(measure(right, right_style).width, rect.w);
    const double middle = rect.y + rect.h / 2;
    draw_text(gui, {.at = {rect.right(), middle},
                    .text = right,
                    .style = right_style,
                    .role = right_options.role,
                    .anchor = Anchor::right,
                    .max_width = rect.w});
    draw_text(gui, {.at = {rect.x, middle},
                    .text = left,
                    .style = scaled(gui, left_options.style),
                    .role = left_options.role,
                    .max_width = std::max(1.0, rect.w - right_width - points(gui, 6))});
    take_room(rect.w, rect.h);
}

void heading(Gui& gui, const std::string& text, const std::string& note) {
    // Omit a note that does not fit before cutting the heading.
    const double needed = measure(text, scaled(gui, {.weight = Weight::semibold})).width +
                          points(gui, 6) + measure(note, scaled(gui, {})).width;
    label_pair(gui, text, needed <= room_width() ? note : "",
               {.style = {.weight = Weight::semibold}, .role = Role::dim}, {.role = Role::dim});
}

void variant_letter_chip(Gui& gui, int variant) {
    const double side = points(gui, 20);
    const Rect rect = rect_at_cursor(side, side);
    const Role role = variant_role(variant);
    fill(rect, colours(gui)[role], points(gui, 5));
    Text letter = centred(gui, rect, std::string(1, variant_letter(variant)), role, Weight::bold);
    gui.labels->draw(panel_list(), letter, ink_on(colours(gui)[role]));
    take_room(side, side);
}

namespace {

bool is_asked_about(const Gui& gui, const std::string& text) {
    return !text.empty() && !gui.still_at && !gui.refused && ImGui::IsItemHovered();
}

constexpr double tip_width = 344, tip_height = 150;  // points: at most

void tooltip_at(Gui& gui, const std::string& text, Point at, float pivot, Role role = Role::ink) {
    at.y = std::min(at.y, gui.height - points(gui, tip_height));
    ImGui::SetNextWindowPos(imgui_point(at), 0, {pivot, 0});
    tooltip_here(gui, text, role);
}

}  // namespace

void refusal_below(Gui& gui, const Rect& field, const std::string& why) {
    const double x = std::min(field.x, gui.width - points(gui, tip_width));
    tooltip_at(gui, why, {x, field.bottom() + points(gui, 4)}, 0, Role::wrong);
}

void tooltip(Gui& gui, const std::string& text) {
    if (is_asked_about(gui, text)) tooltip_here(gui, text);
}

void tooltip_below(Gui& gui, const std::string& text) {
    if (!is_asked_about(gui, text)) return;
    const Rect item = item_rect();
    const double x = std::min(item.x, gui.width - points(gui, tip_width));
    tooltip_at(gui, text, {x, item.bottom() + points(gui, 6)}, 0);
}

void tooltip_beside(Gui& gui, const std::string& text) {
    if (!is_asked_about(gui, text)) return;
    const Rect item = item_rect();
    const bool left = item.x + item.w / 2 < gui.width / 2.0;
    const double x = left ? item.right() + points(gui, 12) : item.x - points(gui, 12);
    tooltip_at(gui, text, {x, item.y}, left ? 0 : 1);
}

void tooltip_here(Gui& gui, const std::string& text, Role role) {
    const auto padding = static_cast<float>(points(gui, 12));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {padding, padding});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, static_cast<float>(points(gui, 6)));
    ImGui::PushStyleColor(ImGuiCol_PopupBg, imgui_colour(colours(gui)[Role::raised]));
    ImGui::PushStyleColor(ImGuiCol_Border, imgui_colour(colours(gui)[Role::line]));
    ImGui::BeginTooltip();
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line); role = Role::dim)
        paragraph(gui, line, {.role = role, .max_width = 320});
    ImGui::EndTooltip();
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar(2);
}

// --- controls that are pressed

bool press_area(Gui& gui, const std::string& id, double width, double height) {
    const bool clicked = press_area_without_focus(id, width, height);
    keep_pressed_in_place(gui);
    return offer_focus(gui, ImGui::GetID(id.c_str())) || clicked;
}

bool press_area_without_focus(const std::string& id, double width, double height) {
    return ImGui::InvisibleButton(id.c_str(), imgui_size(width, height));
}

TextStyle button_style(const Gui& gui, bool large) {
    return scaled(gui, {.size = large ? large_size : text_size, .weight = Weight::medium});
}

double button_width(const Gui& gui, const std::string& text, bool large) {
    return measure(shown(text), button_style(gui, large)).width + points(gui, large ? 40 : 28);
}

bool button(Gui& gui, const std::string& text, const ButtonOptions& options) {
    const double width = width_option(gui, options.width, button_width(gui, text, options.large));
    std::vector<std::string> lines{shown(text)};
    if (options.wraps)
        lines = broken_into_lines(lines.front(), button_style(gui, options.large),
                                  std::max(1.0, width - points(gui, 20)));
    const double line = points(gui, 20);
    const double height = points(gui, options.large ? large_height : control_height) +
                          line * double(lines.size() - 1);
    const Press press = pressable(gui, text, width, height, options.enabled);
    const Colour ground = colours(gui)[options.filled ? Role::variant_a : Role::raised];
    const double radius = points(gui, 5);
    if (!options.outlined)
        fill(press.rect, answering(gui, ground, press), radius);
    else if (press.hovered)
        fill(press.rect, answering(gui, colours(gui)[Role::panel], press), radius);
    if (options.outlined) outline(press.rect, colours(gui)[Role::hatch], radius, 1);
    Text name = centred(gui, press.rect, "", options.role.value_or(Role::ink));
    name.style = button_style(gui, options.large);
    Colour ink = options.filled ? ink_on(ground) : colours(gui)[name.role];
    if (!options.enabled) ink = mix(ink, ground, 0.55);
    name.at.y -= line * double(lines.size() - 1) / 2;
    for (std::string& words : lines) {
        name.text = std::move(words);
        gui.labels->draw(panel_list(), name, ink);
        name.at.y += line;
    }
    if (!options.tip.empty()) tooltip(gui, options.tip);
    return press.clicked;
}

bool link(Gui& gui, const std::string& text, const std::string& tip, bool wraps) {
    const TextStyle style = scaled(gui, {.size = text_size});
    const double room = std::max(1.0, room_width());
    const double width = std::min(measure(shown(text), style).width, room);
    std::vector<std::string> lines{shown(text)};
    if (wraps) lines = broken_into_lines(lines.front(), style, room);
    const double height = points(gui, 24);
    const Press press = pressable(gui, text, width, height * double(lines.size()));
    Rect rect{press.rect.x, press.rect.y, press.rect.w, height};
    for (const std::string& line : lines) {
        Text words = at_left(gui, rect, 0, line, press.hovered ? Role::ink : Role::dim);
        words.max_width = rect.w + 1;
        draw_text(gui, words);
        fill({rect.x, std::round(rect.y + rect.h / 2 + 0.6 * style.size),
              std::min(measure(line, style).width, rect.w), std::max(1.0, points(gui, 1))},
             colours(gui)[words.role], 0);
        rect.y += height;
    }
    tooltip(gui, tip);
    return press.clicked;
}

double chip_width(const Gui& gui, const std::string& text) {
    const TextStyle style = scaled(gui, {.size = text_size, .weight = Weight::regular});
    return std::round(
        std::max(measure(shown(text), style).width + points(gui, 22), points(gui, 28)));
}

ChipEvents chip(Gui& gui, const std::string& text, const ChipOptions& options) {
    const double width = std::min(chip_width(gui, text), std::max(1.0, room_width()));
    const Press press = pressable(gui, text, width, points(gui, 28));
    const double radius = press.rect.h / 2;
    const Theme& theme = colours(gui);
    if (!options.quiet || options.selected || press.hovered)
        fill(press.rect, answering(gui, theme[Role::raised], press), radius);
    if (!options.quiet || options.selected)
        outline(press.rect, theme[options.selected && !options.quiet ? Role::ink : Role::line],
                radius, options.selected && !options.quiet ? 2 : 1);
    Text name = centred(gui, press.rect, shown(text), options.dimmed ? Role::dim : Role::ink,
                        Weight::regular);
    name.max_width = std::max(1.0, press.rect.w - points(gui, 12));
    draw_text(gui, name);
    return events_of_item(gui, press.clicked);
}

ChipEvents events_of_item(const Gui& gui, bool clicked) {
    const ImVec2 way = ImGui::GetMouseDragDelta(0, static_cast<float>(points(gui, 4)));
    const bool moved = way.x != 0 || way.y != 0, hovered = ImGui::IsItemHovered();
    return {.pressed = ImGui::IsItemActivated(),
            .clicked = clicked && !moved,
            .double_clicked = hovered && ImGui::IsMouseDoubleClicked(0),
            .hovered = hovered,
            .dragged = ImGui::IsItemActive() && moved,
            .dropped = ImGui::IsItemDeactivated() && moved};
}

bool check_row(Gui& gui, const std::string& text, bool checked, const std::string& note,
               bool enabled, double free) {
    const double width = std::max(1.0, room_width() - points(gui, free));
    const Press press = pressable(gui, text, width, points(gui, row_height), enabled);
    const Theme& theme = colours(gui);
    if (checked || press.hovered)
        fill(press.rect, answering(gui, theme[checked ? Role::raised : Role::panel], press),
             points(gui, 5));
    const double side = points(gui, 16), inset = points(gui, 10);
    const Rect box{press.rect.x + inset, std::round(press.rect.y + (press.rect.h - side) / 2), side,
                   side};
    if (checked) {
        fill(box, theme[Role::ink], points(gui, 3));
        const auto at = [&](double x, double y) {
            return imgui_point({box.x + x * side, box.y + y * side});
        };
        const ImVec2 tick[] = {at(0.22, 0.52), at(0.42, 0.72), at(0.78, 0.28)};
        panel_list().AddPolyline(tick, 3, imgui_colour(theme[Role::panel]), 0,
                                 static_cast<float>(1.8 * gui.scale));
    } else {
        outline(box, theme[Role::hatch], points(gui, 3), std::max(1.0, points(gui, 1.5)));
    }
    const Role role = enabled && checked ? Role::ink : Role::dim;
    Text right = at_left(gui, press.rect, 0, note, Role::dim);
    right.anchor = Anchor::right;
    right.at.x = press.rect.right() - inset;
    draw_text(gui, right);
    const double taken = note.empty() ? 0 : measure(note, right.style).width + 2 * inset;
    Text name = at_left(gui, press.rect, inset + side + points(gui, 12), shown(text), role);
    name.max_width = std::max(1.0, name.max_width - taken);
    draw_text(gui, name);
    return press.clicked;
}

TextStyle tab_style(const Gui& gui, bool selected) {
    return scaled(gui, {.size = 14, .weight = selected ? Weight::semibold : Weight::regular});
}

double tab_width(const Gui& gui, const std::string& text, bool selected) {
    return measure(shown(text), tab_style(gui, selected)).width + points(gui, 8);
}

bool tab(Gui& gui, const std::string& text, bool selected) {
    const TextStyle style = tab_style(gui, selected);
    const Press press = pressable(gui, text, tab_width(gui, text, selected), points(gui, 36));
    Text name =
        centred(gui, press.rect, shown(text), selected || press.hovered ? Role::ink : Role::dim);
    name.style = style;
    draw_text(gui, name);
    if (selected)
        fill({press.rect.x, press.rect.bottom() - points(gui, 2), press.rect.w, points(gui, 2)},
             colours(gui)[Role::ink], 0);
    return press.clicked;
}

std::optional<int> segments(Gui& gui, const std::string& id,
                            const std::vector<std::string>& choices, int chosen, double all) {
    std::optional<int> pressed;
    if (choices.empty()) return pressed;
    const double width =
        std::floor(width_option(gui, all, room_width()) / static_cast<double>(choices.size()));
    const Theme& theme = colours(gui);
    const double radius = points(gui, 5);
    fill(rect_at_cursor(width * static_cast<double>(choices.size()), points(gui, control_height)),
         theme[Role::raised], radius);
    ImGui::PushID(id.c_str());
    for (int k = 0; k < static_cast<int>(choices.size()); ++k) {
        if (k > 0) ImGui::SameLine(0, 0);
        const std::string& choice = choices[k];
        const Press press = pressable(gui, choice, width, points(gui, control_height));
        if (k == chosen)
            outline(press.rect, theme[Role::ink], radius, std::max(1.0, points(gui, 1.5)));
        else if (press.hovered)
            fill(press.rect, answering(gui, theme[Role::raised], press), radius);
        draw_text(gui, centred(gui, press.rect, choice, k == chosen ? Role::ink : Role::dim));
        if (press.clicked && k != chosen) pressed = k;
    }
    ImGui::PopID();
    return pressed;
}

}  // namespace maskscope
