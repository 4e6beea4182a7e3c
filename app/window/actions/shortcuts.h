#pragma once
// What a key does, as a table: one line a key. The help sheet, the command palette and the tests
// read the same table.

#include <span>
#include <string_view>

#include "app/window/context/app.h"

namespace maskscope {

// Where a key acts: on the bench, while presenting, or in both.
enum class When { always, bench, presenting };

// Under which heading of the help sheet a key stands, in this order.
enum class Group { lesson, cells, tokens, lanes, view, file, presenting, control };
inline constexpr int group_count = 8;
std::string_view heading_of(Group group);  // "Lesson"

struct Shortcut {
    int key = 0, modifiers = 0;  // GLFW_KEY_*, GLFW_MOD_*; 0: see `typed`
    std::string_view keys;       // as a person reads it: "Ctrl+Z"
    std::string_view what;       // "undo"
    void (*act)(App&) = nullptr;
    When when = When::bench;
    Group group = Group::cells;
    // Why it would do nothing now, "" where it acts; absent: it always acts.
    std::string_view (*why_not)(const App&) = nullptr;
    std::string_view family{};  // rows in a row of one family are one line of the sheet
    // A character whose key is another on every keyboard: it acts when it is typed.
    std::string_view typed{};
};

std::span<const Shortcut> shortcuts();

// What the mouse does, for the help sheet.
struct Gesture {
    std::string_view how, what;
};
std::span<const Gesture> gestures();

// Acts on the keys of app.now. While a text is edited, only keys with Ctrl that the field does not
// use act, after the field has committed. What stands above the window has keys of its own.
void use_shortcuts(App& app);

}  // namespace maskscope
