#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/figure/draw_cell.h"
#include "app/figure/layout/lay_out_parts.h"
#include "app/figure/style.h"
#include "app/show/cells/view.h"
#include "app/style/labels.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

// Returns the width of a number at a type size of one point.
double number_width(const std::string& text) {
    return measure(text, style::number_style(100)).width / 100;
}

// The space for numbers. width: that of the widest, in ems; lines: the most that any has.
struct NumbersSize {
    double width = 0, lines = 1;
};

// Measures the numbers. In a large heatmap, only visible cells count. omits_large: numbers with an
// exponent do not count if there are others.
NumbersSize size_of(const Heatmap& heatmap, bool omits_large) {
    constexpr Index many = 1 << 14;
    const Cells& cells = *heatmap.cells;
    const bool is_large = cells.rows * cells.columns > many;
    const SeenCells seen =
        is_large ? seen_cells(heatmap) : SeenCells{{0, 0}, {cells.rows, cells.columns}};
    NumbersSize widest, rest;
    for (Index i = seen.begin.i; i < seen.end.i; ++i)
        for (Index j = seen.begin.j; j < seen.end.j; ++j) {
            const bool is_nan = (signs_at(*heatmap.cells, i, j) & sign::nan) != 0;
            const std::string text = text_of(heatmap, i, j);
            const bool omitted = is_nan || (omits_large && text.find('e') != std::string::npos);
            NumbersSize& size = omitted ? rest : widest;
            const std::vector<std::string> lines = lines_of_number(text);
            size.lines = std::max(size.lines, double(lines.size()));
            for (const std::string& line : lines)
                size.width = std::max(size.width, number_width(line));
        }
    if (heatmap.number_form == NumberForm::one_decimal && widest.width > 0) return widest;
    return {std::max(widest.width, rest.width), std::max(widest.lines, rest.lines)};
}

}  // namespace

double widest_number(const Heatmap& heatmap) { return size_of(heatmap, false).width; }

double number_size_in(const Table& t) {
    return std::floor(std::clamp(t.cell / 3.6 / t.unit, 13.0, 20.0));
}

// Returns the smallest type size of numbers; while presenting, 1/36 of the screen's height, which
// counts as 384 points.
double smallest_number(const Table& t) { return t.in_hall && !t.in_file ? 384.0 / 36 : 12; }

void fit_numbers(Heatmap& heatmap, double wished, double unit, double smallest) {
    const Rect cell = cell_rect(heatmap, 0, 0);
    const double least = smallest * unit;
    heatmap.number_size = 0;
    if (cell.h < lowest_row * least || cell.w < number_width("1") * least + 4 * unit) return;
    const bool in_hall = smallest < 12;
    const auto fits = [&](const NumbersSize& of, bool shortest) {
        for (const double size : {wished * unit, 13 * unit, least}) {
            // While presenting, "0.32" would fill a cell that is 1/16 of the screen's height wide,
            // and touch its neighbours; ".32" does not.
            const bool whole = heatmap.number_form == NumberForm::two_decimals;
            double padding = (in_hall ? (whole ? 1.5 : 0.4) : shortest ? 2 : 3) * unit;
            if (in_hall && shortest && size <= least) padding = 0;  // "−3.4" needs the whole cell
            if (size <= wished * unit && of.width * size <= cell.w - 2 * padding + 0.5 &&
                (of.lines - 1 + lowest_row) * size <= cell.h) {
                heatmap.number_size = size;
                return true;
            }
        }
        return false;
    };
    for (int form = int(heatmap.number_form); form <= int(NumberForm::one_decimal); ++form) {
        heatmap.number_form = NumberForm(form);
        const bool shortest = heatmap.number_form == NumberForm::one_decimal;
        if (fits(size_of(heatmap, false), shortest)) return;
        if (shortest) fits(size_of(heatmap, true), shortest);
    }
}

