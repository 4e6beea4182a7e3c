#pragma once
// The table of keys, which the key help, the command palette and the tests also read.

#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "app/window/context/app.h"

namespace maskscope {

// The mode in which a key acts: on the bench, while presenting, or in both.
enum class KeyScope { always, bench, presenting };

// The headings of the key help, in order.
enum class Group { lesson, cells, tokens, variants, view, file, presenting, control };
inline constexpr int group_count = 8;
std::string_view heading_of(Group group);  // such as "Lesson"

template <class Part>
Part& part(App& app) {
    Ui& ui = app.ui;
    if constexpr (std::is_same_v<Part, Presenting>)
        return *ui.presenting;
    else
        return std::get<Part&>(std::tie(app.session, app.gui, ui, ui.bench, ui.sidebar,
                                        ui.presenting, ui.lesson_editor, ui.overlays));
}
template <auto... arguments, class Answer, class... Wanted>
Answer call(Answer (*act)(Wanted...), App& app) {
    using All = std::tuple<std::remove_cvref_t<Wanted>...>;
    return [&]<std::size_t... k>(std::index_sequence<k...>) {
        return act(part<std::tuple_element_t<k, All>>(app)..., arguments...);
    }
    (std::make_index_sequence<sizeof...(Wanted) - sizeof...(arguments)>());
}
template <class Answer>
Answer call(Answer (Session::*act)(), App& app) {
    return (app.session.*act)();
}
// Makes an action from a function that takes parts of App, and fixed arguments: on<turn_tab, 1>
// calls turn_tab(Session&, BenchState&, int steps) with these parts and 1.
template <auto act, auto... arguments>
auto on(App& app) {
    return call<arguments...>(act, app);
}

struct Shortcut {
    int key = 0, modifiers = 0;  // GLFW_KEY_* and GLFW_MOD_*; 0: see `typed`
    std::string_view keys;       // as shown to the user: "Ctrl+Z"
    std::string_view what;       // such as "undo"
    void (*act)(App&) = nullptr;
    KeyScope when = KeyScope::bench;
    Group group = Group::cells;
    // Returns why it would do nothing now; "" if it can act. Null: it can always act.
    std::string_view (*why_not)(App&) = nullptr;
    std::string_view family{};  // adjacent rows of one family share a line in the key help
    // A character that different keyboards have on different keys; acts when it is typed.
    std::string_view typed{};
};

std::span<const Shortcut> shortcuts();

// A mouse gesture, for the key help.
struct Gesture {
    std::string_view how, what;
};
std::span<const Gesture> gestures();

// Acts on the keys of app.gui.now. While a text is being edited, only keys that its field does not
// use act, such as Ctrl+S, and only after the text has been committed. Layers above the window
// handle their own keys.
void use_shortcuts(App& app);

}  // namespace maskscope
