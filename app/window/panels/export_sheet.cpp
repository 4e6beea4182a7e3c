// Draws the sheet for exporting a figure: its preview on the left; what it shows, its size and its
// file on the right. Enter saves, Escape closes.

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/export/export.h"
#include "app/export/export_lesson.h"
#include "app/export/export_live.h"
#include "app/figure/write/csv.h"
#include "app/session/files/path_completion.h"
#include "app/session/files/state_files.h"
#include "app/session/files/system_dialog.h"
#include "app/window/actions/actions.h"
#include "app/window/context/app.h"
#include "app/window/paint/imgui_compat.h"
#include "app/window/paint/painter.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/parts.h"
#include "app/window/widgets/focus.h"
#include "core/base/error.h"
#include "core/files/file.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

namespace fs = std::filesystem;

constexpr double export_margin = 32, export_padding = 20, choices_width = 330,
                 name_width = 76;  // points
const char* const file_id = "figure file";
const char* const page_ending = ".html";
using Page = ExportSheet::Page;

// --- the file

const char* ending_of(const ExportSheet& sheet) {
    return sheet.page == Page::none ? ending_of(sheet.options.format) : page_ending;
}

// Returns the typed file, with the extension of the chosen format if it has none.
fs::path file_of(const ExportSheet& sheet) {
    fs::path path = typed_path(sheet.path);
    const fs::path name = path.filename();
    const bool names_folder = name.empty() || name == "." || name == "..";
    if (!path.has_extension() && !names_folder) path += ending_of(sheet);
    return path;
}

// Returns the path to propose: in the folder that was last exported to, if it still exists.
fs::path first_path(const Session& session, const std::string& ending) {
    const fs::path path = proposed_path(session, session.scene().title, ending);
    const fs::path last = remembered_figure_folder(state_folder());
    std::error_code unknown;
    return fs::is_directory(last, unknown) ? last / path.filename() : path;
}

// Returns the first file that would be replaced; "" if there is none.
fs::path replaced_by(const fs::path& path) {
    std::error_code unknown;
    for (const fs::path& file : {path, cells_beside(path)})
        if (fs::exists(file, unknown) && !fs::is_directory(file, unknown)) return file;
    return "";
}

bool has_room_for(FigureFormat format, StageKind stage) {
    return format != FigureFormat::csv || has_heads(stage);
}

void take_format(ExportOptions& options, FigureFormat format) {
    options.format = format;
    if (options.stage && !has_room_for(format, *options.stage)) options.stage.reset();
}

// Returns `live`, or for a lesson, `pictures` if no live page can be made. (Without a lesson there
// are no pictures: the choice of a live page then says why it cannot be made.)
Page page_of(const Session& session) {
    return session.lesson() != nullptr && !why_not_live().empty() ? Page::pictures : Page::live;
}

void set_page(ExportSheet& sheet, Page page) {
    fs::path path = typed_path(sheet.path);
    if (format_of(path.string()) || path.extension() == page_ending) path.replace_extension();
    sheet.page = page;
    sheet.path = path.string() + ending_of(sheet);
    sheet.made.reset();
    sheet.error.clear();
    sheet.asks_to_replace = false;
}

void set_format(ExportSheet& sheet, FigureFormat format) {
    take_format(sheet.options, format);
    set_page(sheet, Page::none);
}

void take_path(const Session& session, ExportSheet& sheet, const std::string& path) {
    if (path == sheet.path) return;
    sheet.path = path;
    if (!path.ends_with(page_ending))
        sheet.page = format_of(path) ? Page::none : sheet.page;
    else if (sheet.page == Page::none)
        sheet.page = page_of(session);
    take_format(sheet.options, format_of(path).value_or(sheet.options.format));
    sheet.made.reset();
    sheet.error.clear();
    sheet.asks_to_replace = false;
}

std::string page_bytes(const Session& session, const ExportSheet& sheet) {
    if (sheet.page == Page::live)
        if (const std::string why = why_not_live(); !why.empty()) throw WorkError(why);
    const Lesson* lesson = session.lesson();
    if (lesson == nullptr)
        return live_scene({bench_scene(session), session.document().folder}, sheet.live);
    const LoadedLesson loaded{*lesson, session.document().folder};
    if (sheet.page == Page::live) return live_lesson(loaded, sheet.live);
    ExportOptions pictures;
    pictures.theme = sheet.options.theme;
    return lesson_html(*lesson, lesson_pages(loaded, pictures, false), pictures.theme);
}

