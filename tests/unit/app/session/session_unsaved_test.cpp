// Work that no file holds: as bytes and back, and as a file that outlives a crash.

#include <gtest/gtest.h>

#include <fstream>

#include "app/session/document.h"
#include "app/session/keeper.h"
#include "app/session/session.h"
#include "core/base/build.h"
#include "core/base/file.h"
#include "core/compute/plain.h"
#include "core/lesson/lesson_edit.h"
#include "tests/unit/app/session/session_parts.h"

namespace maskscope {
namespace {

namespace fs = std::filesystem;

class UnsavedWork : public ::testing::Test {
protected:
    static void rename_first(Session& session) {
        ASSERT_TRUE(session.edit(
            "rename", [](Scene& s) { rename_token(s, 0, Side::queries, 0, "another"); }));
    }
    // Another session goes on where `session` stands.
    static void expect_goes_on(const Session& session, Session& next) {
        const auto work = session.unsaved();
        ASSERT_TRUE(work);
        ASSERT_TRUE(next.restore_unsaved(unsaved_bytes(*work)));
        EXPECT_EQ(next.bench_scene(), session.bench_scene());
        EXPECT_EQ(next.step(), session.step());
        EXPECT_EQ(next.lesson() != nullptr, session.lesson() != nullptr);
        if (session.lesson()) {
            EXPECT_EQ(*next.lesson(), *session.lesson());
        }
        EXPECT_FALSE(next.is_saved());
        ASSERT_TRUE(next.unsaved());
        EXPECT_EQ(unsaved_bytes(*next.unsaved()), unsaved_bytes(*work));
    }

