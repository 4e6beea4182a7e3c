// The quiet line at the foot: backend, size and time; the message; saved or not.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>

#include "app/figure/style/labels.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/parts.h"

namespace maskscope {

namespace {

// "· 6 × 6 · 1 head · 0.02 ms"
std::string work_text(const Result& result) {
    const Shape shape = shape_of(result.scene);
    const std::string batch = shape.b > 1 ? fmt::format("{} sequences · ", shape.b) : "";
    return fmt::format("· {}{} × {} · {} {} · {}", batch, shape.n_q, shape.n_k, shape.h,
                       shape.h == 1 ? "head" : "heads", time_text(result.milliseconds));
}

std::string saved_text(const Session& session) {
    const auto path = session.path();
    const std::string name = path ? path->filename().string() + " · " : "";
    return name + (session.is_saved() ? "saved" : "not saved");
}

Text line_of(const App& app, double x, double middle, const std::string& text, Role role) {
    return {.at = {x, middle}, .text = text, .style = {.size = 12 * app.ui_scale}, .role = role};
}

// The backend's name, which opens and closes what stands behind it. Returns the x after it.
double draw_backend(App& app, double x, const Rect& rect) {
    const std::string name = backend_text(app.session);
    Text text = line_of(app, x, rect.y + rect.h / 2, name, Role::ink);
    const double width = measure(name, text.style).width, room = points(app, 6);
    ImGui::SetCursorScreenPos({static_cast<float>(x - room), static_cast<float>(rect.y)});
    const ImVec2 size{static_cast<float>(width + 2 * room), static_cast<float>(rect.h)};
    if (press_area(app, "backend", size.x, size.y)) app.ui.timings_open = !app.ui.timings_open;
    const bool hovered = ImGui::IsItemHovered();
    if (!app.ui.timings_open)
        tooltip(app, "CPU or GPU, what takes how long, and whether both agree");
    if (hovered || app.ui.timings_open)
        draw_box(app, {.rect = {x - room, rect.y + points(app, 3), width + 2 * room,
                                rect.h - points(app, 6)},
                       .radius = points(app, 5),
                       .filled = true,
                       .fill = Role::raised});
    draw_text(app, text);
    return x + width + points(app, 4);
}

// Draws a text and returns the x after it and a gap.
double draw_piece(App& app, double x, double middle, const std::string& text, Role role,
                  double room) {
    Text line = line_of(app, x, middle, text, role);
    line.max_width = std::max(1.0, room);
    draw_text(app, line);
    return x + std::min(measure(text, line.style).width, line.max_width) + points(app, 20);
}

void draw_cancel(App& app, double x, const Rect& rect) {
    ImGui::SetCursorScreenPos({static_cast<float>(x), static_cast<float>(rect.y)});
    const ImVec2 size{static_cast<float>(points(app, 50)), static_cast<float>(rect.h)};
    if (press_area(app, "cancel", size.x, size.y)) app.session.cancel();
    const Role role = ImGui::IsItemHovered() ? Role::ink : Role::odd;
    draw_text(app, line_of(app, x, rect.y + rect.h / 2, "Cancel", role));
}

}  // namespace

void draw_status(App& app) {
    const Rect& rect = app.panels.status;
    if (rect.h <= 0) return;
    begin_panel(app, "status", rect, {.padding = 0});
    draw_edge(app, rect, Edge::top);
    const Session& session = app.session;
    const double margin = points(app, 20), middle = rect.y + rect.h / 2;
    const std::string saved = saved_text(session);
    Text right = line_of(app, rect.right() - margin, middle, saved,
                         session.is_saved() ? Role::dim : Role::ink);
    right.anchor = Anchor::right;
    draw_text(app, right);
    const double end = right.at.x - measure(saved, right.style).width - points(app, 20);
    double x = rect.x + margin;
    x = draw_backend(app, x, rect);
    x = draw_piece(app, x, middle, work_text(session.shown()), Role::dim, end - x);
    if (session.computing()) {
        const std::string text = fmt::format("computing, {:.0f} %", 100 * session.progress());
        x = draw_piece(app, x, middle, text, Role::odd, end - x);
        draw_cancel(app, x, rect);
        x += points(app, 70);
    }
    if (const auto& message = session.message(); message && x < end)
        draw_piece(app, x, middle, message->text, message->wrong ? Role::wrong : Role::ink,
                   end - x);
    end_panel();
}

}  // namespace maskscope
