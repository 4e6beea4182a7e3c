// Makes the table of a block: its rows and columns in either arrangement, and its cells' size.

#include <algorithm>
#include <cmath>
#include <set>

#include "app/figure/layout/lay_out_parts.h"
#include "app/style/labels.h"

namespace maskscope {

namespace {

double width_of(const std::string& text, double size, Weight weight) {
    return text.empty() ? 0 : measure(text, {size, weight}).width;
}

// The largest width of the output, Q, K and V, in cells.
constexpr Index most_components = 8;

Index breadth(const BenchStage& stage) {
    const Index columns = stage.cells->columns;
    return stage.stage == StageKind::output ? std::min(columns, most_components) : columns;
}

constexpr double smallest_token = 12;
constexpr double bold = 1.07;   // width of a bold token, × that of a regular one
constexpr double overhang = 8;  // points: the most that the last upright token extends

}  // namespace

const BenchVariant* Table::variant_of(const PlacedHeatmap& placed) const {
    return placed.variant < 0 ? nullptr : &block->variants[placed.variant];
}

const BenchTokens& Table::tokens_of(const PlacedHeatmap& placed) const {
    return placed.stage->tokens ? *placed.stage->tokens : *block->tokens;
}

void Table::place(const BenchStage& stage, int row, int column, int variant) {
    heatmaps.push_back({&stage, row, column, variant, stage.operations, {}});
}

void Table::close_gaps() {
    std::set<int> taken;
    for (const PlacedHeatmap& placed : heatmaps) taken.insert(placed.column);
    for (PlacedHeatmap& placed : heatmaps)
        placed.column = int(std::distance(taken.begin(), taken.find(placed.column)));
}

int Table::rows() const {
    int last = abreast ? 0 : int(block->variants.size()) - 1;
    for (const PlacedHeatmap& placed : heatmaps) last = std::max(last, placed.row);
    return last + 1;
}

int Table::columns() const {
    int last = -1;
    for (const PlacedHeatmap& placed : heatmaps) last = std::max(last, placed.column);
    return last + 1;
}

Index Table::cells_in(int column) const {
    Index widest = 0;
    for (const PlacedHeatmap& placed : heatmaps)
        if (placed.column == column) widest = std::max(widest, breadth(*placed.stage));
    return widest;
}

Index Table::cells_down(int row) const {
    Index most = 0;
    for (const PlacedHeatmap& placed : heatmaps)
        if (placed.row == row) most = std::max(most, placed.stage->cells->rows);
    return std::max<Index>(most, 1);
}

bool Table::has_sums(int column) const {
    return std::ranges::any_of(heatmaps, [&](const PlacedHeatmap& placed) {
        const BenchVariant* variant = variant_of(placed);
        return placed.column == column && placed.stage->stage == StageKind::weights && variant &&
               !variant->sums.rows.empty();
    });
}

// True for the leftmost heatmap of a row, for a heatmap whose left neighbour has other query
// tokens, and for the first heatmap of a variant beside others, unless queries_once.
bool Table::has_labels(const PlacedHeatmap& placed) const {
    const PlacedHeatmap* neighbour = nullptr;
    for (const PlacedHeatmap& other : heatmaps)
        if (other.row == placed.row && other.column < placed.column &&
            (!neighbour || other.column > neighbour->column))
            neighbour = &other;
    if (!neighbour ||
        (abreast && !queries_once && placed.variant > 0 && is_first_of_variant(placed)))
        return true;
    const BenchTokens &before = tokens_of(*neighbour), &own = tokens_of(placed);
    return &before != &own && before.queries != own.queries;
}

bool Table::is_first_of_variant(const PlacedHeatmap& placed) const {
    return std::ranges::none_of(heatmaps, [&](const PlacedHeatmap& other) {
        return other.variant == placed.variant && other.column < placed.column;
    });
}

bool Table::is_in_line(const PlacedHeatmap& placed) const {
    return placed.stage->stage == StageKind::allowed && placed.variant == shared_variant &&
           placed.row == 0 && !block->shared.empty();
}

// Returns the space for the connectors that lead to the column's heatmaps, with their operations
// and labels. Before the first column of the variants, includes the lines of the fork.
double Table::gap_before(int column) const {
    const std::vector<const PlacedHeatmap*> variants = branches();
    const bool forks = variants.size() > 1 && first_branch()->column <= column;
    const double fork = forks && first_branch()->column == column ? fork_width() : 0;
    if (column == 0) return std::max(0.0, fork - label_width());
    double gap = (in_hall ? 20 : 28) * unit;
    for (const PlacedHeatmap& placed : heatmaps) {
        if (placed.column != column) continue;
        const BenchVariant* variant = variant_of(placed);
        const bool is_compared = variant && variant->is_compared();
        const bool is_branch = std::ranges::find(variants, &placed) != variants.end();
        double connector = (is_compared ? 6 : in_hall ? 20 : 24) * unit;
        if (forks && is_branch && abreast && column != first_branch()->column)
            connector =
                branch_words(placed) + 26 * unit;  // with the line from below, clear of sums
        else if (forks && is_branch) {
            gap = std::max(gap, fork);
            continue;
        }
        const bool is_reached =
            is_branch || (variant ? !is_first_of_variant(placed) : placed.row == 0);
        if (!is_compared && is_reached)
            for (const std::string& line : placed.operations)
                connector = std::max({connector, 28 * unit,
                                      width_of(line, 12 * unit, Weight::semibold) + 14 * unit});
        if (is_joined(placed)) connector += 14 * unit;
        gap = std::max(gap, connector + (has_labels(placed) ? label_width() : 0));
    }
    return gap;
}

double Table::least_width(int column) const {
    double width = 48 * unit;
    for (const PlacedHeatmap& placed : heatmaps) {
        if (placed.column != column) continue;
        const double sums = has_sums(column) ? sums_width() : 0;
        const double beyond = sums > 0 ? 0 : column + 1 == columns() ? overhang : 14;  // points
        width = std::max(
            width, width_of(placed.stage->title, 14 * unit, Weight::semibold) - beyond * unit);
        const BenchVariant* variant = variant_of(placed);
        const bool spans_columns = std::ranges::any_of(heatmaps, [&](const PlacedHeatmap& other) {
            return other.variant == placed.variant && other.column != placed.column;
        });
        if (!variant || !abreast || spans_columns)
            continue;                                       // a name may be as wide as its variant
        const double size = in_hall && !in_file ? 12 : 15;  // see draw_variant_title()
        const double name = 36 * unit + width_of(variant->name, size * unit, Weight::semibold);
        width = std::max(width, std::min(name, 240 * unit) - sums);
    }
    return width;
}

double Table::column_width(int column) const {
    return std::max(widths[column].cells * cell, widths[column].least);
}

void Table::measure_labels() {
    const double title = width_of("queries ↓", 12 * unit, Weight::regular) + axis_gap();
    double ems = block->tokens->longest_label;
    for (const PlacedHeatmap& placed : heatmaps)
        if (placed.stage->tokens) ems = std::max(ems, placed.stage->tokens->longest_label);
    const double tokens = std::min(longest_label, bold * ems * token_size) * unit + 10 * unit;
    labels = std::max({alike.label, title, tokens});
}

void Table::measure() {
    measure_labels();
    widths.clear();
    for (int column = 0; column < columns(); ++column) {
        TableColumn& own = widths.emplace_back();
        own.cells = double(cells_in(column));
        own.sums = has_sums(column);
        own.least = least_width(column);
        own.gap = gap_before(column);
        for (const PlacedHeatmap& placed : heatmaps)
            if (placed.column == column)
                own.marks = std::max(own.marks, marks_width(*this, *placed.stage));
    }
}

double Table::longest_key() const {
    double ems = block->tokens->longest_key;
    for (const PlacedHeatmap& placed : heatmaps)
        if (placed.stage->tokens) ems = std::max(ems, placed.stage->tokens->longest_key);
    return std::max(alike.key, ems * token_size * unit);
}

double Table::key_width(const PlacedHeatmap& placed, Index j) const {
    const std::vector<double>& ems = tokens_of(placed).key_ems;
    return j < Index(ems.size()) && j >= 0 ? ems[j] * key_size * unit : 0;
}

double Table::cell_width(const PlacedHeatmap& placed) const {
    const double columns = double(std::max<Index>(placed.stage->cells->columns, 1));
    return double(breadth(*placed.stage)) * cell / columns;
}

// Returns the width of the row sums (one and a half cells, but at least a number with two
// decimals), of the gap before them, and of the column of sinks.
double Table::sums_width() const {
    return std::max(1.5 * cell, (in_hall ? 44 : 70) * unit) + sums_gap() + sink_width();
}

double Table::sink_width() const {
    const bool sinks = std::ranges::any_of(
        block->variants, [](const BenchVariant& variant) { return variant.sums.has_sinks; });
    return sinks ? (in_hall ? 48 : 56) * unit : 0;
}

double Table::sums_left(const PlacedHeatmap& weights) const {
    return sink_left(weights) + sink_width();
}

double Table::sink_left(const PlacedHeatmap& weights) const {
    const double title = width_of(weights.stage->title, 14 * unit, Weight::semibold);
    return std::max(weights.rect.right(), weights.rect.x + title) + sums_gap();
}

double Table::token_height() const {
    return vertical_tokens ? std::min(longest_vertical * unit, bold * longest_key()) + 8 * unit
                           : (in_hall ? 18 : 20) * unit;
}

double Table::title_height() const { return block->title.empty() ? 0 : 24 * unit; }

bool Table::has_keys(const PlacedHeatmap& placed) const {
    if (placed.stage->stage == StageKind::output && !is_tensor_variant(placed.variant))
        return false;
    return placed.row % keys_every == 0;
}

double Table::keys_height(int row) const { return row % keys_every == 0 ? token_height() : 0; }

double Table::head_height(int row) const {
    const double lines = in_hall ? name_height + (names_are_titles() ? 0 : 18) : 30 + 22;
    return lines * unit + keys_height(row);
}

// While presenting, weights alone stand under the name of their variant.
bool Table::names_are_titles() const {
    return in_hall && !in_file && has_names &&
           std::ranges::all_of(heatmaps, [&](const PlacedHeatmap& placed) {
               return placed.variant < 0 || placed.stage->stage == StageKind::weights;
           });
}

double Table::title_line() const {
    if (widths.empty() || names_are_titles()) return 0;
    return (in_hall ? 18 : 22) * unit;
}

double Table::name_line() const { return has_names ? (in_hall ? 22 : 26) * unit : 0; }

double Table::foot(int row) const {
    double marks = 0;
    for (const PlacedHeatmap& placed : heatmaps)
        if (placed.row == row) marks = std::max(marks, marks_height(*this, *placed.stage));
    const bool has_lines = abreast && branches().size() > 1;  // below the heatmaps
    if (in_hall && !in_file && row + 1 == rows() && !has_lines) return 2 * unit + marks;
    return (in_hall ? 10 : 16) * unit + marks;
}

double Table::beside_column(int column) const {
    return std::max(widths[column].marks, widths[column].sums ? sums_width() : 0);
}

double Table::width() const {
    double width = labels + (widths.empty() || widths.back().sums ? 0 : overhang * unit);
    for (int column = 0; column < std::ssize(widths); ++column)
        width += widths[column].gap + column_width(column) + beside_column(column);
    return width;
}

double Table::height() const {
    double height = title_height();
    for (int row = 0; row < rows(); ++row)
        height += head_height(row) + double(cells_down(row)) * cell + foot(row);
    return height;
}

void Table::take(double size) {
    cell = size;
    vertical_tokens = true;
    for (const double type : {token_size, smallest_token}) {
        key_size = type;
        if (block->tokens->keys.size() <= most_readable && keys_fit()) vertical_tokens = false;
        if (!vertical_tokens) return;
    }
    key_size = token_size;
}

// True if each key fits into the space that its neighbours leave. A key that is shortened anyway,
// upright or not, does not count.
bool Table::keys_fit() const {
    const double gap = key_gap * unit, too_long = longest_vertical * unit;
    for (const PlacedHeatmap& placed : heatmaps) {
        if (placed.stage->stage == StageKind::output) continue;
        const double size = cell_width(placed);
        const Index n = Index(tokens_of(placed).keys.size());
        for (Index j = 0; j < n; ++j) {
            // While presenting, a token is in focus and bold.
            const double width = (in_hall ? bold : 1) * key_width(placed, j);
            if (width <= size - gap || width > too_long) continue;
            const double beside = std::max(key_width(placed, j - 1), key_width(placed, j + 1));
            double room = 2 * (size - gap) - std::min(beside, size - gap);
            if (j == 0 || j + 1 == n) room = std::min(room, size + 6 * unit);
            if (width > room) return false;
        }
    }
    return true;
}

double Table::variant_titles_end() const {
    double end = 0;
    for (const PlacedHeatmap& placed : heatmaps)
        if (placed.variant >= 0 && !abreast && is_first_of_variant(placed))
            end =
                std::max(end, placed.rect.x + 28 * unit +
                                  width_of(variant_of(placed)->name, 15 * unit, Weight::semibold));
    return room_right > 0 ? std::min(end, room_right) : end;
}

void Table::position(double left, double top) {
    double x = left + label_width();
    for (int column = 0; column < columns(); ++column) {
        x += widths[column].gap;
        for (PlacedHeatmap& placed : heatmaps)
            if (placed.column == column) {
                const Index across = breadth(*placed.stage);
                placed.rect = {std::round(x), 0, double(across) * cell,
                               double(placed.stage->cells->rows) * cell};
            }
        x += column_width(column) + beside_column(column);
    }
    double y = top + title_height();
    for (int row = 0; row < rows(); ++row) {
        for (PlacedHeatmap& placed : heatmaps)
            if (placed.row == row) placed.rect.y = std::round(y + head_height(row));
        y += head_height(row) + double(cells_down(row)) * cell + foot(row);
    }
    if (!widths.empty() && !widths.back().sums) x += overhang * unit;
    right = std::max(x, variant_titles_end());
    bottom = y;
}

// --- the table of a block in either arrangement, and the size of its cells

Table table_of(const BenchBlock& block, const LayoutOptions& options, bool abreast) {
    Table t;
    t.block = &block;
    t.abreast = abreast;
    t.in_hall = t.queries_once = options.in_hall;
    t.in_file = options.complete;
    t.has_names = std::ranges::any_of(block.variants, [](const BenchVariant& variant) {
        return variant.index != shared_variant || !variant.name.empty();
    });
    t.unit = options.scale;
    t.token_size = options.token_size;
    if (options.complete) t.longest_label = t.longest_vertical = 200;
    // Presenting has more width than height: place the second of two earlier layers beside the
    // first, and K beside Q, not below it.
    const bool two_layers = block.earlier.size() > 1 && block.earlier[1].column == 0;
    const bool two_tensors =
        block.tensors.size() > 1 && block.tensors.front().variant == queries_variant;
    const bool beside = options.in_hall && (two_layers || two_tensors);
    const int wider = beside ? 1 : 0;
    int row = 0;
    for (const BenchStage& stage : block.earlier) {
        const int below = stage.column == 0 ? row++ : 0;
        t.place(stage, beside ? 0 : below, stage.column + (beside ? below : 0), foreign_variant);
    }
    row = 0;
    for (const BenchStage& stage : block.tensors) {
        const bool is_beside = beside && stage.variant == keys_variant;
        t.place(stage, is_beside ? 0 : row++, stage.column + (is_beside ? 1 : 0), stage.variant);
    }
    for (const BenchStage& stage : block.shared)
        t.place(stage, 0, stage.column + wider, shared_variant);
    // Place the mask below the shared scores, or between them and what it masks.
    const bool under_each_other = !abreast && block.variants.size() > 1;
    const bool in_line =
        block.mask && options.with_mask && !block.shared.empty() && !under_each_other;
    if (block.mask && options.with_mask)
        t.place(*block.mask, block.shared.empty() || in_line ? 0 : 1,
                block.mask->column + wider + (in_line ? 1 : 0), shared_variant);
    int next = t.columns();
    for (int k = 0; k < int(block.variants.size()); ++k)
        for (const BenchStage& stage : block.variants[k].stages)
            if (options.with_mask || stage.stage != StageKind::allowed)
                t.place(stage, abreast ? 0 : k,
                        abreast ? next++ : stage.column + wider + (in_line ? 1 : 0), k);
    t.close_gaps();
    t.measure();
    return t;
}

CellRange cells_of(const LayoutOptions& options, Index tokens) {
    constexpr double hall = 384;                // points: the height of its screen
    constexpr double largest = 14 / 25.4 * 72;  // in a figure: 14 mm
    CellRange range{36 * options.scale, 64 * options.scale};
    if (options.in_hall) range = {hall / 16 * options.scale, hall / 9 * options.scale};
    if (options.complete) {
        const double most = options.in_hall ? range.most : largest;  // a slide fills a screen
        range = {30 * options.scale, std::max(30 * options.scale, most)};
        if (!options.with_numbers) range.least = 16 * options.scale;  // the tokens need this much
    }
    if (tokens <= most_readable) return range;
    if (options.width <= 0)
        range.most = std::clamp(1536 * options.scale / double(tokens), 2.0, range.most);
    // Give a heatmap at least this side; in a figure, it may be smaller only with the smallest
    // type.
    const double side = options.complete ? 180 : 64;  // points
    const bool smallest = options.complete && options.scale <= smallest_scale + 1e-9;
    range.least = smallest ? 0 : side * options.scale / double(tokens);
    range.least = std::max(range.least, options.least_cell);
    return range;
}

bool Fit::beats(const Fit& other) const {
    const double larger = cell - other.cell;
    return std::abs(larger) > 1e-9 ? larger > 0 : hidden < other.hidden - 1;
}

Fit fit_of(double cell, double width, double height, double room_width, double room_height) {
    if (room_width <= 0) return {cell, 0};
    const double seen = std::min(width, room_width) * std::min(height, std::max(0.0, room_height));
    return {cell, width * height - seen};
}

std::size_t in_a_row(std::size_t count, double part_width, double part_height, double room) {
    const double n = double(count);
    const double held = room > 0 ? std::floor(room / part_width)
                                 : std::round(std::sqrt(n * part_height * 16 / (part_width * 9)));
    const auto across = std::size_t(std::clamp(held, 1.0, n));
    const std::size_t rows = (count + across - 1) / across;
    return (count + rows - 1) / rows;
}

double largest_cell(double most, Index tokens, const std::function<bool(double)>& fits) {
    if (tokens <= most_readable) {
        for (double size = std::floor(most); size > 1; --size)
            if (fits(size)) return size;
        return 1;
    }
    double low = 0, high = most * double(tokens);
    while (high - low > 1) {
        const double middle = std::floor((low + high) / 2);
        (fits(middle / double(tokens)) ? low : high) = middle;
    }
    return std::max(low, 1.0) / double(tokens);
}

}  // namespace maskscope
