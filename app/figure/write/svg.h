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
    std::string description{};  // what it reads next; "" = none
    std::string payload{};      // see payload.h; "" = none
};

// Returns the text of an SVG as large as the figure, the same for the same figure. Letters are text
// in the fonts of the program, or in what the viewer has instead; cells are crisp rectangles, or
// one picture if a heatmap has more than 65536 of them. Throws WorkError if it would not fit in
// memory; Cancelled.
std::string svg_text(const Figure& figure, const SvgOptions& options,
                     const Progress& progress = command_progress());

// See payload_of().
std::optional<std::string> svg_payload(std::string_view svg);

}  // namespace maskscope
