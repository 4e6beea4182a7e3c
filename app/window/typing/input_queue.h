#pragma once
// Events in order, applied one transition per frame: a press and its release are never in the same
// frame, so that no click is lost however slow frames are. Real callbacks and tests push here.

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure.h"

namespace maskscope {

// An event. Keys have GLFW's numbers (GLFW_KEY_*), mouse buttons are 0 left, 1 right, 2 middle.
struct InputEvent {
    enum class Kind { move, button, wheel, key, text, drop, resize, leave };
    Kind kind = Kind::move;
    Point at{};    // move: pixels; wheel: x and y steps; resize: the new size
    int code = 0;  // button or key
    bool down = false;
    int modifiers = 0;   // GLFW_MOD_*
    std::string text{};  // text: UTF-8; drop: paths, NUL between them
};

// The input of one frame.
struct Input {
    Point pointer{-1, -1};
    bool pointer_inside = false;
    bool buttons[3] = {};  // held now
    Point wheel;
    int modifiers = 0;
    std::vector<int> pressed;  // keys that went down in this frame (and repeats)
    std::vector<int> keys_down;
    std::string text;  // typed in this frame, before the keys in `pressed`
    std::vector<std::string> dropped;
    std::optional<Point> resized;  // the new size of the frame buffer in pixels
};

// Returns the key by the letter printed on it: GLFW numbers keys by their place on an American
// keyboard, where a German Z is a Y. name: the key's name from GLFW, or nullptr. If it is not a
// letter from a to z, the place counts.
int key_by_letter(int key, const char* name);

class InputQueue {
public:
    void push(InputEvent event) noexcept;  // the event is lost if memory has run out: callers are
                                           // in C
    bool empty() const;
    std::size_t waiting() const;  // events
    // Applies events up to and including the first transition of a button or key; moves are merged.
    // Text typed before a button press has a frame of its own. typing: a text field has the
    // keyboard. A key with a character on it is then only the text that it types, and Backspace
    // repeats: everything typed during a long frame comes at once.
    Input next_frame(bool typing = false);
    // Returns the same pointer, buttons and modifiers, with nothing pressed, turned or typed.
    Input still() const;

private:
    bool must_wait(const InputEvent& event) const;     // must it wait for a frame of its own?
    bool apply(const InputEvent& event, bool typing);  // true after a transition
    void apply_button(const InputEvent& event);
    void apply_key(const InputEvent& event);
    std::deque<InputEvent> events_;
    Input state_;
};

}  // namespace maskscope
