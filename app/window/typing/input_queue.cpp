#include "app/window/typing/input_queue.h"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <new>
#include <sstream>

namespace maskscope {
namespace {

std::vector<std::string> paths_of(const std::string& text) {
    std::vector<std::string> paths;
    std::istringstream stream(text);
    for (std::string path; std::getline(stream, path, '\0');)
        if (!path.empty()) paths.push_back(path);
    return paths;
}

int modifier_of(int key) {
    switch (key) {
        case GLFW_KEY_LEFT_SHIFT:
        case GLFW_KEY_RIGHT_SHIFT:
            return GLFW_MOD_SHIFT;
        case GLFW_KEY_LEFT_CONTROL:
        case GLFW_KEY_RIGHT_CONTROL:
            return GLFW_MOD_CONTROL;
        case GLFW_KEY_LEFT_ALT:
        case GLFW_KEY_RIGHT_ALT:
            return GLFW_MOD_ALT;
        case GLFW_KEY_LEFT_SUPER:
        case GLFW_KEY_RIGHT_SUPER:
            return GLFW_MOD_SUPER;
        default:
            return 0;
    }
}

// True for Shift, and for a key that only types its character in a text field. The character is an
// event of its own. (GLFW numbers such keys by their characters.)
bool only_types(const InputEvent& event) {
    constexpr int commands = GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER;
    const bool has_character = event.code >= GLFW_KEY_SPACE && event.code < GLFW_KEY_ESCAPE;
    return (has_character || modifier_of(event.code) == GLFW_MOD_SHIFT) &&
           (event.modifiers & commands) == 0;
}

bool erases(const InputEvent& event) {
    return event.code == GLFW_KEY_BACKSPACE || event.code == GLFW_KEY_DELETE;
}

}  // namespace

int key_by_letter(int key, const char* name) {
    if (name == nullptr || name[0] == '\0' || name[1] != '\0') return key;
    const char letter = name[0];
    if (letter >= 'a' && letter <= 'z') return GLFW_KEY_A + (letter - 'a');
    return letter >= 'A' && letter <= 'Z' ? GLFW_KEY_A + (letter - 'A') : key;
}

void InputQueue::push(InputEvent event) noexcept try {
    events_.push_back(std::move(event));
} catch (const std::bad_alloc&) {}

bool InputQueue::empty() const { return events_.empty(); }

std::size_t InputQueue::waiting() const { return events_.size(); }

Input InputQueue::still() const {
    Input input = state_;
    input.wheel = {};
    input.pressed.clear();
    input.text.clear();
    input.dropped.clear();
    input.resized.reset();
    return input;
}

Input InputQueue::next_frame(bool typing) {
    state_ = still();
    while (!events_.empty() && !must_wait(events_.front())) {
        const InputEvent event = std::move(events_.front());
        events_.pop_front();
        if (apply(event, typing)) break;
    }
    return state_;
}

// True if the event belongs to a later frame, because a frame handles its text before its keys.
bool InputQueue::must_wait(const InputEvent& event) const {
    if (state_.pressed.empty())
        return event.kind == InputEvent::Kind::button && event.down && !state_.text.empty();
    return event.kind == InputEvent::Kind::text || (event.down && !erases(event));
}

bool InputQueue::apply(const InputEvent& event, bool typing) {
    switch (event.kind) {
        case InputEvent::Kind::move:
            state_.pointer = event.at;
            state_.pointer_inside = true;
            return false;
        case InputEvent::Kind::leave:
            state_.pointer_inside = false;
            return false;
        case InputEvent::Kind::wheel:
            state_.wheel.x += event.at.x;
            state_.wheel.y += event.at.y;
            return false;
        case InputEvent::Kind::text:
            state_.text += event.text;
            return false;
        case InputEvent::Kind::drop:
            for (std::string& path : paths_of(event.text)) state_.dropped.push_back(path);
            return false;
        case InputEvent::Kind::resize:
            state_.resized = event.at;
            return false;
        case InputEvent::Kind::button:
            apply_button(event);
            return true;
        case InputEvent::Kind::key:
            apply_key(event);
            if (typing && event.down && only_types(event)) state_.pressed.pop_back();
            return !typing || !(only_types(event) || erases(event));
    }
    return false;
}

void InputQueue::apply_button(const InputEvent& event) {
    state_.modifiers = event.modifiers;
    if (event.code >= 0 && event.code < 3) state_.buttons[event.code] = event.down;
}

// Applies a key. Window systems report a modifier key with the modifiers from before it went down.
void InputQueue::apply_key(const InputEvent& event) {
    const int own = modifier_of(event.code);
    state_.modifiers = event.down ? event.modifiers | own : event.modifiers & ~own;
    std::erase(state_.keys_down, event.code);
    if (!event.down) return;
    state_.keys_down.push_back(event.code);
    state_.pressed.push_back(event.code);
}

}  // namespace maskscope