// Writes a page, as write_figure() writes a figure.
bool write_page(Session& session, const fs::path& path, const ExportSheet& sheet,
                ExistingFile existing) {
    replace_file(path, page_bytes(session, sheet), {.only_new = existing == ExistingFile::refused});
    session.say(fmt::format("Exported to {}", printable(path.string())));
    return true;
}

// Saves the figure. Returns true if it was written, or is being written in the background. Asks
// before it replaces a file.
bool save_figure(Session& session, ExportSheet& sheet) {
    const fs::path path = file_of(sheet);
    const bool is_page = sheet.page != Page::none && path.extension() == page_ending;
    if (!is_page && !format_of(path.string())) {
        sheet.error = path.has_extension()
                          ? fmt::format("{}: {}", path.extension().string(), writable_formats())
                          : printable(path.string()) + ": is a directory. Add a name.";
        return false;
    }
    const fs::path replaced = replaced_by(path);
    const bool agreed =
        !sheet.agreed.empty() && replaced == sheet.agreed && !fs::exists(cells_beside(path));
    if (!sheet.asks_to_replace && !agreed && !replaced.empty()) {
        sheet.asks_to_replace = true;
        return false;
    }
    const ExistingFile existing =
        sheet.asks_to_replace || agreed ? ExistingFile::replaced : ExistingFile::refused;
    try {
        if (is_page ? write_page(session, path, sheet, existing)
                    : write_figure(session, path, sheet.options, existing)) {
            remember_choices(state_folder(), sheet.options, path);
            return true;
        }
        sheet.error = session.message()->text;
    } catch (const std::runtime_error& error) {
        sheet.error = fmt::format("{}. Correct the path or the size.", error.what());
    }
    sheet.asks_to_replace = false;
    return false;
}

// Copies the figure. Shows the message in the sheet, because the sheet covers the status line.
void copy(Gui& gui, Session& session, ExportSheet& sheet) {
    const bool copied = copy_figure(gui, session, sheet.options);
    if (copied) remember_choices(state_folder(), sheet.options);
    sheet.copies_aside = copied && !session.made_aside().empty();
    if (sheet.copies_aside)
        sheet.copied =
            "The figure will be copied when it is ready. Progress is shown in the status bar.";
    else
        (copied ? sheet.copied : sheet.error) = session.message()->text;
    (copied ? sheet.error : sheet.copied).clear();
}

// Reports the outcome when the background copy is done.
void tell_outcome(const Session& session, ExportSheet& sheet) {
    if (!sheet.copies_aside || !session.made_aside().empty()) return;
    sheet.copies_aside = false;
    sheet.copied.clear();
    if (const auto& message = session.message())
        (message->wrong ? sheet.error : sheet.copied) = message->text;
}

// --- the preview

void make_preview(const Session& session, ExportSheet& sheet) {
    const Bench& bench = session.results().bench();
    ExportSheet::PreviewKey now{bench.made, session.view(), sheet.options, bench.views};
    if (sheet.made == now) return;
    sheet.made = std::move(now);
    sheet.refused.clear();
    sheet.copied.clear();
    sheet.copies_aside = false;
    sheet.preview = {};
    try {
        if (sheet.options.format != FigureFormat::csv && sheet.page == Page::none)
            sheet.preview = export_figure(session.shown(), session.view(), sheet.options,
                                          {.views = bench.views, .preview = bench.sources});
    } catch (const std::runtime_error& error) {
        sheet.refused = error.what();
    }
}

const char* words_of(Page page) {
    return page == Page::live
               ? "A page that opens on phones and laptops, without a network; about 0.7 MB. It "
                 "computes every number itself, whenever readers change what you allow."
               : "A page for the browser: a picture of each step, and of its question before the "
                 "answer, with buttons and keys to change the step.";
}

