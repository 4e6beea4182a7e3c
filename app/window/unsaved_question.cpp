#include "app/window/unsaved_question.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <cmath>
#include <utility>

#include "app/window/actions/presenting_keys.h"
#include "app/window/widgets/focus.h"
#include "app/window/widgets/widgets.h"

namespace maskscope {
void leave_unsaved(App& app, const std::string& question, WindowCommand then) {
    if (app.session.is_saved()) return then(app);
    app.ui.question = UnsavedQuestion{question, std::move(then)};
}

void after_field(App& app, const WindowCommand& then) {
    if (!app.gui.editing) return then(app);
    app.gui.editing->leave = true;
    app.ui.commands.push_back(then);
}

void leave(App& app) {
    const auto ask = [](App& asked) {
        const std::string question = "Leave Maskscope?";
        leave_unsaved(asked, question, [question](App& a) {
            const auto quit = [](App& at) { at.ui.quit = true; };
            const std::string figure = a.session.made_aside();
            if (figure.empty()) return quit(a);
            a.ui.question = UnsavedQuestion{question, quit, figure};
        });
    };
    after_field(app, ask);
}

void draw_unsaved_question(App& app) {
    if (!app.ui.question) return;
    if (!app.ui.question->figure.empty() && app.session.made_aside().empty()) {
        const WindowCommand then = std::exchange(app.ui.question, std::nullopt)->then;
        const auto& message = app.session.message();
        if (!message || !message->wrong) then(app);  // it is made; else the message says why not
        return;
    }
    begin_layer(app.gui, Layer::question);
    const bool keys = takes_keys(app.gui, Layer::question);
    const bool taken = keys && use_focus_keys(app.gui);
    cover_below(app.gui, "behind the question");
    const double w = points(app.gui, 460), h = points(app.gui, 150);
    begin_panel(app.gui, "question",
                {std::round((app.gui.width - w) / 2), std::round((app.gui.height - h) / 3), w, h},
                {.ground = Role::raised, .outlined = true, .radius = 10, .above = true});
    label(app.gui, app.ui.question->text, {.style = {.size = 17, .weight = Weight::semibold}});
    const std::string& figure = app.ui.question->figure;
    label(app.gui,
          figure.empty() ? "The work since the last save would be lost."
                         : "Leaving loses " + figure + ", which is still being made.",
          {.role = Role::dim});
    gap(app.gui, 4);
    const bool enter = keys && !taken && was_pressed(app.gui, GLFW_KEY_ENTER);
    const bool escape = keys && was_pressed(app.gui, GLFW_KEY_ESCAPE);
    bool save = false, leave = false, stay = escape;
    if (figure.empty()) {
        save = button(app.gui, "Save", {.filled = true}) || enter;
        ImGui::SameLine();
        leave = button(app.gui, "Do not save", {.outlined = true});
        ImGui::SameLine();
        stay |= button(app.gui, "Cancel", {.outlined = true});
    } else {
        stay |= button(app.gui, "Stay", {.filled = true}) || enter;
        ImGui::SameLine();
        leave = button(app.gui, "Leave", {.outlined = true});
    }
    end_panel();
    if (!save && !leave && !stay) return;
    // The question closes first: `then` may ask another.
    const WindowCommand then = std::exchange(app.ui.question, std::nullopt)->then;
    if (save && !app.session.file_to_save()) {
        if (app.ui.presenting) present(app);  // the line is for the lecturer
        app.ui.export_sheet.reset();          // what would lie over it
        app.ui.palette.reset();
        app.ui.key_help_open = false;
        app.ui.path_line = PathLine{.purpose = PathLine::Purpose::save_as, .after_save = then};
    } else if (save && !(app.session.save() && app.session.is_saved()))
        return;  // the message says why
    else if ((save || leave) && then)
        then(app);
}

}  // namespace maskscope
