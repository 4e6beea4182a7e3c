#pragma once
// What a key does, as a table: one line a key. The help sheet and the tests read the same table.

#include <span>
#include <string_view>

#include "app/app.h"

namespace maskscope {

// Where a key acts: on the bench, while presenting, or in both.
enum class When { always, bench, presenting };

struct Shortcut {
    int key = 0, modifiers = 0;  // GLFW_KEY_*, GLFW_MOD_*
    std::string_view keys;       // as a person reads it: "Ctrl+Z"
    std::string_view what;       // "undo"
    void (*act)(App&) = nullptr;
    When when = When::bench;
};

std::span<const Shortcut> shortcuts();

// Acts on the keys of app.now. While a text is edited, only keys with Ctrl that the field does not
// use act, after the field has committed.
void use_shortcuts(App& app);

}  // namespace maskscope
