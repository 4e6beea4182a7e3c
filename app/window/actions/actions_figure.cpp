// Makes figures of what is shown, and copies the numbers of one heatmap.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/export/export.h"
#include "app/figure/write/csv.h"
#include "app/session/document.h"
#include "app/session/files/carried.h"
#include "app/session/files/state_files.h"
#include "app/window/actions/actions.h"
#include "core/base/error.h"
#include "core/scene/names.h"

namespace maskscope {

// --- figures of what is shown, in a file or on the clipboard

namespace {

// A copy of the data from which a figure is made, so that the user can go on working meanwhile.
struct FigureSource {
    Result result;
    View view;
    std::string scene;  // as packed() returns it
    ComputedParts known;
};
using Done = std::function<void()>;

// Makes a figure in the call, or for a long text in the background; then calls the function that
// `make` returned. Returns false, with a message, if the scene is not computed, or if another
// figure is in progress. In the call, throws as `make` does.
bool make_figure(Session& session, const std::string& what, const std::string& failure,
                 std::function<Done(const FigureSource&)> make) {
    if (!same_but_show(session.shown().scene, session.scene())) {
        session.say(failure + (session.computing() ? ": the scene is still being computed."
                                                   : ": the edited scene was not computed."),
                    true);
        return false;
    }
    FigureSource shown{.result = session.shown(),
                       .view = session.view(),
                       .scene = packed(carried_of(bench_scene(session), session.document().folder)),
                       .known = {}};
    if (const ViewData* views = session.results().finished_views(session.view()))
        shown.known.views = *views;
    if (takes_long(shown.result))
        return session.make_aside(
            what, failure,
            [shown = std::move(shown), make = std::move(make)](Progress& progress) mutable {
                shown.known.progress = &progress;
                shown.result = drawn_result(shown.result, progress);
                return make(shown);
            });
    shown.result = drawn_result(shown.result);
    make(shown)();
    return true;
}

// Returns the size of a PNG, whose width and height are bytes 16 to 23.
std::string size_of_png(const std::string& png) {
    const auto number = [&](std::size_t at) {
        unsigned sum = 0;
        for (std::size_t k = at; k < at + 4; ++k) sum = 256 * sum + std::uint8_t(png.at(k));
        return sum;
    };
    return fmt::format("{} × {} pixels", number(16), number(20));
}

}  // namespace

bool write_figure(Session& session, const std::filesystem::path& path, const ExportOptions& options,
                  ExistingFile existing) {
    const std::string name = printable(path.filename().string());
    return make_figure(session, name, "Could not export",
                       [=, &session](const FigureSource& shown) -> Done {
                           try {
                               write_export(path, shown.result, shown.view, options, shown.scene,
                                            shown.known, existing);
                           } catch (const WorkError& error) {
                               throw at_file(name, error);
                           }
                           return [&session, path] {
                               session.say(fmt::format("Exported to {}", printable(path.string())));
                           };
                       });
}

bool copy_figure(Gui& gui, Session& session, const ExportOptions& options) {
    const auto make = [clipboard = gui.clipboard, &session,
                       options](const FigureSource& shown) -> Done {
        if (options.format == FigureFormat::csv)
            return [clipboard, &session,
                    table = export_bytes(shown.result, shown.view, options, shown.scene)] {
                copy_text(clipboard, table);
                session.say(
                    fmt::format("Copied as a table, {} rows", std::ranges::count(table, '\n') - 1));
            };
        const Figure figure = export_figure(shown.result, shown.view, options, shown.known);
        const auto bytes = [&](FigureFormat format) {
            ExportOptions same = options;
            same.format = format;
            return picture_bytes(figure, shown.result, shown.view, same, shown.scene,
                                 *shown.known.progress);
        };
        return
            [clipboard, &session, png = bytes(FigureFormat::png), svg = bytes(FigureFormat::svg)] {
                clipboard.write_picture(png, svg);
                session.say("Copied as a picture, " + size_of_png(png));
            };
    };
    try {
        return make_figure(session, "the picture", "Could not copy", make);
    } catch (const std::runtime_error& error) {
        session.say(fmt::format("Could not copy: {}", error.what()), true);
        return false;
    }
}

void copy_remembered_figure(Gui& gui, Session& session) {
    ExportOptions options = remembered_choices(state_folder());
    if (options.format == FigureFormat::csv) options.format = FigureFormat::png;
    copy_figure(gui, session, options);
}

// --- the numbers of one heatmap, copied for other programs

namespace {

// bytes; window systems accept 16 MB at once, and close programs that send more
constexpr std::size_t most_copied = 15'000'000;

// --- the heatmap to copy

struct Numbers {
    SharedCells cells;
    int variant = shared_variant;
    Index b = 0, h = 0;
};

Numbers numbers_of(const Heatmap& map) { return {map.cells, map.variant, map.b, map.h}; }

// Returns the numbers to copy: those of the heatmap under the pointer, otherwise those of Q, K or
// V, whichever has the cell cursor, otherwise weights: of the pointed variant, or if there is none,
// of the first shown one.
Numbers numbers_to_copy(const Gui& gui, const Session& session, const BenchState& bench) {
    const View& view = session.view();
    const Result& shown = session.shown();
    const Point at{gui.now.pointer.x - bench.figure_at.x, gui.now.pointer.y - bench.figure_at.y};
    for (const Heatmap& map : bench.figure.heatmaps)
        if (view.hovered ? cell_at(map, at).has_value()
                         : bench.tensor_cursor && bench.tensor_cursor->variant == map.variant)
            return numbers_of(map);
    const Shape shape = shape_of(shown.scene);
    const auto& pointed = view.hovered;
    const bool of_variant =
        pointed && pointed->variant >= 0 && pointed->variant < int(shown.variants.size());
    const int variant = of_variant ? pointed->variant : shown_variants(view, shown.scene).front();
    const Index b = of_variant ? pointed->b : shown_sequences(view, shape).front();
    const Index h = of_variant ? pointed->h : shown_heads(view, shape).front();
    return {cells_of(shown.variants.at(variant), StageKind::weights, b, h), variant, b, h};
}

// Returns the variant whose tokens label the numbers: the heatmap's own, that of the earlier layer,
// or for a shared heatmap the first shown one.
const VariantResult& variant_of(const Result& shown, const View& view, const Numbers& numbers) {
    if (numbers.variant >= 0) return shown.variants.at(numbers.variant);
    if (numbers.variant == foreign_variant && numbers.cells->source)
        for (const auto& layer : shown.layers_before)
            if (const VariantResult& earlier = layer->variants.front();
                earlier.stage(numbers.cells->stage).shares(numbers.cells->source->numbers))
                return earlier;
    return shown.variants.at(shown_variants(view, shown.scene).front());
}

std::string name_of(const Numbers& numbers) {
    if (is_tensor_variant(numbers.variant))
        return std::string(1, "QKV"[queries_variant - numbers.variant]);
    const std::string stage(label(numbers.cells->stage));
    if (numbers.variant >= 0)
        return fmt::format("{}, variant {}", stage, variant_letter(numbers.variant));
    if (numbers.variant == difference_variant) return stage + ", the difference";
    return numbers.variant == foreign_variant ? stage + ", earlier layer" : stage;
}

std::string table_of(const Result& shown, const View& view, const Numbers& numbers) {
    const VariantResult& variant = variant_of(shown, view, numbers);
    const bool of_keys = numbers.variant == keys_variant || numbers.variant == values_variant;
    std::vector<std::string> columns = variant.keys.at(numbers.b);
    if (numbers.cells->stage == StageKind::output) {
        columns.clear();
        for (Index c = 0; c < numbers.cells->columns; ++c) columns.push_back(fmt::format("{}", c));
    }
    std::vector<std::string> rows = (of_keys ? variant.keys : variant.queries).at(numbers.b);
    if (view.hovered && numbers.cells->rows == 1 && view.hovered->i < std::ssize(rows))
        rows = {rows[std::size_t(view.hovered->i)]};  // step by step: one row, with the keys so far
    if (numbers.cells->columns < std::ssize(columns))
        columns.resize(std::size_t(numbers.cells->columns));
    return tsv_text(*numbers.cells, rows, columns);
}

}  // namespace

void expect_to_fit(std::size_t bytes, std::string_view what, std::string_view instead) {
    if (bytes > most_copied)
        throw WorkError(
            fmt::format("{} {:.0f} MB of text, more than the {:.0f} MB that can be copied; {}",
                        what, double(bytes) / 1e6, double(most_copied) / 1e6, instead));
}

void copy_text(const Clipboard& clipboard, const std::string& text, std::string_view what,
               std::string_view instead) {
    expect_to_fit(text.size(), what, instead);
    clipboard.write(text);
}

void copy_numbers(Gui& gui, Session& session, const BenchState& bench) {
    try {
        const Numbers numbers = numbers_to_copy(gui, session, bench);
        const auto variant = numbers.variant >= 0 ? std::optional(numbers.variant) : std::nullopt;
        if (session.view().hides(numbers.cells->stage, variant))
            throw WorkError("answer the question to see the numbers (Page Down shows them)");
        // Count at least a digit and a separator for each number, so that a table that is too large
        // to copy is never made.
        const auto least =
            static_cast<std::size_t>(2 * numbers.cells->rows * numbers.cells->columns);
        expect_to_fit(least, "the numbers are more than");
        copy_text(gui.clipboard, table_of(session.shown(), session.view(), numbers));
        session.say(fmt::format("Copied as a table: {}, {} × {} numbers", name_of(numbers),
                                numbers.cells->rows, numbers.cells->columns));
    } catch (const std::runtime_error& error) {
        session.say(fmt::format("Could not copy: {}", error.what()), true);
    }
}

}  // namespace maskscope
