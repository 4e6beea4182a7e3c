// Tests what a translation is compared with, and how the view of a translator is made.

#include "app/views/translator/translator_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "app/show/arithmetic/arithmetic.h"
#include "app/show/bench/bench.h"
#include "app/show/views/view_entry.h"
#include "core/base/build.h"
#include "core/edit/edit.h"
#include "core/files/file.h"
#include "core/format/scene_json.h"
#include "core/lesson/lesson.h"
#include "core/scene/model.h"
#include "tests/support/computed.h"
#include "tests/unit/app/show/view_scenes.h"

namespace maskscope {
namespace {

using enum TranslatedWord::Kind;

std::vector<std::string> words(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

// Returns "the -red +home house": - is missing, + is wrong.
std::string shown(const std::vector<TranslatedWord>& all) {
    std::string text;
    for (const TranslatedWord& word : all)
        text += (text.empty() ? "" : " ") +
                std::string(word.kind == missing ? "-"
                            : word.kind == wrong ? "+"
                                                 : "") +
                word.text;
    return text;
}

TEST(TranslatorWords, AreComparedWithTheRightOnes) {
    const auto compare = [](const char* said, const char* right) {
        return shown(compared(words(said), words(right)));
    };
    EXPECT_EQ(compare("the red house", "the red house"), "the red house");
    EXPECT_EQ(compare("the house", "the red house"), "the -red house");
    EXPECT_EQ(compare("the house the red house", "the red house"), "the +house +the red house");
    EXPECT_EQ(compare("i see him", "i do not see him"), "i -do -not see him");
    EXPECT_EQ(compare("", "anna sleeps"), "-anna -sleeps");
    EXPECT_EQ(compare("the blue house", "the red house"), "the -red +blue house");
}

TEST(TranslatorWords, KnowTheRowThatPredictsThem) {
    const auto all = compared(words("the house"), words("the red house"));
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].row, 0);
    EXPECT_EQ(all[2].row, 1);
}

TEST(TranslatorView, HasEveryVariantAndEveryHead) {
    const Scene scene = test::view_scene("translator");
    Progress progress;
    View view;
    view.show = *scene.show;
    const TranslatorView made = make_translator(computed(scene), view, progress);
    EXPECT_EQ(made.source, "la casa rossa");
    ASSERT_EQ(made.variants.size(), 2U);
    EXPECT_EQ(shown(made.variants[0].words), "the red house");
    EXPECT_EQ(shown(made.variants[1].words), "the +house +the red house");
    EXPECT_EQ(made.maps.size(), 6U * 4U) << "two layers of three attentions";
    EXPECT_EQ(std::ranges::count_if(made.maps, &TranslatorMap::shown), 1);
    EXPECT_TRUE(has_view(scene, ViewKind::translator));
    EXPECT_FALSE(has_view(scene, ViewKind::generation));
}

// A model that was trained to look ahead is right only while it is teacher-forced, so the view also
// shows what it writes alone.
TEST(TranslatorView, WhatATeacherForcedModelWritesAloneIsBesideIt) {
    const std::filesystem::path folder = source_folder() + "/assets/lessons";
    const Lesson lesson = read_lesson(read_file(folder / "break-it.json"), folder);
    const auto view_of = [&](int step) {
        Progress progress;
        View view;
        view.show = *lesson.steps[step].scene.show;
        return make_translator(computed(lesson.steps[step].scene), view, progress);
    };
    const TranslatorView ahead = view_of(6), multiplied = view_of(7);
    ASSERT_TRUE(ahead.variants[0].alone && multiplied.variants[0].alone);
    const auto said = [](const std::vector<TranslatedWord>& words) {
        std::string text;
        for (const TranslatedWord& word : words)
            if (word.kind != TranslatedWord::Kind::missing)
                text += (text.empty() ? "" : " ") + word.text;
        return text;
    };
    EXPECT_EQ(said(*ahead.variants[0].alone), "");
    EXPECT_EQ(said(*multiplied.variants[0].alone), "luke is luke");
    EXPECT_FALSE(view_of(0).variants[0].alone) << "it generates";
}

// If only A's word named a row, B's numbers would be beside a word that B does not write.
TEST(TranslatorView, ARowIsNamedByTheWordsOfAllVariants) {
    const Result result = computed(test::view_scene("translator"));
    const auto row = [&](const std::vector<int>& variants) {
        return make_arithmetic(result, variants, 0, 0, {1, 0}).query;
    };
    EXPECT_EQ(row({0}), "red");
    EXPECT_EQ(row({1}), "house");
    EXPECT_EQ(row({0, 1}), "red / house");
    EXPECT_EQ(make_arithmetic(result, {0, 1}, 0, 0, {1, 0}).key, "la");
}

// If a translator attends to what it wrote, its variants may have different numbers of keys.
TEST(TranslatorView, AVariantThatSaysLessHasNoWeightsForTheRest) {
    const Scene scene = read_scene(
        R"({"maskscope": 1, "sequences": [{"source": ["la", "ragazza", "vede", "il", "cane", "piccolo"]}],
        "inputs": {"kind": "model", "model": "italian-english", "attention": "decoder", "layer": 0},
        "variants": [{"name": "Causal", "mask": {"layers": [{"kind": "causal"}]}},
                     {"name": "Itself", "mask": {"layers": [{"kind": "window", "left": 0, "right": 0}]}}]})",
        ".");
    const Result result = computed(scene);
    const Index first = result.variants[0].shape.n_k, second = result.variants[1].shape.n_k;
    ASSERT_GT(first, second);
    const Bars bars = make_arithmetic(result, {0, 1}, 0, 0, {1, 1}).bars;
    ASSERT_EQ(std::ssize(bars.keys), first);
    for (Index j = 0; j < first; ++j) {
        ASSERT_EQ(bars.keys[j].shares.size(), 2U);
        EXPECT_EQ(bars.keys[j].shares[1].weight > 0, j == 1) << j;
    }
}