namespace {

// True if row sums are drawn beside the heatmap.
bool has_sums(const Table& t, const PlacedHeatmap& placed) {
    const BenchVariant* variant = t.variant_of(placed);
    return variant && !variant->sums.rows.empty() && placed.stage->stage == StageKind::weights &&
           !placed.stage->hidden;
}

void draw_titles(Figure& figure, const Table& t, const PlacedHeatmap& placed,
                 const LayoutOptions& options) {
    const Rect& r = placed.rect;
    const double y = r.y - t.keys_height(placed.row) - 11 * t.unit;
    const bool is_mask = placed.stage->stage == StageKind::allowed;
    const SharedSource& source = placed.stage->cells->source;
    const bool is_sampled = source && source->seen < 1;
    const std::string note =
        is_mask && options.interactive && !is_sampled ? "click or drag" : placed.stage->note;
    Text title{{r.x, y}, placed.stage->title, {14 * t.unit, Weight::semibold}, Role::ink};
    title.max_width = t.column_width(placed.column) + (t.has_sums(placed.column) ? 4 : 18) * t.unit;
    Text side{{r.right(), y}, note, {12 * t.unit}, Role::dim, Anchor::right};
    const bool fits = figure_text_width(title) + figure_text_width(side) + 8 * t.unit <= r.w;
    figure.texts.push_back(std::move(title));
    if (!note.empty() && fits) figure.texts.push_back(std::move(side));
    if (has_sums(t, placed) && !t.in_hall)
        figure.texts.push_back(
            {{t.sums_left(placed), y}, "Row sums", {14 * t.unit, Weight::semibold}});
}

// Returns the width for a variant's title: up to the next variant if variants are side by side,
// otherwise up to the end of the space.
double title_room(const Table& t, const PlacedHeatmap& placed) {
    if (!t.abreast) return t.room_right > 0 ? t.room_right - placed.rect.x : 1e9;
    const PlacedHeatmap* last = &placed;
    for (const PlacedHeatmap& other : t.heatmaps)
        if (other.variant == placed.variant && other.column > last->column) last = &other;
    return last->rect.x - placed.rect.x + t.column_width(last->column) +
           (t.has_sums(last->column) ? t.sums_width() : 14 * t.unit);
}

double variant_name_width(const BenchVariant& variant, double size) {
    constexpr double widths[] = {0, 28, 65};
    return widths[variant.letters().size()] +
           figure_text_width({{}, variant.name, {size, Weight::semibold}});
}

// Begins a pinned part. Everything that is drawn until pin() is called belongs to it.
PinnedPart pinned_from(const Figure& figure, PinnedPart::Kind kind) {
    PinnedPart pinned;
    pinned.kind = kind;
    pinned.texts = figure.texts.size();
    pinned.chips = figure.chips.size();
    return pinned;
}

void pin(Figure& figure, PinnedPart pinned) {
    pinned.texts_end = figure.texts.size();
    pinned.chips_end = figure.chips.size();
    if (pinned.texts < pinned.texts_end) figure.pinned.push_back(pinned);
}

void draw_variant_title(Figure& figure, const Table& t, const PlacedHeatmap& placed) {
    const BenchVariant& variant = *t.variant_of(placed);
    const double room = title_room(t, placed);
    double size = 15;
    if (t.in_hall)  // reduce the type rather than cut the name
        while (size > 12 && variant_name_width(variant, size) * t.unit > room) size -= 1.5;
    Rect all = placed.rect;  // the extent of the variant's heatmaps in this row
    for (const PlacedHeatmap& other : t.heatmaps)
        if (other.variant == placed.variant) all.w = std::max(all.w, other.rect.right() - all.x);
    const double middle =
        all.y - t.head_height(placed.row) + t.name_line() - name_height / 2 * t.unit;
    draw_pinned_name(figure, variant, {all.x, middle}, room, t.unit, size, all,
                     t.keys_height(placed.row) + t.title_line());
}

}  // namespace

void draw_pinned_name(Figure& figure, const BenchVariant& variant, Point at, double max_width,
                      double unit, double size, const Rect& heatmaps, double keys) {
    PinnedPart pinned = pinned_from(figure, PinnedPart::Kind::name);
    draw_variant_name(figure, variant, at, max_width, unit, size);
    double right = at.x;
    for (std::size_t k = pinned.texts; k < figure.texts.size(); ++k)
        right = std::max(right, text_rect(figure.texts[k]).right());
    const double top = at.y - name_height / 2 * unit;
    pinned.rect = {at.x, top, right - at.x, name_height * unit};
    pinned.within = {at.x, top, std::max(right, heatmaps.right()) - at.x,
                     heatmaps.bottom() - keys - top};
    pin(figure, pinned);
}

