#pragma once

#include <span>
#include <string>

#include "app/figure/figure.h"

namespace maskscope {

struct PdfOptions {
    ThemeKind theme = ThemeKind::light;
    std::string title{};  // of the document; "" = none
};

// The bytes of a PDF with one page as large as the figure, the same for the same figure. Lines and
// text are drawn as such, and text can be selected; the cells of a heatmap are one picture, so that
// no viewer shows seams between them. Throws WorkError if it would not fit in memory.
std::string pdf_bytes(const Figure& figure, const PdfOptions& options);
// A page for each figure; at least one.
std::string pdf_bytes(std::span<const Figure> pages, const PdfOptions& options);

}  // namespace maskscope
