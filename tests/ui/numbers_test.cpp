// Typing over the numbers of the bench: events in, scene and pixels out.

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/commands/load.h"
#include "app/label_atlas.h"
#include "core/cpu/plain.h"
#include "core/edit.h"
#include "tests/ui/harness.h"

namespace maskscope::ui {
namespace {

class Numbers : public testing::Test {
protected:
    Numbers() {
        open("lesson:additive-or-multiplicative");
        driver.move({1590, 990});
        driver.settle();
    }

    void open(const std::string& name, int step = 1) {
        const LoadedLesson loaded = load_lesson(name);
        session.open_lesson(loaded.lesson, loaded.folder, step - 1);
        driver.settle();
    }
    const Heatmap* find(StageKind stage, int lane) {
        const auto& all = driver.app().figure.heatmaps;
        const auto found = std::find_if(all.begin(), all.end(), [&](const Heatmap& map) {
            return map.cells->stage == stage && map.lane == lane;
        });
        return found == all.end() ? nullptr : &*found;
    }
    Point in_window(Point p) {
        return {p.x + driver.app().figure_at.x, p.y + driver.app().figure_at.y};
    }
    Point middle(StageKind stage, Cell cell, int lane = shared_lane) {
        const Heatmap* map = find(stage, lane);
        if (map == nullptr) return {-1, -1};
        const Rect r = cell_rect(*map, cell.i, cell.j);
        return in_window({r.x + r.w / 2, r.y + r.h / 2});
    }
    void double_click(StageKind stage, Cell cell, int lane = shared_lane) {
        driver.double_click(middle(stage, cell, lane));
        driver.settle();
    }
    // Replaces what stands in the field, and presses a key.
    void type(const std::string& text, int key = GLFW_KEY_ENTER, int modifiers = 0) {
        driver.type(text);
        driver.key(key, modifiers);
        driver.settle();
    }
    bool is_typing() { return driver.app().ui.editing.has_value(); }
    double number(StageKind stage, Cell cell, int lane = 0) {
        return session.shown().variants.at(std::size_t(lane)).stage(stage).at(0, 0, cell.i, cell.j);
    }
    Colour fill(StageKind stage, Cell cell, int lane = shared_lane) {
        const Rect r = cell_rect(*find(stage, lane), cell.i, cell.j);
        const Point at = in_window({r.x + r.w / 2, r.y + 5});
        return driver.pixels().at(at.x, at.y);
    }
    // The middle of the first label with this text.
    std::optional<Point> label_at(const std::string& text) {
        driver.settle();
        for (const auto& label : driver.app().labels->drawn())
            if (label.text == text)
                return Point{label.rect.x + label.rect.w / 2, label.rect.y + label.rect.h / 2};
        return std::nullopt;
    }
    bool shows(const std::string& part) {
        driver.settle();
        const auto& drawn = driver.app().labels->drawn();
        return std::any_of(drawn.begin(), drawn.end(), [&](const auto& label) {
            return label.text.find(part) != std::string::npos;
        });
    }
    std::string message() { return session.message() ? session.message()->text : ""; }
    void show_stages(std::vector<StageKind> stages) {
        session.view().show.stages = std::move(stages);
        driver.settle();
    }
    const ScoresInputs* scores() { return std::get_if<ScoresInputs>(&session.scene().inputs); }