bool draw_hidden(Figure& figure, bool hidden, const Rect& rect, double unit) {
    if (!hidden) return false;
    figure.boxes.push_back({rect, 6 * unit, true, true, Role::panel, Role::line, unit});
    figure.texts.push_back({{rect.x + rect.w / 2, rect.y + rect.h / 2},
                            "?",
                            {32 * unit, Weight::semibold},
                            Role::dim,
                            Anchor::centre});
    return true;
}

void add_heatmap(Figure& figure, Heatmap map, bool hidden, double unit,
                 const std::optional<Rect>& closed) {
    draw_hidden(figure, hidden, closed.value_or(map.rect), unit);
    (hidden ? figure.hidden : figure.heatmaps).push_back(std::move(map));
}

void draw_variant_name(Figure& figure, const BenchVariant& entry, Point at, double max_width,
                       double unit, double size) {
    const double side = 20 * unit, end = at.x + max_width;
    const auto letter = [&](int variant) {
        const Role role = variant_role(variant);
        const Rect chip{at.x, at.y - side / 2, side, side};
        figure.chips.push_back({chip, 4 * unit, true, false, role, role});
        figure.texts.push_back({{chip.x + side / 2, at.y},
                                std::string(1, variant_letter(variant)),
                                {13 * unit, Weight::bold},
                                Role::ground,
                                Anchor::centre});
        at.x = chip.right() + 8 * unit;
    };
    const std::vector<int> letters = entry.letters();
    for (const int variant : letters) {
        letter(variant);
        if (variant == letters.back()) break;
        figure.texts.push_back({at, "−", {15 * unit, Weight::semibold}});
        at.x += figure_text_width(figure.texts.back()) + 8 * unit;
    }
    Text name{at, entry.name, {size * unit, Weight::semibold}};
    const double room = std::max(1.0, end - at.x), name_width = figure_text_width(name);
    name.max_width = room;
    if (!entry.changes.empty()) {
        // If space is short, omit the word "changed" first, then cut the name.
        Text note{at, changes_note(entry.changes), {size * unit}, Role::dim};
        if (name_width + figure_text_width(note) > room) note.text = " (" + entry.changes + ")";
        constexpr double least = 0.4;  // the least share of the space for the name
        name.max_width = std::max(least * room, room - figure_text_width(note));
        note.at.x += std::min(name_width, name.max_width);
        note.max_width = std::max(1.0, end - note.at.x);
        figure.texts.push_back(std::move(note));
    }
    if (!entry.name.empty()) figure.texts.push_back(std::move(name));
}

Heatmap heatmap_of(const BenchStage& stage, const Rect& rect, const LayoutOptions& options) {
    Heatmap map;
    map.rect = rect;
    map.cells = stage.cells;
    map.limits = stage.limits;
    map.map = stage.map;
    map.zoom = options.zoom;
    // In a file, the requested columns are keys, so show all columns of the output, which are
    // components.
    if (options.complete && stage.stage == StageKind::output) map.zoom.x0 = 0, map.zoom.x1 = 1;
    return map;
}

void cut_unwritten(Heatmap& map, ModelAttention attention,
                   const std::optional<WritingProgress>& written) {
    if (!written || attention == ModelAttention::encoder) return;
    const Index rows = std::min(map.cells->rows, written->words);
    const Index columns = attention == ModelAttention::decoder
                              ? std::min(map.cells->columns, written->words)
                              : map.cells->columns;
    if (rows == map.cells->rows && columns == map.cells->columns) return;
    map.rect.h *= double(rows) / double(map.cells->rows);
    map.rect.w *= double(columns) / double(map.cells->columns);
    map.cells = top_left_of(*map.cells, rows, columns);
}

