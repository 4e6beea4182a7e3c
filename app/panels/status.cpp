// The quiet line at the foot: backend, size and time; the message; saved or not.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "app/labels.h"
#include "app/panels/panels.h"
#include "app/panels/parts.h"

namespace maskscope {

namespace {

std::string time_text(double milliseconds) {
    if (milliseconds < 10) return fmt::format("{:.2f} ms", milliseconds);
    if (milliseconds < 1000) return fmt::format("{:.0f} ms", milliseconds);
    return fmt::format("{:.1f} s", milliseconds / 1000);
}

// "CPU · 6 × 6 · 1 head · 0.02 ms"
std::string work_text(const Result& result) {
    const Shape shape = shape_of(result.scene);
    std::string backend = result.backend;
    std::transform(backend.begin(), backend.end(), backend.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const std::string batch = shape.b > 1 ? fmt::format("{} sequences · ", shape.b) : "";
    return fmt::format("{} · {}{} × {} · {} {} · {}", backend, batch, shape.n_q, shape.n_k, shape.h,
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
    if (ImGui::InvisibleButton("cancel", size)) app.session.cancel();
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
