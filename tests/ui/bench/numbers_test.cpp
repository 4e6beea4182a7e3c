// Tests typing over the numbers of the bench: events in, scene and pixels out.

#include <cmath>

#include "app/session/edits/bench_input.h"
#include "core/base/build.h"
#include "tests/ui/bench/numbers_fixture.h"

namespace maskscope::ui {
namespace {

using enum StageKind;

TEST_F(Numbers, ATypedScoreTurnsTheInputsIntoScoresWithTheirWidth) {
    show_stages({StageKind::scores, logits, weights});
    const Result before = session.shown();
    const Index d_k = *d_k_of(session.scene().inputs);
    const Colour old = fill(StageKind::scores, {2, 1});
    double_click(StageKind::scores, {2, 1});
    ASSERT_TRUE(is_typing());
    type("12.5");
    EXPECT_FALSE(is_typing());
    ASSERT_TRUE(scores());
    EXPECT_EQ(scores()->d_k, d_k);
    EXPECT_TRUE(scores()->values) << "the values stay";
    EXPECT_EQ(number(StageKind::scores, {2, 1}), 12.5);
    EXPECT_EQ(number(StageKind::scores, {2, 1}, 1), 12.5) << "for every variant";
    driver.move({1590, 990});
    driver.settle();
    EXPECT_NE(fill(StageKind::scores, {2, 1}), old);
    for (Index i = 0; i < 6; ++i)
        for (Index j = 0; j < 6; ++j)
            if (Cell{i, j} != Cell{2, 1}) {
                EXPECT_EQ(number(StageKind::scores, {i, j}),
                          before.variants[0].stage(StageKind::scores).at(0, 0, i, j));
            }
    EXPECT_EQ(session.document().undo_name(), "type a score");
    driver.key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    driver.settle();
    EXPECT_TRUE(std::holds_alternative<EmbeddingInputs>(session.scene().inputs));
    EXPECT_FALSE(session.document().undo_name()) << "one number is one step";
    EXPECT_EQ(fill(StageKind::scores, {2, 1}), old);
}

TEST_F(Numbers, ATypedNumberShowsInTheFrameOfItsEnter) {
    double_click(scaled, {2, 1});
    driver.type("3");
    driver.push({.kind = InputEvent::Kind::key, .code = GLFW_KEY_ENTER, .down = true});
    frame(driver.app());  // exactly one
    EXPECT_EQ(session.shown().scene, session.scene());
    EXPECT_NEAR(number(scaled, {2, 1}), 3, 1e-6);
}

TEST_F(Numbers, AnOpenNumberShowsItsDigitsBesideTheRowsLabel) {
    show_stages({StageKind::scores, weights});
    for (const Index j : {Index{0}, Index{1}, Index{5}}) {
        double_click(StageKind::scores, {2, j});
        ASSERT_TRUE(is_typing());
        const TokenField& field = driver.app().gui.editing->field;
        EXPECT_TRUE(field.has_all_selected());
        const double shown = number(StageKind::scores, {2, j});
        EXPECT_EQ(field.text(), number_text(session.scene(), shown));
        ASSERT_TRUE(label_at(field.text()));
        const auto& drawn = driver.app().labels->drawn();
        const auto text = std::ranges::find_if(
            drawn, [&](const auto& label) { return label.text == field.text(); });
        EXPECT_GE(text->rect.x, in_window({find(StageKind::scores, shared_variant)->rect.x, 0}).x);
        driver.key(GLFW_KEY_ESCAPE);
    }
}

// Typing 3 sets the score that the scale turns into 3. It is rounded to float32 on the way, hence
// the tolerance of 1e-6.
TEST_F(Numbers, AScaledScoreIsTypedAsItIsShown) {
    double_click(scaled, {3, 2});
    ASSERT_TRUE(is_typing());
    type("3");
    EXPECT_NEAR(number(scaled, {3, 2}), 3, 1e-6);
    EXPECT_NEAR(number(StageKind::scores, {3, 2}), 3 * std::sqrt(8.0), 1e-5);
}

TEST_F(Numbers, EscapeLeavesAllAsItWas) {
    const Scene before = session.scene();
    double_click(scaled, {2, 1});
    driver.type("7");
    driver.key(GLFW_KEY_ESCAPE);
    driver.settle();
    EXPECT_FALSE(is_typing());
    EXPECT_EQ(session.scene(), before);
    double_click(scaled, {2, 1});
    driver.key(GLFW_KEY_ENTER);
    EXPECT_EQ(session.scene(), before) << "what was not changed is not written";
}

TEST_F(Numbers, TextThatIsNotANumberIsReportedAndNotAccepted) {
    const Scene before = session.scene();
    for (const char* text : {"seven", "1e", "", "1 2", "-inf", "−∞", "nan", "1e999"}) {
        double_click(scaled, {2, 1});
        ASSERT_TRUE(is_typing()) << text;
        driver.key(GLFW_KEY_BACKSPACE);
        type(text);
        EXPECT_EQ(session.scene(), before) << text;
        ASSERT_TRUE(session.message()) << text;
        EXPECT_TRUE(session.message()->wrong);
    }
    driver.key(GLFW_KEY_ESCAPE);
    double_click(scaled, {2, 1});
    type("−∞");
    EXPECT_NE(message().find("finite"), std::string::npos) << message();
}

TEST_F(Numbers, WhatIsRefusedStaysInItsFieldWithTheReason) {
    double_click(scaled, {2, 1});
    driver.key(GLFW_KEY_BACKSPACE);
    type("seven");
    ASSERT_TRUE(is_typing());
    ASSERT_TRUE(driver.app().gui.refused);
    EXPECT_EQ(driver.app().gui.refused->why, message());
    EXPECT_EQ(driver.app().gui.editing->field.text(), "seven");
    driver.key(GLFW_KEY_BACKSPACE);
    EXPECT_FALSE(driver.app().gui.refused) << "the next action closes it";
    driver.key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(is_typing());
}

TEST_F(Numbers, AScoreBeyondTheLargestNumberIsRefused) {
    const Scene before = session.scene();
    double_click(scaled, {2, 1});
    type("1e308");  // times the square root of the width
    EXPECT_EQ(session.scene(), before);
    EXPECT_TRUE(message().starts_with("No score can give 1e308 here; ")) << message();
}

TEST_F(Numbers, TheMinusOfACellMayBeTyped) {
    double_click(scaled, {2, 1});
    type("−1e2");
    EXPECT_NEAR(number(scaled, {2, 1}), -100, 1e-4);
}

TEST_F(Numbers, WhatOverflowsBecomesInfiniteAndItsRowNaN) {
    show_stages({StageKind::scores, weights});
    double_click(StageKind::scores, {2, 0});
    type("1e39");  // beyond float32
    EXPECT_EQ(number(StageKind::scores, {2, 0}), INFINITY);
    EXPECT_TRUE(std::isnan(number(weights, {2, 0})));
    EXPECT_TRUE(shows("+∞"));
    EXPECT_TRUE(shows("NaN"));
}

TEST_F(Numbers, TabAndArrowsGoOnToTheNextNumber) {
    show_stages({StageKind::scores, weights});
    double_click(StageKind::scores, {2, 0});
    type("1", GLFW_KEY_TAB);
    ASSERT_TRUE(is_typing());
    type("2", GLFW_KEY_DOWN);
    ASSERT_TRUE(is_typing());
    type("3", GLFW_KEY_TAB, GLFW_MOD_SHIFT);
    type("4", GLFW_KEY_UP);
    type("5");
    EXPECT_FALSE(is_typing());
    const std::vector<std::pair<Cell, double>> typed{
        {{2, 0}, 5}, {{2, 1}, 2}, {{3, 1}, 3}, {{3, 0}, 4}};
    for (const auto& [cell, x] : typed) EXPECT_EQ(number(StageKind::scores, cell), x);
    EXPECT_EQ(session.view().show.focus, (Cell{2, 0})) << "the cursor goes along";
}

TEST_F(Numbers, EnterTypesAtTheCellCursor) {
    session.view().show.focus = Cell{1, 1};
    driver.key(GLFW_KEY_DOWN);
    driver.key(GLFW_KEY_ENTER);
    driver.settle();
    ASSERT_TRUE(is_typing());
    type("2");
    EXPECT_NEAR(number(scaled, {2, 1}), 2, 1e-6);
    show_stages({weights});
    driver.key(GLFW_KEY_ENTER);
    EXPECT_FALSE(is_typing());
    EXPECT_NE(message().find("Scores"), std::string::npos);
}

TEST_F(Numbers, VariantsWithOtherScoresSayWhyNot) {
    session.edit("dtype", [](Scene& s) { s.variants[1].dtype = Dtype::bfloat16; });
    show_stages({StageKind::scores, weights});
    const Scene before = session.scene();
    double_click(StageKind::scores, {2, 1}, 0);
    EXPECT_FALSE(is_typing());
    EXPECT_EQ(session.scene(), before);
    EXPECT_NE(message().find("different scores"), std::string::npos) << message();
    EXPECT_TRUE(shows("different scores")) << "the cell says so";
}

TEST_F(Numbers, WhatIsComputedSaysWhyNot) {
    double_click(weights, {2, 1}, 0);
    EXPECT_FALSE(is_typing());
    EXPECT_NE(message().find("computed"), std::string::npos);
    EXPECT_TRUE(shows("is computed"));
    driver.move({1590, 990});
    EXPECT_FALSE(driver.app().ui.bench.refusal);
}

TEST_F(Numbers, ADoubleClickOnTheMaskFlipsTwice) {
    const Scene before = session.scene();
    double_click(allowed, {4, 1});
    EXPECT_FALSE(is_typing());
    EXPECT_EQ(session.scene().variants, before.variants);
}

TEST_F(Numbers, ClicksInTheFieldStayInTheField) {
    double_click(scaled, {2, 1});
    const auto focus = session.view().show.focus;
    const Point at = middle(scaled, {2, 1});
    driver.click({at.x + 30, at.y});  // over the next cell, and in the field
    EXPECT_TRUE(is_typing());
    EXPECT_EQ(session.view().show.focus, focus);
    driver.type("1");
    driver.click(middle(weights, {4, 4}, 0));  // elsewhere: what was typed counts
    EXPECT_FALSE(is_typing());
    EXPECT_TRUE(scores());
}

// --- a GPU's result (a software renderer's will do)

TEST_F(Numbers, TheWheelLeavesTheCellInSightWhoseNumberIsTyped) {
    const Point at = middle(scaled, {2, 1});
    double_click(scaled, {2, 1});
    ASSERT_TRUE(is_typing());
    driver.push({.kind = InputEvent::Kind::key, .code = GLFW_KEY_LEFT_CONTROL, .down = true});
    driver.wheel(at, 4);
    EXPECT_EQ(session.view().zoom, Zoom{});
    EXPECT_TRUE(is_typing());
    driver.push({.kind = InputEvent::Kind::key, .code = GLFW_KEY_LEFT_CONTROL, .down = false});
    driver.key(GLFW_KEY_ESCAPE);
    driver.push({.kind = InputEvent::Kind::key, .code = GLFW_KEY_LEFT_CONTROL, .down = true});
    driver.wheel(at, 4);
    EXPECT_NE(session.view().zoom, Zoom{}) << "zooms again once it is closed";
}

TEST(NumbersOnTheGpu, AreReadAndTypedOver) {
    auto session = std::make_unique<Session>(std::make_unique<PlainBackend>());
    session->open(source_folder() + "/assets/lessons/additive-or-multiplicative.json");
    Driver driver(*session);
    session->offer_gpu(gpu_of(driver.context()));
    ASSERT_TRUE(session->compute_with(ComputeWith::gpu));
    session->wait();
    driver.settle();
    ASSERT_EQ(session->shown().backend, "gpu");
    session->view().show.stages = {StageKind::scaled, StageKind::weights};
    session->view().show.focus = Cell{2, 1};
    session->wait();
    driver.settle();
    driver.key(GLFW_KEY_ENTER);
    ASSERT_TRUE(driver.app().gui.editing);
    driver.type("3");
    driver.key(GLFW_KEY_ENTER);
    session->wait();
    // The score is 3/(1/√8), rounded to float32 on the way: hence 1e-6.
    EXPECT_NEAR(session->shown().variants[0].stage(StageKind::scaled).at(0, 0, 2, 1), 3, 1e-6);
    session.reset();  // before the context that holds its results
}

}  // namespace
}  // namespace maskscope::ui