namespace {

// Returns the width for the token of a key. It may extend over neighbouring cells as far as their
// own tokens leave space, and slightly beyond the heatmap.
double key_room(const Table& t, const PlacedHeatmap& placed, Index j, double cell_w) {
    const double own = cell_w - key_gap * t.unit;
    const Index n = Index(t.tokens_of(placed).keys.size());
    double room = 2 * cell_w;
    for (const Index other : {j - 1, j + 1}) {
        if (other < 0 || other >= n)
            room = std::min(room, cell_w + 6 * t.unit);
        else
            room = std::min(room, 2 * own - std::min(t.key_width(placed, other), own));
    }
    return std::max(own, room);
}

// The range of visible tokens, and the number of tokens per label.
struct LabelRange {
    Index first = 0, end = 0, every = 1;
};

LabelRange labelled(double zoom0, double zoom1, Index count, double step, double line) {
    LabelRange l;
    l.every = std::max<Index>(1, Index(std::ceil(line / step)));
    const SeenSpan seen = seen_span(zoom0, zoom1, count);
    l.first = seen.begin / l.every * l.every;
    l.end = seen.end;
    return l;
}

// Returns the labelled tokens. The one under the pointer is always labelled, instead of its
// neighbours.
std::vector<Index> labels_of(const LabelRange& l, std::optional<Index> pointed) {
    const bool between =
        pointed && *pointed >= l.first && *pointed < l.end && (*pointed - l.first) % l.every != 0;
    std::vector<Index> labels;
    for (Index i = l.first; i < l.end; i += l.every)
        if (!between || std::abs(i - *pointed) >= l.every) labels.push_back(i);
    if (between) labels.push_back(*pointed);
    return labels;
}

struct Labels {
    Figure& figure;
    const Table& t;
    const PlacedHeatmap& placed;
    const LayoutOptions& options;
    Heatmap map;
    Rect cell;
    double size;  // the type size of the tokens

    double line() const { return 1.2 * size; }

    Text text(Point at, const std::string& token, bool bold, Anchor anchor) const {
        Text made{at, token, {size}, bold ? Role::ink : Role::dim, anchor};
        if (bold) made.style.weight = Weight::bold;
        return made;
    }
    PointedTokens pointed() const {
        const bool linked =
            options.hovered && options.hovered->b == map.b && placed.variant != foreign_variant;
        return linked ? maskscope::tokens_of(*options.hovered) : PointedTokens{};
    }
    void tick(const Rect& rect) const {
        figure.boxes.push_back({rect, 0, true, false, Role::dim, Role::dim});
    }

    // Writes the word that a row reads, dimmed, before the word that it predicts, if there is space
    // for both.
    void draw_read(Index i, Text& predicted) const {
        const BenchTokens& tokens = t.tokens_of(placed);
        if (tokens.reads.empty()) return;
        predicted.role = Role::ink;
        const double word = figure_text_width(predicted), gap = 6 * t.unit;
        Text read{{predicted.at.x - word - gap, predicted.at.y},
                  tokens.reads[std::size_t(i)],
                  {0.85 * size},
                  Role::dim,
                  Anchor::right};
        if (word + gap + figure_text_width(read) <= predicted.max_width)
            figure.texts.push_back(std::move(read));
    }

    void draw_queries() const {
        const std::vector<std::string>& tokens = t.tokens_of(placed).queries;
        const LabelRange l =
            labelled(map.zoom.y0, map.zoom.y1, Index(tokens.size()), cell.h, line());
        const bool of_keys = placed.variant == keys_variant || placed.variant == values_variant;
        const auto bold = of_keys ? pointed().key : pointed().query;
        figure.skips_tokens |= l.every > 1;
        for (const Index i : labels_of(l, bold)) {
            const double y = cell.y + (double(i) + 0.5) * cell.h;
            if (y < map.rect.y || y > map.rect.bottom()) continue;
            Text made = text({map.rect.x - 8 * t.unit, y}, tokens[i], bold == i, Anchor::right);
            made.max_width = t.label_width() - 10 * t.unit;
            if (!of_keys) draw_read(i, made);
            figure.texts.push_back(std::move(made));
            if (l.every > 1) tick({map.rect.x - 5 * t.unit, y - t.unit / 2, 4 * t.unit, t.unit});
        }
    }

