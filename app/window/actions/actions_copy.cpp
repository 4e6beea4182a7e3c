// Copies the numbers of one heatmap for other programs.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/figure/write/csv.h"
#include "app/window/actions/actions.h"
#include "core/base/error.h"
#include "core/scene/names.h"

namespace maskscope {
namespace {

// The window system accepts 16 MB at once, and ends a program that sends more.
constexpr std::size_t most_copied = 15'000'000;

// --- the heatmap whose numbers are copied

struct Numbers {
    SharedCells cells;
    int lane = shared_lane;
    Index b = 0, h = 0;
};

Numbers numbers_of(const Heatmap& map) { return {map.cells, map.lane, map.b, map.h}; }

// Returns the numbers to copy: those under the pointer, else those of the cell cursor or the pinned
// cell, which are cells of every variant, or of one of Q, K and V.
Numbers numbers_to_copy(const Gui& gui, const Session& session, const BenchState& bench) {
    const View& view = session.view();
    const Result& shown = session.shown();
    const Point at{gui.now.pointer.x - bench.figure_at.x, gui.now.pointer.y - bench.figure_at.y};
    for (const Heatmap& map : bench.figure.heatmaps)
        if (view.hovered ? cell_at(map, at).has_value()
                         : bench.tensor_cursor && bench.tensor_cursor->lane == map.lane)
            return numbers_of(map);
    const Shape shape = shape_of(shown.scene);
    const auto& pointed = view.hovered;
    const bool of_lane =
        pointed && pointed->lane >= 0 && pointed->lane < int(shown.variants.size());
    const int lane = of_lane ? pointed->lane : shown_lanes(view, shown.scene).front();
    const Index b = of_lane ? pointed->b : shown_sequences(view, shape).front();
    const Index h = of_lane ? pointed->h : shown_heads(view, shape).front();
    return {cells_of(shown.variants.at(lane), StageKind::weights, b, h), lane, b, h};
}

// Returns the variant whose tokens label the numbers: the heatmap's own, or the earlier layer's.
const VariantResult& variant_of(const Result& shown, const View& view, const Numbers& numbers) {
    if (numbers.lane >= 0) return shown.variants.at(numbers.lane);
    if (numbers.lane == foreign_lane && numbers.cells->source)
        for (const auto& layer : shown.layers_before)
            if (const VariantResult& earlier = layer->variants.front();
                earlier.stage(numbers.cells->stage).shares(numbers.cells->source->numbers))
                return earlier;
    return shown.variants.at(shown_lanes(view, shown.scene).front());
}

std::string name_of(const Numbers& numbers) {
    if (is_tensor_lane(numbers.lane)) return std::string(1, "QKV"[queries_lane - numbers.lane]);
    const std::string stage(label(numbers.cells->stage));
    if (numbers.lane >= 0) return fmt::format("{}, variant {}", stage, lane_letter(numbers.lane));
    if (numbers.lane == difference_lane) return stage + ", the difference";
    return numbers.lane == foreign_lane ? stage + ", earlier layer" : stage;
}

std::string table_of(const Result& shown, const View& view, const Numbers& numbers) {
    const VariantResult& variant = variant_of(shown, view, numbers);
    const bool of_keys = numbers.lane == keys_lane || numbers.lane == values_lane;
    std::vector<std::string> columns = variant.keys.at(numbers.b);
    if (numbers.cells->stage == StageKind::output) {
        columns.clear();
        for (Index c = 0; c < numbers.cells->columns; ++c) columns.push_back(fmt::format("{}", c));
    }
    std::vector<std::string> rows = (of_keys ? variant.keys : variant.queries).at(numbers.b);
    if (view.hovered && numbers.cells->rows == 1 && view.hovered->i < std::ssize(rows))
        rows = {rows[std::size_t(view.hovered->i)]};  // computed step by step, over the keys so far
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
        const auto lane = numbers.lane >= 0 ? std::optional(numbers.lane) : std::nullopt;
        if (session.view().hides(numbers.cells->stage, lane))
            throw WorkError("answer the question to see the numbers (Page Down shows them)");
        // Count at least a digit and a separator for each number, so that a table that cannot be
        // copied is never made.
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
