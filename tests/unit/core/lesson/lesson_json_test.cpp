// Tests lessons as text: what is refused and where, read(write(l)) == l.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/lesson/lesson.h"
#include "tests/support/scene_samples.h"

namespace maskscope {
namespace {

// Returns a lesson of two steps. Its facts use every form of an address, and of the operand that it
// is compared with.
Json lesson_json() {
    const Json scene = parse_json(test::sample("embedding"));
    Json lesson = parse_json(R"({"maskscope_lesson": 1, "name": "a-lesson-2", "title": "A lesson",
        "about": "Two steps.",
        "steps": [
          {"title": "One", "caption": "Here {A.sum[0,0,2]:%} is kept.",
           "notes": "“{q[0]}” keeps all.", "table": [["row", "sum"], ["{q[2]}", "{A.sum[0,0,2]}"]],
           "ask": "Why?",
           "answer": ["{A.sum[0,0,2]:%}", "most"],
           "covers": {"lanes": ["B"], "stages": ["weights", "output"]},
           "try": "Click.", "try_sets": {"/variants/1/mask/apply": "multiply_weights"},
           "try_shows": {"lane": "B", "of": "sum", "at": [0, 0, 0], "is": "<", "than": 0.5},
           "source": "Vaswani et al., Attention is all you need, 2017",
           "place": "cross",
           "star": true, "facts": [
             {"lane": "B", "of": "sum", "at": [0, 0, 2], "is": "<", "than": 2,
              "fails_with": {"/variants/1/mask/apply": "multiply_weights"}},
             {"lane": "A-B", "of": "weights", "at": [0, "all", "any 0-1", "sum 0-2"],
              "with": {"/variants/0/scale": 2.0, "/sequences/0/queries": ["x", "y", "z"]},
              "is": "near", "than": {"lane": "A", "of": "sum", "at": [0, "all", 1],
                "with": {"/title": "t"}, "times": 0.5,
                "plus": {"lane": "B", "of": "max", "at": [0, 0, 1]}},
              "within": 0.001, "says": "They are near.",
              "fails_with": {"/inputs/seed": 8, "/inputs/heads": 1}},
             {"lane": "A", "of": "allowed", "at": [1, 0, 0, 2], "is": "nan", "fails_with": {}}]},
          {"title": "Two", "caption": "", "facts": [
             {"lane": "A", "of": "entropy", "at": [0, 0, "sum"], "is": "!=", "than": -0.25,
              "fails_with": {}}]}]})");
    for (Json& step : lesson["steps"]) step["scene"] = scene;
    return lesson;
}

std::string line_of(const Json& json) {
    try {
        read_lesson(write_json(json), ".");
        return "nothing is wrong";
    } catch (const InputError& error) {
        return at_file("l", error).what();
    }
}

std::string changed(const std::string& pointer, const std::string& value) {
    Json lesson = lesson_json();
    const Json::json_pointer at(pointer);
    if (value.empty())
        lesson[at.parent_pointer()].erase(at.back());
    else
        lesson[at] = parse_json(value);
    return line_of(lesson);
}

TEST(LessonJson, EveryFormIsRead) {
    const Lesson lesson = read_lesson(write_json(lesson_json()), ".");
    ASSERT_EQ(lesson.steps.size(), 2U);
    const Step& step = lesson.steps[0];
    EXPECT_EQ(lesson.name, "a-lesson-2");
    EXPECT_EQ(lesson.about, "Two steps.");
    EXPECT_EQ(step.answers, (std::vector<std::string>{"{A.sum[0,0,2]:%}", "most"}));
    EXPECT_TRUE(lesson.steps[1].answers.empty());
    EXPECT_TRUE(step.star);
    EXPECT_EQ(step.notes, "“{q[0]}” keeps all.");
    EXPECT_EQ(step.table, (StepTable{{"row", "sum"}, {"{q[2]}", "{A.sum[0,0,2]}"}}));
    EXPECT_EQ(step.place, BlockPlace::cross);
    EXPECT_FALSE(lesson.steps[1].place);
    EXPECT_TRUE(lesson.steps[1].notes.empty() && lesson.steps[1].table.empty());
    EXPECT_EQ(step.try_this, "Click.");
    EXPECT_EQ(step.source, "Vaswani et al., Attention is all you need, 2017");
    EXPECT_EQ(step.covers->variants, std::vector{1});
    EXPECT_EQ(step.covers->stages, (std::vector{StageKind::weights, StageKind::output}));
    EXPECT_EQ(step.try_sets[0].first, "/variants/1/mask/apply");
    EXPECT_EQ(step.try_shows->address.variant, 1);
    EXPECT_TRUE(step.try_shows->fails_with.empty());
    EXPECT_FALSE(lesson.steps[1].star);
    EXPECT_FALSE(lesson.steps[1].covers);
    EXPECT_FALSE(lesson.steps[1].try_shows);
    EXPECT_EQ(lesson.steps[1].source, "");
    const Fact& near = step.facts[1];
    EXPECT_EQ(near.address.variant, 0);
    EXPECT_EQ(near.address.minus, 1);
    const std::vector<AddressEntry> at = {
        {AddressEntry::Kind::index, 0, {}},
        {AddressEntry::Kind::all, 0, {}},
        {AddressEntry::Kind::any, 0, std::pair<Index, Index>(0, 1)},
        {AddressEntry::Kind::sum, 0, std::pair<Index, Index>(0, 2)}};
    EXPECT_EQ(near.address.at, at);
    EXPECT_EQ(near.address.with[0],
              std::pair(std::string("/variants/0/scale"), std::string("2.0")));
    EXPECT_EQ(near.is, Relation::near);
    EXPECT_EQ(near.within, 0.001);
    EXPECT_EQ(std::get<double>(near.than->times.value()), 0.5);
    EXPECT_EQ(std::get<Address>(near.than->plus.value()).of, "max");
    EXPECT_EQ(step.facts[2].is, Relation::nan);
    EXPECT_FALSE(step.facts[2].than);
}

TEST(LessonJson, RoundTrip) {
    const Lesson lesson = read_lesson(write_json(lesson_json()), ".");
    const std::string text = write_lesson(lesson);
    EXPECT_EQ(read_lesson(text, "."), lesson);
    EXPECT_EQ(write_lesson(read_lesson(text, ".")), text);
}

TEST(LessonJson, LooksLikeALesson) {
    EXPECT_TRUE(is_lesson(write_json(lesson_json())));
    EXPECT_TRUE(is_lesson(R"({"maskscope_lesson": 1, )"));
    EXPECT_FALSE(is_lesson(test::sample("embedding")));
    EXPECT_FALSE(is_lesson(test::changed("embedding", "/title", R"("\"maskscope_lesson\"")")));
    EXPECT_FALSE(is_lesson(test::changed("embedding", "/title", R"("maskscope_lesson")")));
    EXPECT_FALSE(is_lesson(""));
    // The version of a lesson may be missing, and so may that of a scene.
    EXPECT_TRUE(is_lesson(R"({"name": "x", "title": "X", "steps": []})"));
    EXPECT_FALSE(is_lesson(R"({"title": "steps", "sequences": []})"));
}

struct BadLesson {
    std::string pointer, value, line;
};

TEST(LessonJson, EachIsRefusedAtItsPlace) {
    const std::string fact = "/steps/0/facts/0";
    const std::string near = "/steps/0/facts/1";
    const BadLesson table[] = {
        {"/maskscope_lesson", "2", "l: /maskscope_lesson: expected 1, got 2"},
        {"/maskscope_lesson", "", "l: /maskscope_lesson: missing key"},
        {"/extra", "1",
         "l: /extra: unknown key (known: about, maskscope_lesson, name, steps, title)"},
        {"/name", "", "l: /name: missing key"},
        {"/name", "\"A\"", "l: /name: expected a name of a-z, 0-9 and -, got \"A\""},
        {"/name", "\"\"", "l: /name: expected a name of a-z, 0-9 and -, got \"\""},
        {"/name", "\"a b\"", "l: /name: expected a name of a-z, 0-9 and -, got \"a b\""},
        {"/title", "", "l: /title: missing key"},
        {"/title", "7", "l: /title: expected a string, got 7"},
        {"/steps", "", "l: /steps: missing key"},
        {"/steps", "[]", "l: /steps: expected a list that is not empty, got an empty list"},
        {"/steps/0/title", "", "l: /steps/0/title: missing key"},
        {"/steps/0/caption", "", "l: /steps/0/caption: missing key"},
        {"/steps/0/caption", "\"a\\nb\"",
         "l: /steps/0/caption: expected a string without control characters, got \"a\\u000ab\""},
        {"/steps/0/star", "1", "l: /steps/0/star: expected true or false, got 1"},
        {"/steps/0/ask", "null", "l: /steps/0/ask: expected a string, got null"},
        {"/steps/0/hint", "\"\"",
         "l: /steps/0/hint: unknown key (known: answer, ask, caption, covers, exercise, facts, "
         "notes, place, scene, source, star, table, title, try, try_sets, try_shows)"},
        {"/steps/0/place", "\"middle\"",
         "l: /steps/0/place: expected \"encoder\", \"decoder\", \"cross\" or \"head\", got "
         "\"middle\""},
        {"/steps/0/notes", "7", "l: /steps/0/notes: expected a string, got 7"},
        {"/steps/0/notes", "\"{q[9]}\"", "l: /steps/0/notes: {q[9]}: expected token 0 to 2"},
        {"/steps/0/table", "7", "l: /steps/0/table: expected a list, got 7"},
        {"/steps/0/table", R"([["a", "b"]])", "l: /steps/0/table: expected 2 to 6 rows, got 1"},
        {"/steps/0/table/1", R"(["a"])", "l: /steps/0/table/1: expected 2 to 4 cells, got 1"},
        {"/steps/0/table/1", R"(["a", "b", "c"])",
         "l: /steps/0/table/1: expected 2 cells, as in the first row, got 3"},
        {"/steps/0/table/1/0", "null", "l: /steps/0/table/1/0: expected a string, got null"},
        {"/steps/0/table/1/1", "\"{q[9]}\"",
         "l: /steps/0/table/1/1: {q[9]}: expected token 0 to 2"},
        {"/steps/0/source", "2017", "l: /steps/0/source: expected a string, got 2017"},
        {"/steps/0/source", "\"a\\nb\"",
         "l: /steps/0/source: expected a string without control characters, got \"a\\u000ab\""},
        {"/steps/0/answer", "[]",
         "l: /steps/0/answer: expected a list that is not empty, got an empty list"},
        {"/steps/0/answer", "\"\"",
         "l: /steps/0/answer: expected a string that is not empty, got \"\""},
        {"/steps/0/answer/1", "7", "l: /steps/0/answer/1: expected a string, got 7"},
        {"/steps/1/answer", "\"yes\"", "l: /steps/1/answer: only with \"ask\""},
        {"/steps/0/answer/0", "\"{q[9]}\"", "l: /steps/0/answer: {q[9]}: expected token 0 to 2"},
        {"/steps/0/covers", "[]", "l: /steps/0/covers: expected an object, got an empty list"},
        {"/steps/0/covers/lane", "\"B\"",
         "l: /steps/0/covers/lane: unknown key (known: lanes, stages)"},
        {"/steps/0/covers/lanes", "[]",
         "l: /steps/0/covers/lanes: expected a list that is not empty, got an empty list"},
        {"/steps/0/covers/lanes/0", "\"C\"",
         "l: /steps/0/covers/lanes/0: the scene has variants A to B"},
        {"/steps/0/covers/lanes/0", "\"b\"",
         "l: /steps/0/covers/lanes/0: expected a letter from A to Z, got \"b\""},
        {"/steps/0/covers/stages", "[]",
         "l: /steps/0/covers/stages: expected a list that is not empty, got an empty list"},
        {"/steps/0/covers/stages/1", "\"outputs\"",
         "l: /steps/0/covers/stages/1: expected \"allowed\", \"scores\", \"scaled\", \"logits\", "
         "\"softmax\", \"weights\", \"output\", \"sensitivity\" or \"depends\", got \"outputs\""},
        {"/steps/0/try", "", "l: /steps/0/try_sets: only with \"try\""},
        {"/steps/0/try_sets", "", "l: /steps/0/try_shows: only with \"try_sets\""},
        {"/steps/0/try_sets", "{}",
         "l: /steps/0/try_sets: expected an object that is not empty, got an object"},
        {"/steps/0/try_sets", R"({"/variants/7/dtype": "float16"})",
         "l: /steps/0/try_sets/~1variants~17~1dtype: does not exist in the scene"},
        {"/steps/0/try_shows/fails_with", "{}",
         "l: /steps/0/try_shows/fails_with: unknown key (known: at, is, lane, of, says, than, "
         "with, within)"},
        {"/steps/0/try_shows/is", "", "l: /steps/0/try_shows/is: missing key"},
        {"/steps/0/try_shows/at/2", "9", "l: /steps/0/try_shows/at/2: expected 0 to 2, got 9"},
        {"/steps/0/scene", "", "l: /steps/0/scene: missing key"},
        {"/steps/0/scene/variants/0/name", "\"\"",
         "l: /steps/0/scene/variants/0/name: expected a string that is not empty, got \"\""},
        {"/steps/0/scene/show", R"({"focus": [0, 3]})",
         "l: /steps/0/scene/show/focus/1: expected an integer from 0 to 2, got 3"},
        {"/steps/0/facts", "", "l: /steps/0/facts: missing key"},
        {"/steps/0/facts", "[]",
         "l: /steps/0/facts: expected a list that is not empty, got an empty list"},
        {fact + "/lane", "", "l: " + fact + "/lane: missing key"},
        {fact + "/lane", "\"b\"",
         "l: " + fact +
             "/lane: expected a variant such as \"B\", or two such as \"A-B\", got \"b\""},
        {fact + "/lane", "\"A-\"",
         "l: " + fact +
             "/lane: expected a variant such as \"B\", or two such as \"A-B\", got \"A-\""},
        {fact + "/of", "\"sums\"",
         "l: " + fact +
             "/of: expected a stage, a row statistic or a statistic of root_d, got \"sums\""},
        {fact + "/at", "", "l: " + fact + "/at: missing key"},
        {fact + "/at", "[0, 0]", "l: " + fact + "/at: expected a list of 3, got a list of 2"},
        {fact + "/at/1", "-1",
         "l: " + fact + "/at/1: expected an integer from 0 to 9007199254740991, got -1"},
        {fact + "/at/1", "\"0\"",
         "l: " + fact +
             "/at/1: expected an index, or \"all\", \"any\" or \"sum\" as in "
             "\"all 0-4\", got \"0\""},
        {fact + "/at/1", "\"all 2-1\"",
         "l: " + fact +
             "/at/1: expected an index, or \"all\", \"any\" or \"sum\" as in "
             "\"all 0-4\", got \"all 2-1\""},
        {fact + "/at/1", "\"all 00-1\"",
         "l: " + fact +
             "/at/1: expected an index, or \"all\", \"any\" or \"sum\" as in "
             "\"all 0-4\", got \"all 00-1\""},
        {fact + "/d", "4",
         "l: " + fact +
             "/d: unknown key (known: at, fails_with, is, lane, of, says, than, with, within)"},
        {fact + "/with", "[]", "l: " + fact + "/with: expected an object, got an empty list"},
        {fact + "/is", "", "l: " + fact + "/is: missing key"},
        {fact + "/is", "\"=\"",
         "l: " + fact +
             "/is: expected \"<\", \"<=\", \"==\", \"!=\", \">=\", \">\", \"near\" or "
             "\"nan\", got \"=\""},
        {fact + "/than", "", "l: " + fact + "/than: missing key"},
        {fact + "/than", "\"1\"",
         "l: " + fact + "/than: expected a number or an address, got \"1\""},
        {fact + "/is", "\"nan\"", "l: " + fact + "/than: not allowed with \"nan\""},
        {fact + "/within", "1", "l: " + fact + "/within: only with \"near\""},
        {fact + "/fails_with", "", "l: " + fact + "/fails_with: missing key"},
        {near + "/within", "-1", "l: " + near + "/within: expected a number, 0 or more, got -1"},
        {near + "/than/lane", "", "l: " + near + "/than/lane: missing key"},
        {near + "/than/is", "\"<\"",
         "l: " + near + "/than/is: unknown key (known: at, lane, of, plus, times, with)"},
        {near + "/than/plus/times", "2",
         "l: " + near + "/than/plus/times: unknown key (known: at, lane, of, with)"},
        {near + "/says", "1", "l: " + near + "/says: expected a string, got 1"},
    };
    for (const BadLesson& bad : table) EXPECT_EQ(changed(bad.pointer, bad.value), bad.line);
}

TEST(LessonJson, RootDHasAWidthInsteadOfAPlace) {
    const auto root_d = [](const std::string& more) {
        return changed("/steps/0/facts/0", R"({"lane": "A", "of": "root_d.largest", "is": "<",
            "than": 1, "fails_with": {})" + more +
                                               "}");
    };
    EXPECT_EQ(root_d(""), "l: /steps/0/facts/0/d: missing key");
    EXPECT_EQ(root_d(R"(, "d": 0)"),
              "l: /steps/0/facts/0/d: expected an integer from 1 to 1024, got 0");
    EXPECT_EQ(root_d(R"(, "d": 4, "at": [0])"),
              "l: /steps/0/facts/0/at: unknown key (known: d, fails_with, is, lane, of, says, "
              "than, with, within)");
}

// The meaning of fields is checked, too; an error names the key inside `fails_with`.
TEST(LessonJson, FieldsAreJudged) {
    EXPECT_EQ(changed("/steps/0/facts/0/fails_with", R"({"/inputs/seed": 7.0})"),
              "l: /steps/0/facts/0/fails_with/~1inputs~1seed: expected an integer from 0 to "
              "9007199254740991, got 7.0");
}

}  // namespace
}  // namespace maskscope
