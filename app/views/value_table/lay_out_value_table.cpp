// Lays out the table of mask value and dtype: what happens to a row in which every key is blocked.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/figure/layout/lay_out_parts.h"
#include "app/figure/plots/lay_out_view.h"
#include "app/figure/plots/plot.h"
#include "app/style/labels.h"
#include "app/views/value_table/value_table.h"
#include "core/base/number_text.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

constexpr double label_width = 96, variant_height = 34, table_gap = 6;  // points
constexpr double table_head = 78, table_foot = 56, name_height = 18;
constexpr double least_number_cell = 33;  // "NaN" or "0.25" at 12 points, with 3 on either side
constexpr double least_token_cell = 26;   // "NaN" at 12 points
constexpr double words_line = 17;         // points
const char* const meaning =
    "NaN: 0/0.  Uniform: every key has the same weight.  Unmasked: as if nothing were blocked.  "
    "Other: rounding lost digits of the scores.";

// Returns the height of the words below a table. width: 0 = the words are not broken into lines.
double foot_height(double width, const LayoutOptions& options) {
    if (options.in_hall) return 0;
    const double u = options.scale;
    const auto lines = width > 0 ? broken_into_lines(meaning, {12 * u}, width).size() : 1;
    return (table_foot + words_line * (double(lines) - 1)) * u;
}

// --- sizes

struct Sizes {
    double u = 1;
    double column = 0, row = 0;  // size of an entry, including the gap after it
    double cell = 0;             // width of a weight's cell
    double strip = 0;            // height of the row of weights; 0 = only names fit
    double head = table_head;    // pixels: of the columns' heads
    bool words = false;          // numbers are below the cells, which are too narrow
    bool has_tokens() const { return cell >= least_token_cell * u; }  // true: above the cells
};

double strip_width(const Sizes& s) { return s.column - (table_gap + 16) * s.u; }

// Sets the sizes that depend on the height available for a row.
void size_rows(Sizes& s, double room, bool in_hall) {
    const double u = s.u;
    if (room < 38 * u) {
        s.row = std::max(room, (in_hall ? 18 : 24) * u);
        s.strip = 0;
        s.head = (in_hall ? 26 : 46) * u;
        return;
    }
    s.row = std::clamp(room, (s.words ? 54 : 42) * u, 66 * u);
    s.strip =
        s.words ? 8 * u : std::clamp(s.row - (name_height + table_gap + 12) * u, 14 * u, 24 * u);
}

Sizes sizes_of(const ValueTable& table, double width, double height, const LayoutOptions& options) {
    const double u = options.scale, keys = double(table.keys.size());
    Sizes s{u};
    s.head = table_head * u;
    s.column = std::clamp(44 * keys, 120.0, 400.0) * u + (20 + table_gap) * u;
    double room = 58 * u;
    if (options.width > 0) {
        s.column = std::min((width - label_width * u) / double(table_dtypes), 1.5 * s.column);
        room = (height - (variant_height + table_head) * u - foot_height(width, options)) /
               double(table_values);
    }
    const double cell = strip_width(s) / keys;
    s.cell = std::min(cell >= 3 ? std::floor(cell) : cell, 60 * u);
    s.words = s.cell < least_number_cell * u;
    // Height of the columns' heads if there is only space for names.
    const double names = 26 * u;
    if (options.in_hall && room < 38 * u) room += (s.head - names) / double(table_values);
    size_rows(s, std::min(room, options.in_hall ? 37 * u : room), options.in_hall);
    return s;
}

// --- one table

struct TableDrawing {
    Figure& figure;
    const ValueTable& table;
    const LayoutOptions& options;
    Sizes s;
    Point from;  // its top left corner

    double x_of(std::size_t column) const {
        return std::round(from.x + label_width * s.u + double(column) * s.column);
    }
    double head() const { return from.y + variant_height * s.u; }
    double y_of(std::size_t row) const { return std::round(head() + s.head + double(row) * s.row); }
    double right() const { return x_of(table_dtypes) - table_gap * s.u; }
    // True if the heads of the columns write the numbers without a mask as text, because there is
    // only space for names. False while presenting.
    bool writes_unmasked() const { return s.strip <= 0 && !options.in_hall; }
};

std::string short_number(double x) {
    std::string number = cell_text(x, true);
    if (number.starts_with("0.")) number.erase(0, 1);
    return number;
}

// Returns the numbers in short form: ".25  .25  .25  .25".
std::string short_numbers(const std::vector<double>& row) {
    constexpr std::size_t most = 12;
    std::string words;
    for (std::size_t k = 0; k < std::min(most, row.size()); ++k)
        words += (k == 0 ? "" : "  ") + short_number(row[k]);
    return row.size() > most ? words + " …" : words;
}

// Draws each number below its cell or, if cells are too narrow for tokens, all numbers in one line.
void draw_numbers_below(const TableDrawing& d, const std::vector<double>& row, Point at) {
    const TextStyle style{12 * d.s.u};
    if (!d.s.has_tokens()) {
        d.figure.texts.push_back(
            {.at = at, .text = short_numbers(row), .style = style, .max_width = strip_width(d.s)});
        return;
    }
    for (std::size_t j = 0; j < row.size(); ++j)
        d.figure.texts.push_back({.at = {at.x + (double(j) + 0.5) * d.s.cell, at.y},
                                  .text = short_number(row[j]),
                                  .style = style,
                                  .anchor = Anchor::centre});
}

