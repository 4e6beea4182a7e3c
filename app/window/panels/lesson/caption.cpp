// The caption of a step, its fact with the verdict, and what to try. While the step asks first,
// only the question.

#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/style/labels.h"
#include "app/style/text_rect.h"
#include "app/window/panels/lesson/lesson_parts.h"
#include "app/window/panels/parts.h"

namespace maskscope {

namespace {

constexpr double inset = 24;                          // points
constexpr int largest_size = 20, smallest_size = 12;  // points
constexpr double line_share = 1.4;                    // of the size, from line to line

// The text in the largest size that fits; what does not fit in the smallest is cut.
void draw_words(Gui& gui, const Rect& room, const std::string& text) {
    TextStyle style{.weight = Weight::semibold};
    std::vector<std::string> lines;
    std::size_t most = 1;
    for (int size = largest_size; size >= smallest_size; --size) {
        style.size = size * gui.scale;
        const double fit = room.h / (line_share * style.size);
        most = static_cast<std::size_t>(std::max(1.0, fit));
        lines = broken_into_lines(text, style, room.w, most);
        if (static_cast<double>(lines.size()) <= fit) break;
    }
    if (lines.size() > most) {
        lines.resize(most);
        lines.back() += " …";
    }
    double middle = room.y + line_share * style.size / 2;
    for (const std::string& line : lines) {
        draw_text(gui, {.at = {room.x, middle}, .text = line, .style = style});
        middle += line_share * style.size;
    }
}

// The fact with its verdict at the left, what to try at the right; one above the other if they do
// not fit side by side, and what to try in as many lines as it needs.
struct Foot {
    JudgedClaim fact;
    std::vector<std::string> try_this{};
    bool stacked = false;
    // Points, from the lower edge.
    double height() const { return stacked ? 34 + line * double(try_this.size()) : 36; }
    static constexpr double line = 20;
};

const TextStyle verdict_style{.size = 13}, try_style{.size = 13, .weight = Weight::semibold};

Foot foot_of(const Gui& gui, const Session& session, double room) {
    Foot foot{.fact = judged_claim(session)};
    std::string try_this = session.try_this();
    if (!try_this.empty()) try_this = "Try: " + try_this;
    if (session.exercise())
        try_this = session.has_solution_to_show() ? "Page Down shows the solution" : "";
    if (try_this.empty()) return foot;
    const double width =
        measure(foot.fact.claim + foot.fact.verdict, scaled(gui, verdict_style)).width +
        measure(try_this, scaled(gui, try_style)).width;
    foot.stacked = width + points(gui, 40) > room;
    foot.try_this = foot.stacked ? broken_into_lines(try_this, scaled(gui, try_style), room)
                                 : std::vector{try_this};
    return foot;
}

void draw_verdict(Gui& gui, const Rect& room, double middle, const JudgedClaim& fact) {
    if (fact.verdict.empty()) return;
    const double dot = points(gui, 12), left = room.x + points(gui, 20);
    draw_box(gui, {.rect = {room.x, middle - dot / 2, dot, dot},
                   .radius = fact.holds ? dot / 2 : points(gui, 2),
                   .filled = true,
                   .fill = fact.holds ? Role::right : Role::wrong});
    // If room is short the claim is cut, never the verdict.
    const TextStyle style = scaled(gui, verdict_style);
    const Role role = fact.holds ? Role::dim : Role::wrong;
    const double space =
        std::max(1.0, room.right() - left - measure(fact.verdict, style).width - 1);
    const double width = std::min(measure(fact.claim, style).width, space);
    draw_text(gui, {.at = {left, middle},
                    .text = fact.claim,
                    .style = style,
                    .role = role,
                    .max_width = space});
    draw_text(gui,
              {.at = {left + width, middle}, .text = fact.verdict, .style = style, .role = role});
}

// middle: of its last line.
void draw_foot(Gui& gui, const Rect& room, double middle, const Foot& foot) {
    const double line = points(gui, Foot::line);
    double y = middle - (foot.stacked ? line * double(foot.try_this.size()) : 0);
    draw_verdict(gui, room, y, foot.fact);
    for (const std::string& text : foot.try_this) {
        if (foot.stacked) y += line;
        draw_text(gui, {.at = {foot.stacked ? room.x : room.right(), y},
                        .text = text,
                        .style = scaled(gui, try_style),
                        .role = Role::odd,
                        .anchor = foot.stacked ? Anchor::left : Anchor::right});
    }
}

// Draws the answers beside the truth; returns their width.
double draw_answered(Gui& gui, const Session& session, const Rect& line) {
    const auto& answered = session.answered();
    if (!answered) return 0;
    Text text{.at = {line.right(), line.y + line.h / 2},
              .text = answered->words,
              .style = scaled(gui, try_style),
              .role = answered->right ? Role::right : Role::odd,
              .anchor = Anchor::right,
              .max_width = line.w};
    const double width = std::min(line.w, figure_text_width(text));
    draw_text(gui, text);
    return width;
}

// A field for the answer at the left, at the right how to see it.
void draw_answering(Gui& gui, Session& session, const Rect& room, double middle) {
    constexpr double height = 28, width = 200;  // points
    set_cursor(room.x, middle - points(gui, height) / 2);
    draw_answer_field(gui, session, {.width = width, .height = height});
    if (!session.covered()) return;
    const bool alone = !session.said().empty() && session.said().back().hands == 0;
    const Text how{.at = {room.right(), middle},
                   .text = alone ? "Enter shows the answer" : "Page Down shows the answer",
                   .style = scaled(gui, try_style),
                   .role = Role::odd,
                   .anchor = Anchor::right};
    draw_text(gui, how);
    const double left = room.x + points(gui, width + 14);
    draw_text(gui, {.at = {left, middle},
                    .text = alone ? "" : answers_text(session),
                    .style = scaled(gui, try_style),
                    .max_width = std::max(1.0, room.right() - figure_text_width(how) - left)});
}

// A click copies it.
void draw_source(Gui& gui, Session& session, const Rect& line) {
    const std::string& source = shown_step(session).source;
    if (source.empty()) return;
    Text text{.at = {line.x, line.y + line.h / 2},
              .text = "Source: " + source,
              .style = {.size = 12 * gui.scale},
              .role = Role::dim,
              .max_width = line.w};
    set_cursor(line.x, line.y);
    const bool pressed =
        press_area(gui, "source", std::min(line.w, figure_text_width(text)), line.h);
    if (ImGui::IsItemHovered()) text.role = Role::ink;
    tooltip(gui, "Copy the source");
    draw_text(gui, text);
    if (!pressed) return;
    gui.clipboard.write(source);
    session.say("Copied the source.");
}

}  // namespace

bool has_last_line(const Lesson& lesson) {
    return std::ranges::any_of(
        lesson.steps, [](const Step& step) { return !step.source.empty() || !step.ask.empty(); });
}

void draw_caption(Gui& gui, Session& session, const Rect& rect) {
    if (session.lesson() == nullptr || rect.h <= 0) return;
    begin_panel(gui, "caption", rect,
                {.padding = 0, .outlined = gui.theme == ThemeKind::high_contrast, .radius = 10});
    const bool covered = session.covered();
    const double side = points(gui, inset), above = points(gui, 14);
    const double width = std::max(1.0, rect.w - 2 * side);
    const Foot foot = covered ? Foot{} : foot_of(gui, session, width);
    const double last = has_last_line(*session.lesson()) ? points(gui, last_line_height) : 0;
    const double below = points(gui, foot.height()) + last;
    const Rect room{rect.x + side, rect.y + above, width, std::max(1.0, rect.h - above - below)};
    draw_words(gui, room, session.caption());
    const double middle = rect.bottom() - points(gui, foot.stacked ? 18 : 22) - last;
    if (covered) {
        draw_answering(gui, session, room, rect.bottom() - points(gui, 24));
    } else {
        draw_foot(gui, room, middle, foot);
        Rect line{room.x, rect.bottom() - last - points(gui, 8), width, last};
        const double answered = draw_answered(gui, session, line);
        line.w = std::max(1.0, line.w - answered - (answered > 0 ? points(gui, 20) : 0));
        draw_source(gui, session, line);
    }
    end_panel();
}

}  // namespace maskscope
