// Tests where in the window the user follows the Try of a step, which is found from what it sets.

#include "app/session/edits/try_place.h"

#include <gtest/gtest.h>

#include <map>

#include "app/session/files/load.h"

namespace maskscope {
namespace {

TryPlace place(const std::string& lesson, std::size_t step) {
    static std::map<std::string, LoadedLesson> lessons;  // each is loaded once
    if (!lessons.contains(lesson)) lessons[lesson] = load_lesson("lesson:" + lesson);
    const LoadedLesson& loaded = lessons[lesson];
    return try_place(loaded.lesson.steps.at(step - 1), loaded.folder);
}

TEST(TryPlaces, AreFoundFromWhatATrySets) {
    using Kind = TryPlace::Kind;
    EXPECT_EQ(place("additive-or-multiplicative", 1).kind, Kind::bench) << "a click on the mask";
    EXPECT_EQ(place("additive-or-multiplicative", 4).kind, Kind::bench) << "a score";
    EXPECT_EQ(place("additive-or-multiplicative", 2), (TryPlace{Kind::variant, 0}));
    EXPECT_EQ(place("additive-or-multiplicative", 8).kind, Kind::rules) << "a bias";
    EXPECT_EQ(place("break-it", 2), (TryPlace{Kind::rules, 1}));
    EXPECT_EQ(place("break-it", 5), (TryPlace{Kind::variant, 1})) << "heads";
    EXPECT_EQ(place("casebook", 3), (TryPlace{Kind::rules, 0})) << "inverted";
    EXPECT_EQ(place("decoding", 8).kind, Kind::inputs) << "KV heads";
    EXPECT_EQ(place("convex-combination", 2).kind, Kind::bench);
    EXPECT_EQ(place("convex-combination", 3).kind, Kind::inputs) << "d of given scores";
    EXPECT_EQ(place("convex-combination", 9).kind, Kind::bench) << "painted";
    EXPECT_EQ(place("decoding", 1).kind, Kind::tokens);
    EXPECT_EQ(place("heads", 2).kind, Kind::inputs) << "a strength";
    EXPECT_EQ(place("one-row", 2).kind, Kind::bench) << "a score of given vectors";
    EXPECT_EQ(place("one-row", 6).kind, Kind::vectors);
    EXPECT_EQ(place("padding-and-nan-rows", 8), (TryPlace{Kind::rules, {}})) << "shared rules";
    EXPECT_EQ(place("convex-combination", 1).kind, Kind::bench) << "a key";
    Step step = load_lesson("lesson:empty-rows-in-numbers").lesson.steps.at(3);
    step.try_sets = {{"/show/view", "\"table\""}};
    EXPECT_EQ(try_place(step, "."), (TryPlace{Kind::view, {}, ViewKind::table}));
}

}  // namespace
}  // namespace maskscope
