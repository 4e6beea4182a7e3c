#include "app/export/live_html.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/export/html_text.h"
#include "app/figure/draw_cell.h"
#include "app/figure/style.h"
#include "app/figure/write/payload.h"
#include "core/base/build.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/files/file.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

namespace fs = std::filesystem;

// --- the parts of a page

fs::path page_file(const char* name) { return assets_folder() / "web" / name; }

std::string page_part(const char* name) { return read_file(page_file(name)); }

// Removes indents and comments, which are for people, not for browsers.
std::string condensed(const std::string& text) {
    std::string lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = trimmed(std::string_view(text).substr(at, end - at));
        line = trimmed(line.substr(0, line.starts_with("//") ? 0 : line.find("  // ")));
        const bool comment = line.starts_with("/*") && line.ends_with("*/");
        if (!line.empty() && !comment) lines.append(line).append("\n");
        at = end + 1;
    }
    return lines;
}

// Removes the spaces and line ends of code that say nothing. None of the page's strings contains
// another, or goes over several lines.
std::string condensed_js(const std::string& text) {
    const std::string js = condensed(text);
    std::string all;
    for (std::size_t at = 0; at < js.size();) {
        const std::size_t open = std::min(js.find_first_of("\"`", at), js.size());
        std::string code = js.substr(at, open - at);
        for (const char* const end : {";", "{", ",", "(", "[", "=", ">", "&", "|", "?", ":", "+"})
            replace_all(code, std::string(end) + "\n", end);
        for (const char* const begin : {"}", ")", "]", ".", "?", ":", "&", "|"})
            replace_all(code, std::string("\n") + begin, begin);
        for (const char* const sign : {"=>", "===", "!==", "&&", "||", "=", "+", "*", "/", "<", ">",
                                       "<=", ">=", "?", ":", "{", "}"})
            replace_all(code, fmt::format(" {} ", sign), sign);
        for (const auto& [spaced, tight] :
             {std::pair(") {", "){"), std::pair(" {", "{"), std::pair("{ ", "{"),
              std::pair(" }", "}"), std::pair("; ", ";"), std::pair(", ", ",")})
            replace_all(code, spaced, tight);
        const std::size_t close = std::min(js.find(js[open], open + 1), js.size() - 1);
        all += code + js.substr(open, close + 1 - open);
        at = close + 1;
    }
    return all;
}

std::string condensed_css(const std::string& text) {
    std::string css = condensed(text);
    for (const auto& [spaced, tight] :
         {std::pair(";\n", ";"), std::pair("{\n", "{"), std::pair("}\n", "}"),
          std::pair(",\n", ","), std::pair("; ", ";"), std::pair(": ", ":"), std::pair(", ", ","),
          std::pair(" {", "{"), std::pair("{ ", "{"), std::pair(" }", "}"), std::pair(";}", "}")})
        replace_all(css, spaced, tight);
    return css;
}

// Finds the core, as gzip: installed with the page, or in the build that this program comes from.
std::optional<fs::path> core_file() {
    std::error_code unknown;
    const fs::path folder = fs::read_symlink("/proc/self/exe", unknown).parent_path();
    for (const fs::path& file : {page_file("core.wasm.gz"), folder / "web/core.wasm.gz",
                                 folder.parent_path() / "web/core.wasm.gz"})
        if (fs::is_regular_file(file, unknown)) return file;
    return std::nullopt;
}

// Compresses text. The same text gives the same bytes: no name, no time.
std::string gzipped(const std::string& text) {
    z_stream stream{};
    constexpr int window = 15 + 16;  // 16: gzip
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window, 9, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        throw WorkError("there is not enough memory to compress the page");
    std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    const int status = deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    if (status != Z_STREAM_END) throw WorkError("the page could not be compressed");
    return packed;
}

// --- what the page takes from the program's tables

constexpr std::array<const char*, role_count> role_names{
    "ground", "panel", "raised", "line",   "ink",    "dim",    "hatch",
    "right",  "odd",   "wrong",  "lane-a", "lane-b", "lane-c", "lane-d"};