void draw_preview(Gui& gui, const ExportSheet& sheet, const Rect& room) {
    const bool table = sheet.options.format == FigureFormat::csv;
    const bool is_page = sheet.page != Page::none;
    if (is_page || table || !sheet.refused.empty()) {
        set_cursor(room.x, room.y);
        // Begin a child, so that lines after the first begin at its left edge.
        ImGui::BeginChild("words", imgui_size(room.w, room.h), false, ImGuiWindowFlags_NoNav);
        paragraph(
            gui,
            is_page ? words_of(sheet.page)
            : table ? "A table with one row for each cell of every variant, sequence and head: its "
                      "tokens, whether it is blocked, and its number in every stage."
                    : sheet.refused,
            {.style = {.size = 14}, .role = Role::dim, .max_width = room.w / gui.scale});
        ImGui::EndChild();
        return;
    }
    const Figure& figure = sheet.preview;
    if (!(figure.width > 0) || !(figure.height > 0)) return;
    const double scale = std::min(room.w / figure.width, room.h / figure.height);
    const double w = std::round(figure.width * scale), h = std::round(figure.height * scale);
    const Rect page{std::round(room.x + (room.w - w) / 2), std::round(room.y + (room.h - h) / 2), w,
                    h};
    const ThemeKind window = gui.theme;
    gui.theme = sheet.options.theme;
    draw_box(gui, {page, 0, true, false, Role::ground, Role::ground});
    panel_list().PushClipRect({float(page.x), float(page.y)},
                              {float(page.right()), float(page.bottom())}, true);
    paint(gui, panel_list(), figure, {page.x, page.y}, scale);
    panel_list().PopClipRect();
    gui.theme = window;
    draw_box(gui, {page, 0, false, true, Role::ground, Role::line});
}

// --- the choices

// Draws a name on the left; the next item is beside it.
void name_row(Gui& gui, const std::string& name) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw_text(gui, {.at = {at.x, at.y + points(gui, 16)},
                    .text = name,
                    .style = {.size = 13 * gui.scale},
                    .role = Role::dim});
    set_cursor(at.x + points(gui, name_width), at.y);
}

// Draws the choice of what the figure shows: the bench, or only one stage.
void choose_stage(Gui& gui, const Scene& scene, ExportOptions& options) {
    std::vector<std::string> choices{"As in the window"};
    std::vector<StageKind> stages;
    int chosen = 0;
    for (const std::string_view each : names<StageKind>())
        if (const StageKind stage = *from_name<StageKind>(each);
            has_stage(scene, stage) && has_room_for(options.format, stage)) {
            stages.push_back(stage);
            choices.push_back(fmt::format("Only “{}”", label(stage)));
            if (options.stage == stage) chosen = int(stages.size());
        }
    name_row(gui, "Show");
    const auto picked = combo(gui, "stage", choices, chosen);
    if (!picked) return;
    options.stage.reset();
    if (*picked > 0) options.stage = stages[std::size_t(*picked) - 1];
    if (!options.stage) options.head.reset(), options.all_heads = false, options.sequence.reset();
}

void choose_variant(Gui& gui, const Scene& scene, ExportOptions& options) {
    if (scene.variants.size() < 2) return;
    std::vector<std::string> choices{"All variants shown"};
    for (int variant = 0; variant < int(scene.variants.size()); ++variant)
        choices.push_back(
            fmt::format("{} · {}", variant_letter(variant), scene.variants[variant].name));
    name_row(gui, "Variants");
    const int chosen = options.variants.empty() ? 0 : options.variants.front() + 1;
    if (const auto picked = combo(gui, "lanes", choices, chosen)) {
        options.variants.clear();
        if (*picked > 0) options.variants = {*picked - 1};
    }
}

// Draws the choices of heads and of a sequence, if only one stage is exported.
void choose_head(Gui& gui, const Scene& scene, ExportOptions& options) {
    const Shape shape = shape_of(scene);
    if (!options.stage || (shape.h < 2 && shape.b < 2)) return;
    if (shape.h > 1) {
        std::vector<std::string> choices{"All heads"};
        for (Index h = 0; h < shape.h; ++h) choices.push_back(fmt::format("Head {}", h + 1));
        name_row(gui, "Heads");
        const int chosen = options.all_heads ? 0 : int(options.head.value_or(0)) + 1;
        if (const auto picked = combo(gui, "heads", choices, chosen)) {
            options.all_heads = *picked == 0;
            options.head.reset();
            if (*picked > 0) options.head = *picked - 1;
        }
    }
    if (shape.b > 1) {
        name_row(gui, "Sequence");
        if (const auto picked = picker(gui, "sequence", options.sequence.value_or(0), shape.b))
            options.sequence = *picked;
    }
}

