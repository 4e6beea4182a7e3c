#pragma once
// Which control has the keyboard. Tab goes from one to the next in the order in which they are
// drawn, Enter and Space press it, and a ring shows it. A control is what widgets.h draws.

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "app/figure/figure.h"

namespace maskscope {

struct App;

// What stands above what: keys go to the uppermost that is open.
enum class Layer { window, path_line, sheet, palette, question };
inline constexpr std::size_t layer_count = 5;

struct Focus {
    // ImGui's id of the control, by layer: under a question the window remembers its own.
    std::array<std::optional<unsigned>, layer_count> of{};
    Layer layer = Layer::window;  // the uppermost in this pass
    std::size_t place = 0;        // in the order, where the control was, or the last click

    // --- of this pass
    Layer drawing = Layer::window;  // what is being drawn
    std::vector<unsigned> order;    // the layer's controls, as they are drawn
    int move = 0;                   // by how many controls Tab goes on
    bool presses = false;           // Enter or Space: the control acts when it is drawn
    bool came = false;              // it has just got the focus: it is scrolled to where it is seen
    bool takes_blank = false;       // the blank that the pressed Space types is not typed
    std::optional<Rect> ring, clip;
};

// --- once a pass, in this order
void begin_focus(App& app);  // after ImGui's NewFrame
void end_focus(App& app);    // before its EndFrame: goes on, and draws the ring

// Do keys go to this layer? Not in the pass in which it was opened: that key was not for it.
bool takes_keys(const App& app, Layer layer);

// What is drawn from here on stands above what was drawn before.
void begin_layer(App& app, Layer layer);
// Does what is drawn now stand uppermost? Else keys are not for it.
bool is_uppermost(const App& app);

// After an ImGui item that can be pressed; id: ImGui's, of the item. True where the keyboard
// presses it now.
bool offer_focus(App& app, unsigned id);
bool has_focus(const App& app, unsigned id);

// Did this key go down in this frame? GLFW_KEY_*
bool was_pressed(const App& app, int key);

// Scrolls the panel to ImGui's last item where that is out of sight.
void scroll_to_item();

// --- what the keys do
bool anything_has_focus(const App& app);
void focus_next(App& app);
void focus_before(App& app);
// The control after this one, or before it where Shift is held: its field was left with Tab.
void focus_beside(App& app, unsigned id);
void press_focused(App& app);
// Tab, Shift+Tab, Enter and Space as above, for what stands above the window. True where one of
// them was taken: Enter and Space only while a control has the focus.
bool use_focus_keys(App& app);
void leave_focus(App& app);

}  // namespace maskscope
