#include <fmt/format.h>

#include "app/session/edits/variant_settings.h"
#include "core/base/build.h"
#include "core/compute/root_d.h"
#include "core/lesson/caption.h"
#include "core/scene/names.h"
#include "tests/unit/app/session/session_parts.h"

namespace maskscope {
namespace {

Fact sum_below_one() {
    Fact fact;
    fact.address.variant = 1;
    fact.address.of = "sum";
    fact.address.at = {AddressEntry{}, AddressEntry{},
                       AddressEntry{AddressEntry::Kind::index, 2, std::nullopt}};
    fact.is = Relation::less;
    fact.than = Comparand{1.0, std::nullopt, std::nullopt};
    fact.fails_with = {{"/variants/1/mask/apply", "\"additive\""}};
    return fact;
}

// Makes three steps; the second asks first.
Lesson short_lesson() {
    Lesson lesson;
    lesson.name = "short";
    lesson.title = "Short";
    for (const char* title : {"one", "two", "three"}) {
        Step step;
        step.title = title;
        step.caption = "The sum is {B.sum[0,0,2]}.";
        step.scene = small_scene();
        step.scene.title = title;
        set_allowed(step.scene, {0, 1}, 0, 0, {2, 0}, false);
        step.facts = {sum_below_one()};
        lesson.steps.push_back(step);
    }
    lesson.steps[1].ask = "Where does it go?";
    lesson.steps[2].scene.show = Show{};
    lesson.steps[2].scene.show->ring = Cell{2, 1};
    return lesson;
}

std::string title(const Tested& t) { return t.session.scene().title; }

// --- exercises

Lesson lesson_with_exercise() {
    Lesson lesson = short_lesson();
    lesson.steps[1].ask.clear();
    lesson.steps[1].exercise = Exercise{0};
    return lesson;
}

TEST(ExerciseOfASession, StartsWithoutItsMaskAndCountsWhatDiffers) {
    Tested t;
    const Lesson lesson = lesson_with_exercise();
    t.session.open_lesson(lesson, ".", 1);
    t.session.wait();
    EXPECT_TRUE(t.session.scene().variants[0].mask.layers.empty());
    EXPECT_EQ(t.session.scene().variants[1], lesson.steps[1].scene.variants[1]);
    EXPECT_TRUE(t.session.document().is_saved()) << "nothing was edited";
    const auto at_first = exercise_of(t.session);
    ASSERT_TRUE(at_first);
    EXPECT_GT(at_first->cells, 0);
    EXPECT_EQ(judged_claim(t.session).line,
              fmt::format("The mask of A: {} of {} cells differ", at_first->cells, at_first->of));

    t.session.edit("a formula", [](Scene& scene) {
        MaskLayer layer;
        layer.kind = LayerKind::formula;
        layer.expression = "0";
        scene.variants[0].mask.layers = {layer};
    });
    EXPECT_EQ(exercise_of(t.session)->cells, at_first->of - at_first->cells) << "all except those";
    t.session.restore_step();
    EXPECT_EQ(exercise_of(t.session)->cells, at_first->cells) << "R starts again";
}

TEST(ExerciseOfASession, IsSolvedOrShown) {
    Tested t;
    const Lesson lesson = lesson_with_exercise();
    const Mask& solution = lesson.steps[1].scene.variants[0].mask;
    t.session.open_lesson(lesson, ".", 1);
    t.session.next();
    EXPECT_EQ(t.session.document().step, 1) << "the solution first";
    EXPECT_EQ(t.session.scene().variants[0].mask, solution);
    EXPECT_FALSE(exercise_of(t.session));
    t.session.next();
    EXPECT_EQ(t.session.document().step, 2);

    t.session.previous();
    ASSERT_TRUE(exercise_of(t.session));
    t.session.edit("paint it", [&](Scene& scene) { scene.variants[0].mask = solution; });
    EXPECT_EQ(exercise_of(t.session)->cells, 0);
    EXPECT_TRUE(judged_claim(t.session).holds);
    t.session.next();
    EXPECT_EQ(t.session.document().step, 2) << "a solved one needs no solution";
    t.session.undo();
    EXPECT_EQ(t.session.document().step, 1);
    EXPECT_TRUE(exercise_of(t.session));
}

TEST(ExerciseOfASession, IsNotOverwrittenByTheEmptyBench) {
    Tested t;
    t.session.open_lesson(lesson_with_exercise(), ".", 1);
    take_bench_into_step(t.session);
    EXPECT_EQ(*t.session.lesson(), lesson_with_exercise());
    EXPECT_TRUE(t.session.message()->wrong);
}

TEST(ExerciseOfASession, EndsWithATokenMore) {
    Tested t;
    t.session.open_lesson(lesson_with_exercise(), ".", 1);
    t.session.edit("a token",
                   [](Scene& scene) { insert_token(scene, 0, Side::queries, 0, "new"); });
    EXPECT_FALSE(exercise_of(t.session)) << "masks of other sizes do not compare";
}

// Drawing the random numbers takes longer than a frame, so the worker does it, and the caption
// waits.
TEST(LessonOfASession, RootDIsDrawnBesideTheThreadThatDraws) {
    Lesson lesson = short_lesson();
    Step& step = lesson.steps[0];
    std::get<EmbeddingInputs>(step.scene.inputs).seed = 4711;
    step.scene.variants[0].scale.kind = ScaleKind::none;
    step.caption = "The variance is {A.root_d.variance[64]}.";
    step.facts[0].address = {0, {}, "root_d.variance", {}, 64, {}};
    step.facts[0].is = Relation::greater;
    step.facts[0].than = Comparand{60.0, {}, {}};
    ASSERT_TRUE(reads_root_d(step));
    EXPECT_FALSE(reads_root_d(lesson.steps[1]));
    Tested t;
    t.session.open_lesson(lesson, ".");
    EXPECT_EQ(t.session.shown().scene, t.session.scene());
    if (t.session.computing()) {
        EXPECT_NE(t.session.words().caption.find("…"), std::string::npos);
        EXPECT_TRUE(t.session.results().verdicts().empty());
    }
    t.session.wait();
    ASSERT_TRUE(kept_root_d(4711));
    ASSERT_EQ(t.session.results().verdicts().size(), 1U);
    EXPECT_TRUE(t.session.results().verdicts()[0].holds);
    EXPECT_NEAR(t.session.results().verdicts()[0].value, 64, 4);
    EXPECT_EQ(t.session.words().caption.find("…"), std::string::npos);
    EXPECT_EQ(t.session.words().caption.find("—"), std::string::npos);
}

// The text below a title belongs to its own step.
TEST(LessonOfASession, NoWordOfAStepIsFilledFromTheStepBefore) {
    Lesson lesson = short_lesson();
    lesson.steps[2].scene = large_scene();
    Tested t;
    t.session.open_lesson(lesson, ".");
    t.session.wait();
    const std::string before = t.session.words().caption;
    ASSERT_TRUE(before.starts_with("The sum is 0.")) << before;
    t.backend->held = true;
    t.session.go_to_step(2);
    t.session.update();
    ASSERT_NE(t.session.shown().scene, t.session.scene());
    EXPECT_EQ(t.session.words().caption, "");
    EXPECT_EQ(judged_claim(t.session).line, "");
    t.backend->held = false;
    t.session.wait();
    const std::string after = t.session.words().caption;
    EXPECT_TRUE(after.starts_with("The sum is ")) << after;
    EXPECT_NE(after, before);
    t.backend->held = true;
    ASSERT_TRUE(t.block({5, 1}));
    t.session.update();
    EXPECT_EQ(t.session.words().caption, after) << "an edit keeps them with their picture";
    t.backend->held = false;
}

bool has_depends(const Session& session) {
    return session.shown().variants.front().stage(StageKind::depends).exists();
}

// Influence is computed, on the worker, if it is shown or the step names it.
TEST(LessonOfASession, DependsIsComputedWhereItIsAskedFor) {
    Lesson lesson = short_lesson();
    lesson.steps[1].ask.clear();
    lesson.steps[1].caption = "It changes by {A.depends[0,0,1,1]}.";
    ASSERT_TRUE(reads_depends(lesson.steps[1]));
    Tested t;
    t.session.open_lesson(lesson, ".");
    t.session.wait();
    EXPECT_FALSE(has_depends(t.session));
    t.session.go_to_step(1);
    t.session.wait();
    EXPECT_TRUE(has_depends(t.session));
    EXPECT_EQ(t.session.words().caption.find("…"), std::string::npos) << t.session.words().caption;
    t.session.go_to_step(2);
    t.session.wait();
    EXPECT_FALSE(has_depends(t.session));
    const int computed = t.backend->computed;
    t.session.view().show.stages = {StageKind::weights, StageKind::depends};
    t.session.wait();
    EXPECT_TRUE(has_depends(t.session));
    EXPECT_EQ(t.backend->computed, computed) << "the other stages stay";
    EXPECT_EQ(t.session.results().verdicts().size(), 1U);
    ASSERT_TRUE(t.block({2, 1}));
    t.session.wait();
    ASSERT_TRUE(has_depends(t.session));
    const auto& variants = t.session.results().bench().blocks[0].variants;
    EXPECT_EQ(variants[0].stages.back().stage, StageKind::depends);
    ASSERT_TRUE(t.session.edit("given scores", [](Scene& scene) {
        scene.inputs = ScoresInputs{make_array({3, 3}, std::vector<double>(9, 0.5)), {}, {}};
        for (Variant& variant : scene.variants) variant.scale.kind = ScaleKind::none;
    })) << t.message();
    t.session.wait();
    EXPECT_FALSE(has_depends(t.session));
    EXPECT_EQ(t.session.shown().scene, t.session.scene());
}

// If computing influence is cancelled, the scene is shown without it.
TEST(LessonOfASession, DependsCanBeGivenUp) {
    Tested t;
    Scene scene = small_scene(std::vector<std::string>(most_depends_tokens, "word"));
    std::get<EmbeddingInputs>(scene.inputs) = {7, 8, 64, 64, 512};
    ASSERT_TRUE(t.opens(scene));
    t.session.wait();
    t.session.view().show.stages = {StageKind::depends};
    t.session.update();
    ASSERT_TRUE(t.session.computing());
    t.session.cancel();
    t.session.wait();
    EXPECT_FALSE(has_depends(t.session));
    EXPECT_EQ(t.session.shown().scene, t.session.scene());
    EXPECT_FALSE(t.session.computing());
}

// The verdict on a fact whose `with` needs a large scene is not known before that scene is
// computed.
TEST(LessonOfASession, JudgesFactsOfLargeScenesBeside) {
    Lesson lesson = short_lesson();
    Step& step = lesson.steps[0];
    step.scene = large_scene();
    Address other = step.facts[0].address;
    other.with = {{"/variants/1/mask/apply", "\"none\""}};
    step.facts[0].is = Relation::equal;
    step.facts[0].than = Comparand{other, std::nullopt, std::nullopt};
    Tested t;
    t.session.open_lesson(lesson, ".");
    do t.session.wait();
    while (t.session.results().verdicts().empty() || t.session.shown().scene != t.session.scene());
    t.backend->held = true;  // the result stays; the facts are checked again
    t.session.edit_lesson("near", [](Lesson& l, int&) { l.steps[0].facts[0].is = Relation::near; });
    t.session.update();
    EXPECT_TRUE(t.session.results().verdicts().empty());
    EXPECT_TRUE(t.session.computing());
    t.session.go_to_step(2);  // cancels the outdated check and shows the small step
    t.backend->held = false;
    t.session.wait();
    ASSERT_EQ(t.session.results().verdicts().size(), 1U);
    EXPECT_TRUE(t.session.results().verdicts()[0].holds);
}

// --- words that stay true after every edit

struct FirstLesson : Tested {
    FirstLesson() {
        session.open(std::string(source_folder()) +
                     "/assets/lessons/additive-or-multiplicative.json");
    }
    std::string variant_name(int variant) const {
        const BenchVariant& shown = session.results().bench().blocks[0].variants[variant];
        return with_changes(shown.name, shown.changes);
    }
    void change(const std::function<void(Variant&)>& edit) {
        ASSERT_TRUE(session.edit("change", [&](Scene& scene) { edit(scene.variants[1]); }));
        session.wait();
    }
    void type(const std::vector<std::string>& tokens) {
        ASSERT_TRUE(session.edit(
            "type", [&](Scene& scene) { set_sentence(scene, 0, Side::queries, tokens); }));
        session.wait();
    }
};

TEST(EditedStep, AVariantsNameFollowsHowItsMaskIsApplied) {
    FirstLesson t;
    EXPECT_EQ(t.variant_name(1), "Multiplied after the softmax");
    choose_setting(t.session, 1, *find_setting("mask.apply"), int(Apply::additive));
    t.session.wait();
    EXPECT_EQ(t.variant_name(1), "Added before the softmax (same as A)");
    // The goal of the step's Try is reached, and the caption stays that of the step.
    EXPECT_EQ(t.session.words().caption,
              "Multiplied after the softmax, B’s row of “name” keeps 35% of its weight; A’s rows "
              "keep all.");
    t.change([](Variant& variant) { variant.mask.layers.pop_back(); });
    EXPECT_EQ(t.session.words().caption,
              "Added before the softmax, B’s row of “name” keeps 100% of its weight; A’s rows "
              "keep all.");
    t.session.undo();
    t.session.undo();
    t.session.wait();
    EXPECT_EQ(t.variant_name(1), "Multiplied after the softmax");
}

TEST(EditedStep, AChangeStandsBesideTheName) {
    FirstLesson t;
    t.change([](Variant& variant) { variant.dtype = Dtype::float16; });
    EXPECT_EQ(t.variant_name(1), "Multiplied after the softmax (changed: float16)");
    EXPECT_EQ(t.variant_name(0), "Added before the softmax");
    take_bench_into_step(t.session);  // now the step is what the bench shows
    t.session.wait();
    EXPECT_EQ(t.variant_name(1), "Multiplied after the softmax");
    t.session.restore_step();
    t.session.new_scene();
    t.session.wait();
    EXPECT_TRUE(t.session.view().variant_changes.empty());
}

TEST(EditedStep, ARenamedTokenIsNamed) {
    FirstLesson t;
    t.type({"<sos>", "My", "nom", "is", "Anna", "<eos>"});
    EXPECT_NE(t.session.words().caption.find("“nom”"), std::string::npos)
        << t.session.words().caption;
    EXPECT_EQ(t.session.words().claim, "in B, the row of “nom” keeps less than half");
    EXPECT_EQ(
        t.session.words().try_this,
        "Click the ringed cell of the mask, so that “nom” may see “Anna”. In B, its row keeps "
        "over nine tenths.");
}

TEST(EditedStep, WhatIsGoneStepsBack) {
    FirstLesson t;
    t.type({"the", "cat", "sat", "on the"});
    EXPECT_NE(t.session.words().caption.find("“sat” keeps"), std::string::npos);
    EXPECT_EQ(t.session.words().try_this, "") << "it names a fifth token";
    EXPECT_EQ(t.session.words().claim, "in B, the row of “sat” keeps less than half");
    t.type({"the", "cat"});
    EXPECT_EQ(t.session.words().caption, own_bench);
    EXPECT_EQ(t.session.words().claim + t.session.words().try_this, "");
    t.session.restore_step();
    t.session.wait();
    EXPECT_NE(t.session.words().caption, own_bench);
    EXPECT_NE(t.session.words().try_this, "");
}

TEST(EditedStep, AFactAboutItsOwnSentencesIsNotJudgedWithOthers) {
    Lesson lesson = short_lesson();
    lesson.steps[0].facts[0].address.with = {{"/sequences/0/queries/0", "\"z\""}};
    Tested t;
    ASSERT_TRUE(t.session.open_lesson(lesson, "."));
    t.session.wait();
    EXPECT_NE(t.session.words().claim, "");
    t.session.edit("rename", [](Scene& scene) { rename_token(scene, 0, Side::queries, 2, "q"); });
    t.session.wait();
    EXPECT_EQ(t.session.words().claim, "");
}

TEST(LessonOfASession, StepsForwardAndBack) {
    Tested t;
    ASSERT_TRUE(t.session.open_lesson(short_lesson(), "."));
    EXPECT_EQ(t.session.document().step, 0);
    EXPECT_EQ(t.session.document().path(), std::nullopt);
    EXPECT_FALSE(t.session.save());
    t.session.next();
    EXPECT_TRUE(t.session.view().asks());
    t.session.update();
    EXPECT_EQ(t.session.words().caption, "Where does it go?");
    t.session.next();
    EXPECT_FALSE(t.session.view().asks());
    EXPECT_EQ(title(t), "two");
    t.session.next();
    EXPECT_EQ(title(t), "three");
    EXPECT_EQ(t.session.view().show.ring, (Cell{2, 1}));
    t.session.next();
    EXPECT_EQ(title(t), "three");
    t.session.previous();
    EXPECT_EQ(title(t), "two");
    EXPECT_FALSE(t.session.view().asks());  // the class has already answered
    t.session.go_to_step(99);
    EXPECT_EQ(t.session.document().step, 2);
    t.session.go_to_step(1);
    EXPECT_TRUE(t.session.view().asks());  // asked again
    EXPECT_EQ(t.session.document().undo_name(), std::nullopt);
}

// Everything that draws, reads aloud or copies numbers asks the view what is hidden.
TEST(LessonOfASession, HidesItsAnswerInTheViewWhileAStepAsks) {
    Tested t;
    Lesson lesson = short_lesson();
    lesson.steps[1].covers = Cover{{{1}}, {{StageKind::weights}}};
    t.session.open_lesson(lesson, ".", 0);
    t.session.wait();
    EXPECT_FALSE(t.session.view().asks());
    EXPECT_TRUE(leaves_step(t.session));
    t.session.next();
    t.session.wait();
    ASSERT_TRUE(t.session.view().asks());
    EXPECT_FALSE(leaves_step(t.session));
    EXPECT_EQ(t.session.view().cover, lesson.steps[1].covers);
    EXPECT_TRUE(judged_claim(t.session).hidden);
    t.session.show_answer();
    t.session.wait();
    EXPECT_FALSE(t.session.view().asks());
    EXPECT_FALSE(judged_claim(t.session).hidden);
    EXPECT_EQ(t.session.document().step, 1);
    t.session.show_answer();  // it is shown already
    EXPECT_EQ(t.session.document().step, 1);
}

TEST(LessonOfASession, JudgesItsFactsWithEveryResult) {
    Tested t;
    t.session.open_lesson(short_lesson(), ".");
    ASSERT_EQ(t.session.results().verdicts().size(), 1U);
    EXPECT_TRUE(t.session.results().verdicts()[0].holds);
    const std::string caption = t.session.words().caption;
    t.session.edit("apply", [](Scene& scene) { scene.variants[1].mask.apply = Apply::additive; });
    t.session.update();
    EXPECT_FALSE(t.session.results().verdicts()[0].holds);
    EXPECT_NE(t.session.words().caption, caption);
    t.session.edit("remove", [](Scene& scene) { remove_variant(scene, 1); });
    t.session.update();
    EXPECT_FALSE(t.session.results().verdicts()[0].exists);
    t.session.restore_step();
    t.session.update();
    EXPECT_TRUE(t.session.results().verdicts()[0].holds);
    EXPECT_EQ(t.session.words().caption, caption);
    EXPECT_TRUE(t.session.document().is_saved());
    t.session.undo();
    EXPECT_EQ(t.session.scene().variants.size(), 1U);
}

TEST(LessonOfASession, BringsAnEditedStepBackByUndo) {
    Tested t;
    t.session.open_lesson(short_lesson(), ".");
    t.block({1, 0});
    const Scene edited = t.session.scene();
    EXPECT_FALSE(t.session.document().is_saved());
    t.session.next();
    t.session.go_to_step(2);
    EXPECT_TRUE(t.session.document().is_saved());
    t.session.undo();
    EXPECT_EQ(t.session.scene(), edited);
    EXPECT_EQ(t.session.document().step, 0);
    t.session.redo();
    EXPECT_EQ(t.session.document().step, 2);
    EXPECT_EQ(title(t), "three");
    EXPECT_EQ(t.session.view().show.ring, (Cell{2, 1}));
    t.session.undo();
    t.session.undo();
    EXPECT_EQ(t.session.scene(), short_lesson().steps[0].scene);
}

TEST(LessonOfASession, StaysOpenWhereAStepIsSavedAsAScene) {
    Folder folder;
    Tested t;
    t.session.open_lesson(short_lesson(), ".");
    t.session.go_to_step(2);
    t.block({1, 0});
    const Scene edited = t.session.scene();
    ASSERT_TRUE(t.session.save_as(folder / "step.json", false)) << t.message();
    ASSERT_NE(t.session.lesson(), nullptr);
    EXPECT_EQ(t.session.document().step, 2);
    EXPECT_EQ(t.session.document().path(), std::nullopt);
    EXPECT_EQ(t.session.document().file_to_save(), folder / "step.json");
    EXPECT_TRUE(t.session.document().is_saved());
    EXPECT_EQ(read_scene(bytes_of(folder / "step.json"), folder.path()), edited);
    t.block({1, 1});
    EXPECT_FALSE(t.session.document().is_saved());
    EXPECT_TRUE(t.session.save());
    EXPECT_TRUE(t.session.document().is_saved());
    EXPECT_TRUE(t.session.save_as(folder / "step.json", false)) << "its own file, without asking";
    t.session.go_to_step(1);
    EXPECT_EQ(t.session.document().file_to_save(), std::nullopt);
    EXPECT_TRUE(t.session.document().is_saved());
    t.session.undo();  // back to the step as it was left
    EXPECT_FALSE(t.session.document().is_saved());
    EXPECT_FALSE(t.session.save_as(folder / "step.json", false)) << "asks to replace it";
}

TEST(LessonOfASession, IsOpenedFromItsFile) {
    Tested t;
    const std::string file = source_folder() + "/assets/lessons/additive-or-multiplicative.json";
    ASSERT_TRUE(t.session.open(file)) << t.message();
    ASSERT_NE(t.session.lesson(), nullptr);
    const auto steps = static_cast<int>(t.session.lesson()->steps.size());
    for (int step = 0; step < steps; ++step) {
        t.session.go_to_step(step);
        t.session.wait();
        ASSERT_FALSE(t.session.results().verdicts().empty());
        for (const Verdict& verdict : t.session.results().verdicts())
            EXPECT_TRUE(verdict.holds) << file << " step " << step + 1;
    }
}

}  // namespace
}  // namespace maskscope
