#pragma once
// Keeps events in order, and applies one transition a frame: a press and its release are never in
// the same frame, so that no click is lost, however slow frames are. Real callbacks and tests push
// events here.

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure.h"

namespace maskscope {

// An event. code: GLFW's number of a key (GLFW_KEY_*), or a mouse button: 0 left, 1 right, 2
// middle.
struct InputEvent {
    enum class Kind { move, button, wheel, key, text, drop, resize, leave };
    Kind kind = Kind::move;
    Point at{};    // move: pixels; wheel: x and y steps; resize: the new size
    int code = 0;  // button or key
    bool down = false;
    int modifiers = 0;   // GLFW_MOD_*
    std::string text{};  // text: UTF-8; drop: paths, separated by NUL
};

// The input of one frame.
struct Input {
    Point pointer{-1, -1};
    bool pointer_inside = false;
    bool buttons[3] = {};  // held down now
    Point wheel;
    int modifiers = 0;
    std::vector<int> pressed;  // keys that went down in this frame, or repeated
    std::vector<int> keys_down;
    std::string text;  // typed in this frame; handled before `pressed`
    std::vector<std::string> dropped;
    std::optional<Point> resized;  // the frame buffer's new size in pixels
};

// Returns the number of a key by the letter printed on it: GLFW numbers keys by their place on an
// American keyboard, where a German Z is Y. name: the key's name from GLFW, or nullptr. If it is
// not a letter from a to z, returns `key`.
int key_by_letter(int key, const char* name);

class InputQueue {
public:
    void push(InputEvent event) noexcept;  // drops the event if memory has run out, because its
                                           // callers are in C
    bool empty() const;
    std::size_t waiting() const;  // the number of events
    // Applies events up to and including the first transition of a button or key; successive moves
    // are merged. Text that was typed before a button press has its own frame. typing: a text field
    // has the keyboard. Keys with a character then count only as text, and neither they nor
    // Backspace and Delete end the frame, so that a long frame does not delay fast typing.
    Input next_frame(bool typing = false);
    // Returns the same pointer, buttons and keys that are down, without what happened only in the
    // last frame: new presses, text, turns of the wheel, drops and resizing.
    Input still() const;

private:
    bool must_wait(const InputEvent& event) const;     // true if it needs its own frame
    bool apply(const InputEvent& event, bool typing);  // returns true after a transition
    void apply_button(const InputEvent& event);
    void apply_key(const InputEvent& event);
    std::deque<InputEvent> events_;
    Input state_;
};

}  // namespace maskscope
