// The foot of a lesson, in small type: the fact with its verdict, the answers beside the correct
// one, and the source.

#include <imgui.h>

#include <algorithm>

#include "app/style/labels.h"
#include "app/window/panels/lesson/lesson_parts.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/parts.h"

namespace maskscope {

namespace {

// Draws the source, which a click copies; returns where it begins.
double draw_source(Gui& gui, Session& session, const Rect& line) {
    const std::string& source = shown_step(session).source;
    if (source.empty()) return line.right();
    Text text{.at = {line.right(), line.y + line.h / 2},
              .text = "Source: " + source,
              .style = {.size = 12 * gui.scale},
              .role = Role::dim,
              .anchor = Anchor::right,
              .max_width = line.w};
    const double width = std::min(line.w, figure_text_width(text));
    set_cursor(line.right() - width, line.y);
    const bool pressed = press_area(gui, "source", width, line.h);
    if (ImGui::IsItemHovered()) text.role = Role::ink;
    tooltip(gui, "Copy the source");
    draw_text(gui, text);
    if (pressed) {
        gui.clipboard.write(source);
        session.say("Copied the source.");
    }
    return line.right() - width;
}

// Draws a line; returns where it ends.
double draw_line(Gui& gui, const Rect& line, const std::string& words, TextStyle style, Role role) {
    if (words.empty()) return line.x;
    Text text{.at = {line.x, line.y + line.h / 2},
              .text = words,
              .style = scaled(gui, style),
              .role = role,
              .max_width = std::max(1.0, line.w)};
    const double width = std::min(text.max_width, figure_text_width(text));
    draw_text(gui, text);
    return line.x + width;
}

}  // namespace

void draw_lesson_foot(Gui& gui, Session& session, const Rect& rect) {
    if (session.lesson() == nullptr || rect.h <= 0) return;
    begin_panel(gui, "lesson foot", rect, {.ground = Role::ground, .padding = 0});
    const double side = points(gui, lesson_side), between = points(gui, 24);
    Rect line{rect.x + side, rect.y, std::max(1.0, rect.w - 2 * side), rect.h};
    const JudgedClaim fact = judged_claim(session);
    if (fact.hidden) return end_panel();
    // The fact gets its space first, but half of the line is left for the source.
    Rect left = line;
    if (!shown_step(session).source.empty()) left.w = std::max(0.55 * line.w, 1.0);
    double end = draw_line(gui, left, fact.line, {.size = 13},
                           fact.holds || fact.intended ? Role::dim : Role::wrong);
    if (end > line.x) end += between;
    line = {end, line.y, std::max(1.0, line.right() - end), line.h};
    draw_source(gui, session, line);
    end_panel();
}

}  // namespace maskscope
