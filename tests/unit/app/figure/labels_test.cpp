#include "app/style/labels.h"

#include <cairo.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace maskscope {
namespace {

const char* const words[] = {"<sos>",  "Luke", "−0.75", "العربية",
                             "日本語", "नमस्ते", "ff fi", "👩‍👩‍👧"};

struct Ink {
    int left = 1 << 20, right = -1, top = 1 << 20, bottom = -1;  // right, bottom: beyond the last
    double weight = 0;                                           // sum of the coverage
};

Ink ink_in(const LabelImage& image) {
    Ink ink;
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x) {
            const auto alpha = image.pixels[y * image.width + x] >> 24;
            ink.weight += alpha;
            if (alpha == 0) continue;
            ink.left = std::min(ink.left, x);
            ink.right = std::max(ink.right, x + 1);
            ink.top = std::min(ink.top, y);
            ink.bottom = std::max(ink.bottom, y + 1);
        }
    return ink;
}

TEST(Measure, GrowsWithTheSizeAlone) {
    for (const char* word : words) {
        const TextSize one = measure(word, {.size = 10}), four = measure(word, {.size = 40});
        EXPECT_GT(one.width, 0) << word;
        EXPECT_DOUBLE_EQ(four.width, 4 * one.width) << word;
        EXPECT_DOUBLE_EQ(four.height, 4 * one.height) << word;
    }
}

// Pango and cairo would cache 25 KB for each size, which added up to hundreds of MB in an hour of
// zooming.
TEST(Rasterise, ManySizesTakeNoMemory) {
    const auto in_use = [] { return double(mallinfo2().uordblks) / (1 << 20); };  // MB
    rasterise("The line", {.size = 10}, 1);
    const double before = in_use();
    for (int k = 1; k <= 200; ++k) rasterise("The line", {.size = 10 + 0.05 * k}, 1);
    EXPECT_LT(in_use() - before, 1);
}

TEST(Measure, BoldIsWider) {
    const std::string word = "Added before the softmax";
    EXPECT_LT(measure(word, {}).width, measure(word, {.weight = Weight::semibold}).width);
    EXPECT_LT(measure(word, {.weight = Weight::semibold}).width,
              measure(word, {.weight = Weight::bold}).width);
}

TEST(Measure, ColumnsOfNumbersHaveOneWidth) {
    EXPECT_DOUBLE_EQ(measure("1.111", {.mono = true}).width,
                     measure("0.857", {.mono = true}).width);
}

TEST(Measure, TheLineIsAsHighForEveryLatinWord) {
    const double height = measure("x", {}).height;
    EXPECT_GT(height, 13);
    EXPECT_EQ(measure("", {}).height, height);
    for (const char* word : {"Ägypten", "gjpqy", "<pad>"})
        EXPECT_EQ(measure(word, {}).height, height) << word;
}

TEST(Rasterise, IsAsWideAsMeasuredAtEveryScale) {
    for (const char* word : words)
        for (const double scale : {1.0, 1.25, 2.0, 3.0}) {
            const LabelImage image = rasterise(word, {}, scale);
            const double width = measure(word, {}).width * scale;
            EXPECT_GE(image.width - 2 * image.margin, width - 1e-9) << word;
            EXPECT_LE(image.width - 2 * image.margin, width + 1) << word << ": a whole pixel more";
            EXPECT_EQ(image.pixels.size(), std::size_t(image.width) * std::size_t(image.height));
            EXPECT_GT(ink_in(image).weight, 0) << word;
        }
}

TEST(Rasterise, NoInkIsCutOff) {
    for (const char* word : {"jf", "f", "Å", "gjpqy", "नमस्ते", "العربية", "//"})
        for (const Weight weight : {Weight::regular, Weight::bold}) {
            const LabelImage image = rasterise(word, {.weight = weight}, 2);
            const Ink ink = ink_in(image);
            EXPECT_GT(ink.left, 0) << word;
            EXPECT_LT(ink.right, image.width) << word;
            EXPECT_GT(ink.top, 0) << word;
            EXPECT_LT(ink.bottom, image.height) << word;
        }
}

TEST(Rasterise, DigitsStandInTheMiddle) {
    const LabelImage image = rasterise("0", {.size = 40}, 1);
    const Ink ink = ink_in(image);
    // The baseline is on a whole pixel, so it may be half a pixel off; round digits overshoot by
    // one.
    EXPECT_NEAR((ink.top + ink.bottom) / 2.0, image.height / 2.0, 1.5);
}

TEST(Rasterise, AllScriptsShareTheBaseline) {
    const auto foot = [](const char* word) {
        const LabelImage image = rasterise(word, {.size = 40}, 1);
        return ink_in(image).bottom - image.height / 2;
    };
    EXPECT_EQ(foot("x"), foot("H"));
    EXPECT_EQ(foot("x"), foot("xж"));
    EXPECT_NEAR(foot("x"), foot("x日"), 6);  // CJK reaches a tenth of the em below the baseline
}

