#include "app/commands/export.h"

#include <cstdlib>
#include <filesystem>

#include "app/figure/csv.h"
#include "app/figure/pdf.h"
#include "app/figure/plots/lay_out_view.h"
#include "app/figure/png.h"
#include "app/figure/svg.h"
#include "app/session/files/load.h"
#include "app/show/bench/bench.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/compute/depends.h"
#include "core/compute/layers_before.h"
#include "core/cpu/cpu_backend.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

namespace fs = std::filesystem;

bool is_of_heatmaps(const ExportOptions& options) {
    return options.variant || options.stage || options.sequence || options.head ||
           options.all_heads;
}

CsvCells cells_of(const Result& result, const View& view, const ExportOptions& options) {
    const Shape shape = shape_of(result.scene);
    const auto all = [](Index count, std::optional<Index> only) {
        if (only) return std::vector<Index>{*only};
        std::vector<Index> indices;
        for (Index k = 0; k < count; ++k) indices.push_back(k);
        return indices;
    };
    using enum StageKind;
    CsvCells cells{
        .lanes = options.variant ? std::vector{*options.variant} : shown_lanes(view, result.scene),
        .sequences = all(shape.b, options.sequence),
        .heads = all(shape.h, options.head),
        .stages = {scores, scaled, logits, softmax, weights, sensitivity}};
    if (options.stage) cells.stages = {*options.stage};
    return cells;
}

Bench bench_of(const Result& result, View view, const ExportOptions& options) {
    view.zoom = {};
    view.hovered.reset();
    view.theme = options.theme;
    if (!is_of_heatmaps(options)) return make_bench(result, view);
    if (options.variant) view.show.lanes = {*options.variant};
    view.show.sequences = {options.sequence.value_or(0)};
    view.show.heads = {options.head.value_or(0)};
    if (options.all_heads) {
        view.show.heads->clear();
        for (Index h = 0; h < shape_of(result.scene).h; ++h) view.show.heads->push_back(h);
    }
    return single_heatmaps(result, view, options.stage.value_or(StageKind::weights));
}

void check_index(const std::string& option, std::optional<Index> index, Index count) {
    if (!index || *index < count) return;
    const std::string expected = count == 1 ? "0" : "0 to " + std::to_string(count - 1);
    throw Error(2, "export: --" + option + ": expected " + expected + ", got \"" +
                       std::to_string(*index) + "\"");
}

// Throws if an option names something that the scene lacks.
void check_options(const ExportOptions& options, const Scene& scene) {
    const Shape shape = shape_of(scene);
    check_index("variant", options.variant, static_cast<Index>(scene.variants.size()));
    check_index("sequence", options.sequence, shape.b);
    check_index("head", options.head, shape.h);
    if (options.stage && !has_stage(scene, *options.stage))
        throw Error(2, "export: --stage: this scene has no stage \"" +
                           std::string(name(*options.stage)) + "\"");
}

// The result of a scene, with depends if it is drawn; throws a one-line error if there is none.
Result compute_scene(const std::string& argument, const Scene& scene, bool depends) {
    try {
        Progress progress;
        CpuBackend backend;
        auto layers = layers_before(scene, backend, nullptr, progress);
        Result result = backend.compute(scene, Request(), nullptr, progress);
        result.layers_before = std::move(layers);
        if (depends && has_stage(scene, StageKind::depends)) add_depends(result, progress);
        return result;
    } catch (const WorkError& error) {
        throw at_file(argument, error);
    }
}

fs::path cache_folder() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && *cache == '/') return fs::path(cache) / "maskscope";
    const char* home = std::getenv("HOME");
    if (home != nullptr && *home != '\0') return fs::path(home) / ".cache/maskscope";
    throw Error(1, "neither XDG_CACHE_HOME nor HOME names a folder for the figure");
}

}  // namespace

std::optional<FigureFormat> format_of(std::string_view file) {
    if (file.ends_with(".png")) return FigureFormat::png;
    if (file.ends_with(".svg")) return FigureFormat::svg;
    if (file.ends_with(".pdf")) return FigureFormat::pdf;
    if (file.ends_with(".csv")) return FigureFormat::csv;
    return std::nullopt;
}

std::string export_bytes(const Result& result, const View& view, const ExportOptions& options) {
    if (options.format == FigureFormat::csv)
        return csv_bytes(result, cells_of(result, view, options));
    Bench bench = bench_of(result, view, options);
    Progress progress;
    if (!is_of_heatmaps(options)) bench.views = make_view_data(result, view, progress);
    const Figure figure =
        is_of_heatmaps(options) ? lay_out(bench, {}) : lay_out_view(result, bench, view, {});
    if (options.format == FigureFormat::svg)
        return svg_text(figure, {.theme = options.theme, .title = result.scene.title});
    if (options.format == FigureFormat::pdf)
        return pdf_bytes(figure, {.theme = options.theme, .title = result.scene.title});
    PngOptions png;
    png.dpi = options.dpi;
    png.theme = options.theme;
    png.transparent = options.transparent;
    return png_bytes(figure, png);
}

int export_figure(const std::string& scene, const std::string& out, const ExportOptions& options) {
    const LoadedScene loaded = load_scene(scene);
    check_options(options, loaded.scene);
    // Options take precedence over the scene's own `show`.
    ExportOptions complete = options;
    View view;
    const bool is_table = options.format == FigureFormat::csv;
    if ((is_table || !is_of_heatmaps(options)) && loaded.scene.show) view.show = *loaded.scene.show;
    if (!is_table && !is_of_heatmaps(options) && !loaded.scene.show)
        complete.stage = StageKind::weights;
    const bool depends =
        complete.stage == StageKind::depends || shows_stage(view, StageKind::depends);
    const Result result = compute_scene(scene, loaded.scene, depends);
    try {
        replace_file(out, export_bytes(result, view, complete));
    } catch (const WorkError& error) {
        throw at_file(out, error);
    }
    return 0;
}

std::string write_opening_figure() {
    const fs::path folder = cache_folder();
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw at_file(folder.string(), WorkError(error.message()));
    std::string path = (folder / "lesson-1.png").string();
    export_figure("lesson:" + lesson_names().front(), path, {});
    return path;
}

}  // namespace maskscope
