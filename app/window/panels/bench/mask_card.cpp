// Draws the card with the four tests of a mask. Each test has a line, a sentence on what it means,
// and if it fails, a link to a cell where it does. The tests follow the scene.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/session/edits/bench_input.h"
#include "app/style/labels.h"
#include "app/window/actions/actions.h"
#include "app/window/context/app.h"
#include "app/window/panels/bench/bench_parts.h"
#include "app/window/panels/panels.h"
#include "app/window/widgets/widgets.h"
#include "core/base/error.h"
#include "core/compute/mask_tests.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

// Lengths in points.
constexpr double mask_card_width = 400, mask_card_padding = 16, before_test = 10, row_height = 32;
constexpr TextStyle small{.size = 12};

struct Status {
    std::string words;
    Role role;
};

Status status_of(const TestResult* result) {
    if (result == nullptr) return {"testing…", Role::dim};
    switch (result->outcome) {
        case TestOutcome::pass:
            return {"✓ pass", Role::right};
        case TestOutcome::fail:
            return {"✗ fail", Role::wrong};
        case TestOutcome::not_applicable:
            return {"does not apply", Role::dim};
    }
    return {};
}

// Returns the result of a test; nullptr until the test has finished.
const TestResult* result_of(const MaskCheck& check, std::size_t test) {
    return test < check.results().size() ? &check.results()[test] : nullptr;
}

std::string reason_of(const TestResult& result) { return capital(printable(result.words)) + "."; }

// Returns the height of all tests in a card of this width, in pixels.
double height_of(const Gui& gui, const MaskCheck& check, double width) {
    double height = 0;
    for (std::size_t k = 0; k < mask_tests().size(); ++k) {
        height += points(gui, before_test) + paragraph_height(gui, "x", {.size = 13}, width) +
                  paragraph_height(gui, std::string(mask_tests()[k].means), small, width);
        const TestResult* result = result_of(check, k);
        if (result && !result->words.empty())
            height += paragraph_height(gui, reason_of(*result), small, width);
    }
    return height;
}

// Shows the variant, sequence and head of a cell, and moves the cell cursor to it.
void go_to(Session& session, int variant, const TestPlace& place) {
    View& view = session.view();
    const Shape shape = shape_of(session.scene());
    view.show.view = ViewKind::pipeline;
    view.zoom = {};
    if (std::vector<int> variants = shown_variants(view, session.scene());
        std::ranges::count(variants, variant) == 0) {
        variants.push_back(variant);
        std::ranges::sort(variants);
        view.show.variants = std::move(variants);
    }
    if (std::ranges::count(shown_sequences(view, shape), place.b) == 0)
        view.show.sequences = std::vector<Index>{place.b};
    if (std::ranges::count(shown_heads(view, shape), place.h) == 0)
        view.show.heads = std::vector<Index>{place.h};
    pin(session, {variant, StageKind::weights, place.b, place.h, place.i, place.j});
}

// Draws the place where the test fails; a press leads to that cell.
void draw_failure(Gui& gui, Session& session, int variant, const MaskTest& test,
                  const TestResult& result) {
    const std::string words = reason_of(result);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const double width = std::max(1.0, room_width());
    const bool pressed = press_area(gui, fmt::format("place of {}", test.name), width,
                                    paragraph_height(gui, words, small, width));
    const ImVec2 after = ImGui::GetCursorScreenPos();
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    tooltip(gui, "Show this cell");
    ImGui::SetCursorScreenPos(at);
    paragraph(gui, words, {.style = small, .role = hovered ? Role::ink : Role::wrong});
    ImGui::SetCursorScreenPos(after);
    if (pressed && result.place) go_to(session, variant, *result.place);
}

