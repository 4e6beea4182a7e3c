#pragma once
// Which control has the keyboard. Tab goes from one to the next in the order in which they are
// drawn, Enter and Space press it, and a ring shows it. A control is what widgets.h draws.

#include "app/window/paint/gui.h"

namespace maskscope {

// --- once a pass, in this order
void begin_focus(Gui& gui, Layer uppermost);  // after ImGui's NewFrame
void end_focus(Gui& gui);                     // before its EndFrame: goes on, and draws the ring

// Do keys go to this layer? Not in the pass in which it was opened: that key was not for it.
bool takes_keys(const Gui& gui, Layer layer);

// What is drawn from here on stands above what was drawn before.
void begin_layer(Gui& gui, Layer layer);
// Does what is drawn now stand uppermost? Else keys are not for it.
bool is_uppermost(const Gui& gui);

// After an ImGui item that can be pressed; id: ImGui's, of the item. True where the keyboard
// presses it now.
bool offer_focus(Gui& gui, unsigned id);
bool has_focus(const Gui& gui, unsigned id);

// Did this key go down in this frame? GLFW_KEY_*
bool was_pressed(const Gui& gui, int key);

Rect item_rect();  // of ImGui's last item, in pixels
// Scrolls the panel to ImGui's last item where that is out of sight.
void scroll_to_item();

// --- what the keys do
bool anything_has_focus(const Gui& gui);
void focus_next(Gui& gui);
void focus_before(Gui& gui);
// The control after this one, or before it where Shift is held: its field was left with Tab.
void focus_beside(Gui& gui, unsigned id);
void press_focused(Gui& gui);
// Tab, Shift+Tab, Enter and Space as above, for what stands above the window. True where one of
// them was taken: Enter and Space only while a control has the focus.
bool use_focus_keys(Gui& gui);
void leave_focus(Gui& gui);

}  // namespace maskscope
