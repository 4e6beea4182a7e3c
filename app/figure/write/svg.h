#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/figure/figure.h"
#include "core/base/progress.h"

namespace maskscope {

struct SvgOptions {
    ThemeKind theme = ThemeKind::light;
    std::string title{};        // what a screen reader reads first; "" = none
    std::string description{};  // what a screen reader reads after the title; "" = none
    std::string payload{};      // see payload.h; "" = none
};

// Returns the text of an SVG as large as the figure. The same figure gives the same text. Letters
// are text, in the program's fonts or the viewer's substitutes. Cells are crisp rectangles, or one
// picture if a heatmap has more than 65536 of them. Throws WorkError if the text would not fit in
// memory, or Cancellation.
std::string svg_text(const Figure& figure, const SvgOptions& options,
                     const Progress& progress = command_progress());

// Reads the payload of an SVG: see payload_of().
std::optional<std::string> svg_payload(std::string_view svg);

}  // namespace maskscope
