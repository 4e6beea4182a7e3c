#include "app/export/export_lesson.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <set>
#include <utility>

#include "app/export/export.h"
#include "app/export/html_text.h"
#include "app/figure/layout/place.h"
#include "app/figure/text_table.h"
#include "app/figure/write/pdf.h"
#include "app/figure/write/png.h"
#include "app/figure/write/svg.h"
#include "app/session/files/carried.h"
#include "app/session/files/load.h"
#include "app/style/labels.h"
#include "core/base/build.h"
#include "core/base/error.h"
#include "core/cpu/cpu_backend.h"
#include "core/files/file.h"
#include "core/lesson/answer.h"
#include "core/lesson/caption.h"
#include "core/lesson/fact_words.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

namespace fs = std::filesystem;

// Type sizes of the words on a page, × the page's height.
constexpr double title_size = 1.0 / 22, words_size = 1.0 / 32, claim_size = 1.0 / 42;
constexpr double line_height = 1.3;  // × type size
constexpr double question_seconds = 5, answer_seconds = 7;

struct StepResult {
    Result result;
    StepWords words;
    std::string claim;
};

View view_of(const Step& step) {
    View view;
    if (step.scene.show) view.show = *step.scene.show;
    return view;
}

// Computes an exercise before it is solved: without its mask.
StepResult computed_task(const std::string& argument, const Step& step) {
    StepResult made{compute_shown(argument, scene_to_begin(step), view_of(step)), {}, ""};
    made.words = fill_words(step, made.result);
    return made;
}

StepResult computed_step(const std::string& argument, const Step& step, const fs::path& folder) {
    StepResult made{compute_shown(argument, step.scene, view_of(step)), {}, ""};
    made.words = fill_words(step, made.result);
    if (!step.facts.empty() && !made.words.claim.empty()) {
        CpuBackend backend;
        const Fact& fact = step.facts.front();
        const Verdict verdict = judge(fact, made.result, backend, folder);
        made.claim = verdict_line(made.words.claim, fact, verdict, made.result.scene);
    }
    return made;
}

// Points above and below the figure for the words of the longest page.
struct WordsRoom {
    double head = 0, foot = 0;
};

std::vector<std::string> lines_of(const std::string& words, const FigurePlace& page, double size) {
    return broken_into_lines(words, {size * page.height}, 0.92 * page.width);
}

WordsRoom words_room(const std::vector<LessonPage>& pages, const FigurePlace& page) {
    std::size_t lines = 0;
    for (const LessonPage& one : pages)
        lines = std::max(lines, lines_of(one.words, page, words_size).size());
    return {2 * title_size * page.height,
            (double(lines) * words_size + 1.6 * claim_size) * line_height * page.height};
}

// Draws the title and the words. A question that is answered stands below the title, in the margin
// of the figure.
void draw_words(LessonPage& page, const FigurePlace& place, const WordsRoom& room) {
    const double left = 0.04 * place.width, h = place.height;
    std::vector<Text>& texts = page.figure.texts;
    texts.push_back({.at = {left, 0.6 * room.head},
                     .text = page.title,
                     .style = {title_size * h, Weight::semibold},
                     .max_width = 0.92 * place.width});
    const auto write_small = [&](const std::string& words, double x, double y, double width) {
        if (!words.empty())
            texts.push_back({.at = {x, y},
                             .text = words,
                             .style = {claim_size * h},
                             .role = Role::dim,
                             .max_width = width});
    };
    // If space is short, shorten the question, never the answer.
    const double width = 0.92 * place.width, gap = claim_size * h;
    const double answer = measure(page.answer, {claim_size * h}).width;
    const double asked =
        std::min(measure(page.asked, {claim_size * h}).width, width - answer - gap);
    write_small(page.asked, left, room.head + 0.5 * claim_size * h, std::max(1.0, asked));
    write_small(page.answer, left + asked + gap, room.head + 0.5 * claim_size * h, answer);
    double y = h - room.foot;
    for (const std::string& line : lines_of(page.words, place, words_size)) {
        texts.push_back({.at = {left, y}, .text = line, .style = {words_size * h}});
        y += line_height * words_size * h;
    }
    write_small(page.claim, left, y + 0.2 * claim_size * h, width);
}

