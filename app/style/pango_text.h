#pragma once
// Text shaped by Pango, for labels and for the caret in them. Include it only in files that call
// Pango.

#include <cairo.h>
#include <pango/pangocairo.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "app/style/shapes.h"

namespace maskscope::pango {

template <auto release>
struct Release {
    template <class T>
    void operator()(T* object) const {
        release(object);
    }
};
using Layout = std::unique_ptr<PangoLayout, Release<g_object_unref>>;
using Font = std::unique_ptr<PangoFontDescription, Release<pango_font_description_free>>;

// Returns a context with our own fonts. A unit is a point whatever the screen's resolution, and
// neither hinting nor rounding is used, so that a layout is the same at every scale and on every
// machine. The language is fixed, because it decides among fallback fonts.
PangoContext* context();

// The size of every layout, in points. As no hinting depends on it, other sizes are multiples of
// it. For each new size, Pango would search the fonts again, which takes 10 ms, and keep them for
// ever.
inline constexpr double em = 16;
constexpr double ems(int units) { return units / (em * PANGO_SCALE); }
constexpr double units(double ems) { return ems * em * PANGO_SCALE; }

// Returns the font of a style. Ignores style.size.
Font font_of(const TextStyle& style);
// Lays out one line. text: only legible if it is valid UTF-8.
Layout layout_of(const std::string& text, const TextStyle& style);

}  // namespace maskscope::pango

namespace maskscope {

// Owners of cairo's objects.
struct DestroyCairoObject {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
    void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
};
using CairoSurface = std::unique_ptr<cairo_surface_t, DestroyCairoObject>;
using CairoContext = std::unique_ptr<cairo_t, DestroyCairoObject>;

// Returns the pixels (0xAARRGGBB) of row y of an image surface with 32 bits a pixel, whose rows
// cairo aligns accordingly.
inline const std::uint32_t* pixels_of_row(cairo_surface_t* surface, int y) {
    const void* row = cairo_image_surface_get_data(surface) +
                      std::ptrdiff_t{cairo_image_surface_get_stride(surface)} * y;
    return static_cast<const std::uint32_t*>(row);
}

}  // namespace maskscope
