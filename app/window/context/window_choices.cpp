// Remembers how the window looks, and reads the settings of the desktop.

#include "app/window/context/window_choices.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/session/files/state_files.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/files/file.h"

namespace maskscope {

namespace fs = std::filesystem;

namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

// Returns the lines of GTK's settings files, without spaces, such as "gtk-theme-name=Adwaita-dark".
std::vector<std::string> lines_of_gtk() {
    fs::path config = variable("XDG_CONFIG_HOME");
    if (config.empty()) config = fs::path(variable("HOME")) / ".config";
    std::vector<std::string> lines;
    for (const char* toolkit : {"gtk-4.0", "gtk-3.0"}) {
        const fs::path settings = config / toolkit / "settings.ini";
        std::error_code unknown;
        if (!fs::is_regular_file(settings, unknown)) continue;
        std::ifstream file(settings);
        for (std::string line; std::getline(file, line);) {
            std::erase_if(line, [](char letter) { return letter == ' ' || letter == '\t'; });
            lines.push_back(line);
        }
    }
    return lines;
}

// Returns the theme for the name of a desktop theme, or for a setting; nullopt if it names none.
std::optional<ThemeKind> theme_named(std::string name) {
    for (char& letter : name)
        if (letter >= 'A' && letter <= 'Z') letter += 'a' - 'A';
    const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
    if (has("highcontrast") || has("high-contrast")) return ThemeKind::high_contrast;
    if (has("dark")) return ThemeKind::dark;
    if (has("light")) return ThemeKind::light;
    return std::nullopt;
}

// Returns GNOME's setting, which only GNOME's own program can read from its database; "" if there
// is none.
std::string setting_of_gnome() {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> answer(
        popen("gsettings get org.gnome.desktop.interface color-scheme 2>/dev/null", "re"), pclose);
    char text[64] = "";
    return answer && std::fgets(text, sizeof text, answer.get()) != nullptr ? text : "";
}

}  // namespace

bool wants_reduced_motion() {
    if (const std::string asked = variable("MASKSCOPE_REDUCED_MOTION"); !asked.empty())
        return asked != "0";
    for (const std::string& line : lines_of_gtk())
        if (line == "gtk-enable-animations=0" || line == "gtk-enable-animations=false") return true;
    return false;
}

ThemeKind theme_of_system() {
    if (const auto theme = theme_named(variable("GTK_THEME"))) return *theme;
    if (const auto theme = theme_named(setting_of_gnome())) return *theme;
    constexpr std::string_view prefers_dark = "gtk-application-prefer-dark-theme=";
    constexpr std::string_view name = "gtk-theme-name=";
    for (const std::string& line : lines_of_gtk()) {
        if (line.starts_with(prefers_dark))
            if (const auto says = line.substr(prefers_dark.size()); says == "1" || says == "true")
                return ThemeKind::dark;
        if (line.starts_with(name))
            if (const auto theme = theme_named(line.substr(name.size()))) return *theme;
    }
    return ThemeKind::light;
}

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
    } catch (const Json::exception&) {  // the file was not written by Maskscope
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