// Draws the table of a step if its page has space: beside the figure or below it, whichever gives
// larger type and breaks fewer cells. top and bottom: the limits of the space for figures.
void draw_table(LessonPage& page, double top, double bottom) {
    const double w = page.figure.width, h = page.figure.height, side = 0.04 * w;
    const Rect taken = extent_of(page.figure);
    const auto fitted_at = [&](Point at) {
        auto table = fitted_table(page.table, w - side - at.x, bottom - at.y, claim_size * h,
                                  words_size * h);
        if (table) move_by(*table, at);
        return table;
    };
    const auto beside = fitted_at({taken.right() + side, std::max(top, taken.y)});
    const auto below = fitted_at({taken.x, taken.bottom() + side / 2});
    const auto rank = [](const Figure& table) {
        return std::pair(-table.texts.front().style.size, table.height);
    };
    const auto& table = below && (!beside || rank(*below) < rank(*beside)) ? below : beside;
    if (table)
        visit([](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); },
              page.figure, *table);
}

std::string file_name(const LessonPage& page, const char* ending) {
    return fmt::format("{:02}-{}{}{}", page.step + 1, file_name_of(page.title),
                       page.asks ? "-question" : "", ending);
}

void write_files(const std::vector<LessonPage>& pages, const std::string& out, PngOptions options) {
    std::vector<std::pair<std::string, std::string>> files;
    for (const LessonPage& page : pages) {
        options.description = words_instead(page);
        options.payload = page.packed_scene;
        files.emplace_back(file_name(page, ".png"), png_bytes(page.figure, options));
    }
    MadeFolders made(out);
    std::vector<fs::path> none;
    for (const auto& [name, bytes] : files)  // the lesson refers to them
        replace_file(make_place_below(out, name, none), bytes);
    made.keep();
}

}  // namespace

std::string words_instead(const LessonPage& page) {
    if (!page.asks) return page.alternative;
    const bool ends = page.title.ends_with('?') || page.title.ends_with('.');
    return page.title + (ends ? " " : ". ") + page.words;
}

std::optional<LessonFormat> lesson_format(const std::string& out, const ExportOptions& options) {
    if (is_of_heatmaps(options) || !options.variants.empty() || options.rows || options.columns)
        return std::nullopt;
    if (out.ends_with('/')) return LessonFormat::files;
    if (out.ends_with(".html")) return LessonFormat::html;
    if (options.format == FigureFormat::png) return LessonFormat::png;
    if (options.format == FigureFormat::pdf) return LessonFormat::pdf;
    return std::nullopt;
}

