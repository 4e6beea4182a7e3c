// What is shown while presenting: what fits, and what is written around it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "app/figure/hall/lay_out_presenting.h"
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

Figure in_hall(const Scene& scene, const View& view, Size room,
               std::optional<StageKind> claimed = {}, bool with_mask = false) {
    LayoutOptions options;
    options.width = room.width;
    options.height = room.height;
    options.scale = room.height / 240;
    options.in_hall = true;
    options.claimed = claimed;
    return lay_out_presenting(make_bench(computed(scene), view), options, with_mask);
}

const Text* text_of(const Figure& figure, const std::string& words) {
    const auto found = std::ranges::find(figure.texts, words, &Text::text);
    return found == figure.texts.end() ? nullptr : &*found;
}

TEST(PresentingTitles, AxesAreNamedAndTheFirstStageOfALaneAsWell) {
    Scene scene =
        sentence({causal("added", Apply::additive), causal("m", Apply::multiply_weights)});
    scene.sequences[0].queries = {"My", "name", "is"};
    const Figure figure = in_hall(scene, {}, {1826, 660});
    for (const char* words : {"keys →", "queries ↓", "Softmax input", "Weights"})
        EXPECT_NE(text_of(figure, words), nullptr) << words;
    for (const Text& text : figure.texts) EXPECT_GE(text.style.size, 12 * figure.unit - 1e-9);
}

