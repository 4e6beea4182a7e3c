#pragma once
// Owners of cairo's objects.

#include <cairo.h>

#include <memory>

namespace maskscope {

struct DestroyCairoObject {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
    void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
};
using CairoSurface = std::unique_ptr<cairo_surface_t, DestroyCairoObject>;
using CairoContext = std::unique_ptr<cairo_t, DestroyCairoObject>;

}  // namespace maskscope
