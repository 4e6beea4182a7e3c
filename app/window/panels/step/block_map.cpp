// Draws where a step is in a Transformer: encoder and decoder as two columns of boxes, with the
// arrow of cross-attention between them, and one place highlighted. For a single head, it is one
// box among its neighbours.

#include <array>
#include <string>

#include "app/window/panels/step/step_parts.h"
#include "app/window/widgets/widgets.h"

namespace maskscope {

namespace {

constexpr std::array names_of_places{"Encoder self-attention", "Decoder self-attention",
                                     "Cross-attention", "One head of an attention"};

void draw_part(Gui& gui, const Rect& rect, bool lit, double line) {
    draw_box(gui, {.rect = rect,
                   .radius = 2 * line,
                   .filled = true,
                   .outlined = true,
                   .fill = lit ? Role::variant_a : Role::raised,
                   .outline = lit ? Role::variant_a : Role::hatch,
                   .line_width = line});
}

void draw_heads(Gui& gui, const Rect& rect, double line) {
    constexpr int heads = 4;
    const double between = 3 * line, width = (rect.w - (heads - 1) * between) / heads;
    for (int k = 0; k < heads; ++k)
        draw_part(gui, {rect.x + k * (width + between), rect.y, width, rect.h}, k == 1, line);
}

}  // namespace

void draw_block_map(Gui& gui, BlockPlace place, const Rect& rect, double size) {
    const double line = std::max(1.0, size / 12), name = 1.5 * size;
    const Rect boxes{rect.x, rect.y, rect.w, std::max(1.0, rect.h - name)};
    // The boxes, from bottom to top: self-attention, cross-attention and feed-forward.
    const double between = 4 * line, column = (boxes.w - 6 * between) / 2;
    const double left = boxes.x, right = boxes.right() - column;
    const double high = (boxes.h - 2 * between) / 3;
    const auto level = [&](int k) { return boxes.bottom() - (k + 1) * high - k * between; };
    draw_part(gui, {left, level(1), column, high}, false, line);
    if (place == BlockPlace::head)
        draw_heads(gui, {left, level(0), column, high}, line);
    else
        draw_part(gui, {left, level(0), column, high}, place == BlockPlace::encoder, line);
    draw_part(gui, {right, level(0), column, high}, place == BlockPlace::decoder, line);
    draw_part(gui, {right, level(1), column, high}, place == BlockPlace::cross, line);
    draw_part(gui, {right, level(2), column, high}, false, line);
    // The line along which cross-attention receives the encoder's output.
    const Role role = place == BlockPlace::cross ? Role::variant_a : Role::hatch;
    const double y = level(1) + high / 2;
    draw_box(gui, {.rect = {left + column, y - line, right - left - column, 2 * line},
                   .filled = true,
                   .fill = role});
    draw_text(gui, {.at = {rect.right(), rect.bottom() - name / 2},
                    .text = names_of_places[static_cast<std::size_t>(place)],
                    .style = {.size = size},
                    .role = Role::dim,
                    .anchor = Anchor::right});
}

}  // namespace maskscope
