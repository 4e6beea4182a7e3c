// Draws the steps of a lesson as dots: a click goes to one. A step whose mask is to be painted is a
// ring.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/window/panels/panels.h"
#include "app/window/widgets/widgets.h"

namespace maskscope {

namespace {

// Sizes in points. The shown step is a bar as wide as two dots with the gap between them.
constexpr double dot = 9, between = 7, dot_height = 24;

double step_width(bool shown) { return shown ? 2 * dot + between : dot; }

std::string tip_of(const Step& step, std::size_t k) {
    return fmt::format("{}{}{}: {}", step.star ? "★ " : "", k + 1,
                       step.exercise ? ", an exercise" : "", step.title);
}

void draw_dot(Gui& gui, const Session& session, int k, const Rect& area, bool hovered) {
    const Step& step = session.lesson()->steps[k];
    const bool shown = k == session.step();
    const double side = points(gui, dot);
    Role role = k < session.step() ? Role::right : Role::hatch;
    if (shown) role = Role::lane_a;
    if (hovered && !shown) role = Role::ink;
    draw_box(gui, {.rect = {area.x + points(gui, between / 2), area.y + (area.h - side) / 2,
                            points(gui, step_width(shown)), side},
                   .radius = side / 2,
                   .filled = !step.exercise,
                   .outlined = step.exercise.has_value(),
                   .fill = role,
                   .outline = role,
                   .line_width = points(gui, 2)});
}

}  // namespace

double step_dots_width(const Gui& gui, const Session& session) {
    if (session.lesson() == nullptr) return 0;
    const auto steps = static_cast<double>(session.lesson()->steps.size());
    return points(gui, steps * (dot + between) + dot + between);
}

void draw_step_dots(Gui& gui, Session& session, Point left) {
    if (session.lesson() == nullptr) return;
    const auto steps = static_cast<int>(session.lesson()->steps.size());
    std::optional<int> pressed;
    for (int k = 0; k < steps; ++k) {
        const Step& step = session.lesson()->steps[k];
        const Rect area{left.x, left.y - points(gui, dot_height) / 2,
                        points(gui, step_width(k == session.step()) + between),
                        points(gui, dot_height)};
        ImGui::PushID(k);
        set_cursor(area.x, area.y);
        if (press_area(gui, "step dot", area.w, area.h)) pressed = k;
        const bool hovered = ImGui::IsItemHovered();
        tooltip_below(gui, tip_of(step, static_cast<std::size_t>(k)));
        ImGui::PopID();
        draw_dot(gui, session, k, area, hovered);
        left.x = area.right();
    }
    if (pressed) session.go_to_step(*pressed);
}

}  // namespace maskscope
