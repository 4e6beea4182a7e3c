#pragma once
// The parts of the palette's list, one file for each subject.

#include "app/window/actions/shortcuts.h"
#include "app/window/context/palette.h"

namespace maskscope {

using Entries = std::vector<PaletteEntry>;

// Makes an entry's command from the parts of App that it needs: does([](Session& session, Ui& ui) {
// … }).
template <class... Wanted>
WindowCommand does(std::function<void(Wanted...)> act) {
    return [act](App& app) { act(part<std::remove_cvref_t<Wanted>>(app)...); };
}
WindowCommand does(auto act) { return does(std::function(act)); }
// Makes the same, but asks first if there is unsaved work.
WindowCommand asks(const std::string& question, auto act) {
    return [question, then = does(act)](App& app) { leave_unsaved(app, question, then); };
}

inline constexpr const char* already_so = "already chosen";

// Add entries: commands that have a key; tabs, stages, colours, theme and backend; variants, and
// settings of the chosen one; the rules of its mask; steps, lessons and scenes.
void add_keys(Entries& entries, App& app);
void add_views(Entries& entries, const Session& session, const Ui& ui);
void add_lanes(Entries& entries, const Session& session, const SidebarState& sidebar);
void add_layers(Entries& entries, const Session& session, const SidebarState& sidebar);
void add_lessons(Entries& entries, const Session& session);

}  // namespace maskscope
