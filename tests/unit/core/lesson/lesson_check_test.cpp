#include "core/lesson/lesson.h"

#include <gtest/gtest.h>

#include <functional>

#include "core/base/error.h"
#include "core/lesson/address.h"
#include "core/lesson/lesson_check.h"

namespace maskscope {
namespace {

Scene two_equal_variants() {
    Scene scene;
    scene.sequences = {{{"a", "b", "c"}, {}}};
    scene.inputs = EmbeddingInputs{3, 1, 4, 2, 8};
    Variant variant;
    variant.name = "causal";
    variant.mask.layers = {MaskLayer{}};
    scene.variants = {variant, variant};
    return scene;
}

// Returns a lesson of two steps; the second one is changed by the tests.
Lesson small_lesson() {
    Fact fact;
    fact.address = parse_address("B.sum[0,0,all]");
    fact.is = Relation::near;
    fact.than = Comparand{1.0, {}, {}};
    fact.fails_with = {{"/variants/1/mask/apply", "\"multiply_weights\""}};
    Step step;
    step.title = "One";
    step.caption = "{B.sum[0,0,0]}";
    step.scene = two_equal_variants();
    step.facts = {fact, fact};
    return {"small", "Small", {step, step}};
}

std::string place_of_error(const Lesson& lesson) {
    try {
        check_lesson(lesson, ".");
        return "fine";
    } catch (const InputError& error) {
        return error.place;
    }
}

// Returns the place of the error after a change of the second fact of the second step.
std::string place_with(const std::function<void(Fact&)>& change) {
    Lesson lesson = small_lesson();
    change(lesson.steps[1].facts[1]);
    return place_of_error(lesson);
}

TEST(LessonCheck, AnAddressExistsInTheSceneAsWritten) {
    EXPECT_EQ(place_of_error(small_lesson()), "fine");
    EXPECT_EQ(place_with([](Fact& f) { f.address = parse_address("C.sum[0,0,0]"); }),
              "/steps/1/facts/1/lane");
    EXPECT_EQ(place_with([](Fact& f) { f.address = parse_address("A.sum[0,0,3]"); }),
              "/steps/1/facts/1/at/2");
    EXPECT_EQ(place_with([](Fact& f) { f.address = parse_address("A.weights[0,0,0]"); }),
              "/steps/1/facts/1/at");
    EXPECT_EQ(place_with([](Fact& f) { f.address = parse_address("A.outside[0,0,0]"); }), "fine");
    EXPECT_EQ(place_with([](Fact& f) {
                  f.address = parse_address("A.outside[0,0,0]");
                  f.address.with = {{"/inputs/d_v", "3"}};
              }),
              "/steps/1/facts/1/of");
    EXPECT_EQ(place_with([](Fact& f) { f.address = parse_address("A-B.root_d.variance[4]"); }),
              "fine");
    EXPECT_EQ(place_with([](Fact& f) { f.address = parse_address("C.root_d.variance[4]"); }),
              "/steps/1/facts/1/lane");
    EXPECT_EQ(place_with([](Fact& f) {
                  f.address = parse_address("A.root_d.variance[4]");
                  f.address.d = 1025;
              }),
              "/steps/1/facts/1/d");
}

TEST(LessonCheck, WithIsSetBeforeTheAddressIsLookedFor) {
    EXPECT_EQ(place_with([](Fact& f) {
                  f.address = parse_address("A.sum[0,0,3]");
                  f.address.with = {{"/sequences/0/queries", R"(["a", "b", "c", "d"])"}};
              }),
              "fine");
    EXPECT_EQ(place_with([](Fact& f) {
                  f.address.with = {{"/variants", R"([{"name": "alone"}])"}};
              }),
              "/steps/1/facts/1/lane");
    EXPECT_EQ(place_with([](Fact& f) {
                  f.address.with = {{"/variants/9/name", "\"x\""}};
              }),
              "/steps/1/facts/1/with/~1variants~19~1name");
}

TEST(LessonCheck, ThanIsFoundAndRunsAlong) {
    const auto place_of_than = [](const char* address) {
        return place_with([&](Fact& f) { f.than = Comparand{parse_address(address), {}, {}}; });
    };
    EXPECT_EQ(place_of_than("A.sum[0,0,all]"), "fine");
    EXPECT_EQ(place_of_than("A.sum[0,0,1]"), "fine");
    EXPECT_EQ(place_of_than("C.sum[0,0,1]"), "/steps/1/facts/1/than/lane");
    EXPECT_EQ(place_of_than("A.sum[0,0,any]"), "/steps/1/facts/1/than/at/2");
    EXPECT_EQ(place_of_than("A.sum[0,0,all 0-1]"), "/steps/1/facts/1/than/at/2");
    EXPECT_EQ(place_of_than("A.sum[0,all,0]"), "/steps/1/facts/1/than/at/1");
    const Address gone = parse_address("A.sum[0,0,7]");
    EXPECT_EQ(place_with([&](Fact& f) {
                  f.than = Comparand{1.0, gone, {}};
              }),
              "/steps/1/facts/1/than/times/at/2");
    EXPECT_EQ(place_with([&](Fact& f) {
                  f.than = Comparand{1.0, {}, gone};
              }),
              "/steps/1/facts/1/than/plus/at/2");
    EXPECT_EQ(place_with([](Fact& f) {
                  Address than = parse_address("A.sum[0,0,all]");
                  than.with = {{"/title", "7"}};
                  f.than = Comparand{than, {}, {}};
              }),
              "/steps/1/facts/1/than/with/~1title");
}

TEST(LessonCheck, FailsWithIsLegalAndGivesAValidScene) {
    const auto place_of_fields = [](const Fields& fields) {
        return place_with([&](Fact& f) { f.fails_with = fields; });
    };
    const std::string place = "/steps/1/facts/1/fails_with";
    EXPECT_EQ(place_of_fields({{"/variants/1/mask/apply", "\"multiplied\""}}),
              place + "/~1variants~11~1mask~1apply");
    EXPECT_EQ(place_of_fields({{"/variants/2/mask/apply", "\"additive\""}}),
              place + "/~1variants~12~1mask~1apply");
    EXPECT_EQ(place_of_fields({{"/variants/1/scale", "1"}, {"/variants/1", "{}"}}),
              place + "/~1variants~11");
    // If the address no longer exists in that scene, the fact does not hold, as it should.
    EXPECT_EQ(place_of_fields({{"/variants", R"([{"name": "alone"}])"}}), "fine");
}

// The cells that a Try shows are looked for in the scene that it leads to.
TEST(LessonCheck, ATryIsReadInTheSceneThatItLeadsTo) {
    Lesson lesson = small_lesson();
    Step& step = lesson.steps[1];
    step.try_this = "Add a word.";
    step.try_sets = {{"/sequences/0/queries", R"(["a", "b", "c", "d"])"}};
    step.try_shows = step.facts[0];
    step.try_shows->fails_with.clear();
    step.try_shows->address = parse_address("A.sum[0,0,3]");
    step.try_shows->says = "“{q[3]}” joins them";
    EXPECT_EQ(place_of_error(lesson), "fine");
    step.try_shows->says = "“{q[4]}” joins them";
    EXPECT_EQ(place_of_error(lesson), "/steps/1/try_shows/says");
    step.try_sets = {{"/title", "\"t\""}};
    EXPECT_EQ(place_of_error(lesson), "/steps/1/try_shows/at/2");
}

TEST(LessonCheck, CoversNamesWhatTheSceneHas) {
    Lesson lesson = small_lesson();
    lesson.steps[1].covers = Cover{{{0, 1}}, {{StageKind::scores}}};
    EXPECT_EQ(place_of_error(lesson), "fine");
    lesson.steps[1].covers->variants = {0, 2};
    EXPECT_EQ(place_of_error(lesson), "/steps/1/covers/lanes/1");
    lesson.steps[1].covers = Cover{{}, {{StageKind::weights, StageKind::scores}}};
    lesson.steps[1].facts.resize(1);
    lesson.steps[1].scene.inputs =
        WeightsInputs{make_array({3, 3}, std::vector<double>(9, 0.2)), {}};
    EXPECT_EQ(place_of_error(lesson), "/steps/1/covers/stages/1");
}

TEST(LessonCheck, ACaptionNamesWhatIsDrawn) {
    Step step = small_lesson().steps[0];
    step.scene.show.emplace();
    const auto undrawn = [&](const char* caption) {
        step.caption = caption;
        return undrawn_words(step);
    };
    using Words = std::vector<std::string>;
    EXPECT_EQ(undrawn("Scores: the score of “{q[0]}”, the logits, the weights."), Words{});
    EXPECT_EQ(undrawn("Outputs, an output, outputs; sensitivity."),
              (Words{"outputs", "output", "sensitivity"}));
    EXPECT_EQ(undrawn("The outputted {A.output[0,0,0,0]} scorer {{output."), Words{"output"});
    step.scene.show->stages = {StageKind::output};
    EXPECT_EQ(undrawn("The scores make the output."), Words{"scores"});
    step.scene.show->view = ViewKind::root_d;
    EXPECT_EQ(undrawn("The scores make the output."), Words{"output"});
    step.scene.show->view = ViewKind::plane;
    EXPECT_EQ(undrawn("The scores make the output."), Words{"scores"});
}

// All words of a step are read in the same way as its caption.
TEST(LessonCheck, EveryTextIsReadAndFound) {
    struct Text {
        const char* place;
        std::string& (*of)(Step&);
    };
    for (const Text& text :
         {Text{"/caption", [](Step& s) -> std::string& { return s.caption; }},
          Text{"/ask", [](Step& s) -> std::string& { return s.ask; }},
          Text{"/try", [](Step& s) -> std::string& { return s.try_this; }},
          Text{"/facts/0/says", [](Step& s) -> std::string& { return s.facts[0].says; }}}) {
        for (const char* wrong : {"{", "{q[9]}", "{k[0,9]}", "{q[7,0]}", "{C.name}", "{A.value}",
                                  "{pad[0]}", "{q[0]:%}", "{A.sum[0,0,9]}"}) {
            Lesson lesson = small_lesson();
            text.of(lesson.steps[1]) = wrong;
            EXPECT_EQ(place_of_error(lesson), std::string("/steps/1") + text.place) << wrong;
        }
        Lesson lesson = small_lesson();
        text.of(lesson.steps[1]) = "{q[0]} {k[0]} {n_q} {n_k} {A.name} {A.dtype} {{";
        EXPECT_EQ(place_of_error(lesson), "fine") << text.place;
    }
}

TEST(LessonCheck, CaptionsAreReadAndFound) {
    const auto place_of_caption = [](const char* caption) {
        Lesson lesson = small_lesson();
        lesson.steps[1].caption = caption;
        return place_of_error(lesson);
    };
    EXPECT_EQ(place_of_caption("{{no address}, {A.weights[0,0,2,sum 0-2]:%}"), "fine");
    for (const char* caption :
         {"{", "{A.sum[0,0,all]}", "{A.sum[0,0,3]}", "{C.sum[0,0,0]}", "{A.sums[0,0,0]}",
          "{C.root_d.variance[4]}", "{A.root_d.variance[0]}"})
        EXPECT_EQ(place_of_caption(caption), "/steps/1/caption") << caption;
}

}  // namespace
}  // namespace maskscope
