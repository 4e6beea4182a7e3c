#include <algorithm>

#include "app/session/edits/variant_settings.h"
#include "app/window/actions/actions.h"
#include "app/window/context/app.h"

namespace maskscope {

namespace {

void turn_shown_variant(const Session& session, Presenting& presenting, int steps) {
    const std::vector<int> variants = shown_variants(session.view(), session.scene());
    const auto count = static_cast<int>(variants.size());
    const auto at =
        std::ranges::find(variants, what_if_variant(session, presenting)) - variants.begin();
    presenting.variant = variants[(static_cast<int>(at) + steps + count) % count];
}

}  // namespace

int what_if_variant(const Session& session, const Presenting& presenting) {
    const std::vector<int> variants = shown_variants(session.view(), session.scene());
    const bool is_shown =
        presenting.variant && std::ranges::count(variants, *presenting.variant) > 0;
    return is_shown ? *presenting.variant : variants.back();
}

std::optional<int> what_if_field(const Session& session, const Presenting& presenting) {
    if (!presenting.what_if) return std::nullopt;
    const auto settings = what_if_settings(session.scene(), what_if_variant(session, presenting));
    const bool several = shown_variants(session.view(), session.scene()).size() > 1;
    return std::clamp(*presenting.what_if, several ? -1 : 0, static_cast<int>(settings.size()) - 1);
}

void present(App& app) {
    if (app.ui.presenting) {
        app.ui.presenting.reset();
    } else {
        app.ui.presenting = Presenting{};
        const auto& message =
            app.session.message();  // do not show messages from before the presentation started
        app.ui.told = {message ? message->number : 0, app.gui.time - seconds_of_news};
        app.ui.ended.reset();  // it was announced in such a message
        app.gui.editing.reset();
        app.ui.overlays.close_from<PathLine>();
        app.session.view().zoom = {};
    }
    app.session.view().hovered.reset();
    if (app.fill_screen) app.fill_screen(app.ui.presenting.has_value());
}

void turn_value(Session& session, Presenting& presenting, int steps) {
    const auto field = what_if_field(session, presenting);
    if (!field || !may_explore(session)) return;
    if (*field < 0) return turn_shown_variant(session, presenting, steps);
    const int variant = what_if_variant(session, presenting);
    const WhatIf shown = what_if_settings(session.scene(), variant)[*field];
    const auto count = static_cast<int>(shown.choices.size());
    if (count == 0) return;
    const int chosen = chosen_of(shown.choices);
    const int from = chosen < 0 && steps > 0 ? -1 : std::max(chosen, 0);
    choose_setting(session, variant, *shown.setting, (from + steps + count) % count);
}

void turn_or_step(const Gui& gui, Session& session, Ui& ui, int steps) {
    Presenting& presenting = *ui.presenting;
    if (!presenting.what_if) {
        if (step_in_view(session, steps)) return;
        return go_through_lessons(gui, session, ui, steps);
    }
    presenting.what_if = *what_if_field(session, presenting) + steps;
    presenting.what_if = what_if_field(session, presenting);
}

void toggle_what_if(const Session& session, Presenting& presenting) {
    if (presenting.what_if)
        presenting.what_if.reset();
    else if (may_explore(session))
        presenting.what_if = 0;
}

void toggle_blank(Presenting& presenting) { presenting.blank = !presenting.blank; }
void toggle_spotlight(Presenting& presenting) { presenting.spotlight = !presenting.spotlight; }
void toggle_presenting_keys(Presenting& presenting) { presenting.keys = !presenting.keys; }
void toggle_presenting_notes(Presenting& presenting) { presenting.notes = !presenting.notes; }

}  // namespace maskscope
