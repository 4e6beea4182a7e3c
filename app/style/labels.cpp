#include "app/style/labels.h"

#include <hb-ot.h>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "app/style/pango_text.h"
#include "app/style/scripts.h"

namespace maskscope {

namespace {

using pango::context, pango::ems, pango::Font, pango::font_of, pango::Layout, pango::Release;
using Metrics = std::unique_ptr<PangoFontMetrics, Release<pango_font_metrics_unref>>;

constexpr double widest_image = 16384;  // pixels; the limit of cairo's and OpenGL's images

bool can_be_drawn(const std::string& text, const TextStyle& style) {
    return !text.empty() && style.size > 0 && style.size < 10000;
}

std::string legible(const std::string& text) {
    std::size_t length = std::min(text.size(), longest_label);
    while (length < text.size() && length > 0 && (text[length] & 0xc0) == 0x80) --length;
    return writable(text.substr(0, length)) + (length < text.size() ? "…" : "");
}

// Makes subscripts and superscripts smaller, and moves them from the baseline.
void set_scripts(PangoLayout* layout, const std::vector<ScriptRun>& runs) {
    PangoAttrList* before = pango_layout_get_attributes(layout);
    PangoAttrList* all = before == nullptr ? pango_attr_list_new() : pango_attr_list_copy(before);
    guint from = 0;
    for (const ScriptRun& run : runs) {
        const guint to = from + static_cast<guint>(run.text.size());
        const auto insert = [&](PangoAttribute* attribute) {
            attribute->start_index = from;
            attribute->end_index = to;
            pango_attr_list_insert(all, attribute);
        };
        if (run.level != ScriptRun::Level::base) {
            insert(pango_attr_scale_new(script_size));
            insert(pango_attr_rise_new(static_cast<int>(pango::units(rise_of(run.level)))));
        }
        from = to;
    }
    pango_layout_set_attributes(layout, all);
    pango_attr_list_unref(all);
}

Layout layout_of(const std::string& text, const TextStyle& style, double max_width) {
    const std::vector<ScriptRun> runs = script_runs(legible(text));
    std::string drawn;
    for (const ScriptRun& run : runs) drawn += run.text;
    Layout layout = pango::layout_of(drawn, style);
    if (runs.size() > 1) set_scripts(layout.get(), runs);
    int width = 0;
    pango_layout_get_size(layout.get(), &width, nullptr);
    if (max_width > 0 && ems(width) * style.size > max_width) {
        pango_layout_set_ellipsize(layout.get(), PANGO_ELLIPSIZE_END);
        pango_layout_set_width(layout.get(),
                               static_cast<int>(pango::units(max_width / style.size)));
    }
    return layout;
}

}  // namespace

bool would_be_other_letters(const std::string& text) {
    return text.find_first_of("<>xX") != std::string::npos;
}

namespace {

// The height and baseline of a line, in ems from the middle of its height. They are those of the
// style's own font, so that tokens of all scripts share one baseline.
struct Line {
    double height = 0, baseline = 0;
};

Line line_of(bool mono) {
    static const auto measured = [](bool mono) {
        const Font font = font_of({.mono = mono});
        const Metrics metrics{pango_context_get_metrics(context(), font.get(), nullptr)};
        const double ascent = ems(pango_font_metrics_get_ascent(metrics.get()));
        const double descent = ems(pango_font_metrics_get_descent(metrics.get()));
        return Line{ascent + descent, (ascent - descent) / 2};
    };
    static const Line inter = measured(false), dejavu_mono = measured(true);
    return mono ? dejavu_mono : inter;
}

// The extents of a layout around its anchor (left, baseline), in ems, y downwards.
struct Extent {
    double left = 0, width = 0;  // the line, without overhanging ink
    double ink_left = 0, ink_right = 0;
    double ink_top = 0, ink_bottom = 0;  // measured from the baseline
};

Extent extent_of(PangoLayout* layout) {
    PangoRectangle ink, line;
    pango_layout_get_extents(layout, &ink, &line);
    const int baseline = pango_layout_get_baseline(layout);
    return {.left = ems(line.x),
            .width = ems(line.width),
            .ink_left = ems(ink.x - line.x),
            .ink_right = ems(ink.x - line.x + ink.width),
            .ink_top = ems(ink.y - baseline),
            .ink_bottom = ems(ink.y + ink.height - baseline)};
}

bool is_coloured(PangoFont* font) {
    hb_face_t* face = hb_font_get_face(pango_font_get_hb_font(font));
    return hb_ot_color_has_png(face) != 0 || hb_ot_color_has_layers(face) != 0 ||
           hb_ot_color_has_svg(face) != 0;
}

bool is_coloured(PangoLayout* layout) {
    const PangoLayoutLine* line = pango_layout_get_line_readonly(layout, 0);
    for (const GSList* run = line != nullptr ? line->runs : nullptr; run != nullptr;
         run = run->next)
        if (is_coloured(static_cast<PangoGlyphItem*>(run->data)->item->analysis.font)) return true;
    return false;
}

bool is_image(cairo_t* cairo) {
    return cairo_surface_get_type(cairo_get_group_target(cairo)) == CAIRO_SURFACE_TYPE_IMAGE;
}

// Makes the outlines of a layout the current path. cairo keeps the outlines of every size, so
// outlines are made at only one size, at which the steps of cairo's fixed-point numbers do not
// show. The surface is endless, because cairo makes no outlines beyond the edge of a surface.
void make_outlines(cairo_t* cairo, PangoLayout* layout) {
    constexpr double fine = 64;  // pixels per point
    const CairoSurface surface{cairo_recording_surface_create(CAIRO_CONTENT_ALPHA, nullptr)};
    const CairoContext endless{cairo_create(surface.get())};
    cairo_scale(endless.get(), fine, fine);
    pango_cairo_layout_path(endless.get(), layout);
    const std::unique_ptr<cairo_path_t, Release<cairo_path_destroy>> outlines{
        cairo_copy_path(endless.get())};
    cairo_new_path(cairo);
    cairo_append_path(cairo, outlines.get());
}

// Paints with the current source: the left end of the line is at x, the baseline at y. In an image
// it paints outlines, because cairo would move glyphs to whole pixels. Glyphs in colour have no
// outlines.
void paint(cairo_t* cairo, PangoLayout* layout, double size, double x, double y) {
    cairo_save(cairo);
    cairo_translate(cairo, x, y - ems(pango_layout_get_baseline(layout)) * size);
    cairo_scale(cairo, size / pango::em, size / pango::em);
    if (is_coloured(layout) || !is_image(cairo)) {  // pages keep text as text
        cairo_move_to(cairo, 0, 0);
        pango_cairo_show_layout(cairo, layout);
    } else {
        make_outlines(cairo, layout);
        cairo_fill(cairo);
    }
    cairo_restore(cairo);
    cairo_new_path(cairo);
}

// Rounds the baseline to a whole pixel in images, for sharp letters.
double snapped_baseline(cairo_t* cairo, double y) {
    if (!is_image(cairo)) return y;
    double x = 0;
    cairo_user_to_device(cairo, &x, &y);
    y = std::round(y);
    cairo_device_to_user(cairo, &x, &y);
    return y;
}

struct MeasureKey {
    std::string text;
    Weight weight;
    bool mono;
    bool operator==(const MeasureKey&) const = default;
};
struct HashMeasureKey {
    std::size_t operator()(const MeasureKey& key) const {
        return std::hash<std::string>{}(key.text) ^
               (static_cast<std::size_t>(key.weight) * 2 + static_cast<std::size_t>(key.mono));
    }
};

// Measures a text in ems.
TextSize measured(const std::string& text, const TextStyle& style) {
    const Extent extent = extent_of(layout_of(text, style, 0).get());
    const Line line = line_of(style.mono);
    const double above = -(line.baseline + extent.ink_top);
    const double below = line.baseline + extent.ink_bottom;
    return {extent.width, std::max(line.height, 2 * std::max(above, below))};
}

std::vector<std::uint32_t> rgba_of(cairo_surface_t* surface, int width, int height) {
    cairo_surface_flush(surface);
    std::vector<std::uint32_t> pixels(static_cast<std::size_t>(width) *
                                      static_cast<std::size_t>(height));
    auto pixel = pixels.begin();
    for (int y = 0; y < height; ++y) {
        for (const std::uint32_t argb : std::span(pixels_of_row(surface, y), width)) {
            *pixel++ = (argb & 0xff00ff00U) | (argb >> 16 & 0xffU) | (argb & 0xffU) << 16;
        }
    }
    return pixels;
}

}  // namespace

std::string writable(const std::string& text) {
    const std::unique_ptr<char, Release<g_free>> valid{
        g_utf8_make_valid(text.data(), static_cast<gssize>(text.size()))};
    std::string written;
    for (const char* at = valid.get(); *at != 0;) {
        const gunichar c = g_utf8_get_char(at);
        const char* next = g_utf8_next_char(at);
        const bool none = (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef);
        const bool breaks = c == 0x2028 || c == 0x2029;  // Pango breaks lines there, within a
                                                         // paragraph, too
        written += none ? "\ufffd" : breaks ? " " : std::string(at, next);
        at = next;
    }
    return written;
}

void need_fonts() { context(); }

TextSize measure(const std::string& text, const TextStyle& style) {
    if (!can_be_drawn(text, style))
        return {0, style.size > 0 ? line_of(style.mono).height * style.size : 0};
    constexpr std::size_t most_kept = 20000;
    thread_local std::unordered_map<MeasureKey, TextSize, HashMeasureKey> known;
    MeasureKey key{text.substr(0, longest_label + 1), style.weight, style.mono};
    auto found = known.find(key);
    if (found == known.end()) {
        if (known.size() >= most_kept) known.clear();
        found = known.emplace(std::move(key), measured(text, style)).first;
    }
    return {found->second.width * style.size, found->second.height * style.size};
}

double baseline_below_middle(const TextStyle& style) {
    return line_of(style.mono).baseline * style.size;
}

void show_text(cairo_t* cairo, const Text& text, Colour colour) {
    if (!can_be_drawn(text.text, text.style)) return;
    const Layout layout = layout_of(text.text, text.style, text.max_width);
    const Extent extent = extent_of(layout.get());
    const double size = text.style.size;
    const double anchored = text.anchor == Anchor::left     ? 0
                            : text.anchor == Anchor::centre ? extent.width / 2
                                                            : extent.width;
    const double baseline = baseline_below_middle(text.style);
    cairo_save(cairo);
    cairo_translate(cairo, text.at.x, text.at.y);
    if (text.vertical) cairo_rotate(cairo, -std::acos(-1.0) / 2);
    cairo_set_source_rgba(cairo, colour.r / 255.0, colour.g / 255.0, colour.b / 255.0,
                          colour.a / 255.0);
    paint(cairo, layout.get(), size, -(anchored + extent.left) * size,
          text.vertical ? baseline : snapped_baseline(cairo, baseline));
    cairo_restore(cairo);
}

namespace {

// A label without its pixels, and the place of its text.
struct PlacedLabel {
    LabelImage image;
    Layout layout;
    double pen_x = 0, baseline = 0;  // pixels, from the image's top left corner
};

std::optional<PlacedLabel> placed_label(const std::string& text, const TextStyle& style,
                                        double scale, double max_width) {
    if (!can_be_drawn(text, style) || !(scale > 0) || !(scale * style.size < widest_image / 4))
        return std::nullopt;
    const double widest = (widest_image - 64) / scale;
    PlacedLabel placed{
        {}, layout_of(text, style, max_width > 0 ? std::min(max_width, widest) : widest)};
    LabelImage& image = placed.image;
    const Extent extent = extent_of(placed.layout.get());
    const Line line = line_of(style.mono);
    const double size = style.size * scale;  // pixels per em
    const double overhang = std::max({0.0, -extent.ink_left, extent.ink_right - extent.width});
    image.margin = static_cast<int>(std::ceil(std::min(overhang * size, 16.0))) + 1;
    const double baseline = std::round(line.baseline * size);  // measured from the middle
    const double half = std::max({line.height * size / 2, -(baseline + extent.ink_top * size) + 1,
                                  baseline + extent.ink_bottom * size + 1});
    image.width = static_cast<int>(std::ceil(extent.width * size)) + 2 * image.margin;
    const int middle = static_cast<int>(std::ceil(std::min(half, widest_image / 2)));
    image.height = 2 * middle;
    image.coloured = is_coloured(placed.layout.get());
    placed.pen_x = image.margin - extent.left * size;
    placed.baseline = middle + baseline;
    return placed;
}

}  // namespace

LabelImage label_box(const std::string& text, const TextStyle& style, double scale,
                     double max_width) {
    const auto placed = placed_label(text, style, scale, max_width);
    return placed ? placed->image : LabelImage{};
}

LabelImage rasterise(const std::string& text, const TextStyle& style, double scale,
                     double max_width, Colour ink) {
    auto placed = placed_label(text, style, scale, max_width);
    if (!placed) return {};
    LabelImage& image = placed->image;
    const CairoSurface surface{
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, image.width, image.height)};
    const CairoContext cairo{cairo_create(surface.get())};
    cairo_translate(cairo.get(), 0, placed->baseline);
    cairo_set_source_rgb(cairo.get(), ink.r / 255.0, ink.g / 255.0, ink.b / 255.0);
    paint(cairo.get(), placed->layout.get(), style.size * scale, placed->pen_x, 0);
    image.pixels = rgba_of(surface.get(), image.width, image.height);
    return image;
}

