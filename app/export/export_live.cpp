#include "app/export/export_live.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "app/export/export_lesson.h"
#include "app/figure/write/svg.h"
#include "app/session/files/tensor_copies.h"
#include "app/show/bench/bench.h"
#include "core/base/error.h"
#include "core/files/file.h"
#include "core/format/model_file.h"
#include "core/format/scene_json.h"
#include "core/tensors/tensor_list.h"

namespace maskscope {

namespace {

namespace fs = std::filesystem;

ExportOptions picture_options(const LiveOptions& options) {
    ExportOptions pictures;
    pictures.theme = options.theme.value_or(ThemeKind::light);
    pictures.bare = true;
    return pictures;
}

// True if the page draws the scene's heatmaps; other views are pictures in it.
bool is_drawn_live(const Scene& scene) {
    const auto view = scene.show ? scene.show->view : std::nullopt;
    return !view || *view == ViewKind::pipeline || *view == ViewKind::heads;
}

void check_size(const Scene& scene) {
    const Shape shape = shape_of(scene);
    const Index most = std::max(shape.n_q, shape.n_k);
    if (most > most_page_tokens)
        throw InputError("", fmt::format("a live page shows at most {} tokens, this scene has {}. "
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
            throw InputError("",
                             fmt::format("its tensor files are larger than {} MB, too large for "
                                         "a live page",
                                         most_live_bytes / 1'000'000));
        page.files.emplace(name, std::move(content));
    }
}

// Adds the built-in models that the text names, and the first, with which others are compared.
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
