// The caption of a lesson's step, its fact with the verdict, and what to try. While the step asks
// first, the question alone.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/labels.h"
#include "app/panels/panels.h"
#include "app/widgets.h"
#include "core/number_text.h"

namespace maskscope {

namespace {

constexpr double inset = 24;                             // points
constexpr double largest_size = 20, smallest_size = 13;  // points
constexpr double line_share = 1.4;                       // of the size, from line to line

std::vector<std::string> broken_into_lines(const std::string& text, const TextStyle& style,
                                           double room) {
    std::vector<std::string> lines;
    std::string line;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t blank = std::min(text.find(' ', at), text.size());
        const std::string word = text.substr(at, blank - at);
        const std::string longer = line.empty() ? word : fmt::format("{} {}", line, word);
        if (!line.empty() && measure(longer, style).width > room) {
            lines.push_back(line);
            line = word;
        } else {
            line = longer;
        }
        at = blank + 1;
    }
    if (!line.empty()) lines.push_back(line);
    return lines;
}

// The text in the largest size in which it fits.
double draw_words(App& app, const Rect& room, const std::string& text) {
    TextStyle style{.weight = Weight::semibold};
    std::vector<std::string> lines;
    for (double size = largest_size; size >= smallest_size; --size) {
        style.size = size * app.ui_scale;
        lines = broken_into_lines(text, style, room.w);
        if (static_cast<double>(lines.size()) * line_share * style.size <= room.h) break;
    }
    double middle = room.y + line_share * style.size / 2;
    for (const std::string& line : lines) {
        draw_text(app, {.at = {room.x, middle}, .text = line, .style = style});
        middle += line_share * style.size;
    }
    return middle - line_share * style.size / 2;
}

std::string verdict_text(const Fact& fact, const Verdict& verdict) {
    const std::string value = verdict.exists ? exact_text(verdict.value) : "—";
    if (verdict.holds) return fmt::format("{}: holds ({})", claim(fact), value);
    return fmt::format("{}: no longer holds: {}", claim(fact), value);
}

void draw_verdict(App& app, const Rect& room, double middle) {
    const Step& step = app.session.lesson()->steps[static_cast<std::size_t>(app.session.step())];
    const std::vector<Verdict>& verdicts = app.session.verdicts();
    const TextStyle style{.size = 13 * app.ui_scale};
    double right = room.right();
    if (!step.try_this.empty()) {
        const TextStyle strong{.size = style.size, .weight = Weight::semibold};
        const std::string text = fmt::format("Try: {}", step.try_this);
        draw_text(app, {.at = {right, middle},
                        .text = text,
                        .style = strong,
                        .role = Role::odd,
                        .anchor = Anchor::right,
                        .max_width = 0.55 * room.w});
        right -= std::min(measure(text, strong).width, 0.55 * room.w) + points(app, 16);
    }
    if (verdicts.empty() || step.facts.empty()) return;
    const Role role = verdicts.front().holds ? Role::right : Role::wrong;
    const double dot = points(app, 12);
    draw_box(app, {.rect = {room.x, middle - dot / 2, dot, dot},
                   .radius = verdicts.front().holds ? dot / 2 : points(app, 2),
                   .filled = true,
                   .fill = role});
    const double left = room.x + points(app, 20);
    draw_text(app, {.at = {left, middle},
                    .text = verdict_text(step.facts.front(), verdicts.front()),
                    .style = style,
                    .role = verdicts.front().holds ? Role::dim : Role::wrong,
                    .max_width = std::max(1.0, right - left)});
}

void draw_hint(App& app, const Rect& room, double middle) {
    draw_text(app, {.at = {room.right(), middle},
                    .text = "Page Down shows the answer",
                    .style = {.size = 13 * app.ui_scale, .weight = Weight::semibold},
                    .role = Role::odd,
                    .anchor = Anchor::right});
}

}  // namespace

void draw_caption(App& app) {
    const Rect& rect = app.panels.caption;
    if (app.session.lesson() == nullptr || rect.h <= 0) return;
    begin_panel(app, "caption", rect, {.padding = 0, .radius = 10});
    const double side = points(app, inset), foot = points(app, 36);
    const Rect room{rect.x + side, rect.y + points(app, 14), rect.w - 2 * side,
                    std::max(1.0, rect.h - points(app, 14) - foot)};
    draw_words(app, room, app.session.caption());
    const double middle = rect.bottom() - points(app, 22);
    if (app.session.covered())
        draw_hint(app, room, middle);
    else
        draw_verdict(app, room, middle);
    end_panel();
}

}  // namespace maskscope