TEST(PresentingTitles, NoTitleStandsAboveAnotherHeatmap) {
    Scene scene = sentence({causal("a lane with a name of many words", Apply::additive)});
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

// Cells smaller than a pixel: more rows and columns than the hall has.
TEST(PresentedCells, OfALongTextStayInTheHall) {
    for (const int tokens : {40, 400, 3000})
        for (const int lanes : {1, 2}) {
            Scene scene = sentence({causal("added", Apply::additive)});
            if (lanes == 2) scene.variants.push_back(causal("m", Apply::multiply_weights));
            scene.sequences[0].queries = std::vector<std::string>(std::size_t(tokens), "word");
            const Figure figure = in_hall(scene, {}, {1506, 600});
            ASSERT_FALSE(figure.heatmaps.empty());
            for (const Heatmap& map : figure.heatmaps) {
                EXPECT_GE(map.rect.w, 40) << tokens << " tokens, " << lanes << " lanes";
                EXPECT_GE(map.rect.h, 40) << tokens << " tokens, " << lanes << " lanes";
                EXPECT_LE(map.rect.right(), 1506) << tokens << " tokens, " << lanes << " lanes";
                EXPECT_LE(map.rect.bottom(), 600) << tokens << " tokens, " << lanes << " lanes";
            }
        }
}

// The mask has no numbers that need room.
TEST(PresentedCells, OfAMaskAreNoWiderThanThoseOfTheWeights) {
    for (const int tokens : {6, 14, 46, 150}) {
        SCOPED_TRACE(tokens);
        Scene scene =
            sentence({causal("added", Apply::additive), causal("m", Apply::multiply_weights)});
        scene.sequences[0].queries = std::vector<std::string>(std::size_t(tokens), "word");
        const Figure figure = in_hall(scene, {}, {1506, 600}, {}, true);
        double mask = 0, least = 1e9;
        for (const Heatmap& map : figure.heatmaps) {
            EXPECT_LE(map.rect.right(), 1506);
            EXPECT_LE(map.rect.bottom(), 600);
            const double cell = map.rect.w / double(map.cells->columns);
            if (map.cells->stage == StageKind::allowed) mask = cell;
            if (map.cells->stage == StageKind::weights) least = std::min(least, cell);
        }
        EXPECT_GT(mask, 0);
        EXPECT_LE(mask, least + 1e-9);
    }
}

// --- more than there is room for

using Words = std::vector<std::string>;

// All sequences side by side.
Figure batch_in_hall(const std::vector<Words>& sequences, std::size_t lanes, Size room) {
    Scene scene =
        sentence({causal("added", Apply::additive), causal("m", Apply::multiply_weights)}, 1);
    scene.variants.resize(lanes);
    View view;
    view.show.sequences.emplace();
    scene.sequences.clear();
    for (const Words& words : sequences) {
        view.show.sequences->push_back(std::ssize(scene.sequences));
        scene.sequences.push_back({words, std::nullopt});
    }
    return in_hall(scene, view, room);
}

void expect_apart_and_inside(const Figure& figure, Size room) {
    for (std::size_t k = 0; k < figure.heatmaps.size(); ++k) {
        const Rect& rect = figure.heatmaps[k].rect;
        EXPECT_LE(rect.right(), room.width + 1) << k;
        EXPECT_LE(rect.bottom(), room.height + 1) << k;
        for (std::size_t other = 0; other < k; ++other)
            EXPECT_FALSE(overlap(rect, figure.heatmaps[other].rect)) << k << " and " << other;
        for (const Text& text : figure.texts)
            EXPECT_FALSE(overlap(rect, text_rect(text))) << k << " and " << text.text;
    }
}

// It once tried every arrangement for each number of sequences: sixty took minutes.
TEST(PresentedBatch, NamesTheSequencesThatHaveNoRoom) {
    for (const std::size_t count : {2, 8, 20, 64, 1000})
        for (const std::size_t lanes : {1, 2})
            for (const Size room : {Size{1506, 600}, Size{900, 500}}) {
                SCOPED_TRACE(fmt::format("{} of {} lanes in {}", count, lanes, room.width));
                const std::vector<Words> sequences(count, {"I", "am", "so", "so", "ok"});
                const Figure figure = batch_in_hall(sequences, lanes, room);
                const std::size_t shown = figure.heatmaps.size() / lanes;
                ASSERT_GT(shown, 0u);
                expect_apart_and_inside(figure, room);
                for (std::size_t k = 0; k < count; ++k)
                    EXPECT_EQ(text_of(figure, fmt::format("sequence {}", k + 1)) != nullptr,
                              k < shown);
                const std::string first = fmt::format("sequence {}", shown + 1);
                const std::string last = fmt::format("sequence {}", count);
                const std::string missing = first == last ? first : first + " to " + last;
                EXPECT_EQ(text_of(figure, fmt::format("Not shown, for lack of space: {}.",
                                                      missing)) != nullptr,
                          shown < count);
            }
}

// The keys of the second read upwards, and the first is made like it.
TEST(PresentedBatch, OfShortAndLongWordsIsApart) {
    const Words few{"I", "am", "so", "so", "ok"};
    const Words longer{"wonderful", "beautiful", "afternoon", "yesterday", "education"};
    for (const Size room : {Size{1826, 660}, Size{980, 480}, Size{1506, 600}})
        expect_apart_and_inside(batch_in_hall({few, longer}, 1, room), room);
}

TEST(PresentedLanes, ThatHaveNoRoomAreNamed) {
    Scene scene = sentence({});
    for (int lane = 0; lane < 4; ++lane)
        scene.variants.push_back(causal(fmt::format("variant {}", lane), Apply::additive));
    scene.variants[1].mask.apply = scene.variants[3].mask.apply = Apply::multiply_weights;
    Words words;
    for (int k = 0; k < 199; ++k) words.push_back(fmt::format("t{}", k));
    scene.sequences[0].queries = words;
    const Figure figure = in_hall(scene, {}, {960, 440});
    ASSERT_FALSE(figure.heatmaps.empty());
    expect_apart_and_inside(figure, {960, 440});
    const auto shown = std::set<int>([&] {
        std::set<int> lanes;
        for (const Heatmap& map : figure.heatmaps) lanes.insert(map.lane);
        return lanes;
    }());
    EXPECT_EQ(shown, (std::set{0, 1}));
    EXPECT_TRUE(text_of(figure, "Not shown, for lack of space: variant C to variant D."));
    EXPECT_TRUE(in_hall(scene, {}, {40, 8}).heatmaps.empty()) << "nor is there for any";
}

// Their numbers are not those that the step speaks of, but of one kind among themselves.
TEST(PresentedLanes, WithoutTheClaimedStageShowTheirWeights) {
    Scene scene = sentence({causal("causal, added before", Apply::additive),
                            causal("no mask at all", Apply::additive),
                            causal("multiplied after", Apply::multiply_weights)});
    scene.variants[1].mask.layers.clear();
    scene.sequences[0].queries =
        Words{"the", "quick", "brown", "fox", "jumps", "over", "lazy", "dogs"};
    using enum StageKind;
    View view;
    view.show.stages = {scaled, logits, softmax, weights, output};
    for (const StageKind claimed : {logits, softmax}) {
        const Figure figure = in_hall(scene, view, {964, 420}, claimed);
        ASSERT_FALSE(figure.heatmaps.empty());
        for (const Heatmap& map : figure.heatmaps) EXPECT_NE(map.cells->stage, output);
    }
}

// Of a lane whose tokens are its own as well.
TEST(PresentedLanes, KeysDoNotTouch) {
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
