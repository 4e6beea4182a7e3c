#pragma once
// What a key does, as a table: one line a key. The key help, the command palette and the tests
// read the same table.

#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "app/window/context/app.h"

namespace maskscope {

// Where a key acts: on the bench, while presenting, or in both.
enum class When { always, bench, presenting };

// Under which heading of the key help a key stands, in this order.
enum class Group { lesson, cells, tokens, lanes, view, file, presenting, control };
inline constexpr int group_count = 8;
std::string_view heading_of(Group group);  // "Lesson"

template <class Part>
Part& part(App& app) {
    Ui& ui = app.ui;
    if constexpr (std::is_same_v<Part, Presenting>)
        return *ui.presenting;
    else
        return std::get<Part&>(std::tie(app.session, app.gui, ui, ui.bench, ui.sidebar,
                                        ui.presenting, ui.lesson_editor, ui.path_line));
}
template <auto... told, class Answer, class... Wanted>
Answer call(Answer (*act)(Wanted...), App& app) {
    using All = std::tuple<std::remove_cvref_t<Wanted>...>;
    return [&]<std::size_t... k>(std::index_sequence<k...>) {
        return act(part<std::tuple_element_t<k, All>>(app)..., told...);
    }
    (std::make_index_sequence<sizeof...(Wanted) - sizeof...(told)>());
}
template <class Answer>
Answer call(Answer (Session::*act)(), App& app) {
    return (app.session.*act)();
}
// An action by what it reaches, and what it is told: on<turn_tab, 1> is
// turn_tab(Session&, BenchState&, int steps) with these parts of the App and 1.
template <auto act, auto... told>
auto on(App& app) {
    return call<told...>(act, app);
}

struct Shortcut {
    int key = 0, modifiers = 0;  // GLFW_KEY_*, GLFW_MOD_*; 0: see `typed`
    std::string_view keys;       // as a person reads it: "Ctrl+Z"
    std::string_view what;       // "undo"
    void (*act)(App&) = nullptr;
    When when = When::bench;
    Group group = Group::cells;
    // Why it would do nothing now, "" where it acts; absent: it always acts.
    std::string_view (*why_not)(App&) = nullptr;
    std::string_view family{};  // rows in a row of one family are one line of the help
    // A character whose key is another on every keyboard: it acts when it is typed.
    std::string_view typed{};
};

std::span<const Shortcut> shortcuts();

// What the mouse does, for the key help.
struct Gesture {
    std::string_view how, what;
};
std::span<const Gesture> gestures();

// Acts on the keys of app.gui.now. While a text is edited, only keys with Ctrl that the field does
// not use act, after the field has committed. What stands above the window has keys of its own.
void use_shortcuts(App& app);

}  // namespace maskscope
