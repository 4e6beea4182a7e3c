#pragma once
// Implements maskscope export: a figure in a file, with the same bytes from window and command
// line.

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/figure/figure.h"
#include "app/figure/layout/place.h"
#include "app/session/files/load.h"
#include "app/show/bench/bench.h"
#include "app/show/cells/view.h"
#include "app/show/views/view_entry.h"
#include "app/style/theme.h"
#include "core/base/progress.h"
#include "core/result/result.h"

namespace maskscope {

// Makes a file name without extension from a title: "Rows, or columns?" becomes rows-or-columns.
// Returns "" if nothing is left; truncates long titles.
std::string file_name_of(const std::string& title);

enum class FigureFormat { png, svg, pdf, tex, csv };
// Finds the format by the extension of the file name; nullopt if no format has it.
std::optional<FigureFormat> format_of(std::string_view file);
const char* ending_of(FigureFormat format);  // ".png"
// The extensions of all formats, in their order.
std::span<const char* const> figure_endings();
// Returns "expected a name that ends with .png, …", for an error message.
std::string writable_formats();

inline constexpr int least_dpi = 10, most_dpi = 1200;
inline constexpr double least_millimetres = 10, most_millimetres = 2000;
constexpr bool is_aspect(double aspect) { return aspect >= 0.1 && aspect <= 10; }

// The size in millimetres. A missing length follows from the aspect; if both are missing, the size
// is that of a slide 190.5 mm high.
struct FigureSize {
    std::optional<double> width{}, height{};
    // Width : height. 0: as high as the content and, without a width, as large as the cells need.
    // nullopt: 16 : 9, but single heatmaps use only the part that they need.
    std::optional<double> aspect{};
    bool operator==(const FigureSize&) const = default;
};

// The parts of a picture besides the cells' colours.
struct FigureParts {
    bool numbers = true, colour_bars = true, title = true, sums = true, legend = true;
    bool operator==(const FigureParts&) const = default;
};

// The names of the parts in options and files.
inline constexpr std::pair<const char*, bool FigureParts::*> part_names[] = {
    {"annot", &FigureParts::numbers},
    {"cbar", &FigureParts::colour_bars},
    {"title", &FigureParts::title},
    {"sums", &FigureParts::sums},
    {"legend", &FigureParts::legend}};

struct ExportOptions {
    FigureFormat format = FigureFormat::png;
    // If any of these is set, the figure shows heatmaps of one stage. Those that are not set
    // default to every variant of the view, the weights, the first sequence and the first head.
    std::optional<int> variant{};
    std::optional<StageKind> stage{};
    std::optional<Index> sequence{}, head{};
    bool all_heads = false;
    std::optional<Rows> rows{}, columns{};  // only these queries and keys
    // --- pictures only
    int dpi = 150;
    ThemeKind theme = ThemeKind::light;
    bool transparent = false;
    std::vector<int> variants{};  // the variants on the bench; empty = those of the view
    FigureSize size{};
    bool slide = false;  // a slide, for which only the shape of the size counts: see slide_figure()
    FigureParts parts{};
    std::optional<ColourMap> map{};             // the colour map of unsigned stages
    std::optional<double> lowest{}, highest{};  // the values at the ends of every stage's scale
    bool bare = false;                          // contains no scene
    std::string cells = "cells.png";  // the picture that a .tex includes: see write_export()
    bool operator==(const ExportOptions&) const = default;
};

// Parts that the window has already computed for a result whose rows are computed when they are
// read.
struct ComputedParts {
    std::optional<ViewData> views{};  // the data of the view; nullopt = computed by the call
    std::optional<ViewData> same{};   // the data of the view with these options: used as it is
    // Sources of the window's bench, for a preview, which leaves unknown cells empty. A file always
    // shows all rows.
    std::optional<Sources> preview{};
    Progress* progress = &command_progress();
};

// Returns the bytes of the file. A table lists the displayed variants, with all sequences, heads
// and stages, or only those that the options name. A picture for which the options name no variant,
// stage, sequence or head shows the bench as view.show describes it, regardless of zoom, pointer
// and theme of the view. A PNG, SVG or PDF contains packed_scene, an archive from packed(), unless
// options.bare is set or the view asks a question. Throws WorkError if the picture would not fit in
// memory, or Cancellation.
std::string export_bytes(const Result& result, const View& view, const ExportOptions& options,
                         const std::string& packed_scene = "", const ComputedParts& known = {});
// Returns the bytes of a picture that export_figure() laid out, in any format but a table.
std::string picture_bytes(const Figure& figure, const Result& result, const View& view,
                          const ExportOptions& options, const std::string& packed_scene,
                          const Progress& progress);
// Returns NAME-cells.png, the picture that a .tex may need beside it; "" for other formats.
std::filesystem::path cells_beside(const std::filesystem::path& out);
// Decides what happens to a file that already exists: it is replaced, or an Error is thrown.
enum class ExistingFile { replaced, refused };
// Writes the bytes to a file. If the heatmaps of a .tex are too large to be drawn as shapes, their
// cells are written to a picture beside it. Throws WorkError, Cancellation, or Error that names a
// file.
void write_export(const std::filesystem::path& out, const Result& result, const View& view,
                  ExportOptions options, const std::string& packed_scene,
                  const ComputedParts& known = {}, ExistingFile existing = ExistingFile::replaced);
// Describes the figure in words: see alternative_text.h.
std::string export_words(const Result& result, const View& view, const ExportOptions& options);
// Lays out the picture that export_bytes() writes. Throws as export_bytes() does; for a preview
// also a WorkError that says why there is none.
Figure export_figure(const Result& result, const View& view, const ExportOptions& options,
                     const ComputedParts& known = {});

// Returns the result from which a file of the window's result is made. If the window's result keeps
// no numbers but the command line's would, the returned one keeps them, so that both write the same
// bytes.
Result drawn_result(const Result& shown, Progress& progress = command_progress());

// Returns the content of the figure, for pages of one size. The result must outlive it.
PageContent content_of(const Result& result, const View& view, const ExportOptions& options,
                       const ComputedParts& known = {});
LayoutOptions layout_options(const FigureParts& parts);
FigurePlace place_of(const FigureSize& size);  // the place for a figure of the bench
// True if the options name heatmaps of one stage.
bool is_of_heatmaps(const ExportOptions& options);

// Computes the result of a scene with all stages that the view shows, and `alone` if given; throws
// a one-line error if that fails. argument: the scene as the user named it.
Result compute_shown(const std::string& argument, const Scene& scene, const View& view,
                     std::optional<StageKind> alone = {});

// Computes a scene and writes its figure unless `out` is "". Writes a description of the figure to
// `words` unless that is null. Returns the exit status; throws Error.
int export_scene(const SceneArgument& scene, const std::string& out, const ExportOptions& options,
                 std::ostream* words = nullptr);

// Writes the opening figure, for when there is no display: the first lesson's first step, in
// $XDG_CACHE_HOME/maskscope/lesson-1.png. Returns its path; throws Error.
std::string write_opening_figure();

// --- slides: figures that can be read from the back row

// Inches and points: the width of slides in presentation software, and the smallest type.
inline constexpr double slide_inches = 13.333, slide_type = 18;

// Returns the smallest type size of a figure, in its own points; nullopt if it has no text.
std::optional<double> smallest_type(const Figure& figure);

// Lays out a slide, for options.slide: 13.333 inches wide, in the chosen shape (16:9 if that is
// free), with type of at least 18 points, and without the legend, the colour bars and what
// presenting leaves out. To make the rest fit, it omits in turn all stages but one (the mask and
// the weights last), the mask beside the variants, and numbers. If the last stage still does not
// fit, its type is smaller.
Figure slide_figure(const Result& result, const View& view, const ExportOptions& options,
                    const ComputedParts& known);

// --- the choices of the last export, kept in a file of the state folder: the next export starts
// with them. The contents of figures are not remembered.

// Returns the choices; the defaults if there is no file, or it cannot be read. folder:
// state_folder().
ExportOptions remembered_choices(const std::filesystem::path& folder);

// Renames the file if it cannot be read, and returns a line that says so; otherwise "".
std::string set_damaged_choices_aside(const std::filesystem::path& folder);

// Returns the folder of the last exported file; "" if there is none.
std::filesystem::path remembered_figure_folder(const std::filesystem::path& folder);

// Writes the choices, and the folder of the exported file; "": keeps the last one. Write errors are
// ignored.
void remember_choices(const std::filesystem::path& folder, const ExportOptions& options,
                      const std::filesystem::path& figure = {});

}  // namespace maskscope
