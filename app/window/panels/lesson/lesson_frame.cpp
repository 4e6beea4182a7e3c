// Draws what is around the bench of a lesson: its head, the dots of its steps, its foot and its
// notes.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/figure/text_table.h"
#include "app/style/labels.h"
#include "app/window/actions/actions.h"
#include "app/window/paint/imgui_compat.h"
#include "app/window/paint/painter.h"
#include "app/window/panels/lesson/lesson_parts.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/parts.h"
#include "app/window/panels/step/step_parts.h"
#include "app/window/panels/words.h"
#include "app/window/widgets/widgets.h"
#include "core/lesson/caption.h"

namespace maskscope {

// --- the head: the number of the step, its question or caption in large type, and what to do: a
// field and a button for the answer, or what to try

namespace {

// Lengths in points.
constexpr double step_height = 24, after_step = 3, map_width = 170;
constexpr int smallest_size = 12;
constexpr double line_share = 1.3;  // the distance of lines, × the type size
constexpr double try_size = 15, least_try_size = 12, try_line = 1.2;

// Distances in points. They are large in a calm window; while panels are open, the bench needs the
// space.
struct Spacing {
    double above_step = 14;
    double words = 84;  // two lines of the largest type, and a question above them
    double before_row = 6, row = 36, below_row = 6;
    double height() const {
        return above_step + step_height + after_step + words + before_row + row + below_row;
    }
};
constexpr Spacing calm{}, low{.above_step = 8, .words = 62, .before_row = 5, .below_row = 3},
    exploring{.above_step = 6, .words = 54, .before_row = 3, .row = 34, .below_row = 1};
constexpr double question_size = 13, question_line = 18;

const Spacing& spacing(const Gui& gui, bool is_calm) {
    if (!is_calm) return exploring;
    return gui.height < points(gui, 700) ? low : calm;
}

struct FittedWords {
    std::vector<std::string> lines;
    double size = 0;  // pixels
};

// Returns the text in the largest size that fits. In the smallest size, cuts what does not fit.
FittedWords fitted(const Gui& gui, const std::string& text, const Rect& room, double largest,
                   double smallest, double share, Weight weight) {
    FittedWords fit;
    std::size_t most = 1;
    for (double size = largest; size >= smallest; --size) {
        fit.size = size * gui.scale;
        const double lines = room.h / (share * fit.size) + 1e-6;
        most = static_cast<std::size_t>(std::max(1.0, lines));
        fit.lines = broken_into_lines(text, {.size = fit.size, .weight = weight}, room.w, most);
        if (static_cast<double>(fit.lines.size()) <= lines) return fit;
    }
    if (fit.lines.size() > most) {
        fit.lines.resize(most);
        fit.lines.back() += " …";
    }
    return fit;
}

FittedWords fitted_words(const Gui& gui, const Rect& room, const std::string& text) {
    const double largest = std::floor(room.h / gui.scale / (2 * line_share));
    return fitted(gui, text, room, largest, smallest_size, line_share, Weight::semibold);
}

double height_of(const FittedWords& words) {
    return line_share * words.size * static_cast<double>(words.lines.size());
}

// Returns the place of a caption below its question.
Rect below_question(const Gui& gui, Rect room) {
    const double line = std::min(points(gui, question_line), 0.4 * room.h);
    return {room.x, room.y + line, room.w, room.h - line};
}

// Draws the question in small type after it was answered, and its answer. If space is short, cuts
// the question, not the answer.
void draw_question(Gui& gui, const Rect& room, const Session& session) {
    const double middle = (room.y + below_question(gui, room).y) / 2;
    const TextStyle style{.size = points(gui, question_size)};
    const TextStyle bold{.size = style.size, .weight = Weight::semibold};
    const std::string question = session.words().ask, answer = answer_line(session);
    const double gap = answer.empty() ? 0 : points(gui, 10);
    const double left = std::max(1.0, room.w - measure(answer, bold).width - gap);
    draw_text(gui, {.at = {room.x, middle},
                    .text = question,
                    .style = style,
                    .role = Role::dim,
                    .max_width = left});
    const double x = room.x + std::min(left, measure(question, style).width) + gap;
    const auto& answered = session.answers().judged;
    draw_text(gui, {.at = {x, middle},
                    .text = answer,
                    .style = bold,
                    .role = answered && answered->right ? Role::right : Role::ink,
                    .max_width = std::max(1.0, room.x + room.w - x)});
}

// Explains the term under the pointer. Unlike the notes, explanations are also available before the
// answer.
void explain_pointed_word(Gui& gui, const std::string& line, Point left, const TextStyle& style) {
    const Point at{gui.now.pointer.x - left.x, gui.now.pointer.y - left.y};
    if (at.x < 0 || std::abs(at.y) > line_share * style.size / 2 || !ImGui::IsWindowHovered())
        return;
    for (std::size_t begin = 0; begin < line.size();) {
        const std::size_t end = std::min(line.find(' ', begin), line.size());
        if (at.x <= measure(line.substr(0, end), style).width) {
            const std::string words = explanation_in(line, begin);
            if (!words.empty()) tooltip_here(gui, words);
            return;
        }
        begin = end + 1;
    }
}

// Draws the words. Returns their bottom, or if that is lower, the bottom of the words before or
// after the answer, so that nothing moves.
double draw_words(Gui& gui, const Rect& room, const Session& session) {
    const Step& step = shown_step(session);
    const std::string question = session.words().ask;
    const Rect below = step.ask.empty() ? room : below_question(gui, room);
    const Rect& place = question.empty() ? room : below;
    if (!question.empty()) draw_question(gui, room, session);
    const FittedWords fit = fitted_words(gui, place, session.words().caption);
    const double end =
        std::max({place.y + height_of(fit), room.y + height_of(fitted_words(gui, room, step.ask)),
                  below.y + height_of(fitted_words(gui, below, step.caption))});
    const TextStyle style{.size = fit.size, .weight = Weight::semibold};
    double middle = place.y + line_share * fit.size / 2;
    for (const std::string& line : fit.lines) {
        draw_text(gui, {.at = {room.x, middle}, .text = line, .style = style});
        explain_pointed_word(gui, line, {room.x, middle}, style);
        middle += line_share * fit.size;
    }
    return std::min(end, room.bottom());
}

// --- the number of the step

void draw_step_line(Gui& gui, Session& session, Ui& ui, const Rect& line) {
    const Step& step = shown_step(session);
    const double middle = line.y + line.h / 2;
    double right = line.right();
    const auto at_right = [&](const std::string& text, const std::string& tip, bool on) {
        right -= button_width(gui, text);
        set_cursor(right, line.y - points(gui, 4));
        const bool pressed =
            button(gui, text, {.outlined = true, .tip = tip, .role = on ? Role::ink : Role::dim});
        right -= points(gui, 8);
        return pressed;
    };
    // While panels are open, the step's table is shown with the notes.
    const bool has_more = !step.notes.empty() || (!ui.bench.calm && !step.table.empty());
    if (!ui.lesson_editor && has_more &&
        at_right("Notes",
                 ui.notes_open ? "Hide the notes of the step" : "Read more about this step",
                 ui.notes_open))
        ui.notes_open = !ui.notes_open;
    const std::size_t steps = session.lesson()->steps.size();
    draw_text(gui, {.at = {line.x, middle},
                    .text = fmt::format("Step {} of {}{}{}{}", session.document().step + 1, steps,
                                        step.star ? " ★" : "", step.title.empty() ? "" : " · ",
                                        step.title),
                    .style = {.size = 14 * gui.scale, .weight = Weight::semibold},
                    .role = Role::variant_a,
                    .max_width = std::max(1.0, right - line.x)});
}

// --- the next action

// Returns the right end of the last widget, plus a gap.
double next_x(const Gui& gui) { return ImGui::GetItemRectMax().x + points(gui, 10); }

void draw_next(Gui& gui, Session& session, Ui& ui, const Rect& row) {
    set_cursor(row.x, row.y + (row.h - points(gui, 32)) / 2);
    if (has_solution_to_show(session)) {
        if (button(gui, "Show solution", {.tip = "Page Down"})) session.show_solution();
        return;
    }
    const std::string lesson = next_lesson_title(session);
    const Lesson& open = *session.lesson();
    const bool goes_on = session.document().step + 1 < std::ssize(open.steps);
    if (lesson.empty()) {
        if (button(gui, "Next ›", {.enabled = goes_on, .tip = "Page Down"})) session.next();
        return;
    }
    // If the course leaves a lesson before its end, offer both the next lesson and the next step.
    if (button(gui, "Next lesson ›",
               {.filled = is_end_announced(session, ui), .tip = lesson + " (Page Down)"}))
        ui.commands.push_back(open_next_lesson);
    if (!goes_on) return;
    same_line(gui, 8);
    if (button(gui, "Stay in this lesson ›", {.outlined = true, .tip = open.title})) session.next();
}

// Draws a button that restores the step, beside the last one, if the bench no longer matches the
// step's words.
void draw_restore(Gui& gui, Session& session) {
    if (session.words().caption != own_bench) return;
    same_line(gui, 8);
    if (button(gui, "Restore the step", {.outlined = true, .tip = "R"})) session.restore_step();
}

// Draws the button that opens the panel for the Try, if one is needed. Returns the x at which the
// text after it begins.
double draw_try_opener(Gui& gui, const Session& session, Ui& ui, const Rect& room) {
    const std::string opener = what_is_done(session) ? "" : try_opener(session, ui);
    if (opener.empty()) return room.x;
    set_cursor(room.x, room.y + (room.h - points(gui, 32)) / 2);
    if (button(gui, opener, {.outlined = true, .tip = "Open the panel that the Try needs"}))
        ui.commands.push_back(open_for_try);
    return next_x(gui);
}

// Draws "Try: …", or after it was followed, what it showed, in as many lines as the row holds.
void draw_try(Gui& gui, const Session& session, Ui& ui, Rect room) {
    const double begin = draw_try_opener(gui, session, ui, room);
    room = {begin, room.y, std::max(1.0, room.right() - begin), room.h};
    const auto done = what_is_done(session);
    std::string text = session.words().try_this;
    if (!text.empty()) text = "Try: " + text;
    if (exercise_of(session)) text.clear();  // the question already says it
    const std::string sign = done ? "✓ Done" : "";
    double left = room.x;
    if (done) {
        const TextStyle style{.size = try_size * gui.scale, .weight = Weight::bold};
        draw_text(
            gui,
            {.at = {left, room.y + room.h / 2}, .text = sign, .style = style, .role = Role::right});
        left += measure(sign, style).width + points(gui, 10);
        text = *done;
    }
    const Rect rest{left, room.y, std::max(1.0, room.right() - left), room.h};
    const FittedWords fit =
        fitted(gui, text, rest, try_size, least_try_size, try_line, Weight::regular);
    const double line = try_line * fit.size;
    double middle = rest.y + rest.h / 2 - line * (static_cast<double>(fit.lines.size()) - 1) / 2;
    for (const std::string& words : fit.lines) {
        draw_text(gui, {.at = {left, middle}, .text = words, .style = {.size = fit.size}});
        middle += line;
    }
}

}  // namespace

double lesson_head_height(const Gui& gui, bool is_calm) { return spacing(gui, is_calm).height(); }

void draw_lesson_head(Gui& gui, Session& session, Ui& ui, const Rect& rect) {
    if (session.lesson() == nullptr || rect.h <= 0) return;
    begin_panel(gui, "lesson head", rect, {.ground = Role::ground, .padding = 0});
    const double side = points(gui, lesson_side);
    double width = std::max(1.0, rect.w - 2 * side);
    const Spacing& space = spacing(gui, ui.bench.calm);
    const Rect line{rect.x + side, rect.y + points(gui, space.above_step), width,
                    points(gui, step_height)};
    draw_step_line(gui, session, ui, line);
    const double top = line.bottom() + points(gui, after_step);
    if (const auto place = shown_step(session).place; place && rect.w > points(gui, 700)) {
        const double map = points(gui, map_width);
        const Rect corner{
            line.right() - map, line.bottom() + points(gui, 10), map,
            rect.bottom() - points(gui, space.below_row) - line.bottom() - points(gui, 10)};
        draw_block_map(gui, *place, corner, points(gui, 12));
        width -= map + points(gui, 24);
    }
    const double room =
        rect.bottom() - points(gui, space.before_row + space.row + space.below_row) - top;
    const double end = draw_words(gui, {line.x, top, width, std::max(1.0, room)}, session);
    const Rect row{line.x, end + points(gui, space.before_row), width, points(gui, space.row)};
    if (!draw_answering(gui, session, row)) {
        draw_next(gui, session, ui, row);
        draw_restore(gui, session);
        const double left = next_x(gui);
        draw_try(gui, session, ui, {left, row.y, std::max(1.0, row.right() - left), row.h});
    }
    end_panel();
}

// --- the steps as dots; a click goes to that step. A step whose mask is to be painted is a ring.

namespace {

// Lengths in points. The shown step is a bar as wide as two dots and the gap between them.
constexpr double dot = 9, between = 7, dot_height = 24;

double step_width(bool shown) { return shown ? 2 * dot + between : dot; }

std::string tip_of(const Step& step, std::size_t k) {
    return fmt::format("{}{}{}: {}", step.star ? "★ " : "", k + 1,
                       step.exercise ? ", an exercise" : "", step.title);
}

void draw_dot(Gui& gui, const Session& session, int k, const Rect& area, bool hovered) {
    const Step& step = session.lesson()->steps[k];
    const bool shown = k == session.document().step;
    const double side = points(gui, dot);
    Role role = k < session.document().step ? Role::right : Role::hatch;
    if (shown) role = Role::variant_a;
    if (hovered && !shown) role = Role::ink;
    draw_box(gui, {.rect = {area.x + points(gui, between / 2), area.y + (area.h - side) / 2,
                            points(gui, step_width(shown)), side},
                   .radius = side / 2,
                   .filled = !step.exercise,
                   .outlined = step.exercise.has_value(),
                   .fill = role,
                   .outline = role,
                   .line_width = points(gui, 2)});
}

}  // namespace

double step_dots_width(const Gui& gui, const Session& session) {
    if (session.lesson() == nullptr) return 0;
    const auto steps = static_cast<double>(session.lesson()->steps.size());
    return points(gui, steps * (dot + between) + dot + between);
}

void draw_step_dots(Gui& gui, Session& session, Point left) {
    if (session.lesson() == nullptr) return;
    const auto steps = static_cast<int>(session.lesson()->steps.size());
    std::optional<int> pressed;
    for (int k = 0; k < steps; ++k) {
        const Step& step = session.lesson()->steps[k];
        const Rect area{left.x, left.y - points(gui, dot_height) / 2,
                        points(gui, step_width(k == session.document().step) + between),
                        points(gui, dot_height)};
        ImGui::PushID(k);
        set_cursor(area.x, area.y);
        if (press_area(gui, "step dot", area.w, area.h)) pressed = k;
        const bool hovered = ImGui::IsItemHovered();
        tooltip_below(gui, tip_of(step, static_cast<std::size_t>(k)));
        ImGui::PopID();
        draw_dot(gui, session, k, area, hovered);
        left.x = area.right();
    }
    if (pressed) session.go_to_step(*pressed);
}

// --- the foot, in small type: the fact and whether it holds, the answers beside the correct one,
// and the source

namespace {

// Draws the source, which a click copies; returns its left end.
double draw_source(Gui& gui, Session& session, const Rect& line) {
    const std::string& source = shown_step(session).source;
    if (source.empty()) return line.right();
    Text text{.at = {line.right(), line.y + line.h / 2},
              .text = "Source: " + source,
              .style = {.size = 12 * gui.scale},
              .role = Role::dim,
              .anchor = Anchor::right,
              .max_width = line.w};
    const double width = std::min(line.w, figure_text_width(text));
    set_cursor(line.right() - width, line.y);
    const bool pressed = press_area(gui, "source", width, line.h);
    if (ImGui::IsItemHovered()) text.role = Role::ink;
    tooltip(gui, "Copy the source");
    draw_text(gui, text);
    if (pressed) {
        gui.clipboard.write(source);
        session.say("Copied the source.");
    }
    return line.right() - width;
}

// Draws a line; returns its right end.
double draw_line(Gui& gui, const Rect& line, const std::string& words, TextStyle style, Role role) {
    if (words.empty()) return line.x;
    Text text{.at = {line.x, line.y + line.h / 2},
              .text = words,
              .style = scaled(gui, style),
              .role = role,
              .max_width = std::max(1.0, line.w)};
    const double width = std::min(text.max_width, figure_text_width(text));
    draw_text(gui, text);
    return line.x + width;
}

}  // namespace

void draw_lesson_foot(Gui& gui, Session& session, const Rect& rect) {
    if (session.lesson() == nullptr || rect.h <= 0) return;
    begin_panel(gui, "lesson foot", rect, {.ground = Role::ground, .padding = 0});
    const double side = points(gui, lesson_side), between = points(gui, 24);
    Rect line{rect.x + side, rect.y, std::max(1.0, rect.w - 2 * side), rect.h};
    const JudgedClaim fact = judged_claim(session);
    if (fact.hidden) return end_panel();
    // The fact gets its space first, but at least half of the line is for the source.
    Rect left = line;
    if (!shown_step(session).source.empty()) left.w = std::max(0.55 * line.w, 1.0);
    double end = draw_line(gui, left, fact.line, {.size = 13},
                           fact.holds || fact.intended ? Role::dim : Role::wrong);
    if (end > line.x) end += between;
    line = {end, line.y, std::max(1.0, line.right() - end), line.h};
    draw_source(gui, session, line);
    end_panel();
}

// --- the panel beside the bench: counted answers, and the table and the notes of the step

namespace {

constexpr double padding = 16, poll_size = 18, table_size = 14, notes_size = 14;  // points
constexpr double poll_width = 320, notes_width = 360;

}  // namespace

double lesson_notes_width(const Gui& gui, const Session& session, bool open, double most) {
    if (session.lesson() == nullptr) return 0;
    double width = 0;
    if (has_poll(session)) width = points(gui, poll_width);
    if (open && !shown_step(session).notes.empty()) width = points(gui, notes_width);
    if (!session.words().table.empty())
        width = std::max(width, text_table_width(session.words().table, points(gui, table_size)) +
                                    points(gui, 2 * padding));
    return std::round(std::min(width, most));
}

void draw_lesson_notes(Gui& gui, const Session& session, bool open, const Rect& rect) {
    if (rect.w <= 0 || rect.h <= 0) return;
    begin_panel(gui, "lesson notes", rect, {.ground = Role::ground, .padding = padding});
    const double width = room_width();
    if (has_poll(session)) {
        const Rect row = row_at_cursor(gui, 0);
        draw_poll(gui, session, {row.x, row.y}, width, points(gui, poll_size));
        take_room(width, poll_height(session, points(gui, poll_size)) + points(gui, 18));
    }
    if (!session.words().table.empty()) {
        const Rect row = row_at_cursor(gui, 0);
        const Figure table = text_table(session.words().table, width, points(gui, table_size));
        paint(gui, panel_list(), table, {row.x, row.y});
        take_room(width, table.height + points(gui, 18));
    }
    if (open && !may_explore(session))
        paragraph(gui, "Answer the question to see the notes.", {.role = Role::dim});
    if (open) paragraph(gui, session.words().notes, {.style = {.size = notes_size}});
    end_panel();
}

}  // namespace maskscope
