// The caption of a lesson's step, its fact with the verdict, and what to try. While the step asks
// first, the question alone.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/figure/style/labels.h"
#include "app/window/panels/lesson/lesson_parts.h"
#include "app/window/widgets/widgets.h"
#include "core/base/number_text.h"

namespace maskscope {

namespace {

constexpr double inset = 24;                          // points
constexpr int largest_size = 20, smallest_size = 12;  // points
constexpr double line_share = 1.4;                    // of the size, from line to line

// The text in the largest size in which it fits.
void draw_words(App& app, const Rect& room, const std::string& text) {
    TextStyle style{.weight = Weight::semibold};
    std::vector<std::string> lines;
    for (int size = largest_size; size >= smallest_size; --size) {
        style.size = size * app.ui_scale;
        lines = broken_into_lines(text, style, room.w);
        if (static_cast<double>(lines.size()) * line_share * style.size <= room.h) break;
    }
    double middle = room.y + line_share * style.size / 2;
    for (const std::string& line : lines) {
        draw_text(app, {.at = {room.x, middle}, .text = line, .style = style});
        middle += line_share * style.size;
    }
}

// ": holds (0.325)"
std::string verdict_text(const Verdict& verdict) {
    const std::string value = verdict.exists ? exact_text(verdict.value) : "—";
    if (verdict.holds) return fmt::format(": holds ({})", value);
    return fmt::format(": no longer holds: {}", value);
}

// The fact with its verdict at the left, what to try at the right; under each other where they do
// not fit side by side.
struct Foot {
    std::string claim, verdict, try_this;
    bool holds = true, stacked = false;
};

const TextStyle verdict_style{.size = 13}, try_style{.size = 13, .weight = Weight::semibold};

TextStyle scaled(const App& app, TextStyle style) {
    style.size *= app.ui_scale;
    return style;
}

Foot foot_of(const App& app, double room) {
    Foot foot;
    const Step& step = app.session.lesson()->steps[app.session.step()];
    const std::vector<Verdict>& verdicts = app.session.verdicts();
    if (!step.try_this.empty()) foot.try_this = fmt::format("Try: {}", step.try_this);
    if (!verdicts.empty() && !step.facts.empty()) {
        foot.claim = claim(step.facts.front());
        foot.verdict = verdict_text(verdicts.front());
        foot.holds = verdicts.front().holds;
    }
    const double width = measure(foot.claim + foot.verdict, scaled(app, verdict_style)).width +
                         measure(foot.try_this, scaled(app, try_style)).width;
    foot.stacked = !foot.try_this.empty() && width + points(app, 40) > room;
    return foot;
}

void draw_verdict(App& app, const Rect& room, double middle, const Foot& foot) {
    if (foot.verdict.empty()) return;
    const double dot = points(app, 12), left = room.x + points(app, 20);
    draw_box(app, {.rect = {room.x, middle - dot / 2, dot, dot},
                   .radius = foot.holds ? dot / 2 : points(app, 2),
                   .filled = true,
                   .fill = foot.holds ? Role::right : Role::wrong});
    // Where the room is short the claim is shortened, and the verdict stands.
    const TextStyle style = scaled(app, verdict_style);
    const Role role = foot.holds ? Role::dim : Role::wrong;
    const double space =
        std::max(1.0, room.right() - left - measure(foot.verdict, style).width - 1);
    const double width = std::min(measure(foot.claim, style).width, space);
    draw_text(app, {.at = {left, middle},
                    .text = foot.claim,
                    .style = style,
                    .role = role,
                    .max_width = space});
    draw_text(app,
              {.at = {left + width, middle}, .text = foot.verdict, .style = style, .role = role});
}

void draw_foot(App& app, const Rect& room, double middle, const Foot& foot) {
    const double line = points(app, 20);
    draw_verdict(app, room, foot.stacked ? middle - line : middle, foot);
    draw_text(app, {.at = {foot.stacked ? room.x : room.right(), middle},
                    .text = foot.try_this,
                    .style = scaled(app, try_style),
                    .role = Role::odd,
                    .anchor = foot.stacked ? Anchor::left : Anchor::right,
                    .max_width = std::max(1.0, room.w)});
}

void draw_hint(App& app, const Rect& room, double middle) {
    draw_text(app, {.at = {room.right(), middle},
                    .text = "Page Down shows the answer",
                    .style = scaled(app, try_style),
                    .role = Role::odd,
                    .anchor = Anchor::right});
}

}  // namespace

void draw_caption(App& app) {
    const Rect& rect = app.panels.caption;
    if (app.session.lesson() == nullptr || rect.h <= 0) return;
    begin_panel(app, "caption", rect, {.padding = 0, .radius = 10});
    const bool covered = app.session.covered();
    const double side = points(app, inset), above = points(app, 14);
    const double width = std::max(1.0, rect.w - 2 * side);
    const Foot foot = covered ? Foot{} : foot_of(app, width);
    const double below = points(app, foot.stacked ? 54 : 36);
    const Rect room{rect.x + side, rect.y + above, width, std::max(1.0, rect.h - above - below)};
    draw_words(app, room, app.session.caption());
    const double middle = rect.bottom() - points(app, foot.stacked ? 18 : 22);
    if (covered)
        draw_hint(app, room, middle);
    else
        draw_foot(app, room, middle, foot);
    end_panel();
}

}  // namespace maskscope
