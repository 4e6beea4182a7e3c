// Draws the answers to a step's question: a field, and bars if hands were counted.

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/style/labels.h"
#include "app/window/actions/actions.h"
#include "app/window/panels/step/step_parts.h"
#include "app/window/widgets/focus.h"
#include "app/window/widgets/widgets.h"
#include "core/lesson/answer.h"

namespace maskscope {

namespace {

constexpr double bar_step = 1.9, bar_side = 1.1;  // × type size

std::vector<GivenAnswer> counted(const Session& session) {
    std::vector<GivenAnswer> all;
    for (const GivenAnswer& one : session.answers().said)
        if (one.hands > 0) all.push_back(one);
    std::ranges::stable_sort(all, std::greater<>(), &GivenAnswer::hands);
    return all;
}

bool is_right(const Session& session, const GivenAnswer& said) {
    return !session.view().asks() &&
           std::ranges::any_of(session.words().answers,
                               [&](const auto& answer) { return is_answer(said.text, answer); });
}

}  // namespace

bool has_poll(const Session& session) { return !counted(session).empty(); }

double poll_height(const Session& session, double size) {
    return static_cast<double>(counted(session).size()) * bar_step * size;
}

void draw_poll(Gui& gui, const Session& session, Point at, double width, double size) {
    const std::vector<GivenAnswer> all = counted(session);
    if (all.empty()) return;
    const TextStyle words{.size = size, .weight = Weight::semibold};
    double label = 0, count = 0;
    for (const GivenAnswer& said : all) {
        label = std::max(label, measure("✓ " + said.text, words).width);
        count = std::max(count, measure(std::to_string(said.hands), words).width);
    }
    label = std::min(label, 0.5 * width);
    const double gap = 0.6 * size;
    const double room = std::max(1.0, width - label - count - 2 * gap);
    double middle = at.y + bar_step * size / 2;
    for (const GivenAnswer& said : all) {
        const bool right = is_right(session, said);
        const Role role = right                   ? Role::right
                          : session.view().asks() ? Role::variant_a
                                                  : Role::hatch;
        draw_text(gui, {.at = {at.x + label, middle},
                        .text = (right ? "✓ " : "") + said.text,
                        .style = words,
                        .role = right ? Role::right : Role::ink,
                        .anchor = Anchor::right,
                        .max_width = label});
        const double length = std::max(1.0, room * said.hands / all.front().hands);
        const double high = bar_side * size;
        draw_box(gui, {.rect = {at.x + label + gap, middle - high / 2, std::round(length), high},
                       .radius = size / 5,
                       .filled = true,
                       .fill = role});
        draw_text(gui, {.at = {at.x + label + 2 * gap + length, middle},
                        .text = std::to_string(said.hands),
                        .style = words,
                        .role = right ? Role::right : Role::ink});
        middle += bar_step * size;
    }
}

void draw_answer_field(Gui& gui, Session& session, FieldOptions options) {
    if (!session.view().asks()) return;
    const bool enters = was_pressed(gui, GLFW_KEY_ENTER) || was_pressed(gui, GLFW_KEY_KP_ENTER);
    const std::vector<GivenAnswer>& said = session.answers().said;
    const bool alone = !said.empty() && said.back().hands == 0;
    const bool edited = editing_of(gui, answer_field) != nullptr;
    options.hint = "Your answer, then Enter";
    const auto typed = text_field(gui, answer_field, alone ? said.back().text : "", options);
    tooltip(gui,
            "A number or a word. You can also click a “?” to answer. “B: 12, C: 5” counts hands.");
    if (typed && session.answer(*typed) && enters && said.back().hands == 0) session.next();
    // The next count of hands can be typed immediately. Escape and Page Down end this.
    const bool counts = session.view().asks() && !said.empty() && said.back().hands > 0;
    if (edited && enters && counts && editing_of(gui, answer_field) == nullptr)
        edit_field(gui, answer_field, "");
}

std::string answers_text(const Session& session) {
    return session.answers().said.empty() ? "" : judge_answers(session.answers().said, {}).words;
}

bool draw_answering(Gui& gui, Session& session, const Rect& row) {
    if (!session.view().asks()) return false;
    constexpr double width = 200, height = 32;  // points
    const double top = row.y + (row.h - points(gui, height)) / 2;
    const auto next_x = [&] { return ImGui::GetItemRectMax().x + points(gui, 10); };
    set_cursor(row.x, top);
    draw_answer_field(gui, session, {.width = width, .height = height});
    if (!session.view().asks()) return true;  // Enter has just shown the answer
    set_cursor(next_x(), top);
    if (button(gui, "Show answer", {.filled = true, .tip = "Page Down"})) {
        session.show_answer();
        return true;
    }
    const std::string said = answers_text(session);
    const double x = next_x();
    draw_text(gui, {.at = {x, row.y + row.h / 2},
                    .text = said.empty() ? "or press Page Down" : said,
                    .style = {.size = 14 * gui.scale,
                              .weight = said.empty() ? Weight::regular : Weight::semibold},
                    .role = said.empty() ? Role::dim : Role::ink,
                    .max_width = std::max(1.0, row.right() - x)});
    return true;
}

}  // namespace maskscope
