// Lays out the translator: what each variant writes in large type, the attention of every layer and
// head as thumbnails, and below them the bench of the shown attention.

#include <fmt/format.h>

#include <algorithm>

#include "app/figure/layout/lay_out_parts.h"
#include "app/figure/layout/place.h"
#include "app/figure/plots/lay_out_view.h"
#include "app/figure/plots/plot.h"
#include "app/show/views/view_entry.h"
#include "app/views/translator/translator_view.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

constexpr const char *no_words = "(nothing)", *nan_words = "no translation: NaN";

// Points.
constexpr double source_size = 15, said_size = 24, hall_said_size = 20;
constexpr double map_side = 30, between_maps = 4, between_layers = 14, between_attentions = 26;
constexpr double strip_label = 18, after_strip = 16;

struct TranslatorDrawing {
    Figure& figure;
    const TranslatorView& data;
    const View& view;
    const LayoutOptions& options;
    std::optional<Index> step;  // the row in focus
    double left = 0, right = 0;

    double u() const { return options.scale; }
    bool is_written(Index row) const { return !options.written || row < options.written->words; }
};

double said_size_of(const TranslatorDrawing& d) {
    return (d.options.in_hall ? hall_said_size : said_size) * d.u();
}

TextStyle name_style(const TranslatorDrawing& d) { return {13 * d.u(), Weight::semibold}; }

// Draws a word at a point, underlined if its row is in focus; returns the word's width.
double draw_word(const TranslatorDrawing& d, const TranslatedWord& word, Point at, double size) {
    using Kind = TranslatedWord::Kind;
    Text text{.at = at, .text = word.text, .style = {size, Weight::semibold}};
    if (word.kind == Kind::wrong) text.role = Role::wrong;
    if (word.kind == Kind::missing) text.style.weight = Weight::regular;
    if (word.kind == Kind::missing) text.role = Role::dim;
    const double width = figure_text_width(text);
    const auto line = [&](double y, Role role) {
        d.figure.strokes.push_back(
            {.points = {{at.x, y}, {at.x + width, y}}, .role = role, .width = 1.5 * d.u()});
    };
    if (word.kind == Kind::missing)
        line(at.y + 0.06 * size, Role::dim);
    else if (word.row == d.step)
        line(at.y + 0.56 * size, text.role);
    d.figure.texts.push_back(std::move(text));
    return width;
}

double word_width(const std::string& word, double size, Weight weight = Weight::semibold) {
    return figure_text_width({.at = {}, .text = word, .style = {size, weight}});
}

// Draws words next to each other, in as many lines as they need; returns the bottom of the last
// line.
double draw_words_said(const TranslatorDrawing& d, const TranslatorVariant& variant, double top,
                       double left) {
    const double size = said_size_of(d);
    const double line = 1.35 * size, blank = 0.32 * size;
    Point at{left, top + line / 2};
    if (variant.nan) {
        d.figure.texts.push_back(
            {.at = at, .text = nan_words, .style = {size, Weight::semibold}, .role = Role::wrong});
        return top + line;
    }
    if (variant.words.empty())
        d.figure.texts.push_back({.at = at, .text = no_words, .style = {size}, .role = Role::dim});
    for (const TranslatedWord& word : variant.words) {
        const double width = word_width(word.text, size);
        if (at.x > left && at.x + width > d.right) at = {left, at.y + line};
        at.x += (d.is_written(word.row) ? draw_word(d, word, at, size) : width) + blank;
    }
    return at.y + line / 2;
}

// Returns the width of the words in one line.
double width_said(const TranslatorDrawing& d, const std::vector<TranslatedWord>& words) {
    const double size = said_size_of(d);
    if (words.empty()) return word_width(no_words, size, Weight::regular);
    double width = 0;
    for (const TranslatedWord& word : words) width += 0.32 * size + word_width(word.text, size);
    return width;
}

// Draws what the model writes when it generates; returns the bottom.
double draw_alone(const TranslatorDrawing& d, const TranslatorVariant& variant, double top,
                  double left) {
    if (!variant.alone) return top;
    const double size = said_size_of(d);
    Text name{.at = {left, top + 1.35 * size / 2}, .text = "alone:", .style = {size}};
    name.role = Role::dim;
    const double indent = left + figure_text_width(name) + 0.4 * size;
    d.figure.texts.push_back(std::move(name));
    TranslatorDrawing of_alone = d;
    of_alone.step.reset();
    TranslatorVariant said = variant;
    said.words = *variant.alone;
    return draw_words_said(of_alone, said, top, indent);
}

