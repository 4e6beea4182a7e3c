#include "app/window/unsaved_question.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <cmath>

#include "app/window/widgets/focus.h"
#include "app/window/widgets/widgets.h"

namespace maskscope {
namespace {

// What follows runs when the question is gone: it may ask another.
void answer(App& app) {
    const auto then = std::move(app.ui.question->then);
    app.ui.question.reset();
    if (then) then(app);
}

void save_first(App& app) {
    if (app.session.path()) {
        if (app.session.save() && app.session.is_saved())
            answer(app);
        else
            app.ui.question.reset();  // the message says why
        return;
    }
    app.ui.path_line = PathLine{.purpose = PathLine::Purpose::save_as,
                                .after_save = std::move(app.ui.question->then)};
    app.ui.question.reset();
}

Rect middle_of(const Gui& gui, double width, double height) {
    const double w = points(gui, width), h = points(gui, height);
    return {std::round((gui.width - w) / 2), std::round((gui.height - h) / 3), w, h};
}

}  // namespace

void leave_unsaved(App& app, const std::string& question, std::function<void(App&)> then) {
    if (app.session.is_saved()) return then(app);
    app.ui.question = UnsavedQuestion{question, std::move(then)};
}

void draw_unsaved_question(App& app) {
    if (!app.ui.question) return;
    begin_layer(app.gui, Layer::question);
    const bool keys = takes_keys(app.gui, Layer::question);
    const bool taken = keys && use_focus_keys(app.gui);
    cover_below(app.gui, "behind the question");
    begin_panel(app.gui, "question", middle_of(app.gui, 460, 150),
                {.ground = Role::raised, .outlined = true, .radius = 10, .above = true});
    label(app.gui, app.ui.question->text, {.style = {.size = 17, .weight = Weight::semibold}});
    label(app.gui, "The work since the last save would be lost.", {.role = Role::dim});
    gap(app.gui, 4);
    const bool enter = keys && !taken && was_pressed(app.gui, GLFW_KEY_ENTER);
    const bool save = button(app.gui, "Save", {.filled = true}) || enter;
    ImGui::SameLine();
    const bool leave = button(app.gui, "Do not save", {.outlined = true});
    ImGui::SameLine();
    const bool escape = keys && was_pressed(app.gui, GLFW_KEY_ESCAPE);
    const bool stay = button(app.gui, "Cancel", {.outlined = true}) || escape;
    end_panel();
    if (save)
        save_first(app);
    else if (leave)
        answer(app);
    else if (stay)
        app.ui.question.reset();
}

}  // namespace maskscope