void choose_theme(Gui& gui, ExportOptions& options) {
    constexpr std::array kinds{ThemeKind::light, ThemeKind::dark, ThemeKind::print};
    const int chosen = int(std::ranges::find(kinds, options.theme) - kinds.begin());
    name_row(gui, "Theme");
    if (const auto picked = segments(gui, "theme", {"Light", "Dark", "Print"}, chosen))
        options.theme = kinds[std::size_t(*picked)];
}

void choose_format(Gui& gui, const Session& session, ExportSheet& sheet) {
    const auto html = static_cast<int>(figure_endings().size());
    name_row(gui, "Format");
    std::vector<std::string> choices;
    for (const char* ending : figure_endings()) {
        std::string word = ending + 1;
        std::ranges::transform(word, word.begin(), [](char c) { return char(c - 'a' + 'A'); });
        choices.push_back(word);
    }
    choices.emplace_back("HTML");
    const int chosen = sheet.page == Page::none ? int(sheet.options.format) : html;
    const auto picked = segments(gui, "format", choices, chosen);
    if (picked == html)
        set_page(sheet, page_of(session));
    else if (picked)
        set_format(sheet, FigureFormat(*picked));
}

// Draws the choices of what readers of a live page may do.
void choose_live(Gui& gui, bool is_lesson, LiveOptions& options) {
    constexpr std::array<std::optional<ThemeKind>, 3> themes{std::nullopt, ThemeKind::light,
                                                             ThemeKind::dark};
    const int chosen = int(std::ranges::find(themes, options.theme) - themes.begin());
    name_row(gui, "Theme");
    if (const auto picked = segments(gui, "live theme", {"Device", "Light", "Dark"}, chosen))
        options.theme = themes[std::size_t(*picked)];
    gap(gui, 4);
    const auto box = [&](const char* words, bool& on, const char* tip) {
        if (check_row(gui, words, on)) on = !on;
        tooltip(gui, tip);
    };
    if (is_lesson)
        box("Ask first", options.questions,
            "Ask the questions of the lesson before the numbers are shown");
    box("Allow mask edits", options.mask, "Readers may click mask cells and choose mask rules");
    box("Allow other tokens", options.tokens, "Readers may type their own tokens");
    box("Allow other settings", options.settings,
        "Readers may change how the mask is applied, and other settings of each variant");
}

// Draws the choice between a lesson's pictures and a live page, or says why it cannot be live.
void choose_page(Gui& gui, const Session& session, ExportSheet& sheet) {
    const std::string why = why_not_live();
    if (session.lesson() != nullptr) {
        name_row(gui, "HTML");
        std::vector<std::string> choices{"Pictures"};
        if (why.empty()) choices.emplace_back("Live");
        if (const auto picked = segments(gui, "page", choices, sheet.page == Page::live ? 1 : 0))
            set_page(sheet, *picked == 1 ? Page::live : Page::pictures);
    }
    if (!why.empty()) {
        const double room = room_width() / gui.scale;
        paragraph(gui, "Live: " + why,
                  {.style = {.size = 13}, .role = Role::dim, .max_width = room});
    }
    if (sheet.page == Page::pictures) choose_theme(gui, sheet.options);
    if (sheet.page == Page::live && why.empty())
        choose_live(gui, session.lesson() != nullptr, sheet.live);
}

void choose_purpose(Gui& gui, ExportOptions& options) {
    name_row(gui, "Purpose");
    if (const auto picked = segments(gui, "purpose", {"Page", "Slide"}, options.slide ? 1 : 0))
        options.slide = *picked == 1;
    tooltip(gui, "Slide: type of at least 18 pt. Anything that does not fit is left out");
}

