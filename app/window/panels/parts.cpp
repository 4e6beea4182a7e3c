#include "app/window/panels/parts.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/export/export.h"
#include "app/style/labels.h"
#include "app/window/actions/actions.h"
#include "app/window/paint/imgui_compat.h"
#include "app/window/widgets/focus.h"

namespace maskscope {

namespace {

constexpr double field_height = 28, step_width = 26;  // points, for a row
constexpr double name_gap = 6, name_line = 20;        // points

Text field_text(const Gui& gui, Point at, const std::string& text) {
    return {.at = at, .text = text, .style = {.size = 13 * gui.scale}, .role = Role::dim};
}

// Draws the name of a row's field, above the field if it would be cut off beside it. A click on the
// name also enters the field.
void draw_name(Gui& gui, const std::string& id, const std::string& name, double width,
               const std::string& value) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const double all = room_width(), left = all - points(gui, width);
    const Text text = field_text(gui, {at.x, at.y + points(gui, name_line) / 2}, name);
    const bool above = measure(name, text.style).width > left - points(gui, name_gap);
    const double wide = above ? all : left;
    const double high = points(gui, above ? name_line : field_height);
    if (wide > 1) {
        if (press_area_without_focus(id + "/name", wide, high)) edit_field(gui, id, value);
        set_cursor(at.x, at.y + (above ? high : 0));
    }
    if (above) draw_text(gui, text);
    field_name(gui, above ? "" : name, width, field_height);
}

// Draws − or + beside a number. Only the mouse reaches it, because Tab goes to the field.
bool step_button(Gui& gui, const std::string& text, const std::string& id, bool enabled) {
    const Rect rect{ImGui::GetCursorScreenPos().x, ImGui::GetCursorScreenPos().y,
                    points(gui, step_width), points(gui, field_height)};
    const bool pressed = press_area_without_focus(text + id, rect.w, rect.h);
    keep_pressed_in_place(gui);
    const bool hovered = ImGui::IsItemHovered();
    draw_box(gui, {.rect = rect,
                   .radius = points(gui, 5),
                   .filled = true,
                   .fill = hovered && enabled ? Role::line : Role::raised});
    draw_text(gui, {.at = {rect.x + rect.w / 2, rect.y + rect.h / 2},
                    .text = text,
                    .style = {.size = 14 * gui.scale},
                    .role = enabled ? Role::ink : Role::hatch,
                    .anchor = Anchor::centre});
    return pressed && enabled;
}

}  // namespace

void draw_edge(Gui& gui, const Rect& panel, Edge edge) {
    const double line = std::max(1.0, points(gui, 1));
    Rect rect = panel;
    if (edge == Edge::top || edge == Edge::bottom) rect.h = line;
    if (edge == Edge::left || edge == Edge::right) rect.w = line;
    if (edge == Edge::bottom) rect.y = panel.bottom() - line;
    if (edge == Edge::right) rect.x = panel.right() - line;
    panel_list().PushClipRect(imgui_point({panel.x, panel.y}),
                              imgui_point({panel.right(), panel.bottom()}));
    draw_box(gui, {.rect = rect, .filled = true, .fill = Role::line});
    panel_list().PopClipRect();
}

bool fold_handle(Gui& gui, const std::string& arrow, const Rect& rect, const std::string& tip) {
    begin_panel(gui, tip, rect, {.padding = 0, .above = true});
    set_cursor(rect.x, rect.y);
    const bool pressed = press_area(gui, "fold", rect.w, rect.h);
    const bool hovered = ImGui::IsItemHovered();
    tooltip(gui, tip);
    if (hovered) draw_raised(gui, rect);
    draw_text(gui, {.at = {rect.x + rect.w / 2, rect.y + rect.h / 2},
                    .text = arrow,
                    .style = {.size = 14 * gui.scale},
                    .role = hovered ? Role::ink : Role::dim,
                    .anchor = Anchor::centre});
    end_panel();
    return pressed;
}

std::filesystem::path base_folder(const Session& session) {
    std::error_code unknown;
    const auto path = session.document().path();
    if (path && path->has_parent_path())
        return std::filesystem::absolute(path->parent_path(), unknown);
    return std::filesystem::current_path(unknown);
}

std::filesystem::path proposed_path(const Session& session, const std::string& title,
                                    const std::string& extension) {
    const auto open = session.document().path();
    const std::string name = open ? open->stem().string() : file_name_of(title);
    return base_folder(session) / ((name.empty() ? "scene" : name) + extension);
}