    void draw_keys() const {
        const std::vector<std::string>& tokens = t.tokens_of(placed).keys;
        const LabelRange l = labelled(map.zoom.x0, map.zoom.x1, Index(tokens.size()), cell.w,
                                      t.vertical_tokens ? line() : 1);
        figure.skips_tokens |= l.every > 1;
        for (const Index j : labels_of(l, pointed().key)) {
            const double x = cell.x + (double(j) + 0.5) * cell.w;
            if (x < map.rect.x || x > map.rect.right()) continue;
            Text made =
                text({x, map.rect.y - 10 * t.unit}, tokens[j], pointed().key == j, Anchor::centre);
            made.max_width =
                t.vertical_tokens ? t.token_height() - 7 * t.unit : key_room(t, placed, j, cell.w);
            if (t.vertical_tokens) {
                made.at.y = map.rect.y - 6 * t.unit;
                made.anchor = Anchor::left;
                made.vertical = true;
            }
            figure.texts.push_back(std::move(made));
            if (l.every > 1) tick({x - t.unit / 2, map.rect.y - 5 * t.unit, t.unit, 4 * t.unit});
        }
    }
};

void draw_axis_titles(Figure& figure, const Table& t, const PlacedHeatmap& placed) {
    const double x = placed.rect.x - t.axis_gap(), y = placed.rect.y - 15 * t.unit;
    figure.texts.push_back(
        {{x, y - 15 * t.unit}, "keys →", {12 * t.unit}, Role::dim, Anchor::right});
    figure.texts.push_back({{x, y}, "queries ↓", {12 * t.unit}, Role::dim, Anchor::right});
}

void draw_block_title(Figure& figure, const Table& t) {
    if (t.block->title.empty() || t.heatmaps.empty()) return;
    const Rect& first = t.heatmaps.front().rect;
    const Point at{first.x - t.label_width(), first.y - t.head_height(0) - 10 * t.unit};
    Text title{at, t.block->title, {14 * t.unit, Weight::semibold}, Role::dim};
    figure.texts.push_back(std::move(title));
}

Heatmap placed_heatmap(const Table& t, const PlacedHeatmap& placed, const LayoutOptions& options) {
    Heatmap map = heatmap_of(*placed.stage, placed.rect, options);
    const BenchVariant* variant = t.variant_of(placed);
    map.variant = variant ? variant->index : placed.variant;
    map.b = t.block->b;
    map.h = variant && variant->head ? *variant->head : t.block->h;
    if (placed.stage->stage == StageKind::weights && t.has_sums(placed.column))
        map.sums_width = t.sums_width();
    if (options.with_numbers) fit_numbers(map, number_size_in(t), t.unit, smallest_number(t));
    if (options.written) cut_unwritten(map, options.written->attention, options.written);
    return map;
}

// Returns the query under the pointer or, if there is none in this block, that of the focus cell.
std::optional<Index> lit_query(const MaskMarks& marks, const Table& t,
                               const LayoutOptions& options) {
    const auto& at = options.hovered;
    if (at && at->b == t.block->b) return maskscope::tokens_of(*at).query;
    return marks.focus;
}

// Returns the place of the "?" that covers a hidden heatmap. It is as high as the shown heatmaps in
// its row, if there are any, so that it does not reveal how many words a translation has.
Rect closed_rect(const Table& t, const PlacedHeatmap& placed) {
    double open = 0, tallest = 0;
    for (const PlacedHeatmap& other : t.heatmaps) {
        if (other.row != placed.row || other.variant < shared_variant) continue;
        tallest = std::max(tallest, other.rect.h);
        if (!other.stage->hidden) open = std::max(open, other.rect.h);
    }
    return {placed.rect.x, placed.rect.y, placed.rect.w, open > 0 ? open : tallest};
}

void draw_placed(Figure& figure, const Table& t, const PlacedHeatmap& placed,
                 const LayoutOptions& options) {
    Heatmap map = placed_heatmap(t, placed, options);
    const bool hidden = placed.stage->hidden;
    draw_tokens(figure, t, placed, map, options);
    add_heatmap(figure, std::move(map), hidden, t.unit, closed_rect(t, placed));
    if (!hidden && placed.stage->marks)
        draw_marks(figure, t, *placed.stage, figure.heatmaps.back(),
                   lit_query(*placed.stage->marks, t, options));
    if (has_sums(t, placed)) draw_sums(figure, t, placed);
    if (is_tensor_variant(placed.variant))
        draw_tensor_axes(figure, t, placed);
    else if (t.has_labels(placed) && t.has_keys(placed))
        draw_axis_titles(figure, t, placed);
}

// Return the right end of the heatmaps beside this one that have its query tokens, and the bottom
// end of those below it that have its key tokens.
double end_of_row(const Table& t, const PlacedHeatmap& placed) {
    double next = 1e9, end = placed.rect.right();
    for (const PlacedHeatmap& other : t.heatmaps)
        if (other.row == placed.row && other.column > placed.column && t.has_labels(other))
            next = std::min(next, other.rect.x - t.label_width());
    for (const PlacedHeatmap& other : t.heatmaps)
        if (other.row == placed.row && other.rect.right() < next)
            end = std::max(end, other.rect.right());
    return end;
}

double end_of_column(const Table& t, const PlacedHeatmap& placed) {
    double next = 1e9, end = placed.rect.bottom();
    for (const PlacedHeatmap& other : t.heatmaps)
        if (other.column == placed.column && other.row > placed.row &&
            (t.title_line() > 0 || t.has_keys(other)))
            next = std::min(next, other.rect.y);
    for (const PlacedHeatmap& other : t.heatmaps)
        if (other.column == placed.column && other.rect.y < next)
            end = std::max(end, other.rect.bottom());
    return end;
}

}  // namespace

