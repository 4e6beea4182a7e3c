#include "app/session/course.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "app/session/files/load.h"
#include "tests/unit/app/session/session_parts.h"

namespace maskscope {
namespace {

namespace fs = std::filesystem;

class InCourse : public ::testing::Test {
protected:
    InCourse() { open("lesson:heads"); }

    void open(const std::string& name) {
        const LoadedLesson loaded = load_lesson(name);
        session.open_lesson(loaded.lesson, loaded.folder);
    }
    Course remembered() {
        remember_course(state, session);
        return read_course(state);
    }
    std::string left_open(const std::string& written) {
        fs::create_directories(state);
        std::ofstream(state / "course.json") << written;
        open_as_left(state, session);
        return session.lesson() ? session.lesson()->name : session.scene().title;
    }

    const Folder folder;
    const fs::path state = folder.path() / "deep/state";
    Session session{std::make_unique<PlainBackend>()};
};

TEST_F(InCourse, AStepCountsOnceItIsUncovered) {
    EXPECT_EQ(remembered(), (Course{"lesson:heads", 0, {}})) << "it asks first";
    session.next();
    EXPECT_EQ(remembered(), (Course{"lesson:heads", 0, {{"heads", {0}}}}));
    session.go_to_step(3);
    session.next();
    EXPECT_EQ(remembered(), (Course{"lesson:heads", 3, {{"heads", {0, 3}}}}));
    open("lesson:one-row");
    session.next();
    EXPECT_EQ(remembered().seen,
              (std::map<std::string, std::set<int>>{{"heads", {0, 3}}, {"one-row", {0}}}));
}

TEST_F(InCourse, ItOpensAtTheLastStep) {
    session.go_to_step(3);
    remembered();
    Session later{std::make_unique<PlainBackend>()};
    open_as_left(state, later);
    ASSERT_TRUE(later.lesson());
    EXPECT_EQ(later.lesson()->name, "heads");
    EXPECT_EQ(later.document().step, 3);
    EXPECT_TRUE(later.view().asks());
}

TEST_F(InCourse, AFileOfOnesOwnIsOpenedAgain) {
    const fs::path file = folder.path() / "mine.json";
    session.new_scene();
    ASSERT_TRUE(session.save_as(file, false));
    EXPECT_EQ(remembered(), (Course{file.string(), 0, {}}));
    Session later{std::make_unique<PlainBackend>()};
    open_as_left(state, later);
    EXPECT_EQ(later.document().path(), file);
    fs::remove(file);
    open_as_left(state, later);
    EXPECT_EQ(later.lesson()->name, "one-row") << "it is gone";
}

TEST_F(InCourse, WhatCannotBeReadLeadsToTheFirstLesson) {
    EXPECT_EQ(lesson_names().front(), "one-row");
    for (const char* written :
         {"", "{", "[]", "null", R"({"open": 7, "step": 1, "seen": {}})",
          R"({"open": "lesson:no-such", "step": 1, "seen": {}})",
          R"({"open": "lesson:heads/9", "step": 1, "seen": {}})",
          R"({"open": "/no/such.json", "step": 1, "seen": {}})",
          R"({"open": "/proc/self/mem/x.json", "step": 1, "seen": {}})",
          R"({"open": "lesson:heads", "step": 1, "seen": {"heads": [1, "2"]}})"})
        EXPECT_EQ(left_open(written), "one-row") << written;
    EXPECT_EQ(left_open(R"({"open": ")" + std::string(5000, 'a') + R"(", "step": 1, "seen": {}})"),
              "one-row")
        << "a name that no file can have";
    for (const char* step : {"-1", "1.5", "1e300", "\"1\""})
        EXPECT_EQ(
            left_open(fmt::format(R"({{"open": "lesson:heads", "step": {}, "seen": {{}}}})", step)),
            "one-row")
            << step;
    EXPECT_EQ(left_open(R"({"open": "lesson:heads", "step": 99999, "seen": {}})"), "heads");
    EXPECT_EQ(session.document().step + 1, std::ssize(session.lesson()->steps)) << "the last step";
}

TEST_F(InCourse, NothingIsWrittenForAnUnsavedScene) {
    session.new_scene();
    EXPECT_EQ(remembered(), Course{});
    open("lesson:heads");
    remember_course("/proc/nowhere", session);
    EXPECT_EQ(read_course("/proc/nowhere"), Course{});
    remember_course({}, session);
    EXPECT_EQ(read_course({}), Course{});
}

}  // namespace
}  // namespace maskscope
