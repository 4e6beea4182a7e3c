#include <gtest/gtest.h>

#include "app/window/panels/words.h"
#include "core/scene/settings.h"

namespace maskscope {
namespace {

TEST(Words, ReadBackTheValuesTheyWrite) {
    for (const BlockedValue& value :
         {BlockedValue{}, BlockedValue{ValueKind::lowest, 0}, BlockedValue{ValueKind::number, -1e9},
          BlockedValue{ValueKind::number, -1e4}, BlockedValue{ValueKind::number, 0.1},
          BlockedValue{ValueKind::number, -123456.75}}) {
        BlockedValue read{ValueKind::number, 77};
        EXPECT_TRUE(read_value(in_words(value), read)) << in_words(value);
        EXPECT_EQ(read, value) << in_words(value);
    }
    EXPECT_EQ(in_words(BlockedValue{ValueKind::number, -1e9}), "−1e9");
    EXPECT_EQ(in_words(BlockedValue{ValueKind::number, -1e4}), "−1e4");
}

TEST(Words, ReadBackTheScalesTheyWrite) {
    for (const Scale& scale : {Scale{}, Scale{ScaleKind::sqrt_n_k, 1}, Scale{ScaleKind::none, 1},
                               Scale{ScaleKind::number, 0.125}}) {
        Scale read{ScaleKind::number, 77};
        EXPECT_TRUE(read_scale(in_words(scale), read)) << in_words(scale);
        EXPECT_EQ(read, scale) << in_words(scale);
    }
}

TEST(Words, RefuseWhatIsNoNumber) {
    BlockedValue value{ValueKind::number, 77};
    Scale scale;
    double number = 0;
    for (const char* text : {"", "minus", "nan", "1e999", "0x10", "1 2", "1,5", "--1", "inf"}) {
        EXPECT_FALSE(read_value(text, value)) << text;
        EXPECT_FALSE(read_scale(text, scale)) << text;
        EXPECT_FALSE(read_number(text, number)) << text;
    }
    EXPECT_EQ(value.number, 77) << "what is refused changes nothing";
}

TEST(Words, SummariseAsTheBenchDoes) {
    Variant variant;
    EXPECT_EQ(summary(variant), "value −∞ · float32");
    variant.mask.apply = Apply::multiply_weights;
    EXPECT_EQ(summary(variant), "0 or 1 · not renormalised");
    MaskLayer layer;
    EXPECT_EQ(summary(layer), "top left");
    layer.kind = LayerKind::blocked;
    layer.cells = std::vector<Cell>{};
    EXPECT_EQ(summary(layer), "0 cells");
    layer.cells = std::vector<Cell>{{0, 1}};
    layer.columns = std::vector<Index>{2, 3};
    EXPECT_EQ(summary(layer), "1 cell, 2 columns");
}

}  // namespace
}  // namespace maskscope