void draw_tokens(Figure& figure, const Table& t, const PlacedHeatmap& placed, const Heatmap& map,
                 const LayoutOptions& options) {
    Labels labels{figure, t, placed, options, map, cell_rect(map, 0, 0), t.token_size * t.unit};
    const BenchVariant* variant = t.variant_of(placed);
    const bool hidden = variant && variant->hides_words;
    const BenchTokens& tokens = t.tokens_of(placed);
    const Rect& own = placed.rect;
    const double keys = t.keys_height(placed.row);
    PinnedPart beside = pinned_from(figure, PinnedPart::Kind::queries);
    if (t.has_labels(placed) && !(hidden && tokens.said)) labels.draw_queries();
    beside.rect = {own.x - t.label_width(), own.y, t.label_width(), own.h};
    beside.within = {beside.rect.x, own.y, end_of_row(t, placed) - beside.rect.x, own.h};
    beside.corner = keys;
    pin(figure, beside);
    labels.size = t.key_size * t.unit;
    PinnedPart above = pinned_from(figure, PinnedPart::Kind::keys);
    const double head = keys + t.title_line();
    const bool is_named = t.names_are_titles() && placed.variant >= 0;
    if (!t.widths.empty() && !is_named) draw_titles(figure, t, placed, options);
    if (is_tensor_variant(placed.variant))
        draw_components(figure, t, placed, map);
    else if (t.has_keys(placed) && !(hidden && tokens.keys_are_said()))
        labels.draw_keys();
    const double left = own.x - (t.has_labels(placed) ? t.label_width() : 0);
    const double wide =
        own.right() + (t.widths.empty() ? 0 : t.beside_column(placed.column)) - left;
    above.rect = {left, own.y - head, wide, head};
    above.within = {left, own.y - head, wide, end_of_column(t, placed) - own.y + head};
    above.corner = t.name_line();
    pin(figure, above);
}

void draw_table(Figure& figure, const Table& t, const LayoutOptions& options) {
    draw_block_title(figure, t);
    int titled = -1;
    for (const PlacedHeatmap& placed : t.heatmaps) {
        draw_placed(figure, t, placed, options);
        if (placed.variant > titled) draw_variant_title(figure, t, placed);
        titled = std::max(titled, placed.variant);
    }
    const auto is_hidden = [](const PlacedHeatmap& placed) { return placed.stage->hidden; };
    if (!options.written && std::ranges::none_of(t.heatmaps, is_hidden))
        return draw_connectors(figure, t);
    Table cut = t;
    for (std::size_t k = 0; k < t.heatmaps.size(); ++k) {
        const PlacedHeatmap& placed = t.heatmaps[k];
        cut.heatmaps[k].rect =
            is_hidden(placed) ? closed_rect(t, placed) : placed_heatmap(t, placed, options).rect;
    }
    draw_connectors(figure, cut);
}

}  // namespace maskscope
