#include "app/window/widgets/focus.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/window/context/app.h"
#include "app/window/paint/imgui_compat.h"

namespace maskscope {
namespace {

constexpr double ring_gap = 2, ring_width = 2, ring_radius = 7;  // points

Layer uppermost(const Ui& ui) {
    if (ui.question) return Layer::question;
    if (ui.palette) return Layer::palette;
    if (ui.key_help_open) return Layer::key_help;
    if (ui.path_line) return Layer::path_line;
    return Layer::window;
}

std::optional<unsigned>& focused(Focus& focus) { return focus.of[static_cast<std::size_t>(focus.layer)]; }

// A Space that pressed a control types no blank into what the control has opened. The blank comes
// after its key, and before or with the key's release.
void take_blank(App& app) {
    if (!app.ui.focus.takes_blank) return;
    std::string& text = app.now.text;
    const bool comes = text.starts_with(' ');
    if (comes) text.erase(0, 1);
    const auto& down = app.now.keys_down;
    const bool held = std::find(down.begin(), down.end(), GLFW_KEY_SPACE) != down.end();
    app.ui.focus.takes_blank = held && !comes;
}

// The control that is `move` further on. Where the focused one is gone, from where it was.
std::size_t next_place(const Focus& focus, std::size_t found) {
    const auto count = static_cast<std::ptrdiff_t>(focus.order.size());
    const bool there = found < focus.order.size();
    auto from = static_cast<std::ptrdiff_t>(there ? found : focus.place);
    if (!there && focus.move > 0) --from;
    return static_cast<std::size_t>(((from + focus.move) % count + count) % count);
}

void go_on(Focus& focus) {
    std::optional<unsigned>& id = focused(focus);
    const auto at = id ? std::ranges::find(focus.order, *id) : focus.order.end();
    const auto found = static_cast<std::size_t>(at - focus.order.begin());
    if (at != focus.order.end())
        focus.place = found;
    else
        id.reset();  // it is gone
    if (focus.move == 0 || focus.order.empty()) return;
    focus.place = next_place(focus, found);
    id = focus.order[focus.place];
    focus.move = 0;
    focus.came = true;
}

void draw_ring(const App& app) {
    const Focus& focus = app.ui.focus;
    if (!focus.ring) return;
    ImDrawList& list = *ImGui::GetForegroundDrawList();
    const double gap = std::round(ring_gap * app.ui_scale);
    const double width = std::max(1.0, std::round(ring_width * app.ui_scale));
    const double out = gap + width / 2;
    const Rect& rect = *focus.ring;
    list.PushClipRect(imgui_point({focus.clip->x, focus.clip->y}),
                      imgui_point({focus.clip->right(), focus.clip->bottom()}));
    list.AddRect(imgui_point({rect.x - out, rect.y - out}),
                 imgui_point({rect.right() + out, rect.bottom() + out}),
                 imgui_colour(colours(app)[Role::ink]),
                 static_cast<float>(ring_radius * app.ui_scale), 0, static_cast<float>(width));
    list.PopClipRect();
}

Rect item_rect() {
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    return {low.x, low.y, high.x - low.x, high.y - low.y};
}

Rect panel_rect() {
    const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
    return {at.x, at.y, size.x, size.y};
}

}  // namespace

void begin_focus(App& app) {
    Focus& focus = app.ui.focus;
    take_blank(app);
    focus.layer = uppermost(app.ui);
    for (auto above = static_cast<std::size_t>(focus.layer) + 1; above < layer_count; ++above)
        focus.of[above].reset();
    focus.drawing = Layer::window;
    focus.order.clear();
    focus.ring.reset();
    focus.presses = false;
    focus.move = 0;
    if (ImGui::IsMouseClicked(0)) focused(focus).reset();
}

void end_focus(App& app) {
    if (app.ui.focus.ring) app.ui.focus.came = false;
    go_on(app.ui.focus);
    draw_ring(app);
}

bool takes_keys(const App& app, Layer layer) { return app.ui.focus.layer == layer; }

void begin_layer(App& app, Layer layer) {
    Focus& focus = app.ui.focus;
    focus.drawing = layer;
    if (layer == focus.layer) focus.order.clear();
}

bool is_uppermost(const App& app) { return app.ui.focus.drawing >= app.ui.focus.layer; }

bool offer_focus(App& app, unsigned id) {
    Focus& focus = app.ui.focus;
    focus.order.push_back(id);
    if (ImGui::IsItemActivated()) focus.place = focus.order.size();  // Tab goes on behind it
    if (!has_focus(app, id)) return false;
    focus.ring = item_rect();
    focus.clip = panel_rect();
    if (focus.came) scroll_to_item();
    return std::exchange(focus.presses, false);
}

void scroll_to_item() {
    const Rect rect = item_rect(), panel = panel_rect();
    if (rect.y < panel.y || rect.bottom() > panel.bottom()) ImGui::SetScrollHereY(0.5F);
}

bool has_focus(const App& app, unsigned id) {
    const Focus& focus = app.ui.focus;
    return focus.of[static_cast<std::size_t>(focus.layer)] == id;
}

bool anything_has_focus(const App& app) {
    const Focus& focus = app.ui.focus;
    return focus.of[static_cast<std::size_t>(focus.layer)].has_value();
}

void focus_next(App& app) { app.ui.focus.move = 1; }
void focus_before(App& app) { app.ui.focus.move = -1; }

void focus_beside(App& app, unsigned id) {
    focused(app.ui.focus) = id;
    app.ui.focus.move = (app.now.modifiers & GLFW_MOD_SHIFT) != 0 ? -1 : 1;
}

bool was_pressed(const App& app, int key) {
    return std::ranges::find(app.now.pressed, key) != app.now.pressed.end();
}

bool use_focus_keys(App& app) {
    if (was_pressed(app, GLFW_KEY_TAB)) {
        app.ui.focus.move = (app.now.modifiers & GLFW_MOD_SHIFT) != 0 ? -1 : 1;
        return true;
    }
    const bool presses = was_pressed(app, GLFW_KEY_ENTER) || was_pressed(app, GLFW_KEY_SPACE);
    if (!presses || !anything_has_focus(app)) return false;
    press_focused(app);
    return true;
}

void press_focused(App& app) {
    Focus& focus = app.ui.focus;
    focus.presses = true;
    focus.takes_blank = was_pressed(app, GLFW_KEY_SPACE);
}

void leave_focus(App& app) { focused(app.ui.focus).reset(); }

}  // namespace maskscope
