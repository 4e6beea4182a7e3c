// Draws the status line: backend, size and time; the message; whether everything is saved.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "app/session/computing.h"
#include "app/style/labels.h"
#include "app/window/actions/actions.h"
#include "app/window/context/app.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/parts.h"
#include "core/base/error.h"
#include "core/files/file.h"

namespace maskscope {

namespace {

// Returns the size and the time: "· 6 × 6 · 1 head · 0.02 ms".
std::string work_text(const Result& result) {
    const Shape shape =
        result.variants.empty() ? shape_of(result.scene) : result.variants.front().shape;
    const std::string batch = shape.b > 1 ? fmt::format("{} sequences · ", shape.b) : "";
    return fmt::format("· {}{} × {} · {} {} · {}", batch, shape.n_q, shape.n_k, shape.h,
                       shape.h == 1 ? "head" : "heads", time_text(result.milliseconds));
}

std::string saved_text(const Session& session) {
    const auto path = session.document().path();
    constexpr std::size_t longest_name = 48;  // bytes
    const std::string name =
        path ? without_middle(printable(path->filename().string()), longest_name) + " · " : "";
    const bool draft = session.document().saves_lesson() && session.results().lesson_problem();
    return name + (draft ? "draft · " : "") +
           (session.document().is_saved() ? "saved" : "not saved");
}

Text line_of(const Gui& gui, double x, double middle, const std::string& text, Role role) {
    return {.at = {x, middle}, .text = text, .style = {.size = 12 * gui.scale}, .role = role};
}

// Draws the backend's name, which opens and closes the panel for choosing a backend. Returns the x
// after it.
double draw_backend(Gui& gui, const Session& session, Overlays& overlays, double x,
                    const Rect& rect) {
    const std::string name = backend_text(session);
    Text text = line_of(gui, x, rect.y + rect.h / 2, name, Role::ink);
    const double width = measure(name, text.style).width, room = points(gui, 6);
    set_cursor(x - room, rect.y);
    if (press_area(gui, "backend", width + 2 * room, rect.h) && !overlays.close<BackendSwitch>())
        overlays.open(BackendSwitch{});
    const bool is_open = overlays.find<BackendSwitch>() != nullptr;
    const bool hovered = ImGui::IsItemHovered();
    if (!is_open) tooltip(gui, "Choose CPU or GPU");
    if (hovered || is_open)
        draw_raised(gui,
                    {x - room, rect.y + points(gui, 3), width + 2 * room, rect.h - points(gui, 6)});
    draw_text(gui, text);
    return x + width + points(gui, 4);
}

// Draws a text; returns the x after it and a gap.
double draw_piece(Gui& gui, double x, double middle, const std::string& text, Role role,
                  double room) {
    Text line = line_of(gui, x, middle, text, role);
    line.max_width = std::max(1.0, room);
    draw_text(gui, line);
    return x + std::min(measure(text, line.style).width, line.max_width) + points(gui, 20);
}

// Draws a word that can be pressed; moves x to the end of it.
bool draw_press(Gui& gui, double& x, const std::string& word, const Rect& rect) {
    Text text = line_of(gui, x, rect.y + rect.h / 2, word, Role::ink);
    const double width = measure(word, text.style).width, room = points(gui, 6);
    set_cursor(x - room, rect.y);
    const bool pressed = press_area(gui, word, width + 2 * room, rect.h);
    if (ImGui::IsItemHovered())
        draw_raised(gui,
                    {x - room, rect.y + points(gui, 3), width + 2 * room, rect.h - points(gui, 6)});
    draw_text(gui, text);
    draw_box(gui, {.rect = {x, std::round(text.at.y + 0.6 * text.style.size), width,
                            std::max(1.0, points(gui, 1))},
                   .filled = true,
                   .fill = Role::ink});
    x += width + points(gui, 20);
    return pressed;
}

// Describes the rest of the pass over a long text, in as many words as there is space for.
std::string sampling_text(const Sampling& sampling, const Gui& gui, double room) {
    std::string text = fmt::format("sampled, {:.0f}%", std::floor(100 * sampling.seen));
    if (sampling.stopped) return text;
    if (sampling.seconds)
        text += fmt::format(" · about {} left", about_time_text(*sampling.seconds));
    const std::string whole = text + "; the area you zoom into comes first";
    return measure(whole, line_of(gui, 0, 0, whole, Role::ink).style).width <= room ? whole : text;
}

void draw_progress(Gui& gui, Session& session, double& x, double end, const Rect& rect) {
    const auto sampling = session.results().sampling();
    if (!session.computing() && !sampling) return;
    const double room = end - x - points(gui, 90);  // the rest is for the word to press
    const std::string aside = session.made_aside();
    const double done = session.progress();
    const bool draws = done == 0 || done == 1;  // drawing has no known progress
    const std::string per_cent = fmt::format(", {:.0f}%", 100 * done);
    const std::string text = !aside.empty() ? "making " + aside + (draws ? "" : per_cent)
                             : sampling     ? sampling_text(*sampling, gui, room)
                                            : "computing" + per_cent;
    x = draw_piece(gui, x, rect.y + rect.h / 2, text, Role::ink, end - x);
    if (session.computing()) {
        if (draw_press(gui, x, "Cancel", rect)) session.cancel();
    } else {
        if (draw_press(gui, x, "Continue", rect)) session.go_on();
        tooltip(gui, "Compute the remaining rows. The area you zoom into is always computed.");
    }
}

// Draws the message, brighter while it is recent.
void draw_message(Gui& gui, const Session& session, ShownMessage& told, double x, double end,
                  double middle) {
    const auto& message = session.message();
    const bool news = is_news(gui, session, told);
    if (!message || x >= end) return;
    draw_piece(gui, x, middle, message->text,
               message->wrong ? Role::wrong
               : news         ? Role::ink
                              : Role::dim,
               end - x);
}

}  // namespace

void draw_status(Gui& gui, Session& session, Ui& ui, const Rect& rect) {
    if (rect.h <= 0) return;
    begin_panel(gui, "status", rect, {.padding = 0});
    draw_edge(gui, rect, Edge::top);
    const double margin = points(gui, 20), middle = rect.y + rect.h / 2;
    const std::string saved = saved_text(session);
    Text right = line_of(gui, rect.right() - margin, middle, saved,
                         session.document().is_saved() ? Role::dim : Role::ink);
    right.anchor = Anchor::right;
    right.max_width = rect.w / 3;
    draw_text(gui, right);
    const double end =
        right.at.x - std::min(measure(saved, right.style).width, right.max_width) - points(gui, 20);
    double x = rect.x + margin;
    x = draw_backend(gui, session, ui.overlays, x, rect);
    if (!session.opening())
        x = draw_piece(gui, x, middle, work_text(session.shown()), Role::dim, end - x);
    draw_progress(gui, session, x, end, rect);
    draw_message(gui, session, ui.told, x, end, middle);
    end_panel();
}

// Draws the panel that opens from the backend's name in the status line.
Rect draw_overlay(App& app, BackendSwitch& /*panel*/) {
    Gui& gui = app.gui;
    Session& session = app.session;
    const double top = app.panels.top_bar.bottom();
    const Rect room{0, top, double(gui.width), app.panels.status.y - top};
    if (app.panels.status.h <= 0) return {};
    constexpr double width = 320, padding = 20, height = 114;  // points
    const double w = std::min(points(gui, width), room.w);
    const double h = std::min(points(gui, height + padding), room.h);
    const Rect rect{points(gui, 12), room.bottom() - h - points(gui, 8), w, h};
    begin_panel(gui, "backend switch", rect,
                {.ground = Role::raised,
                 .padding = padding,
                 .outlined = true,
                 .radius = 10,
                 .above = true});
    heading(gui, "Compute on");
    static const std::vector<std::string> choices = {"Reference", "CPU", "GPU", "Auto"};
    const auto chosen = static_cast<int>(session.results().backends().chosen());
    if (const auto pressed = segments(gui, "backend", choices, chosen))
        session.compute_with(static_cast<ComputeWith>(*pressed));
    const std::string& renderer = session.results().backends().offered().renderer;
    label(gui, renderer.empty() ? "This machine has no OpenGL 4.3" : "GPU: " + renderer,
          {.style = {.size = 12}, .role = Role::dim});
    end_panel();
    return rect;
}

}  // namespace maskscope
