#pragma once
// Keyboard focus. Tab goes from one control to the next in the order in which they are drawn; Enter
// and Space press it, and a ring shows it. A control is anything that widgets.h draws.

#include "app/window/paint/gui.h"

namespace maskscope {

// --- once a pass, in this order
void begin_focus(Gui& gui, Layer uppermost);  // call after ImGui's NewFrame
void end_focus(Gui& gui);                     // call before its EndFrame: moves on, draws the ring

// True if keys go to this layer: not while a list is open, which has them, nor in the pass that
// opened the layer, because that key was meant for another.
bool takes_keys(const Gui& gui, Layer layer);

// True once a dialog has been visible long enough to read, so that a double press does not answer
// it. asked: the first frame in which it was visible, in seconds of gui.time; set on that frame.
bool is_read(const Gui& gui, std::optional<double>& asked);

// Puts drawing from here on above what was drawn before.
void begin_layer(Gui& gui, Layer layer);
// True if what is drawn now is uppermost; otherwise keys are not for it.
bool is_uppermost(const Gui& gui);

// Call after an ImGui item. id: ImGui's id of it. Returns whether the keyboard presses it now.
bool offer_focus(Gui& gui, unsigned id);
bool has_focus(const Gui& gui, unsigned id);

// Call after an ImGui item: if it was the last one pressed, its panel scrolls so that it stays.
void keep_pressed_in_place(Gui& gui);

// True if this key (GLFW_KEY_*) went down in this frame.
bool was_pressed(const Gui& gui, int key);

Rect item_rect();  // of ImGui's last item, in pixels
// Scrolls the panel to ImGui's last item if it is out of sight.
void scroll_to_item();

// --- what the keys do
bool anything_has_focus(const Gui& gui);
void focus_next(Gui& gui);
void focus_before(Gui& gui);
// Focuses the control after this one, or before it with Shift: its field was left with Tab.
void focus_beside(Gui& gui, unsigned id);
void press_focused(Gui& gui);
// Handles Tab, Shift+Tab, Enter and Space as above, for what is above the window. True if one of
// them was used: Enter and Space only while a control has the focus.
bool use_focus_keys(Gui& gui);
void leave_focus(Gui& gui);

}  // namespace maskscope