// Draws a question mark in place of words that the audience still has to guess.
double draw_hidden(const TranslatorDrawing& d, double top, double left, double size) {
    d.figure.texts.push_back({.at = {left, top + 0.7 * size},
                              .text = "?",
                              .style = {size, Weight::semibold},
                              .role = Role::dim});
    return top + 1.35 * size;
}

// Draws the sentence that is translated; returns the bottom.
double draw_source(const TranslatorDrawing& d, double top) {
    d.figure.texts.push_back({.at = {d.left, top + 0.7 * source_size * d.u()},
                              .text = d.data.source,
                              .style = {source_size * d.u()},
                              .role = Role::dim,
                              .max_width = d.right - d.left});
    return top + 1.7 * source_size * d.u();
}

constexpr double letter_width = 28, alone_width = 4.5;  // points; × the size, with space before it

// Returns the width of a variant's letter and words, and of what it writes when it generates.
double width_briefly(const TranslatorDrawing& d, const TranslatorVariant& variant) {
    if (variant.nan) return letter_width * d.u() + word_width(nan_words, said_size_of(d));
    const double width = letter_width * d.u() + width_said(d, variant.words);
    if (!variant.alone) return width;
    return width + alone_width * said_size_of(d) + width_said(d, *variant.alone);
}

// Draws a variant's letter and words, then what the model writes when it generates, in the same
// line if both fit; returns the bottom.
double draw_variant_briefly(const TranslatorDrawing& d, const TranslatorVariant& variant,
                            double top) {
    const double size = said_size_of(d), middle = top + 0.675 * size;
    const double left =
        draw_letters(d.figure, {variant.index}, {d.left, middle}, d.u()) + 4 * d.u();
    if (d.view.hides(variant.index)) return draw_hidden(d, top, left, size);
    const double below = draw_words_said(d, variant, top, left);
    if (d.left + width_briefly(d, variant) > d.right) return draw_alone(d, variant, below, left);
    draw_alone(d, variant, top, left + width_said(d, variant.words) + size);
    return below;
}

// Draws a variant's letter, name and note, and below them its words; returns the bottom.
double draw_variant_said(const TranslatorDrawing& d, const TranslatorVariant& variant, double top) {
    const double u = d.u(), head = 22 * u, indent = d.left + letter_width * u;
    double x = draw_letters(d.figure, {variant.index}, {d.left, top + head / 2}, u);
    Text name{.at = {x, top + head / 2},
              .text = variant.name,
              .style = name_style(d),
              .max_width = std::max(1.0, d.right - x)};
    x += std::min(figure_text_width(name), name.max_width) + 10 * u;
    d.figure.texts.push_back(std::move(name));
    if (d.view.hides(variant.index))
        return draw_hidden(d, top + head, indent, said_size * u) + 6 * u;
    if (!variant.note.empty() && x < d.right - 60 * u)
        d.figure.texts.push_back({.at = {x, top + head / 2},
                                  .text = variant.note,
                                  .style = {13 * u},
                                  .role = Role::dim,
                                  .max_width = d.right - x});
    return draw_alone(d, variant, draw_words_said(d, variant, top + head, indent), indent) + 6 * u;
}

// Returns the width of what draw_variant_said() draws, in as few lines as possible.
double width_said_below(const TranslatorDrawing& d, const TranslatorVariant& variant) {
    const double u = d.u(), size = said_size_of(d);
    const double head = word_width(variant.name, name_style(d).size) +
                        word_width(variant.note, 13 * u, Weight::regular) + 10 * u;
    double words = variant.nan ? word_width(nan_words, size) : width_said(d, variant.words);
    if (variant.alone && !variant.nan)
        words = std::max(words, alone_width * size + width_said(d, *variant.alone));
    return letter_width * u + std::max(head, words);
}

// Draws what each variant writes, in as few rows as they fit into; returns the bottom. from: the
// left edge of the first one. A question takes the same places as its answer.
double draw_variants_said(const TranslatorDrawing& d, double top, double from, bool brief) {
    const double gap = 1.5 * said_size_of(d);
    TranslatorDrawing here = d;
    here.left = from;
    double bottom = from > d.left ? top + 1.35 * said_size_of(d) : top;  // what is before it
    for (const TranslatorVariant& variant : d.data.variants) {
        const double width = brief ? width_briefly(here, variant) : width_said_below(here, variant);
        if (here.left > d.left && here.left + width > d.right) {
            here.left = d.left;
            top = bottom;
        }
        bottom = std::max(bottom, brief ? draw_variant_briefly(here, variant, top)
                                        : draw_variant_said(here, variant, top));
        here.left += width + gap;
    }
    return bottom;
}