void draw_strip(const TableDrawing& d, const TableRow& row, Point at) {
    if (d.s.strip <= 0) return;
    if (d.s.words) draw_numbers_below(d, row.weights, {at.x, at.y + d.s.strip + 10 * d.s.u});
    Heatmap map;
    map.rect = {at.x, at.y, d.s.cell * double(row.weights.size()), d.s.strip};
    map.cells = row.cells;
    map.limits = {0, 1};
    map.map = ColourMap::viridis;
    fit_numbers(map, 13, d.s.u);
    map.b = d.table.b;
    map.h = d.table.h;
    d.figure.heatmaps.push_back(std::move(map));
}

Role role_of(RowName name) {
    switch (name) {
        case RowName::nan:
        case RowName::unmasked:
            return Role::wrong;
        case RowName::even:
        case RowName::neither:
            return Role::odd;
        case RowName::zero:
            return Role::dim;
    }
    return Role::ink;
}

bool is_pointed(const TableDrawing& d, std::size_t row, std::size_t column) {
    const auto& spot = d.options.spot;
    return spot && spot->kind == Spot::Kind::entry && spot->variant == d.table.variants.front() &&
           spot->row == Index(row) && spot->key == Index(column);
}

void draw_entry(const TableDrawing& d, std::size_t row, std::size_t column) {
    const TableEntry& entry = d.table.entries[row][column];
    const double u = d.s.u;
    const Rect box{d.x_of(column), d.y_of(row), d.s.column - table_gap * u,
                   d.s.row - table_gap * u};
    const bool variant = !entry.variants.empty(), pointed = is_pointed(d, row, column);
    d.figure.boxes.push_back({box, 5 * u, true, variant || pointed, Role::panel,
                              pointed ? Role::ink : Role::dim, 1.5 * u});
    const double middle = d.s.strip > 0 ? box.y + (4 + name_height / 2) * u : box.y + box.h / 2;
    d.figure.texts.push_back({.at = {box.x + 8 * u, middle},
                              .text = std::string(words(entry.name)),
                              .style = {13 * u, Weight::semibold},
                              .role = role_of(entry.name)});
    double x = box.right() - 6 * u;
    const std::vector<int> from_right(entry.variants.rbegin(), entry.variants.rend());
    for (const int shown : from_right) {
        x -= 16 * u;
        const Role role = variant_role(shown);
        d.figure.chips.push_back(
            {{x, middle - 8 * u, 16 * u, 16 * u}, 3 * u, true, false, role, role});
        d.figure.texts.push_back({.at = {x + 8 * u, middle},
                                  .text = std::string(1, variant_letter(shown)),
                                  .style = {12 * u, Weight::bold},
                                  .role = Role::ground,
                                  .anchor = Anchor::centre});
        x -= 3 * u;
    }
    const double below = (d.s.words ? 20 : 6) * u;
    draw_strip(d, entry.row, {box.x + 8 * u, box.bottom() - d.s.strip - below});
    d.figure.spots.push_back({.kind = Spot::Kind::entry,
                              .rect = box,
                              .variant = d.table.variants.front(),
                              .b = d.table.b,
                              .h = d.table.h,
                              .row = Index(row),
                              .key = Index(column)});
}

// Draws the dtype, tokens if they fit, and the row without a mask.
void draw_column_head(const TableDrawing& d, std::size_t column) {
    const double u = d.s.u, x = d.x_of(column), top = d.head();
    d.figure.texts.push_back({.at = {x + 8 * u, top + 10 * u},
                              .text = std::string(name(d.table.entries[0][column].dtype)),
                              .style = {14 * u, Weight::semibold}});
    if (d.writes_unmasked())
        d.figure.texts.push_back({.at = {x + 8 * u, top + 31 * u},
                                  .text = short_numbers(d.table.unmasked[column].weights),
                                  .style = {12 * u},
                                  .role = Role::dim,
                                  .max_width = strip_width(d.s)});
    if (d.s.strip <= 0) return;
    // A token may extend over neighbouring cells as far as their own tokens leave space.
    const double own = d.s.cell - 3 * u;
    const auto width = [&](std::size_t j) {
        return figure_text_width({.at = {}, .text = d.table.keys[j], .style = {12 * u}});
    };
    for (std::size_t j = 0; j < d.table.keys.size() && d.s.has_tokens(); ++j) {
        double room = d.s.cell + 12 * u;
        if (j > 0) room = std::min(room, 2 * own - std::min(width(j - 1), own));
        if (j + 1 < d.table.keys.size())
            room = std::min(room, 2 * own - std::min(width(j + 1), own));
        d.figure.texts.push_back({.at = {x + 8 * u + (double(j) + 0.5) * d.s.cell, top + 29 * u},
                                  .text = d.table.keys[j],
                                  .style = {12 * u},
                                  .role = Role::dim,
                                  .anchor = Anchor::centre,
                                  .max_width = std::max(own, room)});
    }
    draw_strip(d, d.table.unmasked[column], {x + 8 * u, top + 40 * u});
}