static_assert(role_names.back() != nullptr);

std::string variables(ThemeKind kind) {
    const Theme& colours = theme(kind);
    std::string css;
    for (int role = 0; role < role_count; ++role)
        css += fmt::format("--{}:{};", role_names[std::size_t(role)],
                           css_colour(colours.colours[role]));
    // Text on a colour is black or white.
    for (const Role role : {Role::line, Role::hatch, Role::wrong, Role::lane_a, Role::lane_b,
                            Role::lane_c, Role::lane_d})
        css += fmt::format("--on-{}:{};", role_names[std::size_t(role)],
                           css_colour(ink_on(colours[role])));
    css += fmt::format("--right-fill:{};--odd-fill:{};",
                       css_colour(style::fill_of(Role::right, colours)),
                       css_colour(style::fill_of(Role::odd, colours)));
    css += fmt::format("--nan:{};--nan-lines:{};", css_colour(nan_background(colours)),
                       css_colour(nan_lines(colours)));
    css += fmt::format("--picture:{};", css_colour(theme(ThemeKind::light)[Role::ground]));
    return css;
}

// Returns the colours. Light and dark follow the device unless the page has a theme of its own;
// high contrast and paper are used whenever they are requested.
std::string colours_css(std::optional<ThemeKind> own) {
    const bool dark = own == ThemeKind::dark;
    std::string css = fmt::format(":root{{color-scheme:{};{}}}\n",
                                  !own   ? "light dark"
                                  : dark ? "dark"
                                         : "light",
                                  variables(dark ? ThemeKind::dark : ThemeKind::light));
    const auto in = [&](const char* media, ThemeKind kind) {
        css += fmt::format("@media {}{{:root{{{}}}}}\n", media, variables(kind));
    };
    if (!own) in("(prefers-color-scheme:dark)", ThemeKind::dark);
    in("(prefers-contrast:more),(forced-colors:active)", ThemeKind::high_contrast);
    in("print", ThemeKind::print);
    return css;
}

// Returns how cells look: lengths by their side in pixels.
std::string look_json() {
    using style::CellStyle;
    constexpr std::pair<const char*, double CellStyle::*> lengths[] = {
        {"pitch", &CellStyle::hatch_pitch},
        {"hatch-width", &CellStyle::hatch_width},
        {"frame", &CellStyle::frame},
        {"dot", &CellStyle::dot},
        {"dot-edge", &CellStyle::dot_edge}};
    Json json{{"hatchContrast", hatch_contrast}};
    constexpr int largest = 46;
    for (const auto& [name, length] : lengths)
        for (int side = 0; side <= largest; ++side)
            json["lengths"][name].push_back(std::round(100 * (style::cell_style(side).*length)) /
                                            100);
    return json.dump();
}

// Returns the data as base64. In a script it contains no text of the user, so none of it can be
// read as code.
std::string packed_data(const LivePage& page) {
    const LiveOptions& allowed = page.options;
    Json data{{page.is_lesson ? "lesson" : "scene", parse_json(page.opened)},
              {"allows",
               {{"questions", allowed.questions},
                {"mask", allowed.mask},
                {"tokens", allowed.tokens},
                {"settings", allowed.settings}}}};
    for (const auto& [step, picture] : page.pictures) {
        Json& svg = data["pictures"][std::to_string(step)];
        if (!picture.asks.empty()) svg["ask"] = picture.asks;
        svg["show"] = picture.shows;
    }
    for (const auto& [name, bytes] : page.files) data["files"][name] = base64(bytes);
    return base64(gzipped(data.dump()));
}

std::string core_words() {
    return fmt::format("const packedCore = \"{}\";\n", base64(read_file(core_file().value())));
}

