#include <algorithm>

#include "app/session/edits/variant_settings.h"
#include "app/window/actions/presenting_keys.h"

namespace maskscope {

namespace {

int lane_of(const App& app) {
    const std::vector<int> lanes = shown_lanes(app.session.view(), app.session.scene());
    const auto& chosen = app.ui.presenting->lane;
    return chosen && std::find(lanes.begin(), lanes.end(), *chosen) != lanes.end() ? *chosen
                                                                                   : lanes.back();
}

// Field -1 is the lane itself.
void turn_lane(App& app, int steps) {
    const std::vector<int> lanes = shown_lanes(app.session.view(), app.session.scene());
    const auto count = static_cast<int>(lanes.size());
    const auto at =
        static_cast<int>(std::find(lanes.begin(), lanes.end(), lane_of(app)) - lanes.begin());
    app.ui.presenting->lane = lanes[(at + steps + count) % count];
}

void turn_value(App& app, int steps) {
    const auto& field = app.ui.presenting->what_if;
    if (!field) return;
    if (*field < 0) return turn_lane(app, steps);
    const int lane = lane_of(app);
    const std::vector<VariantSetting> settings = what_if_settings(app.session.scene(), lane);
    const VariantSetting& shown = settings[std::min<std::size_t>(*field, settings.size() - 1)];
    const auto count = static_cast<int>(shown.choices.size());
    const int from = shown.chosen < 0 && steps > 0 ? -1 : std::max(shown.chosen, 0);
    choose_setting(app.session, lane, shown.kind, (from + steps + count) % count);
}

void turn_field(App& app, int steps) {
    auto& field = app.ui.presenting->what_if;
    const auto count = static_cast<int>(what_if_settings(app.session.scene(), lane_of(app)).size());
    const bool several = shown_lanes(app.session.view(), app.session.scene()).size() > 1;
    field = std::clamp(*field + steps, several ? -1 : 0, count - 1);
}

}  // namespace

int what_if_lane(const App& app) { return lane_of(app); }

void present(App& app) {
    if (app.ui.presenting) {
        app.ui.presenting.reset();
    } else {
        app.ui.presenting = Presenting{};
        app.ui.editing.reset();
        app.ui.path_line.reset();
        app.session.view().zoom = {};
    }
    app.session.view().hovered.reset();
    if (app.fill_screen) app.fill_screen(app.ui.presenting.has_value());
}

void leave_presenting(App& app) {
    Presenting& presenting = *app.ui.presenting;
    if (presenting.blank)
        presenting.blank = false;
    else if (presenting.what_if)
        presenting.what_if.reset();
    else if (presenting.spotlight)
        presenting.spotlight = false;
    else
        present(app);
}

void present_left(App& app) {
    if (app.ui.presenting->what_if)
        turn_field(app, -1);
    else
        app.session.previous();
}

void present_right(App& app) {
    if (app.ui.presenting->what_if)
        turn_field(app, 1);
    else
        app.session.next();
}

void present_up(App& app) { turn_value(app, -1); }
void present_down(App& app) { turn_value(app, 1); }

// What is covered cannot be turned: the class has not answered yet.
void toggle_what_if(App& app) {
    auto& field = app.ui.presenting->what_if;
    if (field)
        field.reset();
    else if (!app.session.covered())
        field = 0;
}

void toggle_blank(App& app) { app.ui.presenting->blank = !app.ui.presenting->blank; }
void toggle_spotlight(App& app) { app.ui.presenting->spotlight = !app.ui.presenting->spotlight; }

}  // namespace maskscope