// Draws the choice of a shape. The default is free for single heatmaps, otherwise 16:9; a slide is
// never free.
void choose_shape(Gui& gui, ExportOptions& options) {
    constexpr std::array aspects{16.0 / 9, 4.0 / 3, 1.0, 0.0};
    std::vector<std::string> words{"16:9", "4:3", "1:1"};
    if (!options.slide) words.emplace_back("Free");
    const bool free = is_of_heatmaps(options) && !options.slide;
    const double aspect = options.size.aspect.value_or(free ? 0 : aspects[0]);
    auto at = std::ranges::find(aspects, aspect) - aspects.begin();
    if (options.slide && aspect == 0) at = 0;
    name_row(gui, "Shape");
    if (const auto picked = segments(gui, "shape", words, int(at)))
        options.size.aspect = aspects[std::size_t(*picked)];
}

// Draws the choice of a width, in millimetres.
void choose_width(Gui& gui, ExportOptions& options, double width, double height) {
    name_row(gui, "Width");
    if (const auto typed =
            number_field(gui, "width", std::round(width * 10) / 10,
                         {.low = least_millimetres, .high = most_millimetres, .width = 64}))
        options.size.width = *typed;
    same_line(gui, 8);
    const ImVec2 beside = ImGui::GetCursorScreenPos();
    set_cursor(beside.x, beside.y + points(gui, 6));
    label(gui, fmt::format("× {:.4g} mm", height), {.role = Role::dim});
    set_cursor(beside.x - points(gui, name_width + 72), beside.y + points(gui, 38));
}

void choose_size(Gui& gui, ExportSheet& sheet) {
    ExportOptions& options = sheet.options;
    choose_shape(gui, options);
    const auto millimetres = [](double length) { return length * 25.4 / 72; };
    const double width = millimetres(sheet.preview.width), dpi = options.dpi;
    if (!options.slide) choose_width(gui, options, width, millimetres(sheet.preview.height));
    if (options.format != FigureFormat::png) return;
    name_row(gui, "Resolution");
    if (const auto typed = number_field(
            gui, "dpi", dpi,
            {.low = double(least_dpi), .high = double(most_dpi), .whole = true, .width = 64}))
        options.dpi = int(*typed);
    same_line(gui, 8);
    const ImVec2 after = ImGui::GetCursorScreenPos();
    set_cursor(after.x, after.y + points(gui, 6));
    label(gui,
          fmt::format("dpi: {:.0f} × {:.0f} pixels", std::ceil(sheet.preview.width * dpi / 72),
                      std::ceil(sheet.preview.height * dpi / 72)),
          {.role = Role::dim});
    set_cursor(after.x - points(gui, name_width + 72), after.y + points(gui, 38));
}

// Returns the stages of the window that the slide leaves out, so that its type can be read: ",
// without Mask, Output", or "".
std::string left_out(const Session& session, const ExportSheet& sheet) {
    const View& view = session.view();
    const Scene& scene = session.shown().scene;
    const std::vector<Heatmap>& drawn = sheet.preview.heatmaps;
    std::vector<std::string_view> names;
    for (int k = 0; k < all_stage_count; ++k) {
        const auto stage = static_cast<StageKind>(k);
        const bool shown =
            stage == StageKind::allowed ? needs_mask(view, scene) : shows_stage(view, stage);
        const bool is_drawn = std::ranges::any_of(
            drawn, [&](const Heatmap& map) { return map.cells->stage == stage; });
        if (shown && has_stage(scene, stage) && !is_drawn) names.push_back(label(stage));
    }
    const bool may_differ = sheet.options.slide && !sheet.options.stage && !drawn.empty();
    if (!may_differ || names.empty()) return "";
    return fmt::format(", without {}", fmt::join(names, ", "));
}

// Shows the size of the smallest type on the paper or on the slide that was chosen. Warns if it
// cannot be read there: on a slide, from the back row.
void draw_smallest_type(Gui& gui, const Session& session, const ExportSheet& sheet) {
    const bool slide = sheet.options.slide;
    const double readable = slide ? 14 : 6;  // points
    const auto least = smallest_type(sheet.preview);
    if (!least || !(sheet.preview.width > 0)) return;
    const double size = slide ? *least * slide_inches * 72 / sheet.preview.width : *least;
    label(gui,
          fmt::format("Smallest type: {:.1f} pt on {}{}", size, slide ? "a slide" : "paper",
                      left_out(session, sheet)),
          {.style = {.size = 12}, .role = size < readable ? Role::odd : Role::dim});
    tooltip(gui, size < readable ? "Too small to read: show fewer stages or variants"
                 : slide         ? "The size on a slide that is 13.3 inches wide"
                                 : "The size at the width above. For a screen, choose Slide");
}

