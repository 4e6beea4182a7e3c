#include <algorithm>

#include "app/commands/commands.h"
#include "app/session/computing.h"
#include "app/session/files/load.h"
#include "core/base/build.h"
#include "core/lesson/address.h"
#include "core/lesson/fact_proposal.h"
#include "tests/unit/app/session/session_parts.h"
#include "tests/unit/core/lesson/lesson_sample.h"

namespace maskscope {
namespace {

class OwnLesson : public testing::Test {
protected:
    OwnLesson() { start(); }

    void start() {
        write_bytes(folder / "scene.json", write_scene(two_variant_scene()));
        ASSERT_TRUE(t.session.open(folder / "scene.json"));
    }
    void begin() {
        t.session.begin_lesson();
        t.session.update();
    }
    void words(const std::string& title, const std::string& caption) {
        t.session.edit_lesson("words", [&](Lesson& lesson, int& step) {
            Step& shown = lesson.steps[step];
            shown.title = title;
            shown.caption = caption;
        });
    }
    // Adds a fact to the step as the window does: proposed for the address, with a change that
    // makes it false.
    void fact(const std::string& address) {
        const Result& shown = t.session.shown();
        Fact made = propose_fact(shown, parse_address(address), {});
        t.session.judge_draft(made, 0);
        t.session.update();  // small scenes are searched at once
        const JudgedDraft& judged = t.session.judge_draft(made, 0);
        ASSERT_FALSE(judged.searching);
        ASSERT_TRUE(judged.failure);
        made.fails_with = judged.failure->fields;
        t.session.edit_lesson("add a fact", [&](Lesson& lesson, int& step) {
            lesson.steps[step].facts.push_back(made);
        });
        t.session.update();
    }
    void whole_lesson() {
        begin();
        words("One", "It keeps {B.sum[0,0,0]}.");
        fact("B.sum[0,0,0]");
    }
    std::string said() const { return t.session.message() ? t.session.message()->text : ""; }
    std::string check_lines(const std::string& file) {
        std::ostringstream lines, warnings;
        EXPECT_EQ(check((folder / file).string(), lines, warnings), 0) << lines.str();
        return lines.str();
    }

