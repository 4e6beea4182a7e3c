#include "app/export/export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <ostream>

#include "app/export/export_lesson.h"
#include "app/figure/plots/lay_out_view.h"
#include "app/figure/write/csv.h"
#include "app/figure/write/pdf.h"
#include "app/figure/write/png.h"
#include "app/figure/write/svg.h"
#include "app/figure/write/tex.h"
#include "app/session/files/carried.h"
#include "app/session/files/load.h"
#include "app/session/files/state_files.h"
#include "app/show/bench/alternative_text.h"
#include "app/show/bench/bench_survey.h"
#include "app/show/views/view_entry.h"
#include "core/base/error.h"
#include "core/compute/backend.h"
#include "core/compute/depends.h"
#include "core/files/file.h"
#include "core/large/large_backend.h"
#include "core/scene/names.h"
#include "core/tensors/tensor_list.h"

namespace maskscope {

namespace {

constexpr double width = slide_inches * 72, margin = 0.02 * width;  // points
constexpr double smallest_text = 12;                                // points at scale 1

double height_of(const FigureSize& size) {
    const double aspect = size.aspect.value_or(0) > 0 ? *size.aspect : 16.0 / 9;
    return std::round(width / aspect);
}

bool has_numbers(const Figure& figure) {
    return std::ranges::all_of(figure.heatmaps, [](const Heatmap& map) {
        return map.cells->stage == StageKind::allowed || map.number_size > 0;
    });
}

struct Attempt {
    Figure figure;
    bool fits = false, numbered = false;
    bool is_good() const { return fits && numbered; }
};

Attempt attempt(const Result& result, const View& view, const ExportOptions& options,
                const ComputedParts& known, double scale, bool with_mask = true) {
    const double height = height_of(options.size), rounding = 0.5;
    const double room_w = width - 2 * margin, room_h = height - 2 * margin;
    LayoutOptions layout = layout_options(options.parts);
    layout.complete = layout.in_hall = true;
    layout.with_mask = with_mask;
    layout.scale = scale;
    layout.width = room_w;
    layout.height = room_h;
    const LayOut lay_out = content_of(result, view, options, known).lay_out;
    Attempt made;
    made.figure = lay_out(layout);
    Rect drawn = extent_of(made.figure);
    // The number of a row sum may be wider than its column.
    if (const double beyond = drawn.w - room_w; beyond > rounding && beyond < margin) {
        layout.width -= beyond;
        made.figure = lay_out(layout);
        drawn = extent_of(made.figure);
    }
    made.fits = drawn.w <= room_w + rounding && drawn.h <= room_h + rounding;
    made.numbered = !options.parts.numbers || has_numbers(made.figure);
    made.figure.width = width;
    made.figure.height = height;
    move_by(made.figure, {std::round(std::max(margin, (width - drawn.w) / 2) - drawn.x),
                          std::round(std::max(margin, (height - drawn.h) / 2) - drawn.y)});
    return made;
}

// Lists the shown stages in the order in which they are left out: the order of computation, except
// that the mask and the weights come last.
std::vector<StageKind> spared_of(const Result& result, const View& view) {
    std::vector<StageKind> stages, last;
    for (int k = 0; k < all_stage_count; ++k) {
        const auto stage = static_cast<StageKind>(k);
        if (!shows_stage(view, stage) || !has_stage(result.scene, stage)) continue;
        const bool stays = stage == StageKind::allowed || stage == StageKind::weights;
        (stays ? last : stages).push_back(stage);
    }
    stages.insert(stages.end(), last.begin(), last.end());
    return stages;
}

View with_stages(View view, const std::vector<StageKind>& stages) {
    view.show.stages = stages;
    std::ranges::sort(*view.show.stages);
    return view;
}

}  // namespace

std::optional<double> smallest_type(const Figure& figure) {
    std::optional<double> least;
    const auto see = [&](double size) {
        if (size > 0) least = std::min(least.value_or(size), size);
    };
    for (const Text& text : figure.texts)
        if (!text.text.empty()) see(text.style.size);
    for (const Heatmap& map : figure.heatmaps) see(map.number_size);
    for (const SumBar& bar : figure.sums)
        if (!bar.text.empty()) see(bar.text_size);
    return least;
}

Figure slide_figure(const Result& result, const View& view, const ExportOptions& asked,
                    const ComputedParts& known) {
    constexpr double scale = slide_type / smallest_text, shrinks = 0.9;
    constexpr double least_scale = least_text / smallest_text;
    ExportOptions options = asked;
    options.parts.legend = options.parts.colour_bars = false;
    std::vector<StageKind> stages = spared_of(result, view);
    View shown = view;
    Attempt made = attempt(result, shown, options, known, scale);
    while (!made.is_good() && stages.size() > 1) {
        stages.erase(stages.begin());
        shown = with_stages(view, stages);
        made = attempt(result, shown, options, known, scale);
    }
    if (!made.is_good()) made = attempt(result, shown, options, known, scale, false);
    if (!made.is_good()) {
        options.parts.numbers = false;
        made = attempt(result, shown, options, known, scale);
    }
    if (!made.fits) made = attempt(result, shown, options, known, scale, false);
    for (double smaller = shrinks * scale; !made.fits && smaller >= least_scale; smaller *= shrinks)
        made = attempt(result, shown, options, known, smaller, false);
    return std::move(made.figure);
}

namespace {

namespace fs = std::filesystem;

constexpr double slide_height = 540;  // points: 7.5 inches
// Up to this many numbers (1 GB), a file is drawn from all cells of a result; the window's limit is
// lower.
constexpr double most_numbers_drawn = double(Index{1} << 28);
// The extensions in the order of FigureFormat.
constexpr std::array endings{".png", ".svg", ".pdf", ".tex", ".csv"};

CsvCells cells_of(const Result& result, const View& view, const ExportOptions& options) {
    const Shape shape = shape_of(result.scene);
    const auto all = [](Index count, std::optional<Index> only) {
        if (only) return std::vector<Index>{*only};
        std::vector<Index> indices;
        for (Index k = 0; k < count; ++k) indices.push_back(k);
        return indices;
    };
    using enum StageKind;
    CsvCells cells{.variants = options.variant             ? std::vector{*options.variant}
                               : !options.variants.empty() ? options.variants
                                                           : shown_variants(view, result.scene),
                   .sequences = all(shape.b, options.sequence),
                   .heads = all(shape.h, options.head),
                   .stages = {scores, scaled, logits, softmax, weights, sensitivity}};
    if (options.stage) cells.stages = {*options.stage};
    cells.rows = options.rows;
    cells.columns = options.columns;
    return cells;
}

// Returns the window's view, changed as the options say.
View view_of(const View& window, const Result& result, const ExportOptions& options) {
    View view = window;
    const Shape shape = shape_of(result.scene);
    const auto part = [](const std::optional<Rows>& some, Index n, double& from, double& to) {
        from = some ? double(some->first) / double(n) : 0;
        to = some ? double(some->first + some->count) / double(n) : 1;
    };
    part(options.rows, shape.n_q, view.zoom.y0, view.zoom.y1);
    part(options.columns, shape.n_k, view.zoom.x0, view.zoom.x1);
    view.hovered.reset();
    view.theme = options.theme;
    if (options.map) view.colouring.map = options.map;
    if (!options.variants.empty()) show_only(view.show, options.variants);
    if (!is_of_heatmaps(options)) return view;
    if (options.variant) view.show.variants = {*options.variant};
    view.show.sequences = {options.sequence.value_or(0)};
    view.show.heads = {options.head.value_or(0)};
    if (options.all_heads) {
        view.show.heads->clear();
        for (Index h = 0; h < shape.h; ++h) view.show.heads->push_back(h);
    }
    return view;
}

// Returns the size of the picture for which a long text is surveyed; empty if rows or columns are
// chosen.
PictureSize size_in_file(const Shape& shape, const ExportOptions& options) {
    if (options.rows || options.columns) return {};  // no survey: only these cells are drawn
    const double dpi = options.format == FigureFormat::pdf ? pdf_cell_dpi : options.dpi;
    const FigurePlace place = place_of(options.size);
    const double cells = double(std::max(shape.n_q, shape.n_k));
    const double pixels = pixels_of_cells(Index(cells)) * std::max(1.0, dpi / options.dpi);
    return {.area = place.width * place.height * dpi * dpi / (72 * 72),
            .along = pixels < cells ? pixels : 0};  // 0 = every cell is drawn
}

// Returns the displayed rows of a result whose rows are computed when they are read; nothing for
// other results, which hold all their rows.
Sources sources_of(const Result& result, View view, const ExportOptions& options,
                   const ComputedParts& known) {
    if (!is_computed_when_read(result)) return {};
    if (is_of_heatmaps(options)) {
        view.show.view.reset();
        view.show.stages = {options.stage.value_or(StageKind::weights)};
    }
    if (known.preview) return sources_so_far(result, view, *known.preview);
    PictureSize size = size_in_file(shape_of(result.scene), options);
    size.alone = is_of_heatmaps(options);
    return surveyed_sources(result, view, size, *known.progress);
}

// Returns the views' data; for a long text the window's data, if the window shows these variants.
ViewData views_of(const Result& result, const View& view, const ExportOptions& options,
                  const ComputedParts& known) {
    if (known.same) return *known.same;
    if (known.views && is_computed_when_read(result)) {
        if (options.variants.empty()) return *known.views;
        if (known.preview && entry_of(view.show.view.value_or(ViewKind::pipeline)))
            throw WorkError("There is no preview: these variants are computed only for the file");
    }
    return make_view_data(result, view, *known.progress);
}

Bench bench_of(const Result& result, const View& view, const ExportOptions& options,
               const ComputedParts& known) {
    const bool single = is_of_heatmaps(options);
    const Sources sources = sources_of(result, view, options, known);
    Bench bench =
        single ? single_heatmaps(result, view, options.stage.value_or(StageKind::weights), sources)
               : make_bench(result, view, sources);
    if (!single) bench.views = views_of(result, view, options, known);
    if (!options.parts.sums) {
        bench.loses_weight = false;
        for (BenchBlock& block : bench.blocks)
            for (BenchVariant& variant : block.variants) variant.sums = {};
    }
    const auto limit = [&](Limits& limits, const std::string& of) {
        const Limits own = limits;
        limits.low = options.lowest.value_or(own.low);
        limits.high = options.highest.value_or(own.high);
        if (limits.low <= limits.high) return;
        throw Error(2, options.lowest
                           ? fmt::format("export: --vmin: expected at most {}, the upper end of "
                                         "the colour scale of {}, got {}",
                                         limits.high, of, limits.low)
                           : fmt::format("export: --vmax: expected at least {}, the lower end of "
                                         "the colour scale of {}, got {}",
                                         limits.low, of, limits.high));
    };
    each_stage(bench, [&](BenchStage& stage) {
        if (stage.stage != StageKind::allowed) limit(stage.limits, within_sentence(stage.title));
    });
    for (auto& [kind, content] : bench.views.contents)
        if (const ViewEntry* entry = entry_of(kind); entry->limited)
            content = entry->limited(content.get(), limit);
    return bench;
}

void check_index(const std::string& option, std::optional<Index> index, Index count) {
    if (!index || *index < count) return;
    const std::string expected = count == 1 ? "0" : "0 to " + std::to_string(count - 1);
    throw Error(2, "export: --" + option + ": expected " + expected + ", got \"" +
                       std::to_string(*index) + "\"");
}

void check_part(const std::string& option, const std::optional<Rows>& part, Index count) {
    if (!part || part->first + part->count <= count) return;
    throw Error(2, fmt::format("export: --{}: expected FROM:TO within 0:{}, got \"{}:{}\"", option,
                               count, part->first, part->first + part->count));
}

// Throws if an option names something that the scene lacks.
void check_options(const ExportOptions& options, const Scene& scene) {
    const Shape shape = shape_of(scene);
    check_index("variant", options.variant, static_cast<Index>(scene.variants.size()));
    check_index("sequence", options.sequence, shape.b);
    check_index("head", options.head, shape.h);
    check_part("rows", options.rows, shape.n_q);
    check_part("columns", options.columns, shape.n_k);
    for (const int variant : options.variants)
        if (variant >= int(scene.variants.size()))
            throw Error(2, std::string("export: --variant: this scene has no variant ") +
                               variant_letter(variant));
    if (options.stage && !has_stage(scene, *options.stage))
        throw Error(2, "export: --stage: this scene has no stage \"" +
                           std::string(name(*options.stage)) + "\"");
}

// Refuses rows and columns for a plot: a plot cannot be drawn in part.
void check_view(const ExportOptions& options, const View& view, const Scene& scene) {
    const ViewKind kind = shown_view(view, scene);
    if (is_of_heatmaps(options) || !entry_of(kind)) return;
    for (const auto& [option, part] :
         {std::pair("rows", options.rows), std::pair("columns", options.columns)})
        if (part)
            throw Error(
                2,
                fmt::format(
                    "export: --{} does not apply to the view \"{}\". Choose one stage with --stage",
                    option, label(kind)));
}

}  // namespace

std::string file_name_of(const std::string& title) {
    constexpr std::size_t most = 120;  // bytes; a folder allows names of 255
    std::string name;
    for (const char c : title) {
        const auto byte = static_cast<unsigned char>(c);
        const bool begins = (byte & 0xc0) != 0x80;  // does a character begin here?
        if (begins && name.size() >= most) break;
        const bool letter = byte >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
        if (letter)
            name += c;
        else if (c >= 'A' && c <= 'Z')
            name += static_cast<char>(c - 'A' + 'a');
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    while (!name.empty() && name.back() == '-') name.pop_back();
    return name;
}

std::optional<FigureFormat> format_of(std::string_view file) {
    for (std::size_t k = 0; k < endings.size(); ++k)
        if (file.ends_with(endings[k])) return FigureFormat(k);
    return std::nullopt;
}

const char* ending_of(FigureFormat format) { return endings[std::size_t(format)]; }

std::span<const char* const> figure_endings() { return endings; }

std::string writable_formats() {
    const std::span<const char* const> others = figure_endings().first(endings.size() - 1);
    return fmt::format(
        "expected a name that ends with {} or {} (lessons also .html, or a folder "
        "that ends with /)",
        fmt::join(others, ", "), endings.back());
}

bool is_of_heatmaps(const ExportOptions& options) {
    return options.variant || options.stage || options.sequence || options.head ||
           options.all_heads;
}

FigurePlace place_of(const FigureSize& size) {
    const auto points = [](double millimetres) { return millimetres * 72 / 25.4; };
    const double aspect = size.aspect.value_or(16.0 / 9);
    if (aspect == 0) return {points(size.width.value_or(0)), 0};
    const double height = size.height  ? points(*size.height)
                          : size.width ? points(*size.width) / aspect
                                       : slide_height;
    return {size.width ? points(*size.width) : height * aspect, height};
}

LayoutOptions layout_options(const FigureParts& parts) {
    LayoutOptions layout;
    layout.with_title = parts.title;
    layout.with_legend = parts.legend;
    layout.with_colour_bars = parts.colour_bars;
    layout.with_numbers = parts.numbers;
    return layout;
}

PageContent content_of(const Result& result, const View& window, const ExportOptions& options,
                       const ComputedParts& known) {
    const View view = view_of(window, result, options);
    const auto bench = std::make_shared<const Bench>(bench_of(result, view, options, known));
    PageContent content;
    content.views = bench->views;
    content.lay_out = [&result, bench, view,
                       single = is_of_heatmaps(options)](LayoutOptions in_room) {
        in_room.zoom = view.zoom;
        return single ? lay_out(*bench, in_room) : lay_out_view(result, *bench, view, in_room);
    };
    return content;
}

Figure export_figure(const Result& result, const View& view, const ExportOptions& options,
                     const ComputedParts& known) {
    check_options(options, result.scene);
    check_view(options, view, result.scene);
    if (options.slide) return slide_figure(result, view, options, known);
    const FigureSize& size = options.size;
    const Shape shape = shape_of(result.scene);
    const Index cells = std::max(options.rows ? options.rows->count : shape.n_q,
                                 options.columns ? options.columns->count : shape.n_k);
    FigurePlace place = place_of(size);
    place.cropped = is_of_heatmaps(options) && !size.width && !size.height && !size.aspect;
    // If no size was given, the place grows until everything fits and every cell is visible, unless
    // there are too many.
    place.grows = !size.width && !size.height;
    if (place.grows) place.least_cell = pixels_of_cells(cells) / double(cells) * 72 / options.dpi;
    return lay_out_in_place(place, layout_options(options.parts),
                            content_of(result, view, options, known).lay_out);
}

std::string export_words(const Result& result, const View& window, const ExportOptions& options) {
    View view = view_of(window, result, options);
    if (is_of_heatmaps(options)) {
        view.show.view.reset();
        view.show.stages = {options.stage.value_or(StageKind::weights)};
    }
    return alternative_text(result, view, is_of_heatmaps(options));
}

std::string export_bytes(const Result& result, const View& view, const ExportOptions& options,
                         const std::string& packed_scene, const ComputedParts& known) {
    if (options.format == FigureFormat::csv) {
        check_options(options, result.scene);
        return csv_bytes(result, cells_of(result, view, options));
    }
    return picture_bytes(export_figure(result, view, options, known), result, view, options,
                         packed_scene, *known.progress);
}

std::string picture_bytes(const Figure& figure, const Result& result, const View& view,
                          const ExportOptions& options, const std::string& packed_scene,
                          const Progress& progress) {
    if (options.format == FigureFormat::tex)
        return tex_text(figure, {options.theme, options.transparent, options.cells});
    const std::string& title = result.scene.title;
    const std::string words = view.asks() ? "" : export_words(result, view, options);
    const std::string scene = options.bare || view.asks() ? "" : packed_scene;
    if (options.format == FigureFormat::svg)
        return svg_text(figure, {options.theme, title, words, scene}, progress);
    if (options.format == FigureFormat::pdf)
        return pdf_bytes(figure, {options.theme, title, {words}, scene}, progress);
    return png_bytes(
        figure, {double(options.dpi), options.theme, options.transparent, words, scene}, progress);
}

Result drawn_result(const Result& shown, Progress& progress) {
    if (!is_computed_when_read(shown)) return shown;
    LargeBackend backend(0, most_numbers_drawn);
    Result kept = backend.compute(shown.scene, Request(), nullptr, progress);
    if (is_computed_when_read(kept)) return shown;
    kept.layers_before = layers_before(shown.scene, backend, nullptr, progress);
    return kept;
}

Result compute_shown(const std::string& argument, const Scene& scene, const View& view,
                     std::optional<StageKind> alone) {
    const bool depends = alone == StageKind::depends || shows_stage(view, StageKind::depends);
    try {
        Progress& progress = command_progress();
        LargeBackend backend(0, most_numbers_drawn);
        auto layers = layers_before(scene, backend, nullptr, progress);
        Result result = backend.compute(scene, Request(), nullptr, progress);
        result.layers_before = std::move(layers);
        if (depends && has_stage(scene, StageKind::depends)) add_depends(result, progress);
        return result;
    } catch (const WorkError& error) {
        throw at_file(argument, error);
    }
}

namespace {

std::string cells_of_file(const fs::path& out) { return out.stem().string() + "-cells.png"; }

}  // namespace

fs::path cells_beside(const fs::path& out) {
    if (format_of(out.string()) != FigureFormat::tex) return "";
    return out.parent_path() / cells_of_file(out);
}

void write_export(const fs::path& out, const Result& result, const View& view,
                  ExportOptions options, const std::string& packed_scene,
                  const ComputedParts& known, ExistingFile existing) {
    options.cells = cells_of_file(out);
    const auto put = [&](const fs::path& file, const std::string& bytes) {
        replace_file(file, bytes, {.only_new = existing == ExistingFile::refused});
    };
    if (options.format != FigureFormat::tex)
        return put(out, export_bytes(result, view, options, packed_scene, known));
    const Figure figure = export_figure(result, view, options, known);
    const std::string text =
        picture_bytes(figure, result, view, options, packed_scene, *known.progress);
    const auto picture = tex_picture(figure);
    const fs::path cells = out.parent_path() / options.cells;
    if (picture) {
        const std::size_t code = options.cells.find_first_of("\\{}%#$^&~\"");
        if (code != std::string::npos || printable(options.cells) != options.cells)
            throw at_file(
                out.string(),
                InputError("",
                           "TeX would read the name of the picture as code. Choose another name"));
        try {
            put(cells,
                png_bytes(*picture, {double(options.dpi), options.theme, true}, *known.progress));
        } catch (const WorkError& error) {
            throw at_file(cells.string(), error);
        }
    }
    try {
        put(out, text);
    } catch (const WorkError&) {
        std::error_code gone;
        if (picture && existing == ExistingFile::refused) fs::remove(cells, gone);
        throw;
    }
}

int export_scene(const SceneArgument& argument, const std::string& out,
                 const ExportOptions& options, std::ostream* words) {
    const std::string& scene = argument.name;
    const bool names_a_step = scene.starts_with("lesson:") && scene.find('/') != std::string::npos;
    std::optional<LoadedScene> read;
    if (const auto format = lesson_format(out, options);
        format && !names_a_step && !holds_tensors(scene)) {
        auto either = load(scene);
        if (const auto* lesson = std::get_if<LoadedLesson>(&either)) {
            if (options.slide)
                throw Error(2, "export: --slide applies to one step, such as lesson:heads/2");
            return export_lesson(*lesson, out, *format, options, words);
        }
        read = std::get<LoadedScene>(std::move(either));
    }
    if (out.ends_with('/') || out.ends_with(".html"))
        throw Error(2, printable(out + ": only a whole lesson can be exported in this format"));
    const LoadedScene loaded = read ? *std::move(read) : load_scene(argument);
    check_options(options, loaded.scene);
    View view;
    const bool is_picture_of_heatmaps =
        options.format != FigureFormat::csv && is_of_heatmaps(options);
    if (loaded.scene.show && !is_picture_of_heatmaps) view.show = *loaded.scene.show;
    const Result result = compute_shown(scene, loaded.scene, view, options.stage);
    if (words != nullptr) *words << export_words(result, view, options) << '\n';
    if (out.empty()) {
        tell_notes(argument, loaded);
        return 0;
    }
    try {
        write_export(out, result, view, options, packed(carried_of(loaded.scene, loaded.folder)));
    } catch (const WorkError& error) {
        throw at_file(out, error);
    }
    tell_notes(argument, loaded);
    return 0;
}

std::string write_opening_figure() {
    const fs::path folder = cache_folder();
    if (folder.empty())
        throw Error(1,
                    "neither XDG_CACHE_HOME nor HOME is set, so there is no folder for the figure");
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw at_file(folder.string(), WorkError(error.message()));
    std::string path = (folder / "lesson-1.png").string();
    export_scene("lesson:" + lesson_names().front() + "/1", path, {});
    return path;
}

}  // namespace maskscope