// Each thumbnail shows what the model attends to, which may be the answer that the class is asked
// for.
TEST(TranslatorView, ItsThumbnailsAreCoveredWithTheWeightsOfTheFirstVariant) {
    const Scene scene = test::view_scene("translator");
    const Result result = computed(scene);
    Progress progress;
    View view;
    view.show = *scene.show;
    const TranslatorView made = make_translator(result, view, progress);
    const auto thumbnails = [&](const std::optional<Cover>& cover) {
        view.cover = cover;
        const Figure figure = lay_out_translator(made, make_bench(result, view), view, {});
        return std::ranges::count(figure.heatmaps, foreign_variant, &Heatmap::variant);
    };
    EXPECT_EQ(thumbnails(std::nullopt), 24);
    EXPECT_EQ(thumbnails(Cover{}), 0);
    EXPECT_EQ(thumbnails(Cover{{}, {{StageKind::weights}}}), 0);
    EXPECT_EQ(thumbnails(Cover{{{1}}, {}}), 24) << "only variant B";
}

TEST(TranslatorEdits, KeepTheSceneValid) {
    Scene scene = test::view_scene("translator");
    set_source(scene, 0, words("anna dorme"));
    EXPECT_EQ(scene.sequences[0].source, words("anna dorme"));
    EXPECT_THROW(set_source(scene, 0, words("anna xyzzy")), EditError);
    EXPECT_THROW(set_source(scene, 0, {}), EditError);
    set_allowed(scene, {0}, 0, 0, {1, 2}, false);
    set_source(scene, 0, words("dorme"));  // one key fewer: the cell no longer exists
    EXPECT_NO_THROW(check_scene(scene));
    show_attention(scene, ModelAttention::decoder, 1);
    EXPECT_EQ(scene.variants[0].mask.layers.at(0).kind, LayerKind::causal)
        << "the model's own mask there";
    EXPECT_NO_THROW(check_scene(scene));
    turn_head(scene, 1, 3, false);
    turn_head(scene, 1, 0, false);
    EXPECT_EQ(scene.variants[1].heads_off, (std::vector<Index>{0, 3}));
    turn_head(scene, 1, 3, true);
    EXPECT_EQ(scene.variants[1].heads_off, (std::vector<Index>{0}));
    EXPECT_THROW(use_embedding(scene), EditError);
    EXPECT_THROW(rename_token(scene, 0, Side::keys, 0, "x"), EditError);
}

}  // namespace
}  // namespace maskscope
