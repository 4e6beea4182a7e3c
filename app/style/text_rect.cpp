#include "app/style/text_rect.h"

#include <algorithm>

#include "app/style/labels.h"

namespace maskscope {

double figure_text_width(const Text& text) { return measure(text.text, text.style).width; }

bool is_cut(const Text& text) {
    return text.max_width > 0 && figure_text_width(text) > text.max_width + 0.5;
}

Rect text_rect(const Text& text) {
    double width = figure_text_width(text);
    if (text.max_width > 0) width = std::min(width, text.max_width);
    const double height = 1.2 * text.style.size;  // the height of a line of Inter
    if (text.vertical) return {text.at.x - height / 2, text.at.y - width, height, width};
    const double left = text.anchor == Anchor::left     ? text.at.x
                        : text.anchor == Anchor::centre ? text.at.x - width / 2
                                                        : text.at.x - width;
    return {left, text.at.y - height / 2, width, height};
}

}  // namespace maskscope