std::string shortened(const Text& text) {
    if (!(text.max_width > 0) || measure(text.text, text.style).width <= text.max_width)
        return text.text;
    std::vector<std::size_t> letters;  // the byte at which each letter begins
    for (std::size_t k = 0; k < text.text.size(); ++k)
        if (k == 0 || (static_cast<unsigned char>(text.text[k]) & 0xc0U) != 0x80)
            letters.push_back(k);
    const auto cut = [&](std::size_t count) { return text.text.substr(0, letters[count]) + "…"; };
    const auto fits = [&](std::size_t count) {
        return measure(cut(count), text.style).width <= text.max_width;
    };
    // Start from a short prefix, because the text can be very long.
    std::size_t most = 0, too_many = 1;
    while (too_many < letters.size() && fits(too_many))
        most = std::exchange(too_many, 2 * too_many);
    too_many = std::min(too_many, letters.size());
    while (most + 1 < too_many) {
        const std::size_t middle = (most + too_many) / 2;
        (fits(middle) ? most : too_many) = middle;
    }
    return cut(most);
}

std::vector<std::string> broken_into_lines(const std::string& text, const TextStyle& style,
                                           double room, std::size_t most) {
    std::vector<std::string> lines;
    std::string line;
    for (std::size_t at = 0; at < text.size();) {
        if (lines.size() > most) return lines;
        const std::size_t blank = std::min(text.find(' ', at), text.size());
        const std::string word = text.substr(at, blank - at);
        const std::string longer = line.empty() ? word : std::string(line).append(" ").append(word);
        if (!line.empty() && measure(longer, style).width > room) {
            lines.push_back(line);
            line = word;
        } else {
            line = longer;
        }
        at = blank + 1;
    }
    if (!line.empty()) lines.push_back(line);
    if (lines.size() < 2 || lines.back().find(' ') != std::string::npos) return lines;
    std::string& before = lines[lines.size() - 2];
    const std::size_t blank = before.rfind(' ');
    // Do not leave a word alone in the line before, either, if there are others above it.
    if (blank == std::string::npos || (lines.size() > 2 && before.find(' ') == blank)) return lines;
    const std::string two_words = before.substr(blank + 1) + " " + lines.back();
    if (measure(two_words, style).width > room) return lines;
    before.resize(blank);
    lines.back() = two_words;
    return lines;
}

double figure_text_width(const Text& text) { return measure(text.text, text.style).width; }

bool is_cut(const Text& text) {
    return text.max_width > 0 && figure_text_width(text) > text.max_width + 0.5;
}

Rect text_rect(const Text& text) {
    double width = figure_text_width(text);
    if (text.max_width > 0) width = std::min(width, text.max_width);
    const double height = 1.2 * text.style.size;  // the line height of Inter
    if (text.vertical) return {text.at.x - height / 2, text.at.y - width, height, width};
    const double left = text.anchor == Anchor::left     ? text.at.x
                        : text.anchor == Anchor::centre ? text.at.x - width / 2
                                                        : text.at.x - width;
    return {left, text.at.y - height / 2, width, height};
}

}  // namespace maskscope
