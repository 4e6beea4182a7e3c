// Lays out Generation: the full pass on the left, the same rows step by step on the right, and then
// what each token adds to the KV cache. Rows of all three are aligned: each is one token.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "app/figure/layout/lay_out_parts.h"
#include "app/figure/plots/lay_out_view.h"
#include "app/figure/plots/plot.h"
#include "app/views/generation/generation_view.h"

namespace maskscope {

namespace {

// Points.
constexpr double variant_head = 28, hall_variant_head = 24;  // the height of a variant's name
constexpr double part_title = 22, between_parts = 18, between_variants = 20, before_cache = 26;
constexpr double between_cached = 4, between_groups = 10;
constexpr double apart_width = 96;  // the width of "differs by <.01"
constexpr double longest_token = 110, longest_upright = 64;

// Lengths in pixels (points × u).
struct GenerationGrid {
    double u = 1;
    int across = 1, down = 1;                // the arrangement of variants
    double labels = 0, keys = 0, words = 0;  // space for tokens, and for a variant's words
    double cell = 0, part = 0;               // sides of cells; part: width of a component of K or V
    double token = 13;                       // points
    bool upright = false;                    // keys are read upwards
    double width = 0, head = 0;              // width of all; height above the first variants
    double name = 0;                         // height above the rows of each variant
    double variant_w = 0, variant_h = 0;     // size of a variant, without `head`

    double height() const { return head + down * variant_h; }
};

struct GenerationDrawing {
    Figure& figure;
    const GenerationView& data;
    const View& view;
    const LayoutOptions& options;
    Index t = 0;
    GenerationGrid grid;

