#include "app/export/export_live.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "app/export/export_lesson.h"
#include "app/export/html_text.h"
#include "app/figure/draw_cell.h"
#include "app/figure/style.h"
#include "app/figure/write/payload.h"
#include "app/figure/write/svg.h"
#include "app/session/files/tensor_copies.h"
#include "app/show/bench/bench.h"
#include "core/base/build.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/files/file.h"
#include "core/format/model_file.h"
#include "core/format/scene_json.h"
#include "core/scene/names.h"
#include "core/tensors/tensor_list.h"

namespace maskscope {

namespace {

namespace fs = std::filesystem;

// --- the parts of a page

fs::path page_file(const char* name) { return assets_folder() / "web" / name; }

std::string page_part(const char* name) { return read_file(page_file(name)); }

// Removes indents and comments, which browsers do not need.
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

// Removes redundant spaces and line ends from code. Relies on the page's strings: none contains
// another string, or spans several lines.
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

// Finds the core, compressed with gzip, among the installed files of the page or in the build of
// this program; nullopt if it is in neither.
std::optional<fs::path> core_file() {
    std::error_code unknown;
    const fs::path folder = fs::read_symlink("/proc/self/exe", unknown).parent_path();
    for (const fs::path& file : {page_file("core.wasm.gz"), folder / "web/core.wasm.gz",
                                 folder.parent_path() / "web/core.wasm.gz"})
        if (fs::is_regular_file(file, unknown)) return file;
    return std::nullopt;
}

// Compresses text. The same text gives the same bytes, as neither name nor time is stored.
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

// --- the program's tables that the page uses

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
    for (const Role role : {Role::line, Role::hatch, Role::wrong, Role::variant_a, Role::variant_b,
                            Role::variant_c, Role::variant_d})
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

// Returns the colours. Light and dark follow the device unless the page has its own theme; high
// contrast and paper apply whenever the device asks for them.
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

// Returns the look of cells: the lengths of hatch, frame and dot for each side in whole pixels.
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

// Returns the page's data, compressed and in base64, so that no text of the user is read as code.
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

// Replaces each {{NAME}}. Replacements are not searched for further names.
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

// Returns the questions that the pages answer, as HTML. The file has headings, and below each
// heading lines such as "- `lesson:NAME/STEP`: the question".
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

namespace {

ExportOptions picture_options(const LiveOptions& options) {
    ExportOptions pictures;
    pictures.theme = options.theme.value_or(ThemeKind::light);
    pictures.bare = true;
    return pictures;
}

// True if the page draws the scene's heatmaps itself; other views are pictures in it.
bool is_drawn_live(const Scene& scene) {
    const auto view = scene.show ? scene.show->view : std::nullopt;
    return !view || *view == ViewKind::pipeline || *view == ViewKind::heads;
}

void check_size(const Scene& scene) {
    const Shape shape = shape_of(scene);
    const Index most = std::max(shape.n_q, shape.n_k);
    if (most > most_page_tokens)
        throw InputError("", fmt::format("a live page shows at most {} tokens; this scene has {}. "
                                         "Export a .png, .svg or .pdf.",
                                         most_page_tokens, most));
}

void add_files(LivePage& page, const Scene& scene, const fs::path& folder) {
    const std::vector<std::string> names = tensor_files(scene);
    std::size_t bytes = 0;
    for (const auto& [name, content] : page.files) bytes += content.size();
    for (const std::string& name : names) {
        if (page.files.contains(name)) continue;
        if (name.ends_with(".npz"))
            throw InputError("",
                             name +
                                 ": a live page cannot read .npz files. Save the arrays as .npy or "
                                 ".safetensors.");
        std::string content = read_file(folder / name, most_live_bytes);
        bytes += content.size();
        if (bytes > most_live_bytes)
            throw InputError("", fmt::format("the scene's tensor files are larger than {} MB, the "
                                             "most that a live page can contain",
                                             most_live_bytes / 1'000'000));
        page.files.emplace(name, std::move(content));
    }
}

// Adds the built-in models that the text names and, if it names any, the first model, with which
// the others are compared.
void add_models(LivePage& page) {
    const auto add = [&](std::string_view name) {
        page.files.emplace(name, read_file(file_of_built_in(std::string(name))));
    };
    for (const std::string_view name : built_in_models())
        if (page.opened.find(fmt::format("\"{}\"", name)) != std::string::npos) {
            add(built_in_models().front());
            add(name);
        }
}

std::string svg_of(const LessonPage& page, ThemeKind theme) {
    return svg_text(page.figure,
                    {.theme = theme, .title = page.title, .description = words_instead(page)});
}

LivePage page_of(const LoadedLesson& loaded, const LiveOptions& options) {
    const Lesson& lesson = loaded.lesson;
    LivePage page{.title = lesson.title,
                  .opened = write_lesson(lesson),
                  .is_lesson = true,
                  .files = {},
                  .pictures = {},
                  .first = {},
                  .options = options};
    for (const Step& step : lesson.steps) {
        check_size(step.scene);
        add_files(page, step.scene, loaded.folder);
    }
    add_models(page);
    const ExportOptions pictures = picture_options(options);
    const auto steps = lesson_pages(loaded, pictures, false);
    page.first = svg_of(steps.front(), pictures.theme);
    for (const LessonPage& step : steps) {
        if (is_drawn_live(lesson.steps[std::size_t(step.step)].scene)) continue;
        LivePage::Picture& picture = page.pictures[step.step];
        (step.asks ? picture.asks : picture.shows) = svg_of(step, pictures.theme);
    }
    if (page.pictures.contains(0) && steps.front().asks) page.pictures[0].asks.clear();
    return page;
}

LivePage page_of(const LoadedScene& loaded, const LiveOptions& options) {
    const Scene& scene = loaded.scene;
    check_size(scene);
    LivePage page{.title = scene.title.empty() ? "Maskscope" : scene.title,
                  .opened = write_scene(scene),
                  .is_lesson = false,
                  .files = {},
                  .pictures = {},
                  .first = {},
                  .options = options};
    add_files(page, scene, loaded.folder);
    add_models(page);
    View view;
    if (scene.show) view.show = *scene.show;
    const ExportOptions pictures = picture_options(options);
    const Result result = compute_shown(scene.title, scene, view);
    const std::string svg = svg_text(export_figure(result, view, pictures),
                                     {.theme = pictures.theme,
                                      .title = page.title,
                                      .description = export_words(result, view, pictures)});
    page.first = svg;
    if (!is_drawn_live(scene)) page.pictures[0] = {"", svg};
    return page;
}

void need_core(const std::string& out) {
    if (const std::string why = why_not_live(); !why.empty())
        throw Error(1, printable(out) + ": " + why);
}

using Lessons = std::vector<LoadedLesson>;

Lessons lessons_of(const std::string& argument) {
    Lessons lessons;
    if (argument != all_lessons) {
        lessons.push_back(load_lesson(argument));
        return lessons;
    }
    for (const std::string& name : lesson_names()) lessons.push_back(load_lesson("lesson:" + name));
    return lessons;
}

void write_site(const Lessons& lessons, const std::string& out, const LiveOptions& options) {
    std::vector<std::pair<std::string, std::string>> files{{"core.js", core_script()}};
    std::vector<LiveEntry> entries;
    for (const LoadedLesson& loaded : lessons) {
        const Lesson& lesson = loaded.lesson;
        LiveEntry entry{
            lesson.name, file_name_of(lesson.name) + ".html", lesson.title, lesson.about, {}};
        for (const Step& step : lesson.steps) entry.steps.push_back(step.title);
        files.emplace_back(entry.file, live_html(page_of(loaded, options), CoreIn::script));
        entries.push_back(std::move(entry));
    }
    files.emplace_back("index.html", live_index(entries));
    MadeFolders made(out);
    std::vector<fs::path> none;
    for (const auto& [name, bytes] : files) replace_file(make_place_below(out, name, none), bytes);
    made.keep();
}

}  // namespace

std::string live_lesson(const LoadedLesson& lesson, const LiveOptions& options) {
    return live_html(page_of(lesson, options), CoreIn::page);
}

std::string live_scene(const LoadedScene& scene, const LiveOptions& options) {
    return live_html(page_of(scene, options), CoreIn::page);
}

void export_live(const SceneArgument& argument, const std::string& out,
                 const LiveOptions& options) {
    need_core(out);
    const std::string& name = argument.name;
    try {
        if (out.ends_with('/')) return write_site(lessons_of(name), out, options);
        if (name == all_lessons)
            throw Error(
                2, "export: --out: all lessons go into a folder; expected a name that ends with /");
        const bool names_a_step = name.starts_with("lesson:") && name.find('/') != name.npos;
        if (names_a_step || holds_tensors(name)) {
            const LoadedScene loaded = load_scene(argument);
            replace_file(out, live_scene(loaded, options));
            return tell_notes(argument, loaded);
        }
        const auto either = load(name);
        replace_file(out, std::holds_alternative<LoadedLesson>(either)
                              ? live_lesson(std::get<LoadedLesson>(either), options)
                              : live_scene(std::get<LoadedScene>(either), options));
    } catch (const InputError& error) {
        throw at_file(name, error);
    } catch (const WorkError& error) {
        throw at_file(out, error);
    }
}

}  // namespace maskscope