std::vector<LessonPage> lesson_pages(const LoadedLesson& loaded, const ExportOptions& options,
                                     bool with_words) {
    const Lesson& lesson = loaded.lesson;
    std::vector<StepResult> steps;
    steps.reserve(2 * lesson.steps.size());  // the contents refer to its elements
    std::vector<LessonPage> pages;
    std::vector<PageContent> contents;
    for (std::size_t k = 0; k < lesson.steps.size(); ++k) {
        const Step& step = lesson.steps[k];
        const std::string argument = "lesson:" + lesson.name;
        const StepResult& made = steps.emplace_back(computed_step(argument, step, loaded.folder));
        const View view = view_of(step);
        PageContent content = content_of(made.result, view, options);
        content.with_mask = needs_mask(view, step.scene);
        if (step.exercise) {
            const StepResult& task = steps.emplace_back(computed_task(argument, step));
            const std::string& words = step.ask.empty() ? task.words.caption : task.words.ask;
            pages.push_back({int(k), true, step.title, words, "", "", "", "", "", "", {}, {}});
            contents.push_back(content_of(task.result, view, options));
        } else if (!step.ask.empty()) {
            pages.push_back(
                {int(k), true, step.title, made.words.ask, "", "", "", "", "", "", {}, {}});
            View asking = view;
            asking.ask(hidden_by(step));
            contents.push_back(content_of(made.result, asking, options, {.same = content.views}));
            contents.back().asks = true;
            contents.back().with_mask = content.with_mask;
        }
        pages.push_back({int(k),
                         false,
                         step.title,
                         made.words.caption,
                         made.words.ask,
                         made.words.ask.empty() ? "" : answer_line(made.words),
                         made.claim,
                         export_words(made.result, view, options),
                         options.bare ? "" : packed(carried_of(step.scene, loaded.folder)),
                         made.words.notes,
                         made.words.table,
                         {}});
        contents.push_back(std::move(content));
    }
    LayoutOptions layout = layout_options(options.parts);
    layout.with_title = false;  // the page has its own title
    FigurePlace place = place_of(options.size);
    if (place.height <= 0)
        throw Error(2,
                    "export: --aspect free does not apply to lessons, because all pages of a "
                    "lesson have the same height");
    place.grows = !options.size.width && !options.size.height;
    const bool worded = with_words && options.parts.title;
    WordsRoom room = worded ? words_room(pages, place) : WordsRoom{};
    FigurePlace inner = place;
    inner.height -= room.head + room.foot;
    const std::vector<Figure> figures = lay_out_pages(inner, layout, contents);
    // Enlarge the words with the page.
    for (double* length : {&place.width, &place.height, &room.head, &room.foot})
        *length *= figures.front().width / inner.width;
    for (std::size_t k = 0; k < pages.size(); ++k) {
        pages[k].figure = figures[k];
        pages[k].figure.height = place.height;
        move_by(pages[k].figure, {0, std::round(room.head)});
    }
    if (!worded) return pages;
    for (LessonPage& page : pages) {
        draw_table(page, room.head, place.height - room.foot - words_size * place.height);
        draw_words(page, place, room);
    }
    return pages;
}

int export_lesson(const LoadedLesson& loaded, const std::string& out, LessonFormat format,
                  const ExportOptions& options, std::ostream* words) {
    const std::vector<LessonPage> pages =
        lesson_pages(loaded, options, format != LessonFormat::html);
    if (words != nullptr)
        for (const LessonPage& page : pages) *words << words_instead(page) << '\n';
    if (out.empty()) return 0;
    const PngOptions png{
        .dpi = double(options.dpi), .theme = options.theme, .transparent = options.transparent};
    try {
        switch (format) {
            case LessonFormat::files:
                write_files(pages, out, png);
                break;
            case LessonFormat::png: {
                std::vector<Frame> frames;
                for (const LessonPage& page : pages)
                    frames.push_back({page.figure, page.asks ? question_seconds : answer_seconds});
                replace_file(out, apng_bytes(frames, png));
                break;
            }
            case LessonFormat::pdf: {
                std::vector<Figure> figures;
                std::vector<std::string> descriptions;
                for (const LessonPage& page : pages) {
                    figures.push_back(page.figure);
                    descriptions.push_back(words_instead(page));
                }
                replace_file(out, pdf_bytes(figures, {.theme = options.theme,
                                                      .title = loaded.lesson.title,
                                                      .descriptions = descriptions}));
                break;
            }
            case LessonFormat::html:
                replace_file(out, lesson_html(loaded.lesson, pages, options.theme));
                break;
        }
    } catch (const WorkError& error) {
        throw at_file(out, error);
    }
    return 0;
}

