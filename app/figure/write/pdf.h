#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/figure/figure.h"
#include "core/base/progress.h"

namespace maskscope {

inline constexpr double pdf_cell_dpi = 300;  // for the pictures of cells; less if they are large

struct PdfOptions {
    ThemeKind theme = ThemeKind::light;
    std::string title{};  // the document's; "" = none
    // The alternative text of each page; "" or missing = none.
    std::vector<std::string> descriptions{};
    std::string payload{};  // see payload.h; attached as scene.zip; "" = none
};

// Returns the bytes of a PDF with one page as large as the figure, the same for the same figure.
// Lines and text are drawn as such, and text can be selected; the cells of a heatmap are one
// picture, so that no viewer shows seams between them. A page is tagged as one figure, in English,
// with its description. Throws WorkError if it would not fit in memory; Cancelled.
std::string pdf_bytes(const Figure& figure, const PdfOptions& options,
                      const Progress& progress = command_progress());
// Returns a PDF with one page for each figure; at least one.
std::string pdf_bytes(std::span<const Figure> pages, const PdfOptions& options,
                      const Progress& progress = command_progress());

// Appends to a PDF what cairo cannot write, in the way the format provides: new objects that
// replace older ones, and a table of their own.
struct PdfAdditions {
    std::vector<std::string> descriptions{};  // the pages' /Alt texts; each page is tagged as one
                                              // Figure
    std::string payload{};                    // a file that is attached as scene.zip; "" = none
};

// Appends to pdf, which must be as cairo writes it up to version 1.4, with a table of all objects
// in clear text.
std::string with_additions(std::string pdf, const PdfAdditions& additions);

// Returns the file attached by the last update in a PDF; nullopt if there is none.
std::optional<std::string> pdf_payload(std::string_view pdf);

}  // namespace maskscope