    Session session{std::make_unique<PlainBackend>()};
    Driver driver{session};
};

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
    EXPECT_EQ(number(StageKind::scores, {2, 1}, 1), 12.5) << "for every lane";
    driver.move({1590, 990});
    driver.settle();
    EXPECT_NE(fill(StageKind::scores, {2, 1}), old);
    for (Index i = 0; i < 6; ++i)
        for (Index j = 0; j < 6; ++j)
            if (Cell{i, j} != Cell{2, 1}) {
                EXPECT_EQ(number(StageKind::scores, {i, j}),
                          before.variants[0].stage(StageKind::scores).at(0, 0, i, j));
            }
    EXPECT_EQ(session.undo_name(), "type a score");
    driver.key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    driver.settle();
    EXPECT_TRUE(std::holds_alternative<EmbeddingInputs>(session.scene().inputs));
    EXPECT_FALSE(session.undo_name()) << "one number is one step";
    EXPECT_EQ(fill(StageKind::scores, {2, 1}), old);
}

TEST_F(Numbers, ATypedNumberShowsInTheFrameOfItsEnter) {
    double_click(scaled, {2, 1});
    driver.type("3");
    driver.push({.kind = InputEvent::Kind::key, .code = GLFW_KEY_ENTER, .down = true});
    frame(driver.app());  // this one frame
    EXPECT_EQ(session.shown().scene, session.scene());
    EXPECT_NEAR(number(scaled, {2, 1}), 3, 1e-6);
}

// The score that the scale makes 3 of; rounded to float32 on the way, hence 1e-6.
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

TEST_F(Numbers, WhatIsNoNumberIsSaidAndStaysOut) {
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
    double_click(scaled, {2, 1});
    type("−∞");
    EXPECT_NE(message().find("finite"), std::string::npos) << message();
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

TEST_F(Numbers, LanesWithOtherScoresSayWhyNot) {
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
    EXPECT_FALSE(driver.app().ui.refusal);
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

// --- Q, K and V

const auto* tensors_of(const Session& session) {
    return std::get_if<TensorsInputs>(&session.scene().inputs);
}

TEST_F(Numbers, AChipFoldsOutQKAndVAndInAgain) {
    const std::size_t before = driver.app().figure.heatmaps.size();
    driver.click(*label_at("Q K V"));
    driver.settle();
    const Heatmap *q = find(output, queries_lane), *first = find(scaled, shared_lane);
    ASSERT_TRUE(q && find(output, keys_lane) && find(output, values_lane));
    EXPECT_LT(q->rect.right(), first->rect.x) << "left of the scores";
    EXPECT_EQ(q->cells->rows, 6);
    EXPECT_EQ(q->cells->columns, *d_k_of(session.scene().inputs));
    EXPECT_FALSE(session.undo_name()) << "what is shown is no edit";
    driver.click(*label_at("Q K V"));
    driver.settle();
    EXPECT_EQ(driver.app().figure.heatmaps.size(), before);
}

TEST_F(Numbers, ANumberOfQTurnsEmbeddingIntoTensorsAndMovesOneRow) {
    driver.key(GLFW_KEY_Q);
    const Result before = session.shown();
    const Colour old = fill(output, {2, 3}, queries_lane);
    double_click(output, {2, 3}, queries_lane);
    ASSERT_TRUE(is_typing());
    type("-20");
    ASSERT_TRUE(tensors_of(session));
    EXPECT_EQ(tensors_of(session)->queries.values->at(2 * 8 + 3), -20);
    EXPECT_EQ(value_at(*find(output, queries_lane)->cells, 2, 3), -20);
    driver.key(GLFW_KEY_ESCAPE);
    driver.move({1590, 990});
    driver.settle();
    EXPECT_NE(fill(output, {2, 3}, queries_lane), old);
    const Stage &now = session.shown().variants[0].stage(StageKind::scores),
                &then = before.variants[0].stage(StageKind::scores);
    for (Index i = 0; i < 6; ++i) EXPECT_EQ(now.at(0, 0, i, 0) == then.at(0, 0, i, 0), i != 2);
    driver.key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    driver.settle();
    EXPECT_TRUE(std::holds_alternative<EmbeddingInputs>(session.scene().inputs));
    EXPECT_EQ(fill(output, {2, 3}, queries_lane), old);
    EXPECT_FALSE(session.undo_name());
}

TEST_F(Numbers, TheRowOfTheQueryIsFramedInQAndThatOfTheKeyInKAndV) {
    driver.key(GLFW_KEY_Q);
    driver.key(GLFW_KEY_ESCAPE);
    driver.move(middle(scaled, {3, 1}));
    driver.settle();
    const auto framed = [&](int lane, Index row) {
        const Heatmap& map = *find(output, lane);
        const Rect r = cell_rect(map, row, 4);
        const Pixels pixels = driver.pixels();
        for (double dy = -3; dy <= 3; ++dy) {
            const Point at = in_window({r.x + r.w / 2, r.y + dy});
            if (pixels.at(at.x, at.y) == Colour{210, 214, 220}) return true;
        }
        return false;
    };
    EXPECT_TRUE(framed(queries_lane, 3));
    EXPECT_TRUE(framed(keys_lane, 1));
    EXPECT_TRUE(framed(values_lane, 1));
    EXPECT_FALSE(framed(keys_lane, 3) && framed(queries_lane, 1));
}

TEST_F(Numbers, TheKeyQLeadsThroughQKAndVAndBack) {
    session.view().show.focus = Cell{4, 2};
    driver.key(GLFW_KEY_Q);
    const auto& cursor = driver.app().ui.tensor_cursor;
    ASSERT_TRUE(cursor);
    EXPECT_EQ(cursor->lane, queries_lane);
    EXPECT_EQ(cursor->i, 4);
    driver.key(GLFW_KEY_RIGHT);
    driver.key(GLFW_KEY_DOWN);
    EXPECT_EQ(cursor->j, 1);
    EXPECT_EQ(session.view().show.focus, (Cell{5, 2})) << "the query is pinned with it";
    driver.key(GLFW_KEY_Q);
    EXPECT_EQ(cursor->lane, keys_lane);
    EXPECT_EQ(cursor->i, 2);
    driver.key(GLFW_KEY_Q);
    EXPECT_EQ(cursor->lane, values_lane);
    driver.key(GLFW_KEY_ENTER);
    ASSERT_TRUE(is_typing());
    type("2.5");
    ASSERT_TRUE(tensors_of(session));
    EXPECT_EQ(tensors_of(session)->values->values->at(2 * 8), 2.5);
    driver.key(GLFW_KEY_Q);
    EXPECT_FALSE(cursor);
    EXPECT_FALSE(session.view().tensors);
}

TEST_F(Numbers, EscapeTakesTheCursorOutOfQ) {
    driver.key(GLFW_KEY_Q);
    driver.key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(driver.app().ui.tensor_cursor);
    EXPECT_TRUE(session.view().tensors);
}

TEST_F(Numbers, InputsWithoutQSayWhyNot) {
    open("lesson:additive-or-multiplicative", 4);  // scores
    driver.key(GLFW_KEY_Q);
    EXPECT_FALSE(session.view().tensors && find(output, queries_lane));
    EXPECT_NE(message().find("no Q"), std::string::npos) << message();
}

TEST_F(Numbers, OutputsOfALayerBeforeAreShownAndNotTyped) {
    open("lesson:padding-and-nan-rows", 5);
    driver.key(GLFW_KEY_Q);
    driver.settle();
    ASSERT_TRUE(find(output, queries_lane));
    const Scene before = session.scene();
    double_click(output, {0, 0}, queries_lane);
    EXPECT_FALSE(is_typing());
    EXPECT_EQ(session.scene(), before);
    EXPECT_NE(message().find("computed"), std::string::npos) << message();
}

TEST_F(Numbers, AMaskEditKeepsQAsItIsDrawn) {
    driver.key(GLFW_KEY_Q);
    driver.key(GLFW_KEY_ESCAPE);
    const SharedCells before = find(output, queries_lane)->cells;
    driver.click(middle(allowed, {4, 1}));
    driver.settle();
    EXPECT_EQ(find(output, queries_lane)->cells, before);
}

// --- a GPU's result (a software renderer's will do)

TEST(NumbersOnTheGpu, AreReadAndTypedOver) {
    auto session = std::make_unique<Session>(std::make_unique<PlainBackend>());
    session->open(MASKSCOPE_SOURCE "/assets/lessons/additive-or-multiplicative.json");
    Driver driver(*session);
    session->offer_gpu(gpu_of(driver.context()));
    ASSERT_TRUE(session->compute_with(ComputeWith::gpu));
    session->wait();
    driver.settle();
    ASSERT_EQ(session->shown().backend, "gpu");
    session->view().show.focus = Cell{2, 1};
    driver.key(GLFW_KEY_ENTER);
    ASSERT_TRUE(driver.app().ui.editing);
    driver.type("3");
    driver.key(GLFW_KEY_ENTER);
    session->wait();
    // The score is 3/(1/√8), rounded to float32 on the way: hence 1e-6.
    EXPECT_NEAR(session->shown().variants[0].stage(StageKind::scaled).at(0, 0, 2, 1), 3, 1e-6);
    session.reset();  // before the context that its results live in
}

// --- the sidebar

TEST_F(Numbers, ABiasIsTypedInItsRow) {
    open("lesson:additive-or-multiplicative", 8);
    driver.click(*label_at("B"));  // its layers
    driver.settle();
    ASSERT_TRUE(label_at("Luke → name") || label_at("is → My")) << "a row for the cell";
    const auto bias = [&]() -> const BiasCell& {
        return session.scene().variants[1].mask.layers.back().bias.front();
    };
    EXPECT_EQ(bias().x, -2);
    driver.click(*label_at("-2"));
    type("0");
    EXPECT_EQ(bias().x, 0);
    EXPECT_EQ(session.undo_name(), "change a bias");
}

TEST_F(Numbers, AMatrixIsTypedOverAndTheOutputChosen) {
    open("lesson:scoring-functions", 5);
    driver.app().ui.variant = 2;
    driver.settle();
    driver.click(*label_at("identity"));  // no change, and no step
    driver.settle();
    const auto matrix = [&] { return *variant_matrix(session.scene(), 2, VariantMatrix::score); };
    EXPECT_EQ(matrix(), Matrix::Identity(2, 2));
    const auto entry = label_at("M  2 × 2");
    ASSERT_TRUE(entry);
    driver.click({entry->x + 20, entry->y + 28});  // the first number
    ASSERT_TRUE(is_typing());
    type("0.5", GLFW_KEY_TAB);
    ASSERT_TRUE(is_typing()) << "Tab goes on";
    type("-1");
    EXPECT_EQ(matrix()(0, 0), 0.5);
    EXPECT_EQ(matrix()(0, 1), -1);
}

}  // namespace
}  // namespace maskscope::ui