void choose_colours(Gui& gui, ExportOptions& options) {
    std::vector<std::string> choices{"As in the window"};
    choices.insert(choices.end(), colour_map_names.begin(), colour_map_names.end());
    name_row(gui, "Colours");
    if (const auto picked =
            combo(gui, "colours", choices, options.map ? int(*options.map) + 1 : 0)) {
        options.map.reset();
        if (*picked > 0) options.map = ColourMap(*picked - 1);
    }
}

void choose_parts(Gui& gui, ExportOptions& options) {
    constexpr std::array words{"Numbers", "Colour bars", "Title", "Row sums", "Legend"};
    const double left = ImGui::GetCursorScreenPos().x;
    const double right = left + room_width();
    bool first = true;
    const auto toggle = [&](const char* text, bool& on) {
        if (!first) same_line(gui, 6);
        if (!first && ImGui::GetCursorScreenPos().x + chip_width(gui, text) > right) {
            ImGui::NewLine();
            set_cursor(left, ImGui::GetCursorScreenPos().y);
        }
        first = false;
        if (chip(gui, text, {.selected = on}).clicked) on = !on;
    };
    for (std::size_t k = 0; k < words.size(); ++k) {
        const auto part = part_names[k].second;
        const bool spared = part == &FigureParts::colour_bars || part == &FigureParts::legend;
        if (!(options.slide && spared)) toggle(words[k], options.parts.*part);
    }
    if (options.format == FigureFormat::png) toggle("Transparent background", options.transparent);
}

// Draws the field for the file, and why its text was rejected.
constexpr TextStyle told_style{.size = 12};

// Returns what stands below the file's name.
std::string told(const ExportSheet& sheet) {
    if (sheet.asks_to_replace)
        return printable(replaced_by(file_of(sheet)).filename().string()) +
               " already exists. Replace it?";
    if (!sheet.error.empty()) return printable(sheet.error);
    if (sheet.dialog) return "Choose in the desktop's dialog · Esc: cancel";
    return sheet.copied.empty() ? "Enter: save · Esc: cancel" : sheet.copied;
}

constexpr double control = 32, between = 8;  // points

// Goes on at this height above the bottom of the sheet, or below the choices if these need the
// space. The file's name and the buttons thus stay where they are, whatever choices there are.
void go_above_bottom(double height, double bottom) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    set_cursor(at.x, std::max(double(at.y), bottom - height));
}

double file_height(const Gui& gui, const ExportSheet& sheet) {
    return 2 * points(gui, control) + 3 * points(gui, between) +
           paragraph_height(gui, told(sheet), told_style, room_width());
}

void draw_file(Gui& gui, const Session& session, ExportSheet& sheet) {
    if (const auto answer = sheet.dialog ? sheet.dialog->answer() : std::nullopt) {
        sheet.browses = !sheet.dialog->is_missing();
        sheet.agreed = sheet.dialog->asks_to_replace() ? *answer : "";
        if (!sheet.browses) sheet.error = "No file dialog was found. Type the path.";
        sheet.dialog.reset();
        if (!answer->empty()) take_path(session, sheet, *answer);
    }
    FieldOptions options{.select_all = false};
    constexpr double browse_width = 84;
    if (sheet.browses) options.width = room_width() / gui.scale - browse_width - 8;
    if (const auto typed = text_field(gui, file_id, sheet.path, options))
        take_path(session, sheet, *typed);
    if (sheet.browses) {
        same_line(gui, 8);
        if (button(gui, "Browse…",
                   {.enabled = !sheet.dialog,
                    .width = browse_width,
                    .tip = "Choose the file in the desktop's file dialog"}))
            sheet.dialog =
                std::make_shared<SystemDialog>(FileQuestion{.title = "Export",
                                                            .at = file_of(sheet),
                                                            .extensions = {ending_of(sheet)},
                                                            .saves = true,
                                                            .parent = gui.parent_of_dialogs},
                                               session.results().wake());
    }
    paragraph(gui, told(sheet),
              {.style = told_style,
               .role = !sheet.error.empty()    ? Role::wrong
                       : sheet.asks_to_replace ? Role::odd
                                               : Role::dim});
}

}  // namespace