// For a presentation: draws the sentence, and what each variant writes, in as few lines as they fit
// into; returns the bottom.
double draw_briefly(const TranslatorDrawing& d, double top) {
    const double size = said_size_of(d);
    draw_source(d, top + 0.675 * size - 0.7 * source_size * d.u());
    const double source = word_width(d.data.source, source_size * d.u(), Weight::regular);
    return draw_variants_said(d, top, d.left + source + 1.5 * size, true);
}

// Draws thumbnails of every head of every attention, as the first variant computes them; the shown
// one has a frame.
double draw_strip(const TranslatorDrawing& d, double top) {
    if (d.data.maps.empty()) return top;
    const double u = d.u(), side = map_side * u;
    double x = d.left, y = top;
    const bool hidden = d.view.hides(StageKind::weights, d.data.variants.front().index);
    const TranslatorMap* before = nullptr;
    for (const TranslatorMap& map : d.data.maps) {
        const bool new_attention = before == nullptr || before->attention != map.attention;
        const bool new_layer = !new_attention && before->layer != map.layer;
        if (before != nullptr)
            x += (new_attention ? between_attentions
                  : new_layer   ? between_layers
                                : between_maps) *
                 u;
        const double room = (new_attention || new_layer) ? 4 * (side + between_maps * u) : side;
        if (x > d.left && x + room > d.right) {
            x = d.left;
            y += side + (strip_label + 8) * u;
        }
        if (new_attention || new_layer)
            d.figure.texts.push_back(
                {.at = {x, y + strip_label * u / 2},
                 .text = fmt::format("{} {}", label(map.attention), map.layer + 1),
                 .style = {12 * u},
                 .role = Role::dim});
        const Rect rect{x, y + strip_label * u, side, side};
        Heatmap heatmap;
        heatmap.rect = rect;
        heatmap.cells = map.cells;
        heatmap.limits = {0, 1, false};
        heatmap.variant = foreign_variant;  // because its cells belong to another attention
        cut_unwritten(heatmap, map.attention, d.options.written);
        if (hidden)
            d.figure.boxes.push_back({rect, 3 * u, true, true, Role::panel, Role::line, u});
        else
            d.figure.heatmaps.push_back(std::move(heatmap));
        if (map.shown)
            d.figure.chips.push_back({{rect.x + u, rect.y + u, side - 2 * u, side - 2 * u},
                                      3 * u,
                                      false,
                                      true,
                                      Role::panel,
                                      Role::ink,
                                      2 * u});
        d.figure.spots.push_back({.kind = Spot::Kind::layer,
                                  .rect = rect,
                                  .variant = static_cast<int>(map.attention),
                                  .h = map.h,
                                  .row = map.layer});
        x += side;
        before = &map;
    }
    return y + side + (strip_label + after_strip) * u;
}

}  // namespace

std::optional<WritingProgress> written_in(const View& view, const Scene& scene) {
    const ModelInputs* model = model_of(scene);
    if (!view.words || model == nullptr || shown_view(view, scene) != ViewKind::translator)
        return std::nullopt;
    return WritingProgress{*view.words, model->attention};
}

namespace {

Figure lay_out_words(bool brief, const TranslatorView& data, const std::string& title,
                     const View& view, const LayoutOptions& options) {
    Figure figure;
    const double u = figure.unit = options.scale, margin = options.width > 0 ? 0 : 20 * u;
    double y = draw_figure_title(figure, title, options);
    const double right = options.width > 0 ? options.width : margin + 900 * u;
    const auto& focus = view.show.focus;
    const std::optional<Index> step = focus ? std::optional(focus->i) : std::nullopt;
    const TranslatorDrawing d{figure, data, view, options, step, margin, right};
    if (brief) {
        y = draw_briefly(d, y);
    } else {
        if (!options.interactive) y = draw_source(d, y);  // the window has a field for it
        y = draw_variants_said(d, y, d.left, false);
        y = draw_strip(d, y + 4 * u);
    }
    figure.width = options.width > 0 ? options.width : d.right + margin;
    figure.height = y;
    return figure;
}

}  // namespace

Figure lay_out_words_in_hall(const TranslatorView& data, const View& view,
                             const LayoutOptions& options) {
    return lay_out_words(true, data, "", view, options);
}

Figure lay_out_translator(const TranslatorView& data, const Bench& bench, const View& view,
                          const LayoutOptions& options) {
    if (!data.missing.empty()) return lay_out_sentence(data.missing, bench.title, options);
    Figure figure = lay_out_words(false, data, bench.title, view, options);
    LayoutOptions below = options;
    below.with_title = false;
    if (options.height > 0) below.height = std::max(1.0, options.height - figure.height);
    append_below(figure, lay_out(bench, below));
    return figure;
}

}  // namespace maskscope
