#include "app/show/bench/alternative_text.h"

#include <gtest/gtest.h>

#include "tests/support/random_scene.h"
#include "tests/unit/app/show/sentence.h"
#include "tests/unit/app/show/view_scenes.h"

namespace maskscope {
namespace {

std::string words_of(const Scene& scene, bool is_alone = false) {
    return alternative_text(computed(scene), test::view_of(scene), is_alone);
}

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(AlternativeText, SaysWhatAPictureShows) {
    Scene scene = sentence({causal("Added before the softmax", Apply::additive),
                            causal("ours", Apply::multiply_weights)},
                           1);
    scene.title = "Two ways";
    scene.show.emplace().focus = Cell{2, 4};
    scene.show->stages = {StageKind::weights};
    const std::string text = words_of(scene);
    EXPECT_TRUE(
        text.starts_with("Two ways. Attention within “<sos> My name is Luke <eos>”. "
                         "Shown: mask and weights. Variant A, Added before the softmax: "
                         "every row sums to 1; the row of “name” sums to 1; 3 of 6 keys "
                         "are blocked. Variant B, ours, mask multiplied after the softmax: "
                         "5 of 6 rows sum to less than 1; the smallest sum is that of “<sos>”: "))
        << text;
    EXPECT_TRUE(says(text, "; the row of “name” keeps 0.")) << text;
    EXPECT_TRUE(says(words_of(scene, true), "Shown: weights.")) << "one heatmap, without the mask";
}

TEST(AlternativeText, SaysThatRowsSumToMoreThanOne) {
    Variant gates = causal("gates", Apply::none);
    gates.normalizer = Normalizer::sigmoid;
    const std::string text = words_of(sentence({gates}, 1));
    EXPECT_FALSE(says(text, "every row sums to 1")) << text;
    EXPECT_TRUE(says(text, "to more than 1")) << text;
}

TEST(AlternativeText, SaysNanEmptyRowsAndLeaks) {
    Variant nan = causal("−∞", Apply::additive), leak = causal("−1", Apply::additive);
    MaskLayer nothing;
    nothing.kind = LayerKind::blocked;
    nothing.rows = {0};
    nan.mask.layers.push_back(nothing);
    leak.mask.value = {ValueKind::number, -1};
    const std::string text = words_of(sentence({nan, leak, causal("", Apply::none)}, 1));
    EXPECT_TRUE(says(text, "1 of 6 rows is NaN and 1 of 6 rows has no allowed key")) << text;
    EXPECT_TRUE(says(text, "5 of 6 rows put weight on blocked keys or padding")) << text;
    EXPECT_TRUE(says(text, "Variant C, mask not applied: ")) << text;
}

TEST(AlternativeText, SaysHeadsSentencesAndViews) {
    Scene scene = sentence({causal("A", Apply::additive)}, 4);
    scene.sequences.push_back(scene.sequences[0]);
    scene.show.emplace();
    scene.show->heads = {1, 3};
    scene.show->sequences = {0, 1};
    EXPECT_TRUE(says(words_of(scene), " and 1 more sequence. Heads 2 and 4 of 4. "))
        << words_of(scene);
    EXPECT_TRUE(says(words_of(test::view_scene("plane-convex")), "the view “Output plane”"));
    EXPECT_TRUE(says(words_of(test::view_scene("root-d")), "the view “√d”"));
}

TEST(AlternativeText, StaysShortAndOnOneLine) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const std::string text = words_of(random_scene(seed));
        EXPECT_LE(text.size(), longest_alternative) << text;
        EXPECT_EQ(text.find('\n'), std::string::npos) << text;
        EXPECT_FALSE(text.empty());
        EXPECT_EQ(text.back(), '.') << text;
    }
    std::vector<Variant> variants(26, causal(std::string(500, 'x'), Apply::additive));
    Scene scene = sentence(variants, 1);
    scene.title = std::string(5000, 't') + "\n";
    scene.sequences[0].queries.edit([](auto& tokens) {
        for (std::string& token : tokens) token += std::string(400, 'e');
    });
    const std::string text = words_of(scene);
    EXPECT_LE(text.size(), longest_alternative);
    EXPECT_TRUE(says(text, " more variants.")) << text;
}

TEST(AlternativeText, IsAboutAllHeadsWhereAllAreDrawn) {
    Variant second = causal("A", Apply::multiply_weights);
    second.mask.layers[0].heads = {{2}};
    Scene scene = sentence({second}, 3);
    scene.show.emplace().view = ViewKind::heads;
    const std::string text = words_of(scene);
    EXPECT_TRUE(says(text, "All 3 heads.")) << text;
    EXPECT_TRUE(says(text, "5 of 18 rows sum to less than 1")) << text;
}

TEST(AlternativeText, IsAboutTheRowsInSight) {
    const Scene scene = sentence({causal("A", Apply::multiply_weights)}, 1);
    View view = test::view_of(scene);
    view.zoom.y0 = 5.0 / 6;
    const std::string text = alternative_text(computed(scene), view);
    EXPECT_TRUE(says(text, "the row sums to 1.")) << text << " the last row attends to every key";
}

TEST(AlternativeText, CountsRowsOfWhatIsShown) {
    Scene scene = sentence({causal("A", Apply::multiply_weights)}, 3);
    const Result result = computed(scene);
    EXPECT_EQ(count_rows(result, 0, {0}, {0}, {0, 6}).rows, 6);
    const RowCounts all = count_rows(result, 0, {0}, {0, 1, 2}, {0, 6});
    EXPECT_EQ(all.rows, 18);
    EXPECT_EQ(all.losing, 15) << "the last row of each head attends to every key";
    EXPECT_EQ(all.nan + all.empty + all.leaking, 0);
}

}  // namespace
}  // namespace maskscope