Rect draw_overlay(App& app, ExportSheet& sheet) {
    Gui& gui = app.gui;
    Session& session = app.session;
    if (sheet.path.empty()) {  // the sheet was opened in this pass
        sheet.path = first_path(session, ending_of(sheet.options.format)).string();
        sheet.browses = SystemDialog::may_exist();
        edit_field(gui, file_id, sheet.path, false);
    }
    const bool keys = takes_keys(gui);
    const bool taken = keys && !gui.editing && use_focus_keys(gui);
    const bool types_number = gui.editing && gui.editing->id != file_id;
    const double edge = points(gui, export_margin), inset = points(gui, export_padding);
    const double w = std::max(1.0, std::min(gui.width - 2 * edge, points(gui, 1320)));
    const double h = std::max(1.0, std::min(gui.height - 2 * edge, points(gui, 660)));
    const Rect rect{std::round((gui.width - w) / 2), std::round((gui.height - h) / 2), w, h};
    begin_sheet(gui, "export sheet", rect, 0);
    const double column = std::min(points(gui, choices_width), 0.5 * w);
    tell_outcome(session, sheet);
    make_preview(session, sheet);
    draw_preview(gui, sheet,
                 {rect.x + inset, rect.y + inset, w - column - 3 * inset, h - 2 * inset});
    set_cursor(rect.right() - column - inset, rect.y + inset);
    ImGui::BeginChild("export choices", imgui_size(column, h - 2 * inset), false,
                      ImGuiWindowFlags_NoNav);
    label(gui, "Export a figure", {.style = {.size = 17, .weight = Weight::semibold}});
    gap(gui, 6);
    const Scene& scene = session.shown().scene;
    ExportOptions& options = sheet.options;
    const bool page = sheet.page != Page::none;
    choose_format(gui, session, sheet);
    if (page) {
        choose_page(gui, session, sheet);
    } else {
        choose_stage(gui, scene, options);
        choose_variant(gui, scene, options);
        choose_head(gui, scene, options);
    }
    if (!page && options.format != FigureFormat::csv) {
        choose_theme(gui, options);
        choose_purpose(gui, options);
        choose_size(gui, sheet);
        choose_colours(gui, options);
        gap(gui, 4);
        choose_parts(gui, options);
        draw_smallest_type(gui, session, sheet);
    }
    gap(gui, 8);
    const bool copies_by_key = keys && !gui.editing && was_pressed(gui, GLFW_KEY_C) &&
                               gui.now.modifiers == GLFW_MOD_CONTROL;
    const bool entered = keys && was_pressed(gui, GLFW_KEY_ENTER) && !taken;
    const double bottom = rect.bottom() - inset;
    go_above_bottom(file_height(gui, sheet), bottom);
    draw_file(gui, session, sheet);
    go_above_bottom(points(gui, control), bottom);
    if (!sheet.asks_to_replace) sheet.asked.reset();
    const bool read = !sheet.asks_to_replace || is_read(gui, sheet.asked);
    const bool pressed =
        button(gui, sheet.asks_to_replace ? "Replace" : "Save", {.filled = true, .width = 120}) ||
        (entered && !gui.editing && !types_number);
    const bool saves = pressed && read;
    same_line(gui, 8);
    const bool copies = button(gui, "Copy",
                               {.outlined = true,
                                .enabled = !page,
                                .tip = "Copy the figure for another program (Ctrl+C)"}) ||
                        (copies_by_key && !page);
    same_line(gui, 8);
    const bool leaves = button(gui, "Cancel", {.outlined = true});
    ImGui::EndChild();
    end_panel();
    if (copies) copy(gui, session, sheet);
    if (leaves || (saves && save_figure(session, sheet)))
        app.ui.overlays.close<ExportSheet>();
    else if (saves && !sheet.asks_to_replace)
        edit_field(gui, file_id, sheet.path, false);
    return rect;
}

}  // namespace maskscope