LayoutOptions room_options(const Gui& gui, double width, double height) {
    LayoutOptions options;
    options.width = width;
    options.height = height;
    options.scale = gui.scale;
    options.with_title = false;
    options.interactive = true;
    return options;
}

bool is_news(const Gui& gui, const Session& session, ShownMessage& told) {
    const auto& message = session.message();
    const std::uint64_t number = message ? message->number : 0;
    if (number != told.number) told = {number, gui.time, told.refusal};
    return number > 0 && gui.time - told.since < seconds_of_news;
}

std::string time_text(double milliseconds) {
    if (milliseconds < 10) return fmt::format("{:.2f} ms", milliseconds);
    if (milliseconds < 1000) return fmt::format("{:.0f} ms", milliseconds);
    return fmt::format("{:.1f} s", milliseconds / 1000);
}

std::string about_time_text(double seconds) {
    if (seconds > 90) return fmt::format("{:.0f} min", std::ceil(seconds / 60));
    const double step = seconds > 10 ? 5 : 1;  // a number that changes all the time does not help
    return fmt::format("{:.0f} s", std::max(1.0, step * std::round(seconds / step)));
}

std::string backend_text(const Session& session) {
    if (session.results().backends().chosen() == ComputeWith::gpu &&
        session.results().backends().preparing())
        return "GPU: preparing…";
    if (session.shown().backend == "gpu") return "GPU";
    return session.results().backends().chosen() == ComputeWith::plain ? "Reference" : "CPU";
}

std::string chip_text(std::string token) {
    for (std::size_t at = token.find("##"); at != std::string::npos; at = token.find("##", at))
        token.insert(at + 1, "\u2060");
    return token;
}

void field_name(Gui& gui, const std::string& name, double width, double height) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const double left = std::max(0.0, room_width() - points(gui, width));
    Text text = field_text(gui, {at.x, at.y + points(gui, height) / 2}, name);
    text.max_width = std::max(1.0, left - points(gui, name_gap));
    draw_text(gui, text);
    set_cursor(at.x + left, at.y);
}

std::optional<double> number_row(Gui& gui, const std::string& id, const std::string& name,
                                 double number, const NumberOptions& options) {
    const double steps = options.whole ? 2 * (step_width + 4) : 0;
    NumberOptions field = options;
    field.height = field_height;
    draw_name(gui, id, name, options.width + steps, fmt::format("{}", number));
    std::optional<double> changed;
    if (options.whole) {
        if (step_button(gui, "−", id, number > options.low)) changed = number - 1;
        same_line(gui, 4);
    }
    if (const auto typed = number_field(gui, id, number, field)) changed = typed;
    if (options.whole) {
        same_line(gui, 4);
        if (step_button(gui, "+", id, number < options.high)) changed = number + 1;
    }
    if (options.slides)
        if (const auto moved = slider(gui, id + "/slider", number, *options.slides))
            changed = moved;
    return changed;
}

std::optional<std::string> text_row(Gui& gui, const std::string& id, const std::string& name,
                                    const std::string& text, double width) {
    draw_name(gui, id, name, width, text);
    return text_field(gui, id, text, {.width = width, .height = field_height});
}

std::optional<Index> picker(Gui& gui, const std::string& what, Index at, Index count) {
    std::optional<Index> picked;
    ImGui::PushID(what.c_str());
    field_name(gui, fmt::format("{} {} of {}", what, at + 1, count), 28 + 28 + 8);
    if (button(gui, "‹", {.enabled = at > 0, .width = 28})) picked = at - 1;
    ImGui::SameLine();
    if (button(gui, "›", {.enabled = at + 1 < count, .width = 28})) picked = at + 1;
    ImGui::PopID();
    return picked;
}

std::optional<std::string> combo_or_typed(Gui& gui, const std::string& id, const std::string& name,
                                          std::vector<std::string> choices,
                                          const std::string& chosen, const std::string& tip) {
    if (edited_text(gui, id)) {
        constexpr double width = 120;
        field_name(gui, name, width);
        return text_field(gui, id, chosen, {.width = width});
    }
    auto at = std::ranges::find(choices, chosen);
    if (at == choices.end()) at = choices.insert(choices.end(), chosen);
    const auto index = static_cast<int>(at - choices.begin());
    choices.emplace_back("other…");
    const auto pressed = combo(gui, id, choices, index, {.name = name, .tip = tip});
    if (!pressed) return std::nullopt;
    if (*pressed + 1 < std::ssize(choices)) return choices[*pressed];
    edit_field(gui, id, chosen);
    return std::nullopt;
}

}  // namespace maskscope
