#pragma once
// Lets the user choose the settings of a variant: in the sidebar, the palette, and the what-if line
// of presenting mode.

#include <string_view>
#include <vector>

#include "app/session/session.h"
#include "core/settings/setting.h"

namespace maskscope {

// A setting that is offered while presenting; without choices if this variant does not use it.
struct WhatIf {
    const Setting* setting;
    std::vector<Choice> choices;
};
std::vector<WhatIf> what_if_settings(const Scene& scene, int variant);

// Returns the index of the current choice; −1 if there is none.
int chosen_of(const std::vector<Choice>& choices);

// Makes one undoable edit; does nothing if the scene has no such variant or choice.
void choose_setting(Session& session, int variant, const Setting& setting, int choice);
// Does the same for a typed text. If it is not a value of the setting, shows a message with what
// was expected.
void type_setting(Session& session, int variant, const Setting& setting, const std::string& text);

}  // namespace maskscope
