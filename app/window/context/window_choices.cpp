#include "app/window/context/window_choices.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "app/session/files/state_files.h"
#include "app/window/context/desktop.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/files/file.h"

namespace maskscope {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 3> theme_names{"dark", "light", "high contrast"};
constexpr std::array theme_kinds{ThemeKind::dark, ThemeKind::light, ThemeKind::high_contrast};
constexpr std::string_view as_system = "system";
constexpr std::size_t longest_file = std::size_t{1} << 16;

fs::path choices_in(const fs::path& folder) { return folder / "window.json"; }

WindowChoices choices_of(const Json& json) {
    WindowChoices choices;
    const auto name = json.value("theme", std::string(theme_names[0]));
    const auto found = std::ranges::find(theme_names, name);
    if (name == as_system)
        choices.theme.reset();
    else if (found != theme_names.end())
        choices.theme = theme_kinds[std::size_t(found - theme_names.begin())];
    if (const double type = json.value("type", 1.0);
        std::ranges::find(type_sizes, type) != type_sizes.end())
        choices.type = type;
    choices.sidebar_folded = json.value("left panel folded", false);
    choices.inspector_folded = json.value("right panel folded", false);
    return choices;
}

Json json_of(const WindowChoices& choices) {
    std::string_view name = as_system;
    for (std::size_t k = 0; k < theme_kinds.size(); ++k)
        if (choices.theme == theme_kinds[k]) name = theme_names[k];
    return {{"theme", name},
            {"type", choices.type},
            {"left panel folded", choices.sidebar_folded},
            {"right panel folded", choices.inspector_folded}};
}

}  // namespace

ThemeKind theme_of(const WindowChoices& choices) {
    return choices.theme ? *choices.theme : theme_of_system();
}

WindowChoices remembered_window(const fs::path& folder) {
    if (folder.empty()) return {};
    try {
        return choices_of(parse_json(read_file(choices_in(folder), longest_file)));
    } catch (const Error&) {            // there are no choices yet
    } catch (const Json::exception&) {  // not written by us
    }
    return {};
}

std::string set_damaged_window_aside(const fs::path& folder) {
    return set_aside_if_damaged(folder, choices_in(folder), [](const fs::path& file) {
        choices_of(parse_json(read_file(file, longest_file)));
    });
}

void remember_window(const fs::path& folder, const WindowChoices& choices) {
    if (folder.empty()) return;
    change_state(folder, [&] {
        try {
            replace_file(choices_in(folder), write_json(json_of(choices)),
                         {.readers = Readers::owner});
        } catch (const WorkError&) {}
    });
}

}  // namespace maskscope
