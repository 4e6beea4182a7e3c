// Draws the connectors: from stage to stage, and from the fork to each variant. Each branch is its
// own line, with its operations beside its variant.

#include <algorithm>
#include <cmath>

#include "app/figure/layout/lay_out_parts.h"
#include "app/figure/style.h"
#include "app/style/labels.h"
#include "core/base/number_text.h"

namespace maskscope {

namespace {

constexpr double words_size = 12, line_height = 15;  // points
constexpr double near = 3;                           // gap between a line and a heatmap
constexpr double join_width = 8;                     // the width of a join from another row
constexpr double beside_words = 4;                   // line that is visible at both ends of words

bool is_mask(const PlacedHeatmap& placed) { return placed.stage->stage == StageKind::allowed; }

double words_width(const std::vector<std::string>& lines, double unit) {
    double widest = 0;
    for (const std::string& line : lines)
        widest = std::max(widest, measure(line, {words_size * unit, Weight::semibold}).width);
    return widest;
}

// Writes the operations of a heatmap, centred at x, one to a line, above its connector. If the
// heatmap is too low for all of them, the last ones go below the connector.
void draw_words(Figure& figure, const PlacedHeatmap& to, Point at, double unit) {
    const double line = line_height * unit;
    const auto count = int(to.operations.size());
    const int above = std::clamp(int(to.rect.h / 2 / line), (count + 1) / 2, count);
    for (int k = 0; k < count; ++k) {
        const double up = k < above ? 10 * unit + double(above - 1 - k) * line
                                    : -11 * unit - double(k - above) * line;
        figure.texts.push_back({{at.x, at.y - up},
                                to.operations[k],
                                {words_size * unit, Weight::semibold},
                                Role::ink,
                                Anchor::centre});
    }
}

// Returns how far right the operations before a heatmap may reach without touching its labels.
double words_end(const Table& t, const PlacedHeatmap& to) {
    return to.rect.x - near * t.unit - (t.has_labels(to) ? t.label_width() : 0);
}

Point departure(const Table& t, const PlacedHeatmap& from) {
    const bool sums = from.variant >= 0 && from.stage->stage == StageKind::weights;
    const double right = sums ? t.sink_left(from) - t.sums_gap() + t.sums_width()
                              : from.rect.right() + marks_width(t, *from.stage);
    return {right + near * t.unit, from.rect.y + from.rect.h / 2};
}

// Draws a connector to a later heatmap. Within a row it is straight, with the operations above it.
// From another row it turns beside `from`, and joins the connector in the row of `to`.
void connect(Figure& figure, const Table& t, const PlacedHeatmap& from, const PlacedHeatmap& to) {
    Point start = departure(t, from);
    const double middle = to.rect.y + to.rect.h / 2;
    if (from.row == to.row) start.y = std::min(start.y, middle);  // the lower one's middle
    const Point end = arrival_at(figure, to.rect, from.row == to.row ? start.y : middle, t.unit);
    const double joint = from.rect.x + t.column_width(from.column) + near * t.unit;
    if (from.row != to.row) {
        figure.connectors.push_back({{start, {joint, start.y}, {joint, end.y}, end}, true});
        return;
    }
    figure.connectors.push_back({{start, end}});
    const double left = t.is_joined(to) ? joint + join_width * t.unit : start.x;
    draw_words(figure, to, {(left + words_end(t, to)) / 2, end.y}, t.unit);
}

// Writes at the root of the fork what the variants have in common, because no heatmap shows it.
Point draw_source(Figure& figure, const Table& t, double left, double y) {
    const double lead = beside_words * t.unit, high = 24 * t.unit;
    const Rect rect{left + lead, y - high / 2, t.source_width() - lead - near * t.unit, high};
    figure.chips.push_back({rect, 5 * t.unit, true, true, Role::panel, Role::line});
    figure.texts.push_back({{rect.x + rect.w / 2, y},
                            t.block->source,
                            {words_size * t.unit, Weight::semibold},
                            Role::ink,
                            Anchor::centre});
    return {rect.right() + near * t.unit, y};
}

// Draws the branches. The lowest leaves the trunk first, so that no line crosses another.
void draw_branches(Figure& figure, const Table& t) {
    const std::vector<const PlacedHeatmap*> branches = t.branches();
    if (branches.empty()) return;
    const PlacedHeatmap *fork = t.fork(), &first = *branches.front();
    const double y = first.rect.y + first.rect.h / 2;
    const double left = t.first_branch()->rect.x - t.fork_width();  // where a source would begin
    const Point root = fork ? departure(t, *fork) : draw_source(figure, t, left, y);
    const double pitch = t.branch_pitch(), turn = Connector::radius * t.unit;
    // Keep clear of the titles of a narrow column, and of the marks beside a mask below.
    const double lines = fork ? std::max(root.x, fork->rect.x + t.column_width(fork->column) +
                                                     t.beside_column(fork->column))
                              : root.x;
    // If variants are side by side, their branches leave from below the fork.
    Point below{root.x + 2 * turn, t.bottom - near * t.unit};
    if (t.abreast && branches.size() > 1)
        figure.connectors.push_back(
            {{root, {root.x + turn, root.y}, {root.x + turn, below.y}, below}, true, false});
    for (std::size_t k = 0; k < branches.size(); ++k) {
        const PlacedHeatmap& to = *branches[k];
        const Point end = arrival_at(figure, to.rect, to.rect.y + to.rect.h / 2, t.unit);
        const double x = lines + turn + pitch * double(branches.size() - 1 - k);
        if (k == 0) {
            figure.connectors.push_back({{root, end}});
        } else if (t.abreast) {
            const double up = words_end(t, to) - t.branch_words(to) - turn;
            figure.connectors.push_back({{below, {up, below.y}, {up, end.y}, end}, true});
            below.x = up;
        } else
            figure.connectors.push_back({{{x - turn, root.y}, {x, root.y}, {x, end.y}, end}, true});
        const double until = words_end(t, to);
        const double from = branches.size() == 1 ? root.x : until - t.branch_words(to);
        draw_words(figure, to, {(from + until) / 2, end.y}, t.unit);
    }
}

}  // namespace

Point arrival_at(const Figure& figure, const Rect& heatmap, double y, double unit) {
    const double half = style::arrow_width / 2 * unit;
    double x = heatmap.x;
    for (bool found = true; found;) {  // a row may have two labels: the word it reads, and its own
        found = false;
        for (const Text& text : figure.texts) {
            const bool is_label = text.anchor == Anchor::right && !text.vertical && text.at.x < x &&
                                  text.at.x > x - 20 * unit &&
                                  std::abs(text.at.y - y) < half + text.style.size;
            if (!is_label) continue;  // most texts are not labels, and measuring takes time
            const Rect r = text_rect(text);
            if (r.y >= y + half || r.bottom() <= y - half) continue;
            x = std::min(x, r.x);
            found = true;
        }
    }
    return {x - near * unit, y};
}

const PlacedHeatmap* Table::fork() const {
    const PlacedHeatmap* last = nullptr;
    for (const PlacedHeatmap& placed : heatmaps)
        if (placed.variant == shared_variant && (!is_mask(placed) || is_in_line(placed)))
            last = &placed;
    return last;
}

bool Table::is_joined(const PlacedHeatmap& placed) const {
    return placed.variant == shared_variant && placed.row == 0 &&
           std::ranges::any_of(heatmaps, [&](const PlacedHeatmap& other) {
               return other.variant < shared_variant && other.variant != values_variant &&
                      other.row > 0 && other.column + 1 == placed.column;
           });
}

std::vector<const PlacedHeatmap*> Table::branches() const {
    std::vector<const PlacedHeatmap*> firsts;
    if (!fork() && !has_source()) return firsts;
    for (const PlacedHeatmap& placed : heatmaps)
        if (placed.variant >= 0 && !variant_of(placed)->is_compared() &&
            !is_aside(placed.stage->stage) && is_first_of_variant(placed))
            firsts.push_back(&placed);
    return firsts;
}

// Returns the distance between lines; it is smaller if there are many variants.
double Table::branch_pitch() const {
    return std::clamp(48.0 / double(std::max<std::size_t>(branches().size(), 1)), 3.0, 8.0) * unit;
}

double Table::branch_words(const PlacedHeatmap& to) const {
    const double words = to.operations.empty() ? 0 : words_width(to.operations, unit);
    return words + 2 * beside_words * unit;
}

bool Table::has_source() const { return !fork() && !in_hall && !block->source.empty(); }

double Table::source_width() const {
    if (!has_source()) return 0;
    return words_width({block->source}, unit) + (5 * beside_words + near) * unit;
}

const PlacedHeatmap* Table::first_branch() const {
    const std::vector<const PlacedHeatmap*> variants = branches();
    const auto first = std::ranges::min_element(variants, {}, &PlacedHeatmap::column);
    return first == variants.end() ? nullptr : *first;
}

double Table::fork_width() const {
    const std::vector<const PlacedHeatmap*> variants = branches();
    if (variants.empty()) return 0;
    const int column = first_branch()->column;
    double words = 0;  // only variants in the first column need space before it
    for (const PlacedHeatmap* variant : variants)
        if (variant->column == column)
            words = std::max(words,
                             branch_words(*variant) + (has_labels(*variant) ? label_width() : 0));
    const double lines = double(std::max<std::size_t>(variants.size(), 2) - 2) * branch_pitch();
    return source_width() + lines + words + (2 * near + Connector::radius) * unit;
}

void draw_connectors(Figure& figure, const Table& t) {
    draw_branches(figure, t);
    const PlacedHeatmap *before = nullptr, *shared = nullptr, *first = nullptr;
    for (const PlacedHeatmap& placed : t.heatmaps) {
        if (placed.variant == shared_variant && (!is_mask(placed) || t.is_in_line(placed))) {
            if (shared) connect(figure, t, *shared, placed);
            shared = &placed;
            if (!first) first = &placed;
        }
        if (placed.variant < 0 || t.variant_of(placed)->is_compared()) continue;
        if (before && before->variant == placed.variant && !is_aside(placed.stage->stage) &&
            !(is_mask(*before) && placed.operations.empty()))
            connect(figure, t, *before, placed);
        before = &placed;
    }
    if (!first) return;
    // Q, K and the earlier layers lead to the first stage, if all variants share it.
    for (const PlacedHeatmap& placed : t.heatmaps) {
        const bool leads = placed.variant == queries_variant || placed.variant == keys_variant ||
                           placed.variant == foreign_variant;
        if (leads && placed.column + 1 == first->column) connect(figure, t, placed, *first);
    }
}

SumBar sum_bar_of(const RowSum& row, const Cells& cells, Index i) {
    const double sum = row.figures.sum;
    SumBar bar;
    bar.row = i;
    if (row.figures.nan || std::isnan(sum)) {
        bar.mark = SumBar::Mark::nan;
        bar.status = Role::wrong;
        bar.text = "NaN";
        return bar;
    }
    if (row.zeroed) {
        bar.mark = SumBar::Mark::empty;
        bar.status = Role::dim;
        bar.text = "empty";
        return bar;
    }
    bar.leaked = leaked_in_row(cells, i);
    bar.kept = sum - bar.leaked;
    if (std::isinf(bar.leaked))
        bar.kept = 0, bar.leaked = 1;  // finite weights have no share in an infinite sum
    const bool is_one = std::abs(sum - 1) <= row.tolerance, below = !is_one && sum < 1;
    const bool by_design = !is_one && (row.by_cell || (row.by_design && below));
    bar.text = is_one ? "1" : cell_text(sum, true);
    if (by_design) bar.mark = SumBar::Mark::by_design;
    if (!is_one && !below && !by_design) bar.mark = SumBar::Mark::above_one;
    bar.status = bar.leaked > 0 ? Role::wrong : is_one || by_design ? Role::right : Role::odd;
    return bar;
}

namespace {

// Returns the row that represents all rows of a bar, where rows are thinner than a bar: the row
// whose sum is most wrong. leaks: true if any cell leaks.
Index worst_of(const BenchVariant& variant, const Cells& cells, bool leaks, Index first,
               Index end) {
    const auto wrong = [&](Index i) {
        const RowSum& row = variant.sums.rows[i];
        if (row.zeroed) return 0.0;
        if (row.figures.nan || std::isnan(row.figures.sum)) return infinity;
        return std::abs(row.figures.sum - 1) + (leaks ? 2 * leaked_in_row(cells, i) : 0);
    };
    Index worst = first;
    double most = wrong(first);
    for (Index i = first + 1; i < end; ++i)
        if (const double own = wrong(i); own > most) {
            worst = i;
            most = own;
        }
    return worst;
}

// Draws the weight that sinks take from each row as a column: a cell for each row, with a bar as
// long as the share. Variants without a sink have none.
void draw_sinks(Figure& figure, const Table& t, const PlacedHeatmap& placed, const Heatmap& map) {
    const BenchVariant& variant = *t.variant_of(placed);
    if (!variant.sums.has_sinks) return;
    const double u = t.unit, x = t.sink_left(placed), width = t.sink_width() - 12 * u;
    figure.texts.push_back(
        {{x + width / 2, map.rect.y - 10 * u}, "sink", {12 * u}, Role::dim, Anchor::centre});
    const Rect first = cell_rect(map, 0, 0);
    const double size = 13 * u, bar = 4 * u;
    const bool numbers = first.h >= 1.3 * size + bar;
    for (Index i = 0; i < Index(variant.sums.rows.size()); ++i) {
        const Rect cell = cell_rect(map, i, 0);
        const double middle = cell.y + cell.h / 2;
        if (middle < map.rect.y || middle > map.rect.bottom()) continue;
        const double sink = variant.sums.rows[i].sink.value_or(0), gap = first.h > 6 * u ? u : 0;
        const Rect rect{x, cell.y, width, cell.h - gap};
        figure.boxes.push_back({rect, 0, true, true, Role::raised, Role::line});
        const double high = numbers ? bar : rect.h;
        const Rect taken{x, rect.bottom() - high, std::clamp(sink, 0.0, 1.0) * width, high};
        figure.boxes.push_back({taken, 0, true, false, Role::dim, Role::dim});
        if (!numbers || !variant.sums.rows[i].sink) continue;
        figure.texts.push_back({{x + width / 2, rect.y + (rect.h - bar) / 2},
                                cell_text(sink, true),
                                style::number_style(size),
                                Role::ink,
                                Anchor::centre});
    }
}

}  // namespace

namespace {

double bar_height(const Table& t, double cell_h) {
    return std::clamp(cell_h * 0.5, 8 * t.unit, 22 * t.unit);
}

// Returns the width of a number and the gap before it.
double number_width(const Table& t, double cell_h) {
    if (!t.in_hall) return 38 * t.unit;
    return 29 * t.unit + style::sum_text_gap({0, 0, 0, bar_height(t, cell_h)});
}

// Returns the width of a bar. The numbers take the rest of the column.
double bar_width(const Table& t, double cell_h) {
    return std::min(t.sums_width() - t.sink_width() - t.sums_gap() - number_width(t, cell_h),
                    40 * t.unit);
}

// True if the sums are drawn as dots, because all of them are 1 and no cell leaks.
bool all_are_one(const BenchVariant& variant, const Cells& cells) {
    return (signs_of_any(cells) & sign::leaks) == 0 &&
           std::ranges::all_of(variant.sums.rows, [](const RowSum& row) {
               return !row.zeroed && !row.figures.nan &&
                      std::abs(row.figures.sum - 1) <= row.tolerance;
           });
}

}  // namespace

// Draws a bar for every row, or for several rows together if rows are very low, and numbers as far
// as there is space for text.
void draw_sums(Figure& figure, const Table& t, const PlacedHeatmap& placed) {
    const BenchVariant& variant = *t.variant_of(placed);
    const Heatmap map = figure.heatmaps.back();
    const double x = t.sums_left(placed);
    if (t.sink_width() > 0) draw_sinks(figure, t, placed, map);
    const double cell_h = cell_rect(map, 0, 0).h, width = bar_width(t, cell_h);
    const double column_end = x + width + number_width(t, cell_h);
    const double line = 1.2 * 12 * t.unit;  // the height of a line of the smallest text
    const Index every = std::max<Index>(1, Index(std::ceil(line / cell_h)));
    const Index rows = std::max<Index>(1, Index(std::ceil(2 * t.unit / cell_h)));  // rows per bar
    const Index numbered = (every + rows - 1) / rows * rows;
    const double text_size = double(every) * cell_h >= 1.2 * 13 * t.unit ? 13 : 12;
    const auto count = Index(variant.sums.rows.size());
    const bool calm = all_are_one(variant, *placed.stage->cells);
    const Cells& cells = *placed.stage->cells;
    const bool leaks = (signs_of_any(cells) & sign::leaks) != 0;
    for (Index i = 0; i < count; i += rows) {
        const Index end = std::min(count, i + rows);
        if (cell_rect(map, end - 1, 0).bottom() < map.rect.y) continue;
        if (cell_rect(map, i, 0).y > map.rect.bottom()) break;
        const Index shown = worst_of(variant, cells, leaks, i, end);
        SumBar bar = sum_bar_of(variant.sums.rows[shown], cells, shown);
        const double top = cell_rect(map, i, 0).y, bottom = cell_rect(map, end - 1, 0).bottom();
        const double middle = (top + bottom) / 2;
        if (middle < map.rect.y || middle > map.rect.bottom()) continue;
        bar.text_size = text_size * t.unit;
        bar.variant = map.variant;
        bar.b = map.b;
        bar.h = map.h;
        if (every == 1) {
            const double height = bar_height(t, cell_h);
            bar.rect = {x, std::round(middle - height / 2), width, std::round(height)};
            if (calm) {
                bar.mark = SumBar::Mark::one;
                bar.rect.w = bar.rect.h;
            }
            // A word or number that is wider than most takes space from its bar.
            const double end = text_rect(style::sum_text(bar)).right();
            bar.rect.w -= std::max(0.0, end - column_end);
        } else {
            // Place the text of a thin bar as far away as that of a higher bar, on its own line.
            bar.rect = {x, top, width, bottom - top};
            Text number = style::sum_text(bar);
            number.at.x = x + width + 5 * t.unit;
            bar.text.clear();
            if (i % numbered == 0) figure.texts.push_back(std::move(number));
        }
        figure.sums.push_back(std::move(bar));
    }
}

}  // namespace maskscope