namespace {

constexpr double short_side = 595.28, long_side = 841.89;  // points: A4
constexpr double head = 96, border = 28;                   // points, above and beside the figure
constexpr double least_cell = 14;                          // points: 5 mm, enough to write in

bool is_blank(const Heatmap& map, const WorksheetOptions& options) {
    const bool of_a_variant = map.variant > foreign_variant;
    return of_a_variant && std::ranges::count(options.blank, map.cells->stage) > 0;
}

double least_side(const Figure& figure, const WorksheetOptions& options) {
    double least = 1e9;
    for (const Heatmap& map : figure.heatmaps)
        if (is_blank(map, options)) {
            const Rect cell = cell_rect(map, 0, 0);
            least = std::min({least, cell.w, cell.h});
        }
    return least;
}

void draw_blank(Figure& figure, const Heatmap& map) {
    for (Index i = 0; i < map.cells->rows; ++i)
        for (Index j = 0; j < map.cells->columns; ++j)
            figure.boxes.push_back(
                {cell_rect(map, i, j), 0, true, true, Role::ground, Role::dim, 0.7});
}

void draw_blank(Figure& figure, const SumBar& bar) {
    const Rect box{bar.rect.x, bar.rect.y, 1.3 * bar.rect.w, bar.rect.h};
    figure.boxes.push_back({box, 0, true, true, Role::ground, Role::dim, 0.7});
}

void leave_blank(Figure& figure, const WorksheetOptions& options) {
    for (const Heatmap& map : figure.heatmaps)
        if (is_blank(map, options)) draw_blank(figure, map);
    std::erase_if(figure.heatmaps, [&](const Heatmap& map) { return is_blank(map, options); });
    if (std::ranges::count(options.blank, StageKind::weights) == 0) return;
    // keep the legend's sum bar, which has no row
    const auto is_of_a_row = [](const SumBar& bar) { return bar.row >= 0; };
    for (const SumBar& bar : figure.sums)
        if (is_of_a_row(bar)) draw_blank(figure, bar);
    std::erase_if(figure.sums, is_of_a_row);
}

void draw_head(Figure& figure, const std::string& title, const std::string& task) {
    const double left = border, right = figure.width - border;
    figure.texts.push_back({.at = {left, 40},
                            .text = title,
                            .style = {18, Weight::semibold},
                            .max_width = 0.55 * figure.width});
    figure.texts.push_back({.at = {0.62 * figure.width, 44}, .text = "Name", .style = {11}});
    figure.strokes.push_back(
        {.points = {{0.62 * figure.width + 34, 50}, {right, 50}}, .role = Role::ink, .width = 0.7});
    figure.texts.push_back(
        {.at = {left, 70}, .text = task, .style = {12}, .max_width = right - left});
}

// A page, and the side of its smallest cell to be filled in, in points on paper.
struct Sheet {
    Figure figure;
    double side = 0;
};

// Returns the names of the stages that are drawn, in their order.
std::vector<std::string_view> drawn_stages(const std::vector<Sheet>& sheets) {
    std::set<StageKind> stages;
    for (const Sheet& sheet : sheets)
        for (const Heatmap& map : sheet.figure.heatmaps)
            if (map.variant > foreign_variant) stages.insert(map.cells->stage);
    std::vector<std::string_view> names;
    for (const StageKind stage : stages) names.push_back(name(stage));
    return names;
}

// Adds the scaled scores, from which the numbers to be filled in follow, unless there are scores.
void add_scores(std::vector<StageKind>& stages) {
    using enum StageKind;
    if (std::ranges::count(stages, scores) + std::ranges::count(stages, scaled) > 0) return;
    stages.push_back(scaled);
    std::ranges::sort(stages);
}

// Draws a page in portrait or landscape, whichever makes cells larger.
Sheet sheet_of(const Result& result, const View& view, const ExportOptions& picture,
               const WorksheetOptions& options) {
    const PageContent content = content_of(result, view, picture);
    Sheet best;
    for (const auto& [width, height] :
         {std::pair(short_side, long_side), std::pair(long_side, short_side)}) {
        Figure figure = lay_out_in_place({.width = width, .height = height - head, .grows = true},
                                         layout_options(picture.parts), content.lay_out);
        const double grown = figure.width / width;  // printing shrinks the page by this factor
        const double side = least_side(figure, options) / grown;
        if (side <= best.side) continue;
        move_by(figure, {0, head * grown});
        figure.height = height * grown;
        best = {std::move(figure), side};
    }
    return best;
}

// Draws all variants on a page, or each on its own if their cells would be too small together.
std::vector<Sheet> sheets_of(const Result& result, const View& view, const ExportOptions& picture,
                             const WorksheetOptions& options) {
    std::vector<Sheet> sheets{sheet_of(result, view, picture, options)};
    if (sheets.front().side >= least_cell) return sheets;
    const std::vector<int> variants = shown_variants(view, result.scene);
    if (variants.size() == 1) return sheets;
    sheets.clear();
    for (const int variant : variants) {
        ExportOptions own = picture;
        own.variants = {variant};
        sheets.push_back(sheet_of(result, view, own, options));
    }
    return sheets;
}

}  // namespace

