#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/figure/figure.h"
#include "core/base/progress.h"

namespace maskscope {

inline constexpr double pdf_cell_dpi = 300;  // for pictures of cells; lower if they are large

struct PdfOptions {
    ThemeKind theme = ThemeKind::light;
    std::string title{};  // the document's title; "" = none
    // The alternative text of each page; "" or missing = none.
    std::vector<std::string> descriptions{};
    std::string payload{};  // attached as scene.zip; "" = none; see payload.h
};

// Returns the bytes of a PDF with one page as large as the figure. The same figure gives the same
// bytes. Lines and text are vector graphics, and text can be selected; the cells of a heatmap are
// one picture, so that no viewer shows seams between them. A page is tagged as one figure, in
// English, with its description. Throws WorkError if the PDF would not fit in memory, or
// Cancellation.
std::string pdf_bytes(const Figure& figure, const PdfOptions& options,
                      const Progress& progress = command_progress());
// Returns a PDF with one page for each figure. pages: at least one.
std::string pdf_bytes(std::span<const Figure> pages, const PdfOptions& options,
                      const Progress& progress = command_progress());

// Additions that cairo cannot write. They are appended as the format provides: new objects that
// replace older ones, with their own table.
struct PdfAdditions {
    std::vector<std::string> descriptions{};  // the pages' /Alt texts; each page is tagged as one
                                              // Figure
    std::string payload{};                    // a file that is attached as scene.zip; "" = none
};

// Appends to a PDF. pdf: as cairo writes it up to version 1.4, with an uncompressed table of all
// objects.
std::string with_additions(std::string pdf, const PdfAdditions& additions);

// Returns the file attached by the last update in a PDF; nullopt if there is none.
std::optional<std::string> pdf_payload(std::string_view pdf);

}  // namespace maskscope
