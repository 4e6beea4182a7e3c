#include "app/window/context/app.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/window/actions/actions.h"
#include "app/window/panels/panels.h"
#include "app/window/widgets/focus.h"
#include "app/window/widgets/widgets.h"

namespace maskscope {
void leave_unsaved(App& app, const std::string& question, WindowCommand then) {
    if (app.session.document().is_saved()) return then(app);
    app.ui.overlays.open(UnsavedQuestion{question, std::move(then)});
}

void after_field(App& app, const WindowCommand& then) {
    if (!app.gui.editing) return then(app);
    app.gui.editing->leave = true;
    app.ui.commands.push_back(then);
}

void leave(App& app) {
    const auto ask = [](App& asked) {
        const std::string question = "Quit Maskscope?";
        leave_unsaved(asked, question, [question](App& a) {
            const auto quit = [](App& at) { at.ui.quit = true; };
            const std::string figure = a.session.made_aside();
            if (figure.empty()) return quit(a);
            a.ui.overlays.open(UnsavedQuestion{question, quit, figure});
        });
    };
    after_field(app, ask);
}

namespace {

constexpr double padding = 20;  // points
const TextStyle title_style{.size = 17, .weight = Weight::semibold};

double row_width(const Gui& gui, const std::vector<std::string>& buttons) {
    double width = points(gui, 8) * double(buttons.size() - 1);
    for (const std::string& text : buttons) width += button_width(gui, text);
    return width;
}

// Closes the question, and returns what it was to do.
WindowCommand close(App& app) {
    WindowCommand then = std::move(app.ui.overlays.find<UnsavedQuestion>()->then);
    app.ui.overlays.close<UnsavedQuestion>();
    return then;
}

}  // namespace

Rect draw_overlay(App& app, UnsavedQuestion& question) {
    if (!question.figure.empty() && app.session.made_aside().empty()) {
        const WindowCommand then = close(app);
        const auto& message = app.session.message();
        if (!message || !message->wrong) then(app);  // the figure is done
        return {};
    }
    const bool keys = takes_keys(app.gui);
    const bool taken = keys && use_focus_keys(app.gui);
    const std::string& figure = question.figure;
    const std::string text = figure.empty() ? "Changes since the last save would be lost."
                                            : figure + " is still being exported.";
    const Session& session = app.session;
    // Edits that are not saved to a step are not in a saved lesson, so offer to put them in.
    const bool takes = session.document().saves_lesson() && !bench_is_step(session);
    const std::string save_words =
        takes ? fmt::format("Save to step {} and to the file", session.document().step + 1)
              : "Save";
    const std::vector<std::string> answers =
        figure.empty() ? std::vector<std::string>{save_words, "Don't save", "Cancel"}
                       : std::vector<std::string>{"Keep working", "Quit and discard it"};
    const double w = std::min(points(app.gui, 460), double(app.gui.width));
    const double room = w - points(app.gui, 2 * padding);
    const bool stacked = row_width(app.gui, answers) > room;
    const double rows = stacked ? double(answers.size()) : 1;
    const double h = paragraph_height(app.gui, question.text, title_style, room) +
                     paragraph_height(app.gui, text, {}, room) + points(app.gui, 64 + 40 * rows);
    const Rect rect{std::round((app.gui.width - w) / 2),
                    std::round(std::max(0.0, (app.gui.height - h) / 3)), w,
                    std::min(h, double(app.gui.height))};
    begin_sheet(app.gui, "question", rect, padding, Role::raised);
    paragraph(app.gui, question.text, {.style = title_style});
    gap(app.gui, 0);
    paragraph(app.gui, text, {.role = Role::dim});
    gap(app.gui, 12);
    const bool enter = keys && !taken && was_pressed(app.gui, GLFW_KEY_ENTER);
    std::optional<std::size_t> pressed = enter ? std::optional<std::size_t>(0) : std::nullopt;
    for (std::size_t k = 0; k < answers.size(); ++k) {
        if (k > 0 && !stacked) ImGui::SameLine();
        if (button(app.gui, answers[k], {.filled = k == 0, .outlined = k > 0})) pressed = k;
    }
    const bool save = figure.empty() && pressed == 0, leave = pressed == 1;
    end_panel();
    if (!pressed) return rect;
    // Close the question first, because `then` may ask another.
    const WindowCommand then = close(app);
    if (save && takes) take_bench_into_step(app.session);
    if (save && !app.session.document().file_to_save()) {
        if (app.ui.presenting) present(app);  // the path is for the lecturer, not the audience
        app.ui.overlays.open(PathLine{.purpose = PathLine::Purpose::save_as, .after_save = then});
    } else if (leave || (save && app.session.save() && app.session.document().is_saved())) {
        if (then) then(app);  // otherwise the message says why it was not saved
    }
    return {};
}

}  // namespace maskscope