    Folder folder;
    Tested t;
};

// A lesson of two steps is made from scratch, saved, checked by the command and opened again.
TEST_F(OwnLesson, IsMadeSavedCheckedAndOpened) {
    whole_lesson();
    const Scene bench = bench_scene(t.session);
    t.session.edit_lesson("add a step", [&](Lesson& lesson, int& step) {
        step = insert_step(lesson, step, step_of(bench));
    });
    EXPECT_EQ(t.session.document().step, 1);
    t.session.edit("apply", [](Scene& scene) { scene.variants[0].mask.apply = Apply::none; });
    t.session.update();
    EXPECT_FALSE(bench_is_step(t.session));
    take_bench_into_step(t.session);
    EXPECT_TRUE(bench_is_step(t.session));
    words("Two", "Without a mask, {A.leak[0,0,0]:%} leaks.");
    fact("A.leak[0,0,0]");
    t.session.edit_lesson("star",
                          [](Lesson& lesson, int& step) { lesson.steps[step].star = true; });
    t.session.update();
    ASSERT_FALSE(t.session.results().lesson_problem())
        << t.session.results().lesson_problem()->text;
    EXPECT_FALSE(t.session.document().is_saved());
    ASSERT_TRUE(t.session.save_as(folder / "My evening.json", false)) << said();
    EXPECT_TRUE(t.session.document().is_saved());
    EXPECT_EQ(t.session.lesson()->name, "my-evening");
    const std::string lines = check_lines("My evening.json");
    EXPECT_EQ(std::ranges::count(lines, '\n'), 2);

    Tested again;
    ASSERT_TRUE(again.session.open(folder / "My evening.json"));
    EXPECT_EQ(*again.session.lesson(), *t.session.lesson());
    EXPECT_EQ(again.session.document().path(), folder / "My evening.json");
    EXPECT_TRUE(again.session.document().is_saved());
    for (const int step : {0, 1}) {
        again.session.go_to_step(step);
        again.session.update();
        EXPECT_TRUE(again.session.results().verdicts().at(0).holds);
        EXPECT_EQ(again.session.words().caption.find('{'), std::string::npos);
    }
}

TEST_F(OwnLesson, EverythingIsUndone) {
    begin();
    const Lesson first = *t.session.lesson();
    words("One", "It keeps {B.sum[0,0,0]}.");
    fact("B.sum[0,0,0]");
    t.session.edit_lesson("copy",
                          [](Lesson& lesson, int& step) { step = duplicate_step(lesson, step); });
    const Lesson two = *t.session.lesson();
    t.session.remove_shown_step();
    EXPECT_EQ(t.session.lesson()->steps.size(), 1U);
    EXPECT_EQ(t.session.document().step, 0);
    t.session.undo();
    EXPECT_EQ(*t.session.lesson(), two);
    EXPECT_EQ(t.session.document().step, 1);
    for (int k = 0; k < 3; ++k) t.session.undo();
    EXPECT_EQ(*t.session.lesson(), first);
    t.session.undo();
    EXPECT_EQ(t.session.lesson(), nullptr);
    EXPECT_EQ(t.session.document().path(), folder / "scene.json");
    EXPECT_TRUE(t.session.document().is_saved());
    for (int k = 0; k < 4; ++k) t.session.redo();
    t.session.update();
    EXPECT_EQ(*t.session.lesson(), two);
    ASSERT_EQ(t.session.results().verdicts().size(), 1U);
    EXPECT_TRUE(t.session.results().verdicts()[0].holds);
}

TEST_F(OwnLesson, TypingIsOneStepOfUndo) {
    begin();
    for (const char* text : {"I", "It", "It {", "It {B.sum[0,0,0]}"}) {
        t.session.edit_lesson(
            "edit the caption", [&](Lesson& lesson, int&) { lesson.steps[0].caption = text; },
            "caption");
        t.session.update();
        EXPECT_FALSE(t.session.words().caption.empty());  // half an address does not crash it
    }
    EXPECT_EQ(t.session.words().caption.find('{'), std::string::npos);
    t.session.undo();
    EXPECT_EQ(t.session.lesson()->steps[0].caption, "");
}

// A draft that has no words or fact, and half an address in its caption, is saved as it is.
TEST_F(OwnLesson, ADraftIsSavedOpenedAgainAndRefusedByTheCommand) {
    begin();
    for (const char* caption : {"", "It keeps {B.su", "Look."}) {
        t.session.edit_lesson("caption",
                              [&](Lesson& lesson, int&) { lesson.steps[0].caption = caption; });
        t.session.update();
        ASSERT_TRUE(t.session.save_as(folder / "lesson.json", true)) << said();
        EXPECT_NE(said().find("a draft: Step 1"), std::string::npos) << said();
        EXPECT_TRUE(t.session.document().is_saved());
        EXPECT_THROW(load_lesson((folder / "lesson.json").string()), Error);
        Tested again;
        ASSERT_TRUE(again.session.open(folder / "lesson.json"));
        EXPECT_EQ(*again.session.lesson(), *t.session.lesson());
        EXPECT_TRUE(again.session.document().is_saved());
        ASSERT_TRUE(again.session.results().lesson_problem());
        ASSERT_TRUE(again.session.message());
        EXPECT_TRUE(again.session.message()->text.starts_with("A draft: Step 1"));
        EXPECT_FALSE(again.session.message()->wrong);
    }
    EXPECT_TRUE(t.session.save()) << "again under its name";
    words("One", "It keeps {B.sum[0,0,0]}.");
    fact("B.sum[0,0,0]");
    EXPECT_TRUE(t.session.save());
    EXPECT_EQ(said().find("draft"), std::string::npos) << said();
    check_lines("lesson.json");
}

TEST_F(OwnLesson, WhatIsNoLessonAtAllIsNoDraft) {
    begin();
    ASSERT_TRUE(t.session.save_as(folder / "lesson.json", false)) << said();
    std::string bytes = bytes_of(folder / "lesson.json");
    bytes.replace(bytes.find("\"caption\""), 9, "\"capti0n\"");
    write_bytes(folder / "lesson.json", bytes);
    Tested again;
    EXPECT_FALSE(again.session.open(folder / "lesson.json"));
    EXPECT_NE(again.session.message()->text.find("capti"), std::string::npos);
}

// Changes on the bench do not belong to the lesson until they are saved to the step.
TEST_F(OwnLesson, EditsOnTheBenchAreKeptApart) {
    whole_lesson();
    ASSERT_TRUE(t.session.save_as(folder / "lesson.json", false)) << said();
    const std::string bytes = bytes_of(folder / "lesson.json");
    t.session.edit("dtype", [](Scene& scene) { scene.variants[0].dtype = Dtype::float16; });
    t.session.update();
    EXPECT_FALSE(t.session.document().is_saved());
    EXPECT_TRUE(t.session.save());
    EXPECT_NE(said().find("without the changes in this view"), std::string::npos) << said();
    EXPECT_EQ(bytes_of(folder / "lesson.json"), bytes);
    EXPECT_FALSE(t.session.document().is_saved());
    take_bench_into_step(t.session);
    EXPECT_TRUE(t.session.save());
    EXPECT_TRUE(t.session.document().is_saved());
    EXPECT_NE(bytes_of(folder / "lesson.json"), bytes);
    check_lines("lesson.json");
}

TEST_F(OwnLesson, AnUnsoundFactIsSavedAndSaid) {
    whole_lesson();
    t.session.edit_lesson("break it", [](Lesson& lesson, int&) {
        lesson.steps[0].facts[0].is = Relation::equal;
        lesson.steps[0].facts[0].than = Comparand{5.0, {}, {}};
    });
    t.session.update();
    EXPECT_TRUE(t.session.save_as(folder / "lesson.json", false));
    EXPECT_NE(said().find("step 1, fact 1 does not hold"), std::string::npos) << said();
}

TEST_F(OwnLesson, ABuiltInLessonIsCopied) {
    const std::filesystem::path file = assets_folder() / "lessons/additive-or-multiplicative.json";
    ASSERT_TRUE(t.session.open(file));
    EXPECT_EQ(t.session.document().path(), std::nullopt);
    EXPECT_FALSE(t.session.document().saves_lesson());  // the step is saved as a scene
    t.session.edit_lesson("star", [](Lesson& lesson, int&) { lesson.steps[1].star = true; });
    EXPECT_TRUE(t.session.document().saves_lesson());
    EXPECT_FALSE(t.session.save());
    EXPECT_FALSE(t.session.save_as(file, true));
    EXPECT_NE(said().find("a copy"), std::string::npos) << said();
    ASSERT_TRUE(t.session.save_as(folder / "copy.json", false)) << said();
    EXPECT_EQ(t.session.document().path(), folder / "copy.json");
    check_lines("copy.json");
}

TEST_F(OwnLesson, TheBenchIsAddedToALessonsFile) {
    whole_lesson();
    ASSERT_TRUE(t.session.save_as(folder / "lesson.json", false)) << said();
    ASSERT_TRUE(t.session.open(folder / "scene.json"));
    EXPECT_FALSE(t.session.add_to_lesson(folder / "scene.json"));
    EXPECT_NE(said().find("is a scene"), std::string::npos) << said();
    EXPECT_FALSE(t.session.add_to_lesson(folder / "nothing.json"));
    EXPECT_EQ(t.session.lesson(), nullptr);
    ASSERT_TRUE(t.session.add_to_lesson(folder / "lesson.json")) << said();
    EXPECT_EQ(t.session.lesson()->steps.size(), 2U);
    EXPECT_EQ(t.session.document().step, 1);
    EXPECT_FALSE(t.session.document().is_saved());
    words("Two", "Look.");
    fact("B.sum[0,0,0]");
    EXPECT_TRUE(t.session.save());
    EXPECT_EQ(std::ranges::count(check_lines("lesson.json"), '\n'), 2);
}

TEST_F(OwnLesson, StepsMoveAndTheShownOneStaysShown) {
    whole_lesson();
    t.session.edit_lesson("copy", [](Lesson& lesson, int& step) {
        step = duplicate_step(lesson, step);
        lesson.steps[1].title = "Two";
    });
    t.session.edit_lesson("move",
                          [](Lesson& lesson, int& step) { step = move_step(lesson, step, 0); });
    EXPECT_EQ(t.session.document().step, 0);
    EXPECT_EQ(t.session.lesson()->steps[0].title, "Two");
    t.session.undo();
    EXPECT_EQ(t.session.document().step, 1);
    EXPECT_EQ(t.session.lesson()->steps[1].title, "Two");
}

// Changes that make a fact of a large scene false are searched for in the background.
TEST_F(OwnLesson, AFactOfALargeSceneIsSearchedBeside) {
    Scene large = large_scene();
    for (Variant& variant : large.variants) variant.mask.layers.emplace_back();
    write_bytes(folder / "large.json", write_scene(large));
    ASSERT_TRUE(t.session.open(folder / "large.json"));
    t.session.wait();
    const Fact made = propose_fact(t.session.shown(), parse_address("B.sum[0,0,3]"), {});
    t.backend->held = true;
    t.session.judge_draft(made, 0);
    t.session.update();
    while (!t.session.judge_draft(made, 0).verdict) t.session.update();
    EXPECT_TRUE(t.session.judge_draft(made, 0).searching);
    t.backend->held = false;
    t.session.wait();
    ASSERT_TRUE(t.session.judge_draft(made, 0).failure);
    EXPECT_FALSE(t.session.judge_draft(made, 0).failure->verdict.holds);
}

// The search once waited for the backend while the backend computed the next scene.
TEST_F(OwnLesson, ADraftedFactDoesNotWaitForTheWorker) {
    const Result& shown = t.session.shown();
    Fact made = propose_fact(shown, parse_address("B.sum[0,0,0]"), {});
    made.than = Comparand{Address{made.address}, {}, {}};
    std::get<Address>(made.than->value).with = {{"/variants/1/scale", "\"none\""}};
    t.backend->held = true;
    ASSERT_TRUE(t.session.edit("many tokens", [](Scene& s) {
        set_sentence(s, 0, Side::queries, std::vector<std::string>(300, "word"));
    }));
    t.session.update();
    ASSERT_TRUE(t.session.computing());
    const int computed = t.backend->computed;
    for (int frame = 0; frame < 3; ++frame) {
        EXPECT_FALSE(t.session.judge_draft(made, 0).verdict);
        t.session.update();
    }
    EXPECT_EQ(t.backend->computed, computed);
    t.backend->held = false;
    t.session.wait();
    t.session.judge_draft(made, 0);
    t.session.wait();
    EXPECT_TRUE(t.session.judge_draft(made, 0).verdict);
}

// --- an exercise, whose bench starts without the mask that its step has

class OwnExercise : public OwnLesson {
protected:
    OwnExercise() {
        std::filesystem::copy(source_folder() + "/assets/lessons", folder / "lessons");
        EXPECT_TRUE(t.session.open(folder / "lessons/decoding.json")) << said();
        while (!shown().exercise) t.session.go_to_step(t.session.document().step + 1);
        if (t.session.view().asks()) t.session.next();
        t.session.wait();
        EXPECT_GT(layers(shown()), 0U);
        EXPECT_TRUE(has_solution_to_show(t.session));
    }
    const Step& shown() const { return t.session.lesson()->steps[t.session.document().step]; }
    static std::size_t layers(const Step& step) {
        return step.scene.variants[step.exercise->variant].mask.layers.size();
    }
};

TEST_F(OwnExercise, KeepsItsSolutionWhateverIsWritten) {
    const Step before = shown();
    words("Another", "Another.");
    EXPECT_TRUE(has_solution_to_show(t.session));
    take_bench_into_step(t.session);
    EXPECT_NE(said().find("Show the solution first"), std::string::npos) << said();
    EXPECT_TRUE(t.session.save()) << said();
    EXPECT_EQ(said().find("without the changes"), std::string::npos) << said();
    t.session.edit_lesson("a step before", [](Lesson& lesson, int& step) {
        lesson.steps.insert(lesson.steps.begin(), lesson.steps[0]);
        ++step;
    });
    EXPECT_TRUE(has_solution_to_show(t.session));
    EXPECT_EQ(shown().scene, before.scene);
    EXPECT_EQ(step_scene(t.session).variants, before.scene.variants);
}

TEST_F(OwnExercise, TheBenchOfAStepThatIsNoneAnyMoreHasItsMask) {
    const Step before = shown();
    t.session.edit_lesson("no exercise",
                          [](Lesson& lesson, int& step) { lesson.steps[step].exercise.reset(); });
    EXPECT_FALSE(exercise_of(t.session));
    EXPECT_EQ(t.session.scene().variants, before.scene.variants);
    take_bench_into_step(t.session);
    EXPECT_EQ(shown().scene.variants, before.scene.variants);
    while (t.session.document().undo_name()) t.session.undo();
    EXPECT_TRUE(has_solution_to_show(t.session));
}

TEST_F(OwnExercise, IsAddedToAnotherLessonWithItsSolution) {
    const Step exercise = shown();
    write_bytes(folder / "mine.json", write_lesson(two_variant_lesson()));
    ASSERT_TRUE(t.session.add_to_lesson(folder / "mine.json")) << said();
    EXPECT_EQ(t.session.lesson()->steps.back().scene.variants, exercise.scene.variants);
}

TEST_F(OwnExercise, UndoneItsSolutionIsToBeShownAgain) {
    const std::size_t solution = layers(shown());
    t.session.show_solution();
    EXPECT_FALSE(exercise_of(t.session));
    t.session.undo();
    EXPECT_TRUE(has_solution_to_show(t.session));
    take_bench_into_step(t.session);
    EXPECT_EQ(layers(shown()), solution);
    t.session.redo();
    EXPECT_FALSE(exercise_of(t.session));
    take_bench_into_step(t.session);
    EXPECT_EQ(layers(shown()), solution);
}

// --- with tensor files

class OwnLessonOfTensors : public OwnLesson {
protected:
    OwnLessonOfTensors() {
        std::filesystem::copy(source_folder() + "/assets/scenes", folder / "heads");
        EXPECT_TRUE(t.session.open(folder / "heads/transformer-heads.json")) << said();
        t.session.wait();
    }
};

TEST_F(OwnLessonOfTensors, TakesTheFilesAlong) {
    begin();
    t.session.wait();
    words("One", "Look.");
    t.session.edit_lesson("fact", [](Lesson& lesson, int&) {
        Fact fact = row_keeps_less();
        fact.address.variant = 0;
        fact.than = Comparand{2.0, {}, {}};
        fact.fails_with = {{"/variants/0/empty_rows", "\"zero\""}};
        lesson.steps[0].facts = {fact};
    });
    std::filesystem::create_directory(folder / "other");
    ASSERT_TRUE(t.session.save_as(folder / "other/lesson.json", false)) << said();
    Tested again;
    EXPECT_TRUE(again.session.open(folder / "other/lesson.json")) << again.session.message()->text;
    EXPECT_EQ(t.session.document().folder, folder / "other");
}

TEST_F(OwnLessonOfTensors, IsNotAddedToALessonInAnotherFolder) {
    write_bytes(folder / "lesson.json", write_lesson(two_variant_lesson()));
    EXPECT_FALSE(t.session.add_to_lesson(folder / "lesson.json"));
    EXPECT_NE(said().find("Save the scene in the lesson's folder first"), std::string::npos)
        << said();
    EXPECT_EQ(t.session.lesson(), nullptr);
}

}  // namespace
}  // namespace maskscope
