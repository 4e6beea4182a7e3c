// Tests Q, K and V when they are unfolded, and the parts of variants and masks that are typed in
// the sidebar.

#include "core/base/matrix.h"
#include "tests/ui/bench/numbers_fixture.h"

namespace maskscope::ui {
namespace {

using enum StageKind;

class Tensors : public Numbers {};

// --- Q, K and V

const auto* tensors_of(const Session& session) {
    return std::get_if<TensorsInputs>(&session.scene().inputs);
}

TEST_F(Tensors, AChipFoldsOutQKAndVAndInAgain) {
    explore();
    const std::size_t before = driver.app().ui.bench.figure.heatmaps.size();
    driver.click(*label_at("Q K V"));
    driver.settle();
    const Heatmap *q = find(output, queries_variant), *first = find(scaled, shared_variant);
    ASSERT_TRUE(q && find(output, keys_variant) && find(output, values_variant));
    EXPECT_LT(q->rect.right(), first->rect.x) << "left of the scores";
    EXPECT_EQ(q->cells->rows, 6);
    EXPECT_EQ(q->cells->columns, *d_k_of(session.scene().inputs));
    EXPECT_FALSE(session.document().undo_name()) << "what is shown is no edit";
    driver.click(*label_at("Q K V"));
    driver.settle();
    EXPECT_EQ(driver.app().ui.bench.figure.heatmaps.size(), before);
}

TEST_F(Tensors, ANumberOfQTurnsEmbeddingIntoTensorsAndMovesOneRow) {
    driver.key(GLFW_KEY_Q);
    const Result before = session.shown();
    const Colour old = fill(output, {2, 3}, queries_variant);
    double_click(output, {2, 3}, queries_variant);
    ASSERT_TRUE(is_typing());
    type("-20");
    ASSERT_TRUE(tensors_of(session));
    EXPECT_EQ((*tensors_of(session)->queries.values)[2 * 8 + 3], -20);
    EXPECT_EQ(value_at(*find(output, queries_variant)->cells, 2, 3), -20);
    driver.key(GLFW_KEY_ESCAPE);
    driver.move({1590, 990});
    driver.settle();
    EXPECT_NE(fill(output, {2, 3}, queries_variant), old);
    const Stage &now = session.shown().variants[0].stage(StageKind::scores),
                &then = before.variants[0].stage(StageKind::scores);
    for (Index i = 0; i < 6; ++i) EXPECT_EQ(now.at(0, 0, i, 0) == then.at(0, 0, i, 0), i != 2);
    driver.key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    driver.settle();
    EXPECT_TRUE(std::holds_alternative<EmbeddingInputs>(session.scene().inputs));
    EXPECT_EQ(fill(output, {2, 3}, queries_variant), old);
    EXPECT_FALSE(session.document().undo_name());
}

TEST_F(Tensors, TheRowOfTheQueryIsFramedInQAndThatOfTheKeyInKAndV) {
    driver.key(GLFW_KEY_Q);
    driver.key(GLFW_KEY_ESCAPE);
    driver.move(middle(scaled, {3, 1}));
    driver.settle();
    const auto framed = [&](int variant, Index row) {
        const Heatmap& map = *find(output, variant);
        const Rect r = cell_rect(map, row, 4);
        const Pixels pixels = driver.pixels();
        for (double dy = -3; dy <= 3; ++dy) {
            const Point at = in_window({r.x + r.w / 2, r.y + dy});
            if (pixels.at(at.x, at.y) == Colour{210, 214, 220}) return true;
        }
        return false;
    };
    EXPECT_TRUE(framed(queries_variant, 3));
    EXPECT_TRUE(framed(keys_variant, 1));
    EXPECT_TRUE(framed(values_variant, 1));
    EXPECT_FALSE(framed(keys_variant, 3) && framed(queries_variant, 1));
}

TEST_F(Tensors, TheKeyQLeadsThroughQKAndVAndBack) {
    session.view().show.focus = Cell{4, 2};
    driver.key(GLFW_KEY_Q);
    const auto& cursor = driver.app().ui.bench.tensor_cursor;
    ASSERT_TRUE(cursor);
    EXPECT_EQ(cursor->variant, queries_variant);
    EXPECT_EQ(cursor->i, 4);
    driver.key(GLFW_KEY_RIGHT);
    driver.key(GLFW_KEY_DOWN);
    EXPECT_EQ(cursor->j, 1);
    EXPECT_EQ(session.view().show.focus, (Cell{5, 2})) << "the query is pinned with it";
    driver.key(GLFW_KEY_Q);
    EXPECT_EQ(cursor->variant, keys_variant);
    EXPECT_EQ(cursor->i, 2);
    driver.key(GLFW_KEY_Q);
    EXPECT_EQ(cursor->variant, values_variant);
    driver.key(GLFW_KEY_ENTER);
    ASSERT_TRUE(is_typing());
    type("2.5");
    ASSERT_TRUE(tensors_of(session));
    EXPECT_EQ((*tensors_of(session)->values->values)[2 * 8], 2.5);
    driver.key(GLFW_KEY_Q);
    EXPECT_FALSE(cursor);
    EXPECT_FALSE(session.view().show.vectors);
}

TEST_F(Tensors, EscapeTakesTheCursorOutOfQ) {
    driver.key(GLFW_KEY_Q);
    driver.key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(driver.app().ui.bench.tensor_cursor);
    EXPECT_TRUE(session.view().show.vectors);
}

TEST_F(Tensors, InputsWithoutQSayWhyNot) {
    open("lesson:additive-or-multiplicative", 4);  // scores
    driver.key(GLFW_KEY_Q);
    EXPECT_FALSE(session.view().show.vectors && find(output, queries_variant));
    EXPECT_NE(message().find("no Q"), std::string::npos) << message();
}

TEST_F(Tensors, OutputsOfALayerBeforeAreShownAndNotTyped) {
    open("lesson:padding-and-nan-rows", 5);
    driver.key(GLFW_KEY_Q);
    driver.settle();
    ASSERT_TRUE(find(output, queries_variant));
    const Scene before = session.scene();
    double_click(output, {0, 0}, queries_variant);
    EXPECT_FALSE(is_typing());
    EXPECT_EQ(session.scene(), before);
    EXPECT_NE(message().find("computed"), std::string::npos) << message();
}

TEST_F(Tensors, AMaskEditKeepsQAsItIsDrawn) {
    driver.key(GLFW_KEY_Q);
    driver.key(GLFW_KEY_ESCAPE);
    const SharedCells before = find(output, queries_variant)->cells;
    driver.click(middle(allowed, {4, 1}));
    driver.settle();
    EXPECT_EQ(find(output, queries_variant)->cells, before);
}

// --- the sidebar

TEST_F(Tensors, ABiasIsTypedInItsRow) {
    explore();
    open("lesson:additive-or-multiplicative", 8);
    ASSERT_TRUE(label_at("is → My")) << "a row for the cell";
    const auto bias = [&]() -> const BiasCell& {
        return session.scene().variants[0].mask.layers.back().bias.front();
    };
    EXPECT_EQ(bias().x, -2);
    driver.click(*label_at("−2"));
    type("0");
    EXPECT_EQ(bias().x, 0);
    EXPECT_EQ(session.document().undo_name(), "change a bias");
}

TEST_F(Tensors, AMatrixIsTypedOverAndTheOutputChosen) {
    explore();
    open("lesson:scoring-functions", 4);
    driver.app().ui.sidebar.variant = 0;
    driver.settle();
    driver.click(*label_at("identity"));
    driver.settle();
    const auto matrix = [&] { return *variant_matrix(session.scene(), 0, VariantMatrix::score); };
    EXPECT_EQ(matrix(), Matrix::Identity(4, 4));
    const auto entry = label_at("M  4 × 4");
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
