#include "app/window/widgets/focus.h"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/window/paint/imgui_compat.h"

namespace maskscope {
namespace {

constexpr double ring_gap = 2, ring_width = 2, ring_radius = 7;  // points

// Returns ImGui's id of the focused control in the topmost layer.
std::optional<unsigned>& focused(Focus& focus) { return focus.of.back(); }

std::size_t topmost(const Focus& focus) { return focus.of.size() - 1; }

// Drops the space that a Space key types after it has pressed a control, so that it does not go
// into what the control opened. The character arrives after its key, before or together with the
// key's release.
void take_blank(Gui& gui) {
    if (!gui.focus.takes_blank) return;
    std::string& text = gui.now.text;
    const bool comes = text.starts_with(' ');
    if (comes) text.erase(0, 1);
    const bool held = std::ranges::count(gui.now.keys_down, GLFW_KEY_SPACE) > 0;
    gui.focus.takes_blank = held && !comes;
}

// Returns the index of the control `move` places further on. If the focused control no longer
// exists, counts from its former place.
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
        id.reset();  // the control no longer exists
    if (focus.move == 0 || focus.order.empty()) return;
    focus.place = next_place(focus, found);
    id = focus.order[focus.place];
    focus.move = 0;
    focus.came = true;
}

void draw_ring(const Gui& gui) {
    const Focus& focus = gui.focus;
    if (!focus.ring) return;
    ImDrawList& list = *ImGui::GetForegroundDrawList();
    const double gap = std::round(ring_gap * gui.scale);
    const double width = std::max(1.0, std::round(ring_width * gui.scale));
    const double out = gap + width / 2;
    const Rect& rect = *focus.ring;
    list.PushClipRect(imgui_point({focus.clip->x, focus.clip->y}),
                      imgui_point({focus.clip->right(), focus.clip->bottom()}));
    list.AddRect(imgui_point({rect.x - out, rect.y - out}),
                 imgui_point({rect.right() + out, rect.bottom() + out}),
                 imgui_colour(colours(gui)[Role::ink]), static_cast<float>(ring_radius * gui.scale),
                 0, static_cast<float>(width));
    list.PopClipRect();
}

Rect panel_rect() {
    const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
    return {at.x, at.y, size.x, size.y};
}

}  // namespace

Rect item_rect() {
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    return {low.x, low.y, high.x - low.x, high.y - low.y};
}

void begin_focus(Gui& gui, std::size_t layer) {
    Focus& focus = gui.focus;
    take_blank(gui);
    focus.of.resize(layer + 1);
    focus.drawing = 0;
    focus.order.clear();
    focus.ring.reset();
    focus.presses = false;
    focus.move = 0;
    if (ImGui::IsMouseClicked(0)) focused(focus).reset();
}

void end_focus(Gui& gui) {
    if (gui.focus.ring) gui.focus.came = false;
    go_on(gui.focus);
    draw_ring(gui);
}

bool is_read(const Gui& gui, std::optional<double>& asked) {
    constexpr double seconds = 0.6;
    if (!asked) asked = gui.time;
    return gui.time - *asked >= seconds;
}

bool takes_keys(const Gui& gui) { return gui.focus.drawing == topmost(gui.focus) && !gui.list; }

void begin_layer(Gui& gui, std::size_t layer) {
    Focus& focus = gui.focus;
    focus.drawing = layer;
    if (layer == topmost(focus)) focus.order.clear();
}

bool is_uppermost(const Gui& gui) { return gui.focus.drawing >= topmost(gui.focus); }

bool offer_focus(Gui& gui, unsigned id) {
    Focus& focus = gui.focus;
    focus.order.push_back(id);
    if (ImGui::IsItemActivated()) focus.place = focus.order.size();  // Tab continues after it
    if (!has_focus(gui, id)) return false;
    focus.ring = item_rect();
    focus.clip = panel_rect();
    if (focus.came) scroll_to_item();
    return std::exchange(focus.presses, false);
}

void scroll_to_item() {
    const Rect rect = item_rect(), panel = panel_rect();
    if (rect.y < panel.y || rect.bottom() > panel.bottom()) ImGui::SetScrollHereY(0.5F);
}

bool has_focus(const Gui& gui, unsigned id) { return gui.focus.of.back() == id; }

bool anything_has_focus(const Gui& gui) { return gui.focus.of.back().has_value(); }

void focus_next(Gui& gui) { gui.focus.move = 1; }
void focus_before(Gui& gui) { gui.focus.move = -1; }

void focus_beside(Gui& gui, unsigned id) {
    focused(gui.focus) = id;
    gui.focus.move = (gui.now.modifiers & GLFW_MOD_SHIFT) != 0 ? -1 : 1;
}

bool was_pressed(const Gui& gui, int key) { return std::ranges::count(gui.now.pressed, key) > 0; }

bool use_focus_keys(Gui& gui) {
    if (was_pressed(gui, GLFW_KEY_TAB)) {
        gui.focus.move = (gui.now.modifiers & GLFW_MOD_SHIFT) != 0 ? -1 : 1;
        return true;
    }
    const bool presses = was_pressed(gui, GLFW_KEY_ENTER) || was_pressed(gui, GLFW_KEY_SPACE);
    if (!presses || !anything_has_focus(gui)) return false;
    press_focused(gui);
    return true;
}

void press_focused(Gui& gui) {
    Focus& focus = gui.focus;
    focus.presses = true;
    focus.takes_blank = was_pressed(gui, GLFW_KEY_SPACE);
}

void keep_pressed_in_place(Gui& gui) {
    const double y = ImGui::GetItemRectMin().y + ImGui::GetScrollY();
    std::optional<PressedControl>& pressed = gui.pressed_control;
    if (ImGui::IsItemActivated()) pressed = PressedControl{ImGui::GetItemID(), y};
    if (!gui.still_at || !gui.now.pressed.empty() || ImGui::GetIO().MouseWheel != 0)
        pressed.reset();
    if (!pressed || pressed->id != ImGui::GetItemID() || pressed->y == y) return;
    ImGui::SetScrollY(ImGui::GetScrollY() + static_cast<float>(y - pressed->y));
    pressed->y = y;
}

void leave_focus(Gui& gui) { focused(gui.focus).reset(); }

}  // namespace maskscope
