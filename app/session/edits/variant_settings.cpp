#include "app/session/edits/variant_settings.h"

#include <algorithm>

#include "core/edit/edit.h"

namespace maskscope {

std::vector<WhatIf> what_if_settings(const Scene& scene, int variant) {
    std::vector<WhatIf> fields;
    for (const char* key : {"mask.apply", "mask.value", "dtype", "scale", "empty_rows"}) {
        const Setting& setting = *find_setting(key);
        // Keep each field in its place while the user tries different ways of applying the mask.
        if (setting.stands(scene.inputs))
            fields.push_back({&setting, choices_of(setting, scene, variant)});
    }
    return fields;
}

int chosen_of(const std::vector<Choice>& choices) {
    const auto chosen = std::ranges::find(choices, true, &Choice::is_chosen);
    return chosen == choices.end() ? -1 : static_cast<int>(chosen - choices.begin());
}

void choose_setting(Session& session, int variant, const Setting& setting, int choice) {
    if (variant < 0 || variant >= std::ssize(session.scene().variants)) return;
    const std::vector<Choice> choices = choices_of(setting, session.scene(), variant);
    if (choice < 0 || choice >= std::ssize(choices)) return;
    session.edit(std::string(setting.undo),
                 [&](Scene& scene) { set_setting(scene, variant, setting, choices[choice].put); });
}

void type_setting(Session& session, int variant, const Setting& setting, const std::string& text) {
    session.edit(std::string(setting.undo),
                 [&](Scene& scene) { type_setting(scene, variant, setting, text); });
}

}  // namespace maskscope
