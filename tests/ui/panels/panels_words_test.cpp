#include <gtest/gtest.h>

#include <set>

#include "app/session/edits/variant_settings.h"
#include "app/session/files/load.h"
#include "app/session/session.h"
#include "app/window/panels/words.h"
#include "core/compute/plain.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"

namespace maskscope {
namespace {

// Covers whatever a lesson's step draws on the bench: titles, operations, notes, the legend's
// words.
TEST(Terms, EveryOneOnTheBenchOfALessonIsExplained) {
    std::set<std::string> terms{"queries ↓", "keys →", "d →", "Row sums",
                                "blocked",   "leaks",  "NaN", "weight lost"};
    for (const std::string& name : lesson_names()) {
        const LoadedLesson loaded = load_lesson("lesson:" + name);
        Session session{std::make_unique<PlainBackend>()};
        for (int step = 0; step < std::ssize(loaded.lesson.steps); ++step) {
            session.open_lesson(loaded.lesson, loaded.folder, step);
            session.view().show.vectors = true;
            session.update();
            session.wait();
            const auto add = [&](const std::vector<BenchStage>& stages) {
                for (const BenchStage& stage : stages) {
                    terms.insert(stage.title);
                    if (!stage.note.empty()) terms.insert(stage.note);
                    terms.insert(stage.operations.begin(), stage.operations.end());
                }
            };
            for (const BenchBlock& block : session.results().bench().blocks) {
                for (const auto* stages : {&block.earlier, &block.tensors, &block.shared})
                    add(*stages);
                for (const BenchVariant& variant : block.variants) add(variant.stages);
            }
        }
    }
    EXPECT_GT(terms.size(), 30U);
    for (const std::string& term : terms) EXPECT_FALSE(explanation(term).empty()) << term;
    EXPECT_FALSE(explanation("softmax, × m").empty()) << "two operations on one chip";
}

TEST(Terms, EveryChoiceOfTheSidebarIsExplained) {
    for (const LayerRule& rule : layer_rules())
        EXPECT_FALSE(explanation(std::string(rule.label)).empty()) << rule.label;
    Scene scene = load_scene("lesson:additive-or-multiplicative").scene;
    scene.variants[0].mask.value = {ValueKind::number, -1e9};
    std::size_t explained = 0;
    for (const Apply apply : {Apply::additive, Apply::multiply_weights}) {
        scene.variants[0].mask.apply = apply;
        for (const Setting& setting : settings()) {
            if (!setting.acts(scene.inputs, scene.variants[0])) continue;
            const std::string term(setting.term.empty() ? setting.label : setting.term);
            const std::vector<Choice> choices = choices_of(setting, scene, 0);
            if (choices.empty() && !setting.typed) continue;
            ++explained;
            if (!explanation(term).empty()) continue;
            for (const Choice& choice : choices)
                EXPECT_FALSE(explanation(choice.words).empty()) << choice.words;
        }
    }
    EXPECT_GT(explained, 12U);
    EXPECT_EQ(explanation("Luke"), "");
    EXPECT_EQ(explanation(""), "");
}

TEST(Terms, AreExplainedWhereASentenceUsesThem) {
    const std::string sentence = "Heads (pads), a full pass: the decoder’s “key” and Luke.";
    const auto at = [&](const std::string& word) {
        return explanation_in(sentence, sentence.find(word));
    };
    EXPECT_EQ(at("Heads"), explanation("head"));
    EXPECT_EQ(at("(pads)"), explanation("pad"));
    EXPECT_EQ(at("full"), explanation("full pass"));
    EXPECT_EQ(at("pass"), explanation("full pass"));
    EXPECT_EQ(at("decoder"), explanation("decoder"));
    EXPECT_EQ(at("“key”"), "") << "a token";
    EXPECT_EQ(at("Luke"), "");
    EXPECT_EQ(explanation_in(sentence, sentence.size()), "");
    for (const char* term : {"head", "pad", "full pass", "decoder"})
        EXPECT_FALSE(explanation(term).empty()) << term;
}

TEST(Words, SummariseAsTheBenchDoes) {
    Variant variant;
    EXPECT_EQ(summary(variant), "mask value −∞ · float32");
    variant.mask.apply = Apply::multiply_weights;
    EXPECT_EQ(summary(variant), "0 or 1 · not renormalized");
    MaskLayer layer;
    EXPECT_EQ(summary(layer), "top left");
    layer.kind = LayerKind::blocked;
    layer.cells = std::vector<Cell>{};
    EXPECT_EQ(summary(layer), "0 cells");
    layer.cells = std::vector<Cell>{{0, 1}};
    layer.columns = std::vector<Index>{2, 3};
    EXPECT_EQ(summary(layer), "1 cell, 2 columns");
    layer.kind = LayerKind::global;
    layer.tokens = {0, 2};
    EXPECT_EQ(summary(layer), "1 3") << "counted from 1, as in the field below it";
}

}  // namespace
}  // namespace maskscope
