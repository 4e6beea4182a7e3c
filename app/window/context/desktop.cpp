#include "app/window/context/desktop.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace maskscope {

namespace fs = std::filesystem;

namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

// Returns the lines of GTK's settings files, without spaces: "gtk-theme-name=Adwaita-dark".
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

// Returns the theme that a name or a setting means.
std::optional<ThemeKind> theme_named(std::string name) {
    for (char& letter : name)
        if (letter >= 'A' && letter <= 'Z') letter += 'a' - 'A';
    const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
    if (has("highcontrast") || has("high-contrast")) return ThemeKind::high_contrast;
    if (has("dark")) return ThemeKind::dark;
    if (has("light")) return ThemeKind::light;
    return std::nullopt;
}

// Returns GNOME's setting, which is in a database that only its own program reads; "" if there is
// none.
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

}  // namespace maskscope
