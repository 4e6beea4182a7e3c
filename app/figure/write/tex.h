#pragma once

#include <optional>
#include <string>

#include "app/figure/figure.h"

namespace maskscope {

struct TexOptions {
    ThemeKind theme = ThemeKind::light;
    bool transparent = false;
    std::string picture{};  // the file name of the picture of tex_picture()
};

// Returns a picture as large as the figure, to \input into a document that uses TikZ; for lualatex,
// xelatex and, unless its font lacks a script, pdflatex. The same figure gives the same text.
// Letters are in the document's font. Heatmaps of up to 64 × 64 cells are shapes. Throws WorkError
// if the figure is empty.
std::string tex_text(const Figure& figure, const TexOptions& options);

// Returns a page as large as the figure with only its larger heatmaps, without numbers, to be
// written as a PNG without a background beside the .tex; nullopt if there are none.
std::optional<Figure> tex_picture(const Figure& figure);

}  // namespace maskscope