TEST(Rasterise, EmojiKeepTheirColoursAndDigitsHaveNone) {
    EXPECT_FALSE(rasterise("0123456789 #*", {}, 2).coloured);
    EXPECT_FALSE(rasterise("日本語", {}, 2).coloured);
    const LabelImage image = rasterise("a🙂", {.size = 32}, 1);
    if (!image.coloured) GTEST_SKIP() << "no font with coloured emoji here";
    const bool yellow = std::any_of(image.pixels.begin(), image.pixels.end(), [](std::uint32_t p) {
        return (p & 255U) > 200 && (p >> 16 & 255U) < 120 && p >> 24 == 255;
    });
    EXPECT_TRUE(yellow) << "red is in the lowest byte";
}

TEST(Rasterise, CoverageIsWhite) {
    for (const std::uint32_t pixel : rasterise("White", {}, 2).pixels) {
        const std::uint32_t alpha = pixel >> 24;
        EXPECT_EQ(pixel, alpha * 0x01010101U);  // premultiplied
    }
}

TEST(Rasterise, TooLongIsShortenedWithAnEllipsis) {
    for (const char* word :
         {"a token that is too long", "رمز طويل جدا لا يتسع هنا", "日本語日本語日本語"}) {
        const LabelImage whole = rasterise(word, {}, 2), cut = rasterise(word, {}, 2, 60);
        EXPECT_LE(cut.width - 2 * cut.margin, 2 * 60 + 1) << word;
        EXPECT_GT(ink_in(cut).weight, 0) << word;
        EXPECT_LT(ink_in(cut).weight, ink_in(whole).weight) << word;
        EXPECT_EQ(rasterise(word, {}, 2, 5000).pixels, whole.pixels) << word;
    }
}

TEST(Rasterise, TheSameEveryTime) {
    EXPECT_EQ(rasterise("Hello 🙂", {}, 1.5).pixels, rasterise("Hello 🙂", {}, 1.5).pixels);
}

TEST(Labels, BadInputIsDrawnSomehow) {
    const std::string with_nul{"a\0b", 3};
    const std::string texts[] = {"",
                                 "\xff\xfe",
                                 "\xc3",
                                 with_nul,
                                 "line\nbreak",
                                 "\t\r\x07",
                                 "\xe2\x80\xae"
                                 "abc",
                                 std::string(1 << 20, 'x'),
                                 std::string(9999, '\x80')};
    for (const std::string& text : texts) {
        EXPECT_GE(measure(text, {}).width, 0);
        EXPECT_LE(rasterise(text, {}, 3).width, 16384 + 64);
        rasterise(text, {}, 1, 20);
        rasterise(text, {}, 1, 1e-3);
    }
    for (const double bad : {0.0, -1.0, double(NAN), double(INFINITY), 1e9}) {
        EXPECT_EQ(rasterise("x", {.size = bad}, 1).width, 0);
        EXPECT_EQ(rasterise("x", {}, bad).width, 0);
        EXPECT_EQ(measure("x", {.size = bad}).width, 0);
    }
}

TEST(Labels, OnlyCharactersAreWritten) {
    EXPECT_EQ(writable("a\uFFFE\U0002FFFFb\uFDEF\xff"), "a\uFFFD\uFFFDb\uFFFD\uFFFD");
    EXPECT_EQ(writable("√d Zażółć 注意 \uFFFD 🤗"), "√d Zażółć 注意 \uFFFD 🤗");
    EXPECT_EQ(writable(""), "");
}

