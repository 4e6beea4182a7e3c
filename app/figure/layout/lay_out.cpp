// One block of the bench is a table: one row per lane, one column per stage. First the sizes that
// do not depend on the cells, then the cells that fill the rest, then every position.

#include "app/figure/layout/lay_out.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/figure/layout/lay_out_parts.h"

namespace maskscope {

namespace {

// The arrangement of the blocks of a bench: the number of columns and rows.
struct Grid {
    std::size_t across = 1, down = 1;
};

Grid grid_of(std::size_t count, std::size_t across) {
    return {across, (count + across - 1) / across};
}

// The size of a cell for each arrangement of the blocks, from one to all of them in a row.
std::vector<double> cell_sizes(const Bench& bench, double room_w, double room_h,
                               const LayoutOptions& options) {
    std::vector<double> sizes;
    const std::size_t count = bench.blocks.size();
    for (std::size_t across = 1; across <= std::min<std::size_t>(count, 32); ++across) {
        const Grid grid = grid_of(count, across);
        const Table t = fitted_table(bench.blocks.front(), room_w / double(grid.across),
                                     room_h / double(grid.down), options);
        sizes.push_back(t.left_out.empty() ? t.cell_w * t.cell_h : 0);
    }
    return sizes;
}

// For a given space, the grid with the largest heatmaps; or one below the other if that at most
// halves them, because columns are compared along their keys. In a file, up to three blocks below
// each other, and more in a grid about 1.4 times as wide as high.
Grid choose_grid(const Bench& bench, double room_w, double room_h, const LayoutOptions& options) {
    const std::size_t count = bench.blocks.size();
    if (options.width <= 0) {
        if (count <= 3) return grid_of(count, 1);
        Table t = fitted_table(bench.blocks.front(), 0, 0, options);
        t.position(0, 0);
        const double across = std::round(std::sqrt(double(count) * 1.4 * t.bottom / t.right));
        return grid_of(count, std::clamp<std::size_t>(std::size_t(across), 1, count));
    }
    const std::vector<double> sizes = cell_sizes(bench, room_w, room_h, options);
    const auto best = std::ranges::max_element(sizes);
    const bool under_each_other = count <= 3 && sizes.front() >= 0.5 * *best;
    return grid_of(count, under_each_other ? 1 : std::size_t(best - sizes.begin()) + 1);
}

void add_new(std::vector<std::string>& all, const std::vector<std::string>& some) {
    for (const std::string& one : some)
        if (std::ranges::find(all, one) == all.end()) all.push_back(one);
}

SharedTableSizes alike_of(const Bench& bench, double cell_w, double cell_h,
                          const LayoutOptions& options) {
    SharedTableSizes alike;
    if (bench.blocks.size() < 2) return alike;
    for (const BenchBlock& block : bench.blocks) {
        const Table t = fitted_table(block, cell_w, cell_h, options);
        alike.vertical |= t.vertical_tokens;
        alike.label = std::max(alike.label, t.label_width());
        alike.key = std::max(alike.key, t.longest_key());
    }
    return alike;
}

struct LaidOutBlocks {
    Point end;
    std::vector<std::string> left_out;
    std::vector<const BenchStage*> stages;
};

// Draws the blocks starting at a point; returns where they end on the right and at the bottom.
LaidOutBlocks draw_blocks(Figure& figure, const Bench& bench, Point from, double room_w,
                          double room_h, const LayoutOptions& options) {
    const Grid grid =
        bench.blocks.size() > 1 ? choose_grid(bench, room_w, room_h, options) : Grid{};
    const double cell_w = room_w / double(grid.across), cell_h = room_h / double(grid.down);
    const SharedTableSizes alike = alike_of(bench, cell_w, cell_h, options);
    LaidOutBlocks drawn{from, {}, {}};
    Point at = from;
    for (std::size_t k = 0; k < bench.blocks.size(); ++k) {
        if (k % grid.across == 0) at = {from.x, k == 0 ? from.y : drawn.end.y};
        Table table = fitted_table(bench.blocks[k], cell_w, cell_h, options, alike);
        if (options.width > 0) table.room_right = at.x + cell_w;
        table.position(at.x, at.y);
        draw_table(figure, table, options);
        add_new(drawn.left_out, table.left_out);
        for (const PlacedHeatmap& placed : table.heatmaps) drawn.stages.push_back(placed.stage);
        drawn.end = {std::max(drawn.end.x, table.right), std::max(drawn.end.y, table.bottom)};
        at.x = options.width > 0 ? at.x + cell_w : table.right + 24 * options.scale;
    }
    return drawn;
}

bool has_legend(const LayoutOptions& options) {
    return (options.with_legend || options.with_colour_bars) && !options.economy->bare;
}

// Draws the legend, and names the stages that had no room.
Point draw_end(Figure& figure, const Bench& bench, const LaidOutBlocks& drawn, double margin,
               const LayoutOptions& options) {
    const double unit = options.scale;
    Point end{drawn.end.x, drawn.end.y};
    if (has_legend(options)) {
        double left = drawn.end.x;
        for (const auto* maps : {&figure.heatmaps, &figure.hidden})
            for (const Heatmap& map : *maps) left = std::min(left, map.rect.x);
        end = draw_legend(figure, bench, drawn.stages, options, {left, drawn.end.y + 6 * unit});
    }
    if (!drawn.left_out.empty() && !options.economy->bare) {
        Text text{{margin, end.y + 8 * unit},
                  fmt::format("Not shown (too narrow): {}", fmt::join(drawn.left_out, ", ")),
                  {12 * unit},
                  Role::dim};
        if (options.interactive) {
            Text hinted = text;
            hinted.text += ". Hide a panel with Ctrl+1 or Ctrl+2.";
            if (figure_text_width(hinted) <= options.width - margin) text = std::move(hinted);
        }
        text.max_width = options.width;
        figure.texts.push_back(std::move(text));
        end.y += 18 * unit;
    }
    return {std::max(end.x, drawn.end.x), end.y};
}

Figure lay_out_in(const Bench& bench, const LayoutOptions& options, double legend) {
    Figure figure;
    figure.unit = options.scale;
    const double unit = options.scale, margin = options.width > 0 ? 0 : 20 * unit;
    double y = margin, right = margin;
    if (options.with_title && !bench.title.empty()) {
        const TextStyle style{18 * unit, Weight::semibold};
        figure.texts.push_back({{margin, y + 12 * unit}, bench.title, style, Role::ink});
        right += figure_text_width(figure.texts.back());
        y += 36 * unit;
    }
    const LaidOutBlocks drawn = draw_blocks(figure, bench, {margin, y}, options.width,
                                            options.height - y - legend, options);
    const Point end = draw_end(figure, bench, drawn, margin, options);
    right = std::max(right, end.x);
    figure.width = options.width > 0 ? options.width : right + margin;
    figure.height = end.y + margin;
    return figure;
}

// Cells are at least a pixel: a room that is too low for them scrolls. A legend of several lines
// takes its room from the cells.
Figure lay_out_with(const Bench& bench, LayoutOptions options, const Economy& economy) {
    options.economy = economy;
    const bool says_left_out = (economy.left_out > 0 || economy.weights_alone) && !economy.bare;
    const double line = ((has_legend(options) ? 32 : 0) + (says_left_out ? 18 : 0)) * options.scale;
    Figure figure = lay_out_in(bench, options, line);
    if (options.height > 0 && figure.height > options.height + 0.5) {
        const double lacking = figure.height - options.height;
        Figure second = lay_out_in(bench, options, line + lacking);
        if (second.height < figure.height) figure = std::move(second);
    }
    return figure;
}

// How much of a figure can be read in the space that it has.
Reading reading_of(const Figure& figure, const LayoutOptions& options) {
    if (figure.height > options.height + 0.5) return Reading::none;
    Reading least = figure.skips_tokens ? Reading::short_numbers : Reading::whole;
    for (const Heatmap& map : figure.heatmaps) {
        if (map.rect.right() > options.width + 0.5) return Reading::none;
        if (map.cells->stage == StageKind::allowed) continue;
        if (map.number_size <= 0) return Reading::none;
        if (map.number_form == NumberForm::one_decimal) least = Reading::short_numbers;
    }
    return least;
}

bool has_numbers(const Figure& figure) {
    return std::ranges::any_of(
        figure.heatmaps, [](const Heatmap& map) { return map.cells->stage != StageKind::allowed; });
}

bool may_have_numbers(const Bench& bench) {
    constexpr Index most_tokens = 16;
    return std::ranges::all_of(bench.blocks, [](const BenchBlock& block) {
        return Index(block.tokens->queries.size()) <= most_tokens &&
               Index(block.tokens->keys.size()) <= most_tokens;
    });
}

// With many tokens, chooses whatever makes the cells largest.
Economy with_largest_cells(const Bench& bench, const LayoutOptions& options) {
    const auto smallest = [&](const Economy& economy) {
        const Figure figure = lay_out_with(bench, options, economy);
        double cell = figure.height > options.height + 0.5 ? 0 : 1e9;
        for (const Heatmap& map : figure.heatmaps)
            cell = std::min(cell, map.rect.h / double(map.cells->rows));
        return cell;
    };
    const bool forks = std::ranges::any_of(bench.blocks, [](const BenchBlock& block) {
        return block.lanes.size() > 1 || !block.tensors.empty() || !block.earlier.empty();
    });
    std::vector<Economy> economies{Economy{}};
    if (!forks) economies.push_back({.mask_first = true});
    if (options.complete) economies.push_back({.low = true});
    if (economies.size() == 1) return economies.front();
    std::vector<double> cells;
    std::ranges::transform(economies, std::back_inserter(cells), smallest);
    const auto best = std::ranges::max_element(cells);
    if (options.complete && *best == 0) return {.low = true, .weights_alone = true};
    return economies[std::size_t(best - cells.begin())];
}

// With tensors, which come first, no stage is left out: the low arrangement if it makes rows high
// enough for their labels.
Economy with_tensors(const Bench& bench, const LayoutOptions& options) {
    const auto row = [&](const Economy& economy) {
        double lowest = 1e9;
        for (const Heatmap& map : lay_out_with(bench, options, economy).heatmaps)
            lowest = std::min(lowest, map.rect.h / double(map.cells->rows) / options.scale);
        return lowest;
    };
    return Economy{.low = row({}) < 17 && row({.low = true}) >= 12};
}

struct Choice {
    Economy economy;
    Reading reading = Reading::none;
};

// The richest arrangement that can be read in the room, or the usual one if none can. What is
// covered keeps its place.
Choice choose(const Bench& bench, LayoutOptions options) {
    options.covered.reset();
    options.zoom = {};
    if (!may_have_numbers(bench) || !options.with_numbers)
        return {with_largest_cells(bench, options)};
    const bool only_masks = !has_numbers(lay_out_with(bench, options, {}));
    const auto tried = [&](const Economy& economy) {
        const Figure figure = lay_out_with(bench, options, economy);
        return only_masks || has_numbers(figure) ? reading_of(figure, options) : Reading::none;
    };
    Choice best;
    for (const Economy& economy : {Economy{}, Economy{.low = true}}) {
        if (best.reading == Reading::whole) break;
        const Reading reading = tried(economy);
        if (reading > best.reading) best = {economy, reading};
    }
    if (best.reading != Reading::none) return best;
    const Economy unmarked{.low = true, .unmarked = true};
    if (const Reading reading = tried(unmarked); reading != Reading::none)
        return {unmarked, reading};
    if (options.complete) return {with_largest_cells(bench, options)};
    const bool tensors = std::ranges::any_of(
        bench.blocks, [](const BenchBlock& block) { return !block.tensors.empty(); });
    if (tensors) return {with_tensors(bench, options)};
    for (int left_out = 1; left_out < bench.columns; ++left_out)
        if (const Economy economy{.low = true, .left_out = left_out, .unmarked = true};
            tried(economy) >= Reading::short_numbers)
            return {economy, Reading::stages_left_out};
    for (const bool bare : {false, true})
        if (const Economy alone{.low = true, .weights_alone = true, .bare = bare, .unmarked = true};
            tried(alone) >= Reading::short_numbers)
            return {alone, Reading::stages_left_out};
    return {};
}

}  // namespace

Figure lay_out(const Bench& bench, const LayoutOptions& options) {
    if (!bench.heads.empty()) return lay_out_heads(bench, options);
    Choice choice{options.economy.value_or(Economy{}), Reading::whole};
    if (!options.economy && options.width > 0 && options.height > 0)
        choice = choose(bench, options);
    Figure figure = lay_out_with(bench, options, choice.economy);
    figure.economy = choice.economy;
    figure.reading = choice.reading;
    if (options.height > 0) figure.height = std::max(options.height, figure.height);
    return figure;
}

}  // namespace maskscope
