#pragma once
// The settings of a variant as the user chooses them: in the sidebar, the palette, and the what-if
// line of presenting mode.

#include <string_view>
#include <vector>

#include "app/session/session.h"
#include "core/settings/setting.h"

namespace maskscope {

// A setting offered while presenting; one without choices is not used by this variant.
struct WhatIf {
    const Setting* setting;
    std::vector<Choice> choices;
};
std::vector<WhatIf> what_if_settings(const Scene& scene, int variant);

// Returns the index of the chosen one, or −1.
int chosen_of(const std::vector<Choice>& choices);

// Makes one undoable edit; does nothing if the scene has no such variant or choice.
void choose_setting(Session& session, int variant, const Setting& setting, int choice);
// Does the same for a typed text. Reports what was expected if it is not a value of the setting.
void type_setting(Session& session, int variant, const Setting& setting, const std::string& text);

}  // namespace maskscope