    double u() const { return grid.u; }
    Index n() const { return std::ssize(data.tokens); }
    bool is_done(Index i) const { return i <= t; }
};

double components_of(const GenerationView& data) {
    return double(data.cache.size()) * double(data.d_k + data.d_v);
}

double token_width(const std::string& token, double size) {
    return figure_text_width({.at = {}, .text = token, .style = {size, Weight::bold}});
}

double longest_token_of(const GenerationView& data, double size) {
    double longest = 0;
    for (const std::string& token : data.tokens)
        longest = std::max(longest, token_width(token, size));
    return longest;
}

// Returns the gaps between and beside the columns of the KV cache.
double cache_gaps(const GenerationView& data, const GenerationGrid& grid) {
    if (components_of(data) == 0) return 0;
    const double groups = double(data.cache.size());
    const double pairs = data.d_k > 0 && data.d_v > 0 ? groups : 0;
    return (before_cache + (groups - 1) * between_groups + pairs * between_cached) * grid.u;
}

// --- a variant in words

// True if the words are only the costs, as for several variants while presenting.
bool is_brief(const GenerationView& data, const LayoutOptions& options) {
    return options.in_hall && data.variants.size() > 1;
}

std::vector<std::string> brief_words(const GenerationView& data, const GenerationVariant& variant,
                                     Index t) {
    const Index n = std::ssize(data.tokens), numbers = cached_numbers(data, t);
    std::vector<std::string> words{fmt::format("{} of {} pairs", variant.pairs, n * n)};
    if (numbers > 0) words.push_back(fmt::format("KV cache: {} bytes", numbers * variant.bytes));
    return words;
}

std::vector<std::string> words_of(const GenerationView& data, const GenerationVariant& variant,
                                  Index t, const LayoutOptions& options) {
    if (is_brief(data, options))
        return {fmt::format("{}", fmt::join(brief_words(data, variant, t), " · "))};
    const std::string pairs = pairs_words(variant, std::ssize(data.tokens), options.in_hall);
    const std::string cache = cache_words(data, variant, t);
    if (cache.empty()) return {pairs};
    if (options.in_hall) return {pairs + " · KV cache: " + cache};
    return {pairs, "KV cache: " + cache};
}

double draw_words_of_variant(Figure& figure, const std::vector<std::string>& lines, Point at,
                             double width, double size) {
    double height = 0;
    for (const std::string& line : lines)
        height += draw_paragraph(
            figure, {.at = {at.x, at.y + height}, .text = line, .style = {size}, .role = Role::dim},
            width);
    return height;
}

double words_size(const LayoutOptions& options) {
    return (options.in_hall ? 12 : 13) * options.scale;
}

// Returns the height of the longest words of any variant at any step, so that stepping moves
// nothing.
double words_height(const GenerationView& data, double width, const LayoutOptions& options) {
    std::vector<std::string> longest;
    std::size_t most = 0;
    for (const GenerationVariant& variant : data.variants)
        for (Index t = 0; t < std::ssize(data.tokens); ++t) {
            std::vector<std::string> words = words_of(data, variant, t, options);
            if (words.back().size() <= most) continue;
            most = words.back().size();
            longest = std::move(words);
        }
    Figure measured;
    return draw_words_of_variant(measured, longest, {}, width, words_size(options)) +
           (options.in_hall ? 4 : 18) * options.scale;
}

// --- sizes

// Returns the left ends of the tokens above the columns. Each is centred above its column, except
// that the first may extend to the left. Empty if two would touch, or the last would extend too far
// to the right.
std::vector<double> key_places(const GenerationView& data, const GenerationGrid& grid) {
    std::vector<double> places;
    double before = -1e9, middle = grid.cell / 2;
    for (const std::string& token : data.tokens) {
        const double width = token_width(token, grid.token * grid.u);
        double left = middle - width / 2;
        if (places.empty()) left = std::min(left, std::max(grid.cell - width, -grid.cell));
        if (left < before + 3 * grid.u) return {};
        places.push_back(left);
        before = left + width;
        middle += grid.cell;
    }
    const bool ends = before <= (double(places.size()) + 0.5) * grid.cell;
    return ends ? places : std::vector<double>();
}

void size_keys(GenerationGrid& grid, const GenerationView& data) {
    for (const double size : {13.0, 12.0}) {
        grid.token = size;
        if (lowest_row * size * grid.u > grid.cell && size > 12) continue;
        grid.upright = key_places(data, grid).empty();
        if (!grid.upright) break;
    }
    const double longest = longest_token_of(data, grid.token * grid.u);
    grid.keys =
        grid.upright ? std::min(longest, longest_upright * grid.u) + 8 * grid.u : 19 * grid.u;
}

void size_whole(GenerationGrid& grid, const GenerationView& data, const LayoutOptions& options) {
    const double u = grid.u, n = double(data.tokens.size());
    size_keys(grid, data);
    grid.name = (options.in_hall ? hall_variant_head : variant_head) * u;
    grid.variant_w = 2 * n * grid.cell + (between_parts + apart_width) * u;
    grid.width = grid.labels + grid.across * grid.variant_w +
                 (grid.across - 1) * between_variants * u + cache_gaps(data, grid) +
                 components_of(data) * grid.part;
    const double of_words = grid.across > 1 ? grid.variant_w : grid.width - grid.labels;
    grid.words = words_height(data, of_words, options);
    grid.variant_h = grid.name + n * grid.cell + grid.words;
    grid.head = part_title * u + grid.keys;
}

// Sets the size of cells. K and V are each at most as wide as eight cells.
void take(GenerationGrid& grid, const GenerationView& data, double size,
          const LayoutOptions& options) {
    const double components = double(std::max<Index>({data.d_k, data.d_v, 1}));
    grid.cell = size;
    grid.part = std::min(size, 8 * size / components);
    size_whole(grid, data, options);
}

// Arranges the variants one below the other or side by side, whichever gives larger cells.
GenerationGrid best_grid(const GenerationView& data, double width, double height,
                         const LayoutOptions& options) {
    const int variants = int(data.variants.size());
    const Index tokens = std::ssize(data.tokens);
    CellRange range = cells_of(options, tokens);
    if (options.in_hall && tokens > most_readable) range.least = 0;  // presentations do not scroll
    GenerationGrid best;
    for (const int across : {1, variants}) {
        GenerationGrid grid{.u = options.scale, .across = across, .down = variants / across};
        grid.labels =
            std::min(longest_token_of(data, 13 * grid.u), longest_token * grid.u) + 12 * grid.u;
        const double size = largest_cell(range.most, tokens, [&](double cell) {
            take(grid, data, cell, options);
            return width <= 0 || (grid.width <= width && grid.height() <= height);
        });
        take(grid, data, std::max(size, range.least), options);
        if (grid.cell > best.cell + 1e-9) best = grid;
    }
    return best;
}

// --- the parts of a variant

Role token_role(const GenerationDrawing& d, Index i) {
    return d.is_done(i) ? Role::ink : Role::dim;
}

void draw_token(const GenerationDrawing& d, Index k, Point at, Anchor anchor, double room,
                bool upright = false) {
    d.figure.texts.push_back(
        {.at = at,
         .text = d.data.tokens[k],
         .style = {d.grid.token * d.u(), k == d.t ? Weight::bold : Weight::regular},
         .role = token_role(d, k),
         .anchor = anchor,
         .max_width = room,
         .vertical = upright});
}

// Returns n for labelling every n-th token, if tokens have this distance.
Index every_of(double pitch, const GenerationGrid& grid) {
    return std::max<Index>(1, Index(std::ceil(lowest_row * grid.token * grid.u / pitch - 1e-9)));
}

// True for the shown token, and for others whose labels would not touch it.
bool is_named(const GenerationDrawing& d, Index k, Index every) {
    return k == d.t || (k % every == 0 && std::abs(k - d.t) >= every);
}

void draw_queries(const GenerationDrawing& d, double right, double top) {
    const double u = d.u();
    for (Index i = 0; i < d.n(); ++i)
        if (is_named(d, i, every_of(d.grid.cell, d.grid)))
            draw_token(d, i, {right - 8 * u, top + (double(i) + 0.5) * d.grid.cell}, Anchor::right,
                       d.grid.labels - 8 * u);
}

void draw_keys_above(const GenerationDrawing& d, double left, double top) {
    const double u = d.u();
    const std::vector<double> places = key_places(d.data, d.grid);
    for (Index j = 0; j < d.n(); ++j) {
        const double middle = left + (double(j) + 0.5) * d.grid.cell;
        if (!d.grid.upright)
            draw_token(d, j, {left + places[j], top - 9 * u}, Anchor::left, 0);
        else if (is_named(d, j, every_of(d.grid.cell, d.grid)))
            draw_token(d, j, {middle, top - 5 * u}, Anchor::left, d.grid.keys - 6 * u, true);
    }
}

TextStyle title_style(const GenerationDrawing& d) {
    return {.size = 14 * d.u(), .weight = Weight::semibold};
}

void draw_part_title(const GenerationDrawing& d, double x, double rows_top, const std::string& text,
                     double room) {
    d.figure.texts.push_back({.at = {x, rows_top - d.grid.keys - 11 * d.u()},
                              .text = text,
                              .style = title_style(d),
                              .max_width = std::max(1.0, room)});
}

// Draws the first title that fits, if any.
void draw_title_that_fits(const GenerationDrawing& d, Point at, double room,
                          const std::vector<std::string>& titles) {
    for (const std::string& title : titles)
        if (figure_text_width({.at = {}, .text = title, .style = title_style(d)}) <= room)
            return draw_part_title(d, at.x, at.y, title, room);
}

Heatmap weights_map(const GenerationDrawing& d, const GenerationVariant& variant,
                    const SharedCells& cells, const Rect& rect) {
    Heatmap map;
    map.rect = rect;
    map.cells = cells;
    map.limits = d.data.limits;
    map.map = d.data.map;
    map.variant = variant.index;
    map.b = d.data.b;
    map.h = d.data.h;
    return map;
}

Rect row_alone_rect(const GenerationDrawing& d, Index i, Point at) {
    return {at.x, at.y + double(i) * d.grid.cell, double(i + 1) * d.grid.cell, d.grid.cell};
}

void frame_row(const GenerationDrawing& d, const Rect& r, Role role) {
    d.figure.strokes.push_back(
        {.points = {{r.x, r.y}, {r.right(), r.y}, {r.right(), r.bottom()}, {r.x, r.bottom()}},
         .role = role,
         .width = std::clamp(r.h / 6, 0.75 * d.u(), 2 * d.u()),
         .closed = true});
}

// Draws a row whose token has not been generated yet.
void draw_empty_row(const GenerationDrawing& d, const Rect& row) {
    const double gap = std::min(1.5 * d.u(), row.h / 4);
    d.figure.boxes.push_back({{row.x + gap, row.y + gap, row.w - 2 * gap, row.h - 2 * gap},
                              0,
                              false,
                              true,
                              Role::panel,
                              Role::hatch,
                              d.u()});
}

// Draws how much each finished row differs from the full pass. If rows are low, draws the largest
// difference of several.
void draw_apart(const GenerationDrawing& d, const GenerationVariant& variant, Point at) {
    const double u = d.u();
    const Index every = every_of(d.grid.cell, d.grid);
    const auto distance = [&](Index i) {
        return std::isnan(variant.apart[i]) ? infinity : variant.apart[i];
    };
    for (Index i = 0; i <= d.t; i += every) {
        const Index last = std::min(d.t, i + every - 1);
        Index worst = i;
        for (Index k = i; k <= last; ++k)
            if (distance(k) > distance(worst)) worst = k;
        const double apart = variant.apart[worst];
        d.figure.texts.push_back({.at = {at.x, at.y + double(i + last + 1) / 2 * d.grid.cell},
                                  .text = apart_words(apart),
                                  .style = {12 * u},
                                  .role = std::isnan(apart) ? Role::wrong
                                          : apart > 0       ? Role::odd
                                                            : Role::dim,
                                  .max_width = (apart_width - 8) * u});
    }
}

// Gives all numbers of weights the same size and form, even those of rows that are not yet drawn.
void number_weights(const GenerationDrawing& d, const GenerationVariant& variant,
                    std::size_t first_heatmap) {
    const double u = d.u();
    NumberForm form = NumberForm::two_decimals;
    double size = 1e9;
    const auto fit = [&](const SharedCells& cells) {
        const Rect rect{0, 0, double(cells->columns) * d.grid.cell,
                        double(cells->rows) * d.grid.cell};
        Heatmap map = weights_map(d, variant, cells, rect);
        fit_numbers(map, std::clamp(d.grid.cell / u * 0.42, 13.0, 18.0), u);
        form = std::max(form, map.number_form);
        size = std::min(size, map.number_size);
    };
    if (!d.options.with_numbers) return;
    fit(variant.at_once);
    for (const SharedCells& cells : variant.alone) fit(cells);
    for (std::size_t k = first_heatmap; k < d.figure.heatmaps.size(); ++k) {
        d.figure.heatmaps[k].number_form = form;
        d.figure.heatmaps[k].number_size = size;
    }
}

void draw_rows(const GenerationDrawing& d, const GenerationVariant& variant, Point left,
               Point right) {
    const double side = double(d.n());
    const std::size_t first = d.figure.heatmaps.size();
    const Rect all{left.x, left.y, side * d.grid.cell, side * d.grid.cell};
    d.figure.heatmaps.push_back(weights_map(d, variant, variant.at_once, all));
    for (Index i = 0; i < d.n(); ++i) {
        const Rect row = row_alone_rect(d, i, right);
        if (d.is_done(i))
            d.figure.heatmaps.push_back(weights_map(d, variant, variant.alone[i], row));
        else
            draw_empty_row(d, row);
    }
    number_weights(d, variant, first);
    const auto frame = [&](Index i, Role role) {
        const Rect alone = row_alone_rect(d, i, right);
        frame_row(d, {all.x, alone.y, all.w, alone.h}, role);
        frame_row(d, alone, role);
    };
    if (const auto& spot = d.options.spot; spot && spot->kind == Spot::Kind::token &&
                                           spot->variant == variant.index && spot->row < d.n())
        frame(spot->row, Role::hatch);
    frame(d.t, Role::ink);
}

// Makes each row react over its whole width, including its name and its part of the cache.
void add_row_spots(const GenerationDrawing& d, const GenerationVariant& variant, const Rect& rows) {
    for (Index i = 0; i < d.n(); ++i) {
        const Rect row{rows.x, rows.y + double(i) * d.grid.cell, rows.w, d.grid.cell};
        d.figure.spots.push_back({.kind = Spot::Kind::token,
                                  .rect = row,
                                  .variant = variant.index,
                                  .b = d.data.b,
                                  .h = d.data.h,
                                  .row = i});
    }
}

// Draws the name, and beside it, if there is space, why a row differs.
void draw_name_of_variant(const GenerationDrawing& d, const GenerationVariant& variant, Point at) {
    const double u = d.u(), middle = at.y + 11 * u;
    BenchVariant title;
    title.index = variant.index;
    title.name = variant.name;
    draw_variant_name(d.figure, title, {at.x, middle}, d.grid.variant_w, u);
    if (d.view.hides(variant.index)) return;
    const double end = d.grid.across > 1 ? at.x + d.grid.variant_w : d.grid.width;
    Text why{.at = {text_rect(d.figure.texts.back()).right() + 16 * u, middle},
             .text = why_apart(variant, d.t),
             .style = {words_size(d.options)},
             .role = Role::dim};
    if (why.at.x + figure_text_width(why) <= end) d.figure.texts.push_back(std::move(why));
}

void draw_generation_variant(const GenerationDrawing& d, std::size_t k, Point from) {
    const GenerationVariant& variant = d.data.variants[k];
    const GenerationGrid& g = d.grid;
    const double u = g.u;
    const bool is_leftmost = k % std::size_t(g.across) == 0, is_first = k < std::size_t(g.across);
    const double side = double(d.n()) * g.cell, rows_h = double(d.n()) * g.cell;
    const Point left{from.x, from.y + g.name + (is_first ? g.head : 0)};
    const Point right{left.x + side + between_parts * u, left.y};
    draw_name_of_variant(d, variant, from);
    if (is_leftmost) draw_queries(d, left.x, left.y);
    if (is_first) {
        std::vector<std::string> titles{"Full pass"};
        if (d.data.heads > 1)
            titles.insert(titles.begin(), fmt::format("Full pass, head {}", d.data.h + 1));
        draw_title_that_fits(d, left, side + (between_parts - 6) * u, titles);
        draw_title_that_fits(d, right, side + apart_width * u, {"Step by step"});
        draw_keys_above(d, left.x, left.y);
        draw_keys_above(d, right.x, left.y);
    }
    const Rect rows{left.x, left.y, g.variant_w, rows_h};
    if (d.view.hides(variant.index)) {
        Heatmap hidden =
            weights_map(d, variant, variant.at_once, {rows.x, rows.y, rows.w - 8 * u, rows.h});
        return add_heatmap(d.figure, std::move(hidden), true, u);
    }
    draw_rows(d, variant, left, right);
    draw_apart(d, variant, {right.x + side + 8 * u, left.y});
    const double start = is_leftmost ? g.labels : 0;
    add_row_spots(d, variant, {rows.x - start, rows.y, rows.w + start, rows.h});
    draw_words_of_variant(d.figure, words_of(d.data, variant, d.t, d.options),
                          {left.x, rows.bottom() + (d.options.in_hall ? 2 : 6) * u},
                          g.across > 1 ? g.variant_w : g.width - g.labels, words_size(d.options));
}

// --- the KV cache

// Draws the filled part of K or V, and an empty row for each token that is still to come.
void draw_cached(const GenerationDrawing& d, const SharedCells& cells, const std::string& name,
                 Point at) {
    const double u = d.u(), h = d.grid.cell, w = double(cells->columns) * d.grid.part;
    const double shown = double(d.t + 1);
    Heatmap map;
    map.rect = {at.x, at.y, w, shown * h};
    map.cells = cells;
    map.limits = d.data.cache_limits;
    map.map = map_of(StageKind::output, ThemeKind::dark);
    map.zoom.y1 = (shown - 1e-9) / double(d.n());  // rounding must not show a row too many
    d.figure.heatmaps.push_back(map);
    for (Index i = d.t + 1; i < d.n(); ++i) draw_empty_row(d, {at.x, at.y + double(i) * h, w, h});
    frame_row(d, {at.x, at.y + double(d.t) * h, w, h}, Role::ink);
    if (w < 10 * u) return;
    d.figure.texts.push_back({.at = {at.x + w / 2, at.y - 9 * u},
                              .text = name,
                              .style = {13 * u},
                              .role = Role::dim,
                              .anchor = Anchor::centre});
}

// Draws the title above the cache of a KV head: “KV cache” (above the first one, if there is
// space), and the query heads that use it, if there are several KV heads.
void draw_cache_title(const GenerationDrawing& d, const CachedHead& head, Point at, double room) {
    const double least = 48 * d.u();
    if (head.title.empty())
        return draw_part_title(d, at.x - std::max(0.0, least - room), at.y, "KV cache",
                               std::max(room, least));
    std::vector<std::string> titles{head.title, head.title.substr(head.title.find(' ') + 1)};
    if (&head == &d.data.cache.front()) titles.insert(titles.begin(), "KV cache, " + head.title);
    draw_title_that_fits(d, at, room, titles);
}

// Draws the KV cache beside the rows of the first variant, because it is the same for all variants.
void draw_cache(const GenerationDrawing& d, Point at) {
    const double u = d.u(), part = d.grid.part;
    const bool hidden = std::ranges::any_of(d.data.variants, [&](const GenerationVariant& variant) {
        return d.view.hides(variant.index);
    });
    const double left = d.options.width > 0 ? 0 : 20 * u;
    const Rect rect{at.x, at.y, d.grid.width - (at.x - left), double(d.n()) * d.grid.cell};
    if (draw_hidden(d.figure, hidden, rect, u)) return;
    add_row_spots(d, d.data.variants.front(),
                  {at.x, at.y, d.grid.width, double(d.n()) * d.grid.cell});
    const double pair = double(d.data.d_k + d.data.d_v) * part + between_cached * u;
    for (const CachedHead& head : d.data.cache) {
        draw_cache_title(d, head, at, pair);
        double x = at.x;
        if (head.keys) {
            draw_cached(d, head.keys, "K", {x, at.y});
            x += double(d.data.d_k) * part + between_cached * u;
        }
        if (head.values) draw_cached(d, head.values, "V", {x, at.y});
        at.x += pair + between_groups * u;
    }
}

// Draws the legend of colours and flags.
Point draw_generation_legend(const GenerationDrawing& d, const Bench& bench, Point at) {
    BenchStage weights, cache;
    weights.cells = d.data.variants.front().at_once;
    weights.limits = d.data.limits;
    weights.map = d.data.map;
    weights.title = "Weights";
    std::vector<const BenchStage*> stages{&weights};
    if (!d.data.cache.empty()) {
        const CachedHead& head = d.data.cache.front();
        cache.stage = StageKind::output;
        cache.cells = head.keys ? head.keys : head.values;
        cache.limits = d.data.cache_limits;
        cache.map = map_of(StageKind::output, ThemeKind::dark);
        cache.title = "Keys and values";
        stages.push_back(&cache);
    }
    return draw_legend(d.figure, {bench.signs, bench.loses_weight}, stages, d.options, at);
}

}  // namespace

Figure lay_out_generation(const GenerationView& data, const Bench& bench, const View& view, Index t,
                          const LayoutOptions& options) {
    if (!data.missing.empty()) return lay_out_sentence(data.missing, bench.title, options);
    t = std::min(t, std::ssize(data.tokens) - 1);  // data may still belong to a shorter text
    Figure figure;
    const double u = figure.unit = options.scale, margin = options.width > 0 ? 0 : 20 * u;
    const double top = draw_figure_title(figure, bench.title, options);
    Figure unseen;
    const auto legend_in = [&](Figure& drawn, const GenerationGrid& grid, Point at) {
        return draw_generation_legend({drawn, data, view, options, t, grid}, bench, at);
    };
    const double foot = options.in_hall ? 0 : legend_in(unseen, {u}, {margin, 6 * u}).y;
    const GenerationGrid grid =
        best_grid(data, options.width, options.height - top - foot, options);
    const GenerationDrawing d{figure, data, view, options, t, grid};
    const double first = margin + grid.labels;
    for (std::size_t k = 0; k < data.variants.size(); ++k) {
        const auto column = double(k % std::size_t(grid.across));
        const auto row = double(k / std::size_t(grid.across));
        draw_generation_variant(d, k,
                                {first + column * (grid.variant_w + between_variants * u),
                                 top + row * grid.variant_h + (row > 0 ? grid.head : 0)});
    }
    const double variants_end =
        first + grid.across * grid.variant_w + (grid.across - 1) * between_variants * u;
    if (components_of(data) > 0)
        draw_cache(d, {variants_end + before_cache * u, top + grid.name + grid.head});
    const double bottom = top + grid.head + grid.down * grid.variant_h;
    Point end{margin + grid.width, bottom};
    if (!options.in_hall) end = legend_in(figure, grid, {margin, bottom + 6 * u});
    figure.width =
        std::max(options.width, std::max({figure.width, end.x, margin + grid.width}) + margin);
    figure.height = std::max(options.height, end.y + (options.width > 0 ? 0 : margin));
    return figure;
}

}  // namespace maskscope
