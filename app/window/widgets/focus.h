#pragma once
// Keyboard focus. Tab goes from control to control in the order in which they are drawn. Enter and
// Space press the focused one, which a ring marks. Controls are what widgets.h draws.

#include "app/window/paint/gui.h"

namespace maskscope {

// --- called once a pass, in this order
void begin_focus(Gui& gui, std::size_t layer);  // call after ImGui's NewFrame; layer: the topmost
void end_focus(Gui& gui);  // call before its EndFrame; moves on, draws the ring

// True if keys go to the layer that is being drawn. They do not while a list is open, which gets
// them, nor in the pass that opened the layer, because the key was meant for another layer.
bool takes_keys(const Gui& gui);

// True once a dialog has been visible long enough to read, so that a double press does not answer
// it. asked: gui.time when the dialog was first visible; the first call sets it.
bool is_read(const Gui& gui, std::optional<double>& asked);

// Begins a layer: the controls that are drawn from here on belong to it.
void begin_layer(Gui& gui, std::size_t layer);
// True if the layer that is being drawn is uppermost; otherwise keys are not for it.
bool is_uppermost(const Gui& gui);

// Call it after an ImGui item. id: ImGui's id of the item. Returns true if the keyboard presses it
// now.
bool offer_focus(Gui& gui, unsigned id);
bool has_focus(const Gui& gui, unsigned id);

// Call it after an ImGui item. If the item was the last one pressed, scrolls its panel so that the
// item stays in place.
void keep_pressed_in_place(Gui& gui);

// True if this key (GLFW_KEY_*) went down in this frame.
bool was_pressed(const Gui& gui, int key);

Rect item_rect();  // ImGui's last item, in pixels
// Scrolls the panel to ImGui's last item if that is out of view.
void scroll_to_item();

// --- the actions of keys
bool anything_has_focus(const Gui& gui);
void focus_next(Gui& gui);
void focus_before(Gui& gui);
// Call it when a field was left with Tab: focuses the control after it, or with Shift the one
// before it. id: ImGui's id of the field.
void focus_beside(Gui& gui, unsigned id);
void press_focused(Gui& gui);
// Handles Tab, Shift+Tab, Enter and Space for a layer above the window. Returns true if it used one
// of them; it uses Enter and Space only while a control has the focus.
bool use_focus_keys(Gui& gui);
void leave_focus(Gui& gui);

}  // namespace maskscope