void draw_test(Gui& gui, Session& session, int variant, const MaskTest& test,
               const TestResult* result) {
    gap(gui, before_test);
    const Status status = status_of(result);
    label_pair(gui, capital(test.name), status.words,
               {.style = {.size = 13, .weight = Weight::semibold}},
               {.style = {.size = 13}, .role = status.role});
    paragraph(gui, std::string(test.means), {.style = small, .role = Role::dim});
    if (!result || result->words.empty()) return;
    if (result->outcome == TestOutcome::fail)
        draw_failure(gui, session, variant, test, *result);
    else
        paragraph(gui, reason_of(*result), {.style = small, .role = Role::dim});
}

// Draws the title; returns true if the card was closed.
bool draw_title(Gui& gui) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    label(gui, "Test this mask", {.style = {.size = 14, .weight = Weight::semibold}});
    const ImVec2 after = ImGui::GetCursorScreenPos();
    set_cursor(at.x + room_width() - points(gui, 24), at.y - points(gui, 6));
    const bool closes =
        button(gui, "×##mask card", {.width = 24, .tip = "Escape: close", .role = Role::dim});
    ImGui::SetCursorScreenPos(after);
    return closes;
}

void draw_variant(Gui& gui, const Session& session, MaskCard& card) {
    gap(gui, before_test);
    std::vector<std::string> names;
    for (int variant = 0; variant < std::ssize(session.scene().variants); ++variant)
        names.push_back(fmt::format("{}  {}", variant_letter(variant),
                                    variant_title(session.view(), session.scene(), variant)));
    if (const auto chosen = combo(gui, "tested variant", names, card.variant))
        card.variant = *chosen;
}

void draw_copying(Gui& gui, Session& session, int variant) {
    const std::string why_not = why_no_mask_script(session, variant);
    gap(gui, before_test);
    if (button(gui, "Copy the tests as PyTorch",
               {.outlined = true,
                .enabled = why_not.empty(),
                .width = -1,
                .tip = why_not.empty() ? "Copy a script with the same tests. Replace one function "
                                         "in it with your own."
                                       : "There is no script for these tests: " + why_not}))
        copy_mask_tests(gui, session, variant);
}

}  // namespace

// Draws the card at the lower right of the bench, or at the left if it would cover the pinned cell.
Rect draw_overlay(App& app, MaskCard& card) {
    Gui& gui = app.gui;
    Session& session = app.session;
    const Rect& room = app.panels.bench;
    if (room.w <= 0 || !why_not_yet(session).empty()) return {};
    const auto count = static_cast<int>(session.scene().variants.size());
    card.variant = std::min(card.variant, count - 1);
    card.check->refresh(session.scene(), card.variant, session.results().wake());
    const double width = std::min(points(gui, mask_card_width), room.w);
    const double inside = width - 2 * points(gui, mask_card_padding);
    const double rows = count > 1 ? 2 : 1;  // for the variant, and for copying
    const double height = paragraph_height(gui, "x", {.size = 14}, inside) +
                          height_of(gui, *card.check, inside) +
                          points(gui, 2 * mask_card_padding + rows * (row_height + before_test));
    const double shown = std::min(std::ceil(height), room.h), margin = points(gui, 8);
    Rect rect{room.right() - width - margin, room.bottom() - shown - margin, width, shown};
    const auto cell = pinned_on_screen(session, app.ui.bench);
    if (cell && cell->right() > rect.x && cell->bottom() > rect.y) rect.x = room.x + margin;
    begin_panel(gui, "mask card", rect,
                {.ground = Role::raised,
                 .padding = mask_card_padding,
                 .outlined = true,
                 .radius = 8,
                 .above = true});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    const bool closes = draw_title(gui);
    if (count > 1) draw_variant(gui, session, card);
    for (std::size_t k = 0; k < mask_tests().size(); ++k)
        draw_test(gui, session, card.variant, mask_tests()[k], result_of(*card.check, k));
    draw_copying(gui, session, card.variant);
    ImGui::PopStyleVar();
    end_panel();
    if (closes) app.ui.overlays.close<MaskCard>();
    return closes ? Rect{} : rect;
}

}  // namespace maskscope
