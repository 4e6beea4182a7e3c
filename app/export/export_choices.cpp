#include "app/export/export.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "app/session/files/state_files.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/files/file.h"

namespace maskscope {

namespace {

constexpr std::array<std::string_view, 3> theme_names{"light", "dark", "print"};
constexpr std::array theme_kinds{ThemeKind::light, ThemeKind::dark, ThemeKind::print};

std::filesystem::path choices_in(const std::filesystem::path& folder) {
    return folder / "figures.json";
}

template <class Names>
std::size_t place_in(const Names& names, const std::string& name) {
    return std::size_t(std::ranges::find(names, name) - names.begin());
}

// Returns the length if the window's field would accept it; otherwise nullopt.
std::optional<double> length_of(const Json& json, const char* key) {
    const double length = json.value(key, 0.0);
    return length >= least_millimetres && length <= most_millimetres ? std::optional(length)
                                                                     : std::nullopt;
}

ExportOptions options_of(const Json& json) {
    ExportOptions options;
    options.format = format_of(json.value("ending", ".png")).value_or(options.format);
    // Read it as a double, because it may be too large for an int.
    options.dpi = int(
        std::clamp(json.value("dpi", double(options.dpi)), double{least_dpi}, double{most_dpi}));
    if (const auto k = place_in(theme_names, json.value("theme", "")); k < theme_kinds.size())
        options.theme = theme_kinds[k];
    options.transparent = json.value("transparent", false);
    options.size.width = length_of(json, "width");
    if (const double aspect = json.value("aspect", -1.0); aspect == 0 || is_aspect(aspect))
        options.size.aspect = aspect;
    options.slide = json.value("slide", false);
    FigureParts& parts = options.parts;
    for (const auto& [name, part] : part_names) parts.*part = json.value(name, true);
    if (const auto k = place_in(colour_map_names, json.value("colours", ""));
        k < colour_map_names.size())
        options.map = ColourMap(k);
    return options;
}

Json json_of(const ExportOptions& options) {
    Json json = {{"ending", ending_of(options.format)},
                 {"dpi", options.dpi},
                 {"transparent", options.transparent},
                 {"slide", options.slide}};
    for (std::size_t k = 0; k < theme_kinds.size(); ++k)
        if (options.theme == theme_kinds[k]) json["theme"] = theme_names[k];
    if (options.size.width) json["width"] = *options.size.width;
    if (options.size.aspect) json["aspect"] = *options.size.aspect;
    for (const auto& [name, part] : part_names) json[name] = options.parts.*part;
    if (options.map) json["colours"] = colour_map_names[std::size_t(*options.map)];
    return json;
}

}  // namespace

namespace {

// Returns the contents of the file; an empty object if there is none yet, or it cannot be read.
Json remembered(const std::filesystem::path& folder) {
    if (!folder.empty()) try {
            return parse_json(read_file(choices_in(folder), std::size_t{1} << 16));
        } catch (const Error&) {}
    return Json::object();
}

}  // namespace

ExportOptions remembered_choices(const std::filesystem::path& folder) try {
    return options_of(remembered(folder));
} catch (const Json::exception&) {  // the file was not written by Maskscope
    return {};
}

std::filesystem::path remembered_figure_folder(const std::filesystem::path& folder) try {
    return remembered(folder).value("folder", "");
} catch (const Json::exception&) {
    return {};
}

std::string set_damaged_choices_aside(const std::filesystem::path& folder) {
    return set_aside_if_damaged(folder, choices_in(folder), [](const std::filesystem::path& file) {
        options_of(parse_json(read_file(file, std::size_t{1} << 16)));
    });
}

void remember_choices(const std::filesystem::path& folder, const ExportOptions& options,
                      const std::filesystem::path& figure) {
    if (folder.empty()) return;
    change_state(folder, [&] {
        try {
            std::error_code unknown;
            const auto used = figure.empty()
                                  ? remembered_figure_folder(folder)
                                  : std::filesystem::absolute(figure, unknown).parent_path();
            Json json = json_of(options);
            if (!used.empty()) json["folder"] = used.string();
            replace_file(choices_in(folder), write_json(json), {.readers = Readers::owner});
        } catch (const WorkError&) {
        } catch (const Json::exception&) {  // the path is not UTF-8
        }
    });
}

}  // namespace maskscope
