// A poll: the answers of a class as bars.

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/style/labels.h"
#include "app/window/panels/step/step_parts.h"
#include "app/window/widgets/widgets.h"
#include "core/lesson/answer.h"

namespace maskscope {

namespace {

constexpr double bar_step = 1.9, bar_side = 1.1;  // × the size of the type

std::vector<GivenAnswer> counted(const Session& session) {
    std::vector<GivenAnswer> all;
    for (const GivenAnswer& one : session.said())
        if (one.hands > 0) all.push_back(one);
    std::ranges::stable_sort(all, std::greater<>(), &GivenAnswer::hands);
    return all;
}

bool is_right(const Session& session, const GivenAnswer& said) {
    return !session.covered() && std::ranges::any_of(session.answers(), [&](const auto& answer) {
        return is_answer(said.text, answer);
    });
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
        const Role role = right ? Role::right : session.covered() ? Role::lane_a : Role::hatch;
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

}  // namespace maskscope
