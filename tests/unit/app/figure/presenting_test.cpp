// Tests what is shown while presenting: the stages that fit, and the words around them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "app/figure/layout/lay_out.h"
#include "app/figure/layout/scroll.h"
#include "app/style/labels.h"
#include "core/format/scene_json.h"
#include "tests/support/computed.h"
#include "tests/unit/app/figure/overlap.h"
#include "tests/unit/app/show/sentence.h"

namespace maskscope {
namespace {

struct Size {
    double width = 0, height = 0;
};

Figure in_hall(const Scene& scene, const View& view, Size room, bool with_mask = false) {
    LayoutOptions options;
    options.width = room.width;
    options.height = room.height;
    options.scale = room.height / 240;
    options.in_hall = true;
    options.with_mask = with_mask;
    options.with_legend = options.with_colour_bars = false;
    return lay_out(make_bench(computed(scene), view), options);
}

const Text* text_of(const Figure& figure, const std::string& words) {
    const auto found = std::ranges::find(figure.texts, words, &Text::text);
    return found == figure.texts.end() ? nullptr : &*found;
}

TEST(PresentingTitles, AxesAreNamedAndTheFirstStageOfAVariantAsWell) {
    Scene scene =
        sentence({causal("added", Apply::additive), causal("m", Apply::multiply_weights)});
    scene.sequences[0].queries = {"My", "name", "is"};
    const Figure figure = in_hall(scene, {}, {1826, 660});
    for (const char* words : {"keys →", "queries ↓", "Softmax input", "Weights"})
        EXPECT_NE(text_of(figure, words), nullptr) << words;
    for (const Text& text : figure.texts) EXPECT_GE(text.style.size, 12 * figure.unit - 1e-9);
}

TEST(PresentingTitles, NoTitleStandsAboveAnotherHeatmap) {
    Scene scene = sentence({causal("a variant with a name of many words", Apply::additive)});
    scene.sequences[0].queries = {"My", "name", "is"};
    for (const double width : {900.0, 1200.0, 1826.0}) {
        const Figure figure = in_hall(scene, {}, {width, 660});
        const Text* title = text_of(figure, "Softmax input");
        if (!title) continue;
        for (const Heatmap& map : figure.heatmaps)
            EXPECT_TRUE(map.cells->stage != StageKind::weights ||
                        text_rect(*title).right() <= map.rect.x)
                << width;
    }
}

// The text may have more tokens than there are pixels for its heatmap.
TEST(PresentedCells, OfALongTextCanBeSeen) {
    for (const int tokens : {41, 400, 1200})
        for (const int variants : {1, 2}) {
            Scene scene = sentence({causal("added", Apply::additive)});
            if (variants == 2) scene.variants.push_back(causal("m", Apply::multiply_weights));
            scene.sequences[0].queries = std::vector<std::string>(std::size_t(tokens), "word");
            const Figure figure = in_hall(scene, {}, {1506, 600});
            ASSERT_FALSE(figure.heatmaps.empty());
            for (const Heatmap& map : figure.heatmaps) {
                EXPECT_GE(map.rect.w, 40) << tokens << " tokens, " << variants << " variants";
                EXPECT_GE(map.rect.h, 40) << tokens << " tokens, " << variants << " variants";
                EXPECT_LE(map.rect.right(), figure.width);
                EXPECT_LE(map.rect.bottom(), figure.height);
            }
        }
}

using Words = std::vector<std::string>;

// Returns the figure of all sequences, one after the other.
Figure batch_in_hall(const std::vector<Words>& sequences, std::size_t variants, Size room) {
    Scene scene =
        sentence({causal("added", Apply::additive), causal("m", Apply::multiply_weights)}, 1);
    scene.variants.resize(variants);
    View view;
    view.show.sequences.emplace();
    scene.sequences.clear();
    for (const Words& words : sequences) {
        view.show.sequences->push_back(std::ssize(scene.sequences));
        scene.sequences.push_back({words, std::nullopt});
    }
    return in_hall(scene, view, room);
}

void expect_apart(const Figure& figure) {
    for (std::size_t k = 0; k < figure.heatmaps.size(); ++k) {
        const Rect& rect = figure.heatmaps[k].rect;
        for (std::size_t other = 0; other < k; ++other)
            EXPECT_FALSE(overlap(rect, figure.heatmaps[other].rect)) << k << " and " << other;
        for (const Text& text : figure.texts)
            EXPECT_FALSE(overlap(rect, text_rect(text))) << k << " and " << text.text;
    }
}

TEST(PresentedBatch, OfManySequencesIsWholeAndScrolls) {
    for (const std::size_t count : {2, 8, 64}) {
        const std::vector<Words> sequences(count, {"I", "am", "so", "so", "ok"});
        const Figure figure = batch_in_hall(sequences, 2, {1506, 600});
        expect_apart(figure);
        for (std::size_t k = 0; k < count; ++k)
            EXPECT_NE(text_of(figure, fmt::format("sequence {}", k + 1)), nullptr);
    }
}

// The keys of the second sequence are written upwards, and so are those of the first, to match.
TEST(PresentedBatch, OfShortAndLongWordsIsApart) {
    const Words few{"I", "am", "so", "so", "ok"};
    const Words longer{"wonderful", "beautiful", "afternoon", "yesterday", "education"};
    for (const Size room : {Size{1826, 660}, Size{980, 480}, Size{1506, 600}})
        expect_apart(batch_in_hall({few, longer}, 1, room));
}

// Also tests variants whose tokens differ.
TEST(PresentedVariants, KeysDoNotTouch) {
    const Scene scene = read_scene(
        R"({"maskscope": 1, "sequences": [{"source": ["la", "ragazza", "vede", "il", "cane", "piccolo"]}],
        "inputs": {"kind": "model", "model": "italian-english", "attention": "decoder", "layer": 0},
        "variants": [{"name": "Blocked", "mask": {"layers": [{"kind": "blocked", "columns": [0]}]}},
                     {"name": "Causal", "mask": {"layers": [{"kind": "causal"}]}},
                     {"name": "None", "mask": {"layers": []}}],
        "show": {"stages": ["logits", "weights"], "heads": [0]}})",
        ".");
    View view;
    view.show = *scene.show;
    for (const Size room : {Size{1232, 300}, Size{1232, 500}}) {
        const Figure figure = in_hall(scene, view, room);
        std::vector<Rect> tokens;
        for (const Text& text : figure.texts)
            if (text.role == Role::dim && text.text.find(' ') == std::string::npos)
                tokens.push_back(text_rect(text));
        for (std::size_t k = 0; k < tokens.size(); ++k)
            for (std::size_t other = 0; other < k; ++other)
                EXPECT_FALSE(overlap(tokens[k], tokens[other])) << k << " and " << other;
    }
}

}  // namespace
}  // namespace maskscope
