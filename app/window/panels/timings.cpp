// Behind the backend's name in the status line: the switch between backends, where the time of the
// last frame went, and how far CPU and GPU agree about what is shown.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/window/panels/panels.h"
#include "app/window/panels/parts.h"
#include "core/base/number_text.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

constexpr double width = 560, padding = 20, top_height = 114, row_height = 20;  // points

struct Line {
    std::string left, right{};
    Role role = Role::dim;
    bool is_heading = false;
};
using Lines = std::vector<Line>;

std::string upper(std::string name) { return name == "gpu" ? "GPU" : "CPU"; }

void add_times(Lines& lines, const std::string& name, const std::string& all,
               const std::vector<Timing>& times) {
    lines.push_back({name, all, Role::ink, true});
    for (const Timing& timing : times)
        lines.push_back({timing.what, time_text(timing.milliseconds)});
}

// Where the time goes, on the backend that is shown, on the other one, and in the window.
Lines time_lines(const App& app) {
    Lines lines;
    const Result& shown = app.session.shown();
    add_times(lines, backend_text(app.session), time_text(shown.milliseconds), shown.times);
    if (const Comparison* other = app.session.comparison(); other && other->error.empty())
        add_times(lines, upper(other->backend), time_text(other->milliseconds), other->times);
    const FrameTimes& frame = app.times;
    add_times(lines, "Window", "",
              {{"input", frame.input},
               {"upload", frame.upload},
               {"panels", frame.panels},
               {"drawing", frame.drawing}});
    return lines;
}

Line difference_line(const StageDifference& difference) {
    Line line{std::string(label(difference.stage))};
    if (difference.other_kind == 0) {
        line.right = exact_text(difference.largest);
        return line;
    }
    line.right = fmt::format("{} {} NaN or ∞ in one alone", difference.other_kind,
                             difference.other_kind == 1 ? "cell" : "cells");
    if (difference.stage == StageKind::allowed)
        line.right = fmt::format("{} differ", difference.other_kind);
    line.role = Role::wrong;
    return line;
}

Lines difference_lines(const App& app) {
    Lines lines{{"Largest difference", "CPU − GPU", Role::ink, true}};
    const Comparison* comparison = app.session.comparison();
    if (comparison == nullptr)
        lines.push_back({"comparing …"});
    else if (!comparison->error.empty())
        lines.insert(lines.end(), {{"not compared", "", Role::odd}, {comparison->error}});
    else
        for (const StageDifference& difference : comparison->differences)
            lines.push_back(difference_line(difference));
    return lines;
}

void draw_lines(App& app, const Lines& lines, const Rect& column) {
    double y = column.y;
    for (const Line& line : lines) {
        const TextStyle style{.size = (line.is_heading ? 13 : 12) * app.ui_scale,
                              .weight = line.is_heading ? Weight::semibold : Weight::regular};
        if (line.is_heading && y > column.y) y += points(app, 8);
        const double middle = y + points(app, row_height) / 2;
        draw_text(app, {.at = {column.x, middle},
                        .text = line.left,
                        .style = style,
                        .role = line.role,
                        .max_width = column.w});
        draw_text(app, {.at = {column.right(), middle},
                        .text = line.right,
                        .style = style,
                        .role = line.role,
                        .anchor = Anchor::right});
        y += points(app, row_height);
    }
}

double height_of(const App& app, const Lines& lines) {
    const auto headings = static_cast<double>(std::ranges::count(lines, true, &Line::is_heading));
    return points(app, row_height * static_cast<double>(lines.size()) + 8 * (headings - 1));
}

void draw_switch(App& app) {
    heading(app, "Computed on");
    static const std::vector<std::string> choices = {"Plain", "CPU", "GPU"};
    const auto chosen = static_cast<int>(app.session.computes_with());
    if (const auto pressed = segments(app, "backend", choices, chosen))
        app.session.compute_with(static_cast<ComputeWith>(*pressed));
    const std::string& renderer = app.session.gpu().renderer;
    label(app, renderer.empty() ? "No OpenGL 4.3 here" : "GPU: " + renderer,
          {.style = {.size = 12}, .role = Role::dim});
}

}  // namespace

void draw_timings(App& app) {
    app.session.compare_backends(app.ui.timings_open);
    app.panels.timings = {};
    if (!app.ui.timings_open) return;
    const Lines left = time_lines(app), right = difference_lines(app);
    const double inside = std::max(height_of(app, left), height_of(app, right));
    const double w = std::min(points(app, width), static_cast<double>(app.width));
    const double room = app.panels.status.y - app.panels.top_bar.bottom();
    const double h = std::min(inside + points(app, top_height + 2 * padding), room);
    const Rect rect{points(app, 12), app.panels.status.y - h - points(app, 8), w, h};
    app.panels.timings = rect;
    begin_panel(app, "timings", rect,
                {.ground = Role::raised,
                 .padding = padding,
                 .outlined = true,
                 .radius = 10,
                 .above = true});
    draw_switch(app);
    gap(app, 8);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const double gutter = points(app, 32), half = (room_width() - gutter) / 2;
    draw_lines(app, left, {at.x, at.y, half, inside});
    draw_lines(app, right, {at.x + half + gutter, at.y, half, inside});
    ImGui::Dummy({1, static_cast<float>(inside)});
    end_panel();
}

}  // namespace maskscope