// Replaces each {{NAME}}; replacements are not searched again.
std::string filled(const std::string& form,
                   const std::vector<std::pair<std::string, std::string>>& parts) {
    std::string text;
    std::size_t at = 0;
    for (std::size_t open = 0; (open = form.find("{{", at)) != std::string::npos;) {
        const std::size_t close = form.find("}}", open);
        const std::string name = form.substr(open + 2, close - open - 2);
        text += form.substr(at, open - at);
        at = close + 2;
        for (const auto& [known, by] : parts)
            if (known == name) text += by;
    }
    return text + form.substr(at);
}

constexpr const char* policy =
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'{}; "
    "style-src 'unsafe-inline'";

}  // namespace

std::string why_not_live() {
    if (core_file()) return "";
    return "This Maskscope was built without clang-22 and libc++-22-dev-wasm32, which live pages "
           "need.";
}

std::string live_html(const LivePage& page, CoreIn core) {
    const bool apart = core == CoreIn::script;
    std::vector<std::pair<std::string, std::string>> parts{
        {"title", html_text(page.title)},
        {"policy", fmt::format(fmt::runtime(policy), apart ? " 'self'" : "")},
        {"colours", colours_css(page.options.theme)},
        {"picture", page.first},
        {"core", apart ? "<script src=\"core.js\"></script>"
                       : fmt::format("<script>\n{}</script>", core_words())},
        {"look", look_json()},
        {"data", packed_data(page)}};
    std::string theme;
    if (const auto own = page.options.theme)
        theme = fmt::format(" data-theme=\"{}\"", own == ThemeKind::dark ? "dark" : "light");
    parts.emplace_back("theme", theme);
    parts.emplace_back("page.css", condensed_css(page_part("page.css")));
    for (const char* name : {"host.js", "heatmap.js", "step.js", "start.js"})
        parts.emplace_back(name, condensed_js(page_part(name)));
    return filled(page_part("page.html"), parts);
}

std::string core_script() { return core_words(); }

namespace {

std::string section(const std::string& head, const std::string& list) {
    return list.empty() ? "" : fmt::format("<section>{}\n{}</section>\n", head, list);
}

std::string link(const std::string& file, const std::string& step, std::string_view words) {
    return fmt::format("<li><a href=\"{}#{}\">{}</a></li>\n", html_text(file), step,
                       html_text(std::string(words)));
}

// Reads a heading, then lines "- `lesson:NAME/STEP`: the question".
std::string question_sections(const std::vector<LiveEntry>& entries) {
    const std::string text = read_file(assets_folder() / "help/questions.md");
    std::string sections, head, list;
    const auto finish = [&] {
        sections += section(head, list.empty() ? "" : "<ul>\n" + list + "</ul>\n");
        list.clear();
    };
    constexpr std::string_view begin = "- `lesson:", between = "`: ";
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        at = end + 1;
        if (line.starts_with("## ")) {
            finish();
            head = fmt::format("<h2>{}</h2>", html_text(line.substr(3)));
        }
        const std::size_t slash = line.find('/'), close = line.find(between);
        if (!line.starts_with(begin) || close == std::string::npos || slash > close) continue;
        const std::string name = line.substr(begin.size(), slash - begin.size());
        for (const LiveEntry& entry : entries)
            if (entry.name == name)
                list += link(entry.file, line.substr(slash + 1, close - slash - 1),
                             line.substr(close + between.size()));
    }
    finish();
    return sections;
}

}  // namespace

std::string live_index(const std::vector<LiveEntry>& entries) {
    std::string lessons;
    for (const LiveEntry& entry : entries) {
        std::string steps;
        for (std::size_t k = 0; k < entry.steps.size(); ++k)
            steps += link(entry.file, std::to_string(k + 1), entry.steps[k]);
        lessons +=
            section(fmt::format("<h2><a href=\"{}\">{}</a></h2>\n<p>{}</p>", html_text(entry.file),
                                html_text(entry.title), html_text(entry.about)),
                    "<ol>\n" + steps + "</ol>\n");
    }
    return filled(page_part("index.html"), {{"colours", colours_css(std::nullopt)},
                                            {"questions", question_sections(entries)},
                                            {"lessons", lessons}});
}

}  // namespace maskscope