int worksheet(const SceneArgument& scene, const std::string& out, const WorksheetOptions& options) {
    const std::string& argument = scene.name;
    const LoadedScene loaded = load_scene(scene);
    View view;
    if (loaded.scene.show) view.show = *loaded.scene.show;
    if (view.show.stages) add_scores(*view.show.stages);
    const Result result = compute_shown(argument, loaded.scene, view);
    ExportOptions picture;
    picture.theme = ThemeKind::print;
    picture.parts.title = false;
    const std::vector<Sheet> sheets = sheets_of(result, view, picture, options);
    std::vector<std::string> titles;
    for (const StageKind stage : options.blank) {
        const auto is_drawn = [&](const Sheet& sheet) {
            return std::ranges::any_of(sheet.figure.heatmaps, [&](const Heatmap& map) {
                return is_blank(map, options) && map.cells->stage == stage;
            });
        };
        if (std::ranges::none_of(sheets, is_drawn))
            throw Error(2, fmt::format("worksheet: --blank: this scene shows no {}; choose from {}",
                                       name(stage), fmt::join(drawn_stages(sheets), ", ")));
        titles.emplace_back(name(stage));
    }
    const double side = std::ranges::min(sheets, {}, &Sheet::side).side;
    if (side < least_cell)
        throw at_file(argument,
                      WorkError(fmt::format("a cell would be {:.1f} mm wide, too small to write "
                                            "in. Show fewer tokens or stages",
                                            side * 25.4 / 72)));
    std::vector<Figure> pages;
    for (const Sheet& sheet : sheets) {
        Figure& page = pages.emplace_back(sheet.figure);
        if (!options.solution) leave_blank(page, options);
        draw_head(page, loaded.scene.title,
                  options.solution
                      ? "Solution"
                      : fmt::format("Fill in the {}, cell by cell.", fmt::join(titles, ", ")));
    }
    try {
        replace_file(out, pdf_bytes(pages, {.theme = picture.theme, .title = loaded.scene.title}));
    } catch (const WorkError& error) {
        throw at_file(out, error);
    }
    tell_notes(scene, loaded);
    return 0;
}