// The longest prefix that fits is kept, however much is cut off.
TEST(Labels, AreCutToTheRoomThatTheyHave) {
    Text text;
    std::string words;
    for (int k = 0; k < 20'000; ++k) words += k % 7 == 0 ? " ß" : "ab";
    for (const std::size_t letters : {1, 2, 3, 17, 18, 100, 20'000}) {
        text.text = words.substr(0, words.find_last_of('b', letters * 2) + 1) + "long tail";
        const double all = measure(text.text, text.style).width;
        for (const double room : {0.01, 12.0, 40.0, 100.0, 333.0, all - 0.5}) {
            text.max_width = room;
            const std::string cut = shortened(text);
            if (all <= room) continue;
            ASSERT_TRUE(cut.ends_with("…"));
            const std::string kept = cut.substr(0, cut.size() - std::string("…").size());
            ASSERT_TRUE(text.text.starts_with(kept));
            if (!kept.empty()) {
                EXPECT_LE(measure(cut, text.style).width, room);
            }
            std::size_t next = kept.size() + 1;
            while (next < text.text.size() && (text.text[next] & 0xC0) == 0x80) ++next;
            EXPECT_GT(measure(text.text.substr(0, next) + "…", text.style).width, room) << cut;
        }
    }
}

TEST(Labels, TheLastWordOfBrokenTextIsNotAlone) {
    using Lines = std::vector<std::string>;
    const TextStyle style;
    const auto broken = [&](const std::string& text, const std::string& as_wide_as) {
        return broken_into_lines(text, style, measure(as_wide_as, style).width + 0.01);
    };
    EXPECT_EQ(broken("one two three four", "one two three"), (Lines{"one two", "three four"}));
    EXPECT_EQ(broken("one two three four", "one two"), (Lines{"one two", "three", "four"}));
    EXPECT_EQ(broken("one two three", "one two three"), Lines{"one two three"});
    EXPECT_EQ(broken("one two three four five", "three four"),
              (Lines{"one two", "three four", "five"}))
        << "no other word is left alone";
    EXPECT_EQ(broken("onetwothree four", "onetwothree"), (Lines{"onetwothree", "four"}));
    EXPECT_EQ(broken("one onetwothree four", "onetwothree"), (Lines{"one", "onetwothree", "four"}));
}

TEST(Labels, MoreLinesThanAreShownAreNotBroken) {
    std::string text;
    for (int k = 0; k < 100'000; ++k) text += fmt::format("w{} ", k);
    const auto lines = broken_into_lines(text, {}, 100, 3);
    EXPECT_EQ(lines.size(), 4U);
    EXPECT_EQ(lines, broken_into_lines(text.substr(0, 1000), {}, 100, 3));
}

TEST(Labels, ALineBreakStaysOnTheLine) {
    EXPECT_EQ(measure("a\nb", {}).height, measure("ab", {}).height);
    for (const char* separated : {"one\u2028two", "one\u2029two"}) {
        EXPECT_EQ(writable(separated), "one two");
        EXPECT_EQ(measure(separated, {}).width, measure("one two", {}).width) << "all is shown";
    }
}

struct Canvas100 {
    cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 100, 100);
    cairo_t* cairo = cairo_create(surface);
    Canvas100() = default;
    Canvas100(const Canvas100&) = delete;
    Canvas100& operator=(const Canvas100&) = delete;
    ~Canvas100() {
        cairo_destroy(cairo);
        cairo_surface_destroy(surface);
    }
    Ink ink() const {
        cairo_surface_flush(surface);
        LabelImage image;
        image.width = image.height = 100;
        const auto* data =
            reinterpret_cast<const std::uint32_t*>(cairo_image_surface_get_data(surface));
        image.pixels.assign(data, data + 100 * 100);
        return ink_in(image);
    }
};

Ink ink_in(const Text& text) {
    const Canvas100 canvas;
    show_text(canvas.cairo, text, {255, 255, 255});
    return canvas.ink();
}

TEST(ShowText, AnchorsWhereTheTextSays) {
    const double bearing = 2;  // pixels beside the ink of an H of this size
    Text text{{50, 50}, "HH", {.size = 16}};
    EXPECT_NEAR(ink_in(text).left, 50, bearing);
    text.anchor = Anchor::right;
    EXPECT_NEAR(ink_in(text).right, 50, bearing);
    text.anchor = Anchor::centre;
    const Ink centred = ink_in(text);
    EXPECT_NEAR((centred.left + centred.right) / 2.0, 50, 1);  // for antialiasing
    EXPECT_NEAR((centred.top + centred.bottom) / 2.0, 50, 1);
}

TEST(ShowText, UpwardsFromItsBottomEnd) {
    Text text{{50, 50}, "HHHH", {.size = 16}};
    text.vertical = true;
    const Ink ink = ink_in(text);
    EXPECT_LE(ink.bottom, 50);
    EXPECT_GT(50 - ink.top, ink.right - ink.left) << "it reads upwards";
    EXPECT_NEAR((ink.left + ink.right) / 2.0, 50, 1.5);  // not rounded to a pixel
}

TEST(ShowText, ShortenedTextKeepsItsAnchor) {
    for (const char* word : {"a token that is too long", "رمز طويل جدا لا يتسع هنا"}) {
        Text text{{80, 50}, word, {.size = 12}};
        text.max_width = 60;
        text.anchor = Anchor::right;
        const Ink ink = ink_in(text);
        EXPECT_LE(ink.right, 82) << word;  // an italic or round letter overhangs a little
        EXPECT_GE(ink.left, 80 - 62) << word;
        EXPECT_GE(ink.right, 68) << word;
    }
}

// Inter makes an arrow of "->" and a times sign of the x in "2x3".
TEST(Labels, ATokenIsDrawnWithItsOwnLetters) {
    const TextStyle style{.size = 20};
    for (const auto& [typed, other] :
         {std::pair("->", "→"), std::pair("a->b", "a→b"), std::pair("12x34", "12×34")})
        EXPECT_NE(rasterise(typed, style, 1).pixels, rasterise(other, style, 1).pixels) << typed;
}

}  // namespace
}  // namespace maskscope
