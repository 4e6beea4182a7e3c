// Tests tables of words in figures.

#include "app/figure/text_table.h"

#include <gtest/gtest.h>

#include "app/style/labels.h"

namespace maskscope {
namespace {

const TextTable losses{{"Trained with", "Loss", "Alone"},
                       {"the right masks", "0.021", "as it should"},
                       {"no causal mask in the decoder", "0.022", "nothing"}};

TEST(TextTables, KeepEachCellInItsColumn) {
    const double width = text_table_width(losses, 14);
    const Figure figure = text_table(losses, width, 14);
    ASSERT_EQ(figure.texts.size(), 9U) << "a line each";
    for (std::size_t k = 0; k < 9; ++k) {
        const Text& text = figure.texts[k];
        EXPECT_EQ(text.text, losses[k / 3][k % 3]);
        EXPECT_EQ(text.at.x, figure.texts[k % 3].at.x);
        EXPECT_EQ(text.role == Role::dim, k < 3) << "the header";
        if (k % 3 < 2) {
            EXPECT_LT(text.at.x + figure_text_width(text), figure.texts[k + 1].at.x);
        }
        EXPECT_LT(text.at.y, figure.height);
    }
    EXPECT_EQ(figure.boxes.size(), 3U) << "a line below each row";
    EXPECT_LE(figure.width, width);
}

TEST(TextTables, BreakCellsInLittleWidth) {
    const double width = 0.6 * text_table_width(losses, 14);
    const Figure figure = text_table(losses, width, 14);
    EXPECT_GT(figure.texts.size(), 9U);
    EXPECT_LE(figure.width, width + 1);
}

TEST(TextTables, TakeTheLargestTypeThatFits) {
    const auto size = [](double width, double height) {
        const auto figure = fitted_table(losses, width, height, 10, 20);
        if (!figure) return 0.0;
        EXPECT_LE(figure->width, width + 1);
        EXPECT_LE(figure->height, height);
        return figure->texts.front().style.size;
    };
    EXPECT_EQ(size(2000, 1000), 20);
    double before = 20;
    for (const double width : {600, 500, 400, 300, 200}) {
        const double now = size(width, 200);
        EXPECT_LE(now, before) << width;
        before = now;
    }
    EXPECT_EQ(size(100, 1000), 0) << "one word on each line is not a table";
    EXPECT_EQ(size(2000, 20), 0);
    EXPECT_FALSE(fitted_table({}, 2000, 1000, 10, 20));
}

}  // namespace
}  // namespace maskscope