namespace {

// Returns the SVG as a data URL to be written in single quotes. As each picture is a file of its
// own, the names of their parts cannot clash.
std::string picture_address(const std::string& svg) {
    std::string address = "data:image/svg+xml,";
    for (const char c : svg)
        if (c == '\n')
            address += ' ';
        else if (c == '<' || c == '>' || c == '#' || c == '%' || c == '&' || c == '\'')
            address += fmt::format("%{:02X}", static_cast<unsigned>(c));
        else
            address += c;
    return address;
}

std::string table_html(const StepTable& table) {
    std::string html;
    for (const std::vector<std::string>& row : table) {
        const char* const tag = &row == &table.front() ? "th" : "td";
        html += "<tr>";
        for (const std::string& cell : row)
            html += fmt::format("<{0}>{1}</{0}>", tag, html_words(cell));
        html += "</tr>\n";
    }
    return html.empty() ? "" : "<table>\n" + html + "</table>\n";
}

std::string page_html(const LessonPage& page, ThemeKind theme) {
    const std::string words = html_words(page.words);
    return fmt::format(
        "<section data-step=\"{}\"{}>\n<h2>{}</h2>\n<div><img alt=\"{}\" width=\"{:.0f}\" "
        "height=\"{:.0f}\" src='{}'></div>\n{}<p class=\"words\">{}</p>\n{}{}{}</section>\n",
        page.step + 1, page.asks ? " data-asks" : "", html_text(page.title),
        html_text(words_instead(page)), page.figure.width, page.figure.height,
        picture_address(svg_text(page.figure, {.theme = theme, .title = page.title})),
        page.asked.empty() ? ""
                           : fmt::format("<p class=\"claim\">{} <b>{}</b></p>\n",
                                         html_words(page.asked), html_words(page.answer)),
        words,
        page.claim.empty() ? ""
                           : fmt::format("<p class=\"claim\">{}</p>\n", html_words(page.claim)),
        table_html(page.table),
        page.notes.empty() ? ""
                           : fmt::format("<details><summary>Notes</summary><p>{}</p></details>\n",
                                         html_words(page.notes)));
}

}  // namespace

std::string lesson_html(const Lesson& lesson, const std::vector<LessonPage>& pages,
                        ThemeKind kind) {
    const Theme& colours = theme(kind);
    std::string sections;
    for (const LessonPage& page : pages) sections += page_html(page, kind);
    const std::string style = fmt::format(
        R"(<style>
:root {{ color-scheme: {}; }}
body {{ margin: 0 auto; max-width: 75rem; padding: 1rem; background: {}; color: {};
  font: 1.1rem/1.45 Inter, system-ui, sans-serif; }}
h1 {{ font-size: 1rem; font-weight: 600; color: {}; margin: 0 0 .5rem; }}
h2 {{ font-size: 1.5rem; margin: 0 0 .5rem; }}
div {{ overflow-x: auto; }}
img {{ display: block; width: 100%; min-width: 34rem; height: auto; margin: auto;
  max-height: max(19rem, 100vh - 17rem); object-fit: contain; }}
section[data-asks] img {{ cursor: pointer; }}
.words {{ font-size: 1.25rem; margin: .5rem 0 .25rem; min-height: 3.6rem; }}
.claim {{ color: {}; margin: 0; }}
table {{ border-collapse: collapse; margin: .75rem 0 0; }}
th, td {{ text-align: left; padding: .15rem 1.5rem .15rem 0; }}
details {{ margin: .75rem 0 0; max-width: 45rem; }}
nav {{ display: flex; gap: .75rem; align-items: center; margin: 1rem 0 0; }}
nav[hidden] {{ display: none; }}
button {{ font: inherit; padding: .45rem 1.1rem; border: 1px solid {}; border-radius: .4rem;
  background: {}; color: {}; cursor: pointer; }}
button:disabled {{ opacity: .45; cursor: default; }}
output {{ color: {}; }}
</style>
)",
        kind == ThemeKind::dark ? "dark" : "light", css_colour(colours[Role::ground]),
        css_colour(colours[Role::ink]), css_colour(colours[Role::dim]),
        css_colour(colours[Role::dim]), css_colour(colours[Role::hatch]),
        css_colour(colours[Role::raised]), css_colour(colours[Role::ink]),
        css_colour(colours[Role::dim]));
    const std::string script = read_file(assets_folder() / "web/lesson.js");
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{0}</title>\n{1}</head>\n<body>\n<h1>{0}</h1>\n<main aria-live=\"polite\">\n{2}"
        "</main>\n<nav hidden><button type=\"button\">Back</button>"
        "<button type=\"button\">Next</button><output></output></nav>\n"
        "<script>\n{3}</script>\n</body>\n</html>\n",
        html_text(lesson.title), style, sections, script);
}

}  // namespace maskscope