void draw_row_head(const TableDrawing& d, double middle, const std::string& text, Role role) {
    d.figure.texts.push_back({.at = {d.from.x + (label_width - 12) * d.s.u, middle},
                              .text = text,
                              .style = {13 * d.s.u, Weight::medium},
                              .role = role,
                              .anchor = Anchor::right,
                              .max_width = (label_width - 12) * d.s.u});
}

double draw_title(const TableDrawing& d) {
    const double u = d.s.u, y = d.from.y + 12 * u;
    const double x = draw_letters(d.figure, d.table.variants, {d.from.x, y}, u);
    const std::string variant = d.table.variants.size() == 1 ? d.table.names.front() + " · " : "";
    Text words{
        .at = {x, y},
        .text = fmt::format("{}the row of “{}” with every key blocked", variant, d.table.query),
        .style = {15 * u, Weight::semibold}};
    if (d.options.width > 0) words.max_width = std::max(1.0, d.options.width - x);
    d.figure.texts.push_back(words);
    return x + figure_text_width(words);
}

std::string numbers(const std::vector<double>& row, int digits) {
    constexpr std::size_t most = 8;
    std::string words;
    for (std::size_t k = 0; k < std::min(most, row.size()); ++k)
        words += (k == 0 ? "" : "  ") + exact_text(row[k], digits);
    return row.size() > most ? words + "  …" : words;
}

// Draws the meanings of the names and, below them, the numbers of the hovered entry or, if there is
// none, a note if the row is uniform without a mask.
void draw_words(const TableDrawing& d, double top) {
    if (d.options.in_hall) return;
    const double u = d.s.u, left = d.from.x;
    const TextStyle style{12 * u};
    const double room = std::max(1.0, std::max(d.right(), d.options.width) - left);
    double y = top + 8 * u;
    const auto say = [&](const std::string& text, Role role) {
        for (const std::string& line : broken_into_lines(text, style, room)) {
            d.figure.texts.push_back({{left, y}, line, style, role});
            y += words_line * u;
        }
        y += 3 * u;
    };
    say(meaning, Role::dim);
    const auto& spot = d.options.spot;
    if (spot && spot->variant == d.table.variants.front() && spot->kind == Spot::Kind::entry) {
        const TableEntry& e = d.table.entries[spot->row][spot->key];
        say(fmt::format("{} in {}: softmax input {}   weights {}", value_words(e.value, e.times),
                        name(e.dtype), numbers(e.row.logits, 3), numbers(e.row.weights, 3)),
            Role::ink);
    } else if (std::ranges::any_of(d.table.is_even, [](bool even) { return even; })) {
        say("This row is uniform even without a mask; it is listed as “unmasked”.", Role::odd);
    }
}

// Draws a table; returns its right and bottom ends.
Point draw_value_table(const TableDrawing& d, bool hidden) {
    const double u = d.s.u;
    const double title_end = draw_title(d);
    const double end = d.y_of(table_values);
    const Rect rect{d.from.x, d.head(), d.right() - d.from.x, end - d.head()};
    const Point corner{std::max(title_end, d.right()),
                       end + foot_height(d.options.width, d.options)};
    if (draw_hidden(d.figure, hidden, rect, u)) return corner;
    for (std::size_t column = 0; column < table_dtypes; ++column) draw_column_head(d, column);
    if (d.s.strip > 0 || d.writes_unmasked())
        draw_row_head(d, d.head() + (d.writes_unmasked() ? 31 * u : 40 * u + d.s.strip / 2),
                      "unmasked", Role::dim);
    for (std::size_t row = 0; row < table_values; ++row) {
        const TableEntry& first = d.table.entries[row][0];
        draw_row_head(d, d.y_of(row) + (d.s.row - table_gap * u) / 2,
                      value_words(first.value, first.times), Role::ink);
        for (std::size_t column = 0; column < table_dtypes; ++column) draw_entry(d, row, column);
    }
    draw_words(d, end + 4 * u);
    return corner;
}

}  // namespace

Figure lay_out_value_tables(const ValueTables& tables, const View& view, const std::string& title,
                            const LayoutOptions& options) {
    if (!tables.missing.empty()) return lay_out_sentence(tables.missing, title, options);
    Figure figure;
    figure.unit = options.scale;
    const double margin = options.width > 0 ? 0 : 20 * options.scale;
    Point at{margin, draw_figure_title(figure, title, options)};
    double right = 0;
    const double height = options.height - at.y;
    for (const ValueTable& table : tables.tables) {
        const Sizes sizes = sizes_of(table, options.width, height, options);
        const Point end = draw_value_table({figure, table, options, sizes, at}, view.asks());
        right = std::max(right, end.x);
        at.y = end.y + 12 * options.scale;
    }
    figure.width = options.width > 0 ? options.width : right + margin;
    figure.height = std::max(options.height, at.y - 12 * options.scale + margin);
    return figure;
}

}  // namespace maskscope