    Session session{std::make_unique<PlainBackend>()}, next{std::make_unique<PlainBackend>()};
    const Folder temporary;
    const fs::path folder = temporary.path();
};

TEST_F(UnsavedWork, NothingIsKeptOfWhatIsSaved) {
    session.new_scene();
    EXPECT_FALSE(session.unsaved());
    rename_first(session);
    EXPECT_TRUE(session.unsaved());
    session.undo();
    EXPECT_FALSE(session.unsaved());
}

TEST_F(UnsavedWork, ASceneGoesOnAndBelongsToItsFile) {
    session.new_scene();
    ASSERT_TRUE(session.save_as(folder / "scene.json", false));
    rename_first(session);
    expect_goes_on(session, next);
    ASSERT_TRUE(next.save());
    EXPECT_TRUE(next.is_saved());
    Session third(std::make_unique<PlainBackend>());
    ASSERT_TRUE(third.open(folder / "scene.json"));
    EXPECT_EQ(third.scene().sequences[0].queries[0], "another");
}

TEST_F(UnsavedWork, AnEditedStepOfABuiltInLessonGoesOn) {
    ASSERT_TRUE(session.open(source_folder() + "/assets/lessons/heads.json"));
    session.go_to_step(2);
    session.next();
    rename_first(session);
    expect_goes_on(session, next);
    EXPECT_FALSE(next.saves_lesson()) << "the lesson itself was not edited";
    next.restore_step();
    EXPECT_TRUE(next.is_saved());
}

TEST_F(UnsavedWork, AHalfWrittenLessonGoesOn) {
    session.new_scene();
    session.begin_lesson();
    session.update();
    ASSERT_TRUE(session.lesson_problem()) << "it has no fact yet";
    ASSERT_TRUE(session.edit_lesson("write", [](Lesson& lesson, int& step) {
        lesson.steps[step].caption = "Half {A.weights[0,";
    }));
    expect_goes_on(session, next);
    EXPECT_TRUE(next.saves_lesson());
}

TEST_F(UnsavedWork, OtherBytesChangeNothing) {
    session.new_scene();
    const Scene before = session.scene();
    for (const char* bytes : {"", "{}", "[1]", "{\"folder\": 1}", "{\"scene\": \"{}\"}"}) {
        EXPECT_FALSE(session.restore_unsaved(bytes)) << bytes;
        EXPECT_EQ(session.scene(), before);
        EXPECT_TRUE(session.message()->wrong);
    }
}

// A run of the program that keeps what the session holds.
struct OneRun {
    OneRun(Session& session, const fs::path& folder) {
        const Keeper::Clock::time_point now{};
        keeper.keep_in(folder);
        keeper.something_happened(now);
        keeper.keep_if_due(session, now + std::chrono::seconds(1));
        keeper.wait();
    }
    Keeper keeper;
};

// Both runs are of one process, as two runs in a container have one process id.
TEST_F(UnsavedWork, AFileIsLeftBehindByARunThatIsGone) {
    session.new_scene();
    rename_first(session);
    const std::string lost = unsaved_bytes(*session.unsaved());
    { const OneRun crashed(session, folder); }  // no end in order
    OneRun own(session, folder);
    const auto left = Keeper::left_behind(folder);
    ASSERT_EQ(left.size(), 1U) << "one's own is not left behind";
    EXPECT_EQ(read_file(left[0]), lost);
    own.keeper.end();
    EXPECT_EQ(Keeper::left_behind(folder), left) << "another run's file stays";
}

TEST_F(UnsavedWork, ARunThatKeptNothingTakesNothingAway) {
    rename_first(session);
    { const OneRun crashed(session, folder); }
    OneRun own(next, folder);
    own.keeper.end();
    EXPECT_EQ(Keeper::left_behind(folder).size(), 1U);
}

TEST_F(UnsavedWork, ARunThatGoesOnIsNotLeftBehindAndNotDiscarded) {
    rename_first(session);
    const OneRun running(session, folder);
    EXPECT_TRUE(Keeper::left_behind(folder).empty());
    for (const auto& entry : fs::directory_iterator(folder)) Keeper::discard(entry.path());
    EXPECT_EQ(temporary.entries(), 2U) << "the file and its lock";
}

TEST_F(UnsavedWork, WhatWasLeftBehindIsRecoveredOrDiscarded) {
    rename_first(session);
    { const OneRun crashed(session, folder); }
    next.keeper().keep_in(folder);
    ASSERT_TRUE(next.open_recovered(Keeper::left_behind(folder).at(0)));
    EXPECT_EQ(next.scene(), session.scene());
    EXPECT_TRUE(Keeper::left_behind(folder).empty()) << "it is the run's own";
    EXPECT_EQ(temporary.entries(), 2U);
    next.keeper().end();
    EXPECT_EQ(temporary.entries(), 0U);
    { const OneRun crashed(session, folder); }
    Keeper::discard(Keeper::left_behind(folder).at(0));
    EXPECT_EQ(temporary.entries(), 0U);
}

TEST_F(UnsavedWork, ItIsKeptWhenNothingHappensForASecondAndAfterFour) {
    using namespace std::chrono_literals;
    session.new_scene();
    rename_first(session);
    Keeper keeper;
    keeper.keep_in(folder);
    const Keeper::Clock::time_point start{};
    EXPECT_FALSE(keeper.seconds_until_due(start));
    for (int k = 0; k <= 7; ++k) keeper.something_happened(start + k * 500ms);
    EXPECT_DOUBLE_EQ(keeper.seconds_until_due(start + 3500ms).value(), 0.5) << "four at the latest";
    keeper.keep_if_due(session, start + 3900ms);
    EXPECT_TRUE(fs::is_empty(folder));
    keeper.keep_if_due(session, start + 4s);
    keeper.wait();
    EXPECT_FALSE(fs::is_empty(folder));
    EXPECT_FALSE(keeper.seconds_until_due(start + 4s));
    session.undo();
    keeper.something_happened(start + 5s);
    keeper.keep_if_due(session, start + 6s);
    keeper.wait();
    EXPECT_EQ(temporary.entries(), 1U) << "the lock: all is saved again";
}

}  // namespace
}  // namespace maskscope
