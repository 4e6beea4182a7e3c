#include "app/figure/write/pdf.h"

#include <cairo-pdf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>

#include "app/figure/draw_figure.h"
#include "app/figure/write/pdf_update.h"
#include "app/style/cairo_objects.h"
#include "app/style/labels.h"
#include "core/base/error.h"

namespace maskscope {

namespace {

constexpr double most_cell_pixels = 64e6;  // for all together; if there are more, they are coarser
constexpr double longest_page = 14400;     // points: the format's own limit

// Returns the pixels per point of the pictures.
double density_of(const Figure& figure) {
    const double most = std::sqrt(most_cell_pixels / figure.width / figure.height);
    return std::max(1.0, std::min(pdf_cell_dpi / 72, most));
}

cairo_status_t append_bytes(void* bytes, const unsigned char* data, unsigned int count) {
    try {
        static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), count);
        return CAIRO_STATUS_SUCCESS;
    } catch (const std::bad_alloc&) {
        return CAIRO_STATUS_NO_MEMORY;  // no exception may pass through cairo
    }
}

void draw_page(cairo_t* cairo, const Figure& figure, const Theme& theme, const Progress& progress) {
    const Colour ground = theme[Role::ground];
    cairo_set_source_rgb(cairo, ground.r / 255.0, ground.g / 255.0, ground.b / 255.0);
    cairo_paint(cairo);
    const double density = density_of(figure);
    cairo_scale(cairo, 1 / density, 1 / density);
    // Each page has a document of its own: cairo 1.16 loses a tag that begins before a page's size
    // is set, or ends on another page.
    cairo_tag_begin(cairo, "Document", nullptr);
    cairo_tag_begin(cairo, "Figure", nullptr);
    draw_figure(cairo, figure, theme, density, progress);
    cairo_tag_end(cairo, "Figure");
    cairo_tag_end(cairo, "Document");
    cairo_show_page(cairo);
}

}  // namespace

std::string pdf_bytes(const Figure& figure, const PdfOptions& options, const Progress& progress) {
    return pdf_bytes(std::span(&figure, 1), options, progress);
}

std::string pdf_bytes(std::span<const Figure> pages, const PdfOptions& options,
                      const Progress& progress) {
    for (const Figure& page : pages) {
        if (!(page.width > 0) || !(page.height > 0)) throw WorkError("the figure is empty");
        if (std::max(page.width, page.height) > longest_page)
            throw WorkError(
                fmt::format("the page would be {:.0f} × {:.0f} points; at most {:.0f} are possible",
                            page.width, page.height, longest_page));
    }
    std::string bytes;
    const CairoSurface owned{cairo_pdf_surface_create_for_stream(
        append_bytes, &bytes, pages.front().width, pages.front().height)};
    cairo_surface_t* surface = owned.get();
    cairo_pdf_surface_restrict_to_version(surface, CAIRO_PDF_VERSION_1_4);  // see with_additions()
    // Set a date, because otherwise two runs would differ.
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    if (!options.title.empty())
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE,
                                       writable(options.title).c_str());
    const CairoContext cairo{cairo_create(surface)};
    for (const Figure& page : pages) {
        cairo_pdf_surface_set_size(surface, page.width, page.height);
        cairo_save(cairo.get());
        draw_page(cairo.get(), page, theme(options.theme), progress);
        cairo_restore(cairo.get());
    }
    const cairo_status_t drawn = cairo_status(cairo.get());
    cairo_surface_finish(surface);
    const cairo_status_t written = cairo_surface_status(surface);
    for (const cairo_status_t status : {drawn, written})
        if (status != CAIRO_STATUS_SUCCESS)
            throw WorkError(fmt::format("the page: {}", cairo_status_to_string(status)));
    return with_additions(std::move(bytes), {options.descriptions, options.payload});
}

}  // namespace maskscope
