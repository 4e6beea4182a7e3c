#include "app/figure/draw_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "app/figure/cell_pixels.h"
#include "app/figure/draw_cell.h"
#include "app/figure/draw_shapes.h"
#include "app/figure/style.h"
#include "app/style/labels.h"

namespace maskscope {
namespace {

void draw_box(const Canvas& canvas, const Box& box) {
    const Rect rect = snapped(canvas, box.rect);
    if (box.filled) fill_rect(canvas, rect, box.radius, canvas.theme[box.fill]);
    if (box.outlined)
        outline_rect(canvas, rect, box.radius, box.line_width, canvas.theme[box.outline]);
}

// The legend's square: the ground and the lines of a cell.
void draw_hatch(const Canvas& canvas, const Hatch& hatch) {
    const Rect rect = snapped(canvas, hatch.rect);
    const style::CellStyle cell = style::cell_style(std::min(rect.w, rect.h));
    const bool crossed = hatch.ground == Ground::cross_hatch;
    const Colour lines = crossed ? nan_lines(canvas.theme) : canvas.theme[hatch.role];
    const Colour ground = crossed ? nan_ground(canvas.theme) : canvas.theme[Role::panel];
    fill_rect(canvas, rect, 0, ground);
    hatch_rect(canvas, rect, {cell.hatch_pitch, cell.hatch_width, lines, crossed});
    if (!crossed) outline_rect(canvas, rect, 0, cell.gap, canvas.theme[Role::line]);
}

// A PDF holds pictures of one name once, on however many pages they are.
void name_picture(cairo_surface_t* image, const CellPixels& pixels) {
    const std::string_view bytes(reinterpret_cast<const char*>(pixels.argb.data()),
                                 pixels.argb.size() * sizeof pixels.argb.front());
    auto name = std::make_unique<std::string>(fmt::format(
        "{} × {}: {:x}", pixels.width, pixels.height, std::hash<std::string_view>{}(bytes)));
    const auto* data = reinterpret_cast<const unsigned char*>(name->data());
    const auto size = name->size();
    std::string* const owned = name.release();
    const auto drop = [](void* given) { delete static_cast<std::string*>(given); };
    if (cairo_surface_set_mime_data(image, CAIRO_MIME_TYPE_UNIQUE_ID, data, size, drop, owned) !=
        CAIRO_STATUS_SUCCESS)
        delete owned;
}

void draw_pixels(const Canvas& canvas, CellPixels& pixels) {
    if (pixels.argb.empty()) return;
    cairo_surface_t* image = cairo_image_surface_create_for_data(
        reinterpret_cast<unsigned char*>(pixels.argb.data()), CAIRO_FORMAT_ARGB32, pixels.width,
        pixels.height, pixels.width * 4);
    if (cairo_surface_get_type(cairo_get_target(canvas.cairo)) == CAIRO_SURFACE_TYPE_PDF)
        name_picture(image, pixels);
    cairo_save(canvas.cairo);
    cairo_scale(canvas.cairo, 1 / canvas.scale, 1 / canvas.scale);
    cairo_set_source_surface(canvas.cairo, image, pixels.x, pixels.y);
    cairo_pattern_set_filter(cairo_get_source(canvas.cairo), CAIRO_FILTER_NEAREST);
    cairo_paint(canvas.cairo);
    cairo_restore(canvas.cairo);
    cairo_surface_destroy(image);
}

void draw_number(const Canvas& canvas, const Heatmap& heatmap, Index i, Index j) {
    const CellLook look = look_of(heatmap, i, j, canvas.theme);
    if (!look.numbered) return;
    const Rect cell = inner_rect(heatmap, i, j, canvas.scale);
    const CellNumber number = number_of(heatmap, i, j, look, cell);
    if (number.cleared) fill_rect(canvas, snapped(canvas, *number.cleared), 0, look.ground);
    show_text(canvas.cairo, number.text, look.ink);
}

void draw_numbers(const Canvas& canvas, const Heatmap& heatmap) {
    cairo_save(canvas.cairo);
    const Rect& r = heatmap.rect;
    cairo_rectangle(canvas.cairo, r.x, r.y, r.w, r.h);
    cairo_clip(canvas.cairo);
    const SeenCells seen = seen_cells(heatmap);
    for (Index i = seen.begin.i; i < seen.end.i; ++i)
        for (Index j = seen.begin.j; j < seen.end.j; ++j) draw_number(canvas, heatmap, i, j);
    cairo_restore(canvas.cairo);
}

void draw_heatmap(const Canvas& canvas, const Heatmap& heatmap) {
    CellPixels pixels = cell_pixels(heatmap, canvas.theme, canvas.scale);
    draw_pixels(canvas, pixels);
    if (!pixels.argb.empty() && heatmap.number_size > 0) draw_numbers(canvas, heatmap);
}

void draw_colour_bar(const Canvas& canvas, const ColourBar& bar) {
    const Rect rect = snapped(canvas, bar.rect);
    const bool upright = rect.h > rect.w;
    const int steps = static_cast<int>(std::lround((upright ? rect.h : rect.w) * canvas.scale));
    const double step = 1 / canvas.scale;
    for (int k = 0; k < steps; ++k) {
        const double t = steps > 1 ? k / (steps - 1.0) : 0;
        const Rect strip = upright ? Rect{rect.x, rect.bottom() - (k + 1) * step, rect.w, step}
                                   : Rect{rect.x + k * step, rect.y, step, rect.h};
        fill_rect(canvas, strip, 0, map_colour(shown_map(bar.map, canvas.theme), t));
    }
}

}  // namespace

void draw_figure(cairo_t* cairo, const Figure& figure, const Theme& theme, double scale,
                 const Progress& progress) {
    const Canvas canvas{cairo, theme, scale};
    cairo_save(cairo);
    cairo_scale(cairo, scale, scale);
    for (const Box& box : figure.boxes) draw_box(canvas, box);
    for (const Hatch& hatch : figure.hatches) draw_hatch(canvas, hatch);
    for (const Heatmap& heatmap : figure.heatmaps) {
        if (progress.cancel) throw Cancelled{};
        draw_heatmap(canvas, heatmap);
    }
    for (const SumBar& bar : figure.sums) draw_sum(canvas, bar);
    for (const ColourBar& bar : figure.colour_bars) draw_colour_bar(canvas, bar);
    for (const Connector& connector : figure.connectors)
        draw_connector(canvas, connector, figure.unit);
    for (const Area& area : figure.areas) draw_area(canvas, area);
    for (const Stroke& stroke : figure.strokes) draw_stroke(canvas, stroke);
    for (const Dot& dot : figure.dots) draw_dot(canvas, dot);
    for (const Box& chip : figure.chips) draw_box(canvas, chip);
    for (const Text& text : figure.texts) show_text(cairo, text, theme[text.role]);
    cairo_restore(cairo);
}

}  // namespace maskscope
