// The panel that the backend's name in the status line opens: the switch between backends, where
// the time of the last frame went, and how far CPU and GPU agree about the shown result.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/window/paint/frame_clock.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/parts.h"
#include "core/base/number_text.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

constexpr double timings_width = 320, timings_padding = 20, top_height = 114,
                 timings_row = 20;  // points

struct Line {
    std::string left, right{};
    Role role = Role::dim;
    bool is_heading = false;
};
using Lines = std::vector<Line>;

// Returns where the time goes: in computing, and in the window.
Lines time_lines(const Session& session, const FrameTimes& frame) {
    Lines lines;
    const auto add = [&lines](const std::string& name, const std::string& all,
                              const std::vector<Timing>& times) {
        lines.push_back({name, all, Role::ink, true});
        for (const Timing& timing : times)
            lines.push_back({timing.what, time_text(timing.milliseconds)});
    };
    const Result& shown = session.shown();
    add(backend_text(session), time_text(shown.milliseconds), shown.times);
    add("Window", "",
        {{"input", frame.input},
         {"upload", frame.upload},
         {"panels", frame.panels},
         {"drawing", frame.drawing}});
    return lines;
}

void draw_lines(Gui& gui, const Lines& lines, const Rect& column) {
    double y = column.y;
    for (const Line& line : lines) {
        const TextStyle style{.size = (line.is_heading ? 13 : 12) * gui.scale,
                              .weight = line.is_heading ? Weight::semibold : Weight::regular};
        if (line.is_heading && y > column.y) y += points(gui, 8);
        const double middle = y + points(gui, timings_row) / 2;
        draw_text(gui, {.at = {column.x, middle},
                        .text = line.left,
                        .style = style,
                        .role = line.role,
                        .max_width = column.w});
        draw_text(gui, {.at = {column.right(), middle},
                        .text = line.right,
                        .style = style,
                        .role = line.role,
                        .anchor = Anchor::right});
        y += points(gui, timings_row);
    }
}

double height_of(const Gui& gui, const Lines& lines) {
    const auto headings = static_cast<double>(std::ranges::count(lines, true, &Line::is_heading));
    return points(gui, timings_row * static_cast<double>(lines.size()) + 8 * (headings - 1));
}

void draw_switch(Gui& gui, Session& session) {
    heading(gui, "Computed on");
    static const std::vector<std::string> choices = {"Reference", "CPU", "GPU", "Auto"};
    const auto chosen = static_cast<int>(session.computes_with());
    if (const auto pressed = segments(gui, "backend", choices, chosen))
        session.compute_with(static_cast<ComputeWith>(*pressed));
    const std::string& renderer = session.gpu().renderer;
    label(gui, renderer.empty() ? "No OpenGL 4.3 here" : "GPU: " + renderer,
          {.style = {.size = 12}, .role = Role::dim});
}

}  // namespace

Rect draw_timings(Gui& gui, Session& session, const FrameTimes& frame, bool open,
                  const Rect& room) {
    if (!open) return {};
    const Lines lines = time_lines(session, frame);
    const double inside = height_of(gui, lines);
    const double w = std::min(points(gui, timings_width), room.w);
    const double h = std::min(inside + points(gui, top_height + 2 * timings_padding), room.h);
    const Rect rect{points(gui, 12), room.bottom() - h - points(gui, 8), w, h};
    begin_panel(gui, "timings", rect,
                {.ground = Role::raised,
                 .padding = timings_padding,
                 .outlined = true,
                 .radius = 10,
                 .above = true});
    draw_switch(gui, session);
    gap(gui, 8);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw_lines(gui, lines, {at.x, at.y, room_width(), inside});
    take_room(1, inside);
    end_panel();
    return rect;
}

}  // namespace maskscope
