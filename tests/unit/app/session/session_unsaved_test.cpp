// Work that no file holds: as bytes and back, and as a file that outlives a crash.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "app/session/files/unsaved_file.h"
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
        const auto bytes = session.unsaved();
        ASSERT_TRUE(bytes);
        ASSERT_TRUE(next.go_on_with(*bytes));
        EXPECT_EQ(next.bench_scene(), session.bench_scene());
        EXPECT_EQ(next.step(), session.step());
        EXPECT_EQ(next.lesson() != nullptr, session.lesson() != nullptr);
        if (session.lesson()) {
            EXPECT_EQ(*next.lesson(), *session.lesson());
        }
        EXPECT_FALSE(next.is_saved());
        EXPECT_EQ(next.unsaved(), bytes);
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
        EXPECT_FALSE(session.go_on_with(bytes)) << bytes;
        EXPECT_EQ(session.scene(), before);
        EXPECT_TRUE(session.message()->wrong);
    }
}

TEST_F(UnsavedWork, AFileIsLeftBehindByWhoIsGone) {
    const fs::path state = folder / "state";
    const pid_t child = ::fork();
    if (child == 0) {
        UnsavedFile(state).keep("work");
        ::_exit(0);  // no end in order
    }
    ::waitpid(child, nullptr, 0);
    UnsavedFile own(state);
    own.keep("my own");
    const auto left = UnsavedFile::left_behind(state);
    ASSERT_EQ(left.size(), 1U) << "one's own is not left behind";
    EXPECT_EQ(read_file(left[0]), "work");
    EXPECT_TRUE(UnsavedFile::adopt(left[0]));
    EXPECT_TRUE(UnsavedFile::left_behind(state).empty());
    own.keep(std::nullopt);
    EXPECT_TRUE(fs::is_empty(state));
}

TEST_F(UnsavedWork, ItIsKeptWhenNothingHappensForASecondAndAfterTen) {
    using namespace std::chrono_literals;
    session.new_scene();
    rename_first(session);
    Keeper keeper(folder);
    const Keeper::Clock::time_point start{};
    EXPECT_FALSE(keeper.seconds_until_due(start));
    for (int k = 0; k <= 19; ++k) keeper.something_happened(start + k * 500ms);
    EXPECT_DOUBLE_EQ(keeper.seconds_until_due(start + 9500ms).value(), 0.5) << "ten at the latest";
    keeper.keep_if_due(session, start + 9900ms);
    EXPECT_TRUE(fs::is_empty(folder));
    keeper.keep_if_due(session, start + 10s);
    EXPECT_FALSE(fs::is_empty(folder));
    EXPECT_FALSE(keeper.seconds_until_due(start + 10s));
    session.undo();
    keeper.something_happened(start + 11s);
    keeper.keep_if_due(session, start + 12s);
    EXPECT_TRUE(fs::is_empty(folder)) << "all is saved again";
}

}  // namespace
}  // namespace maskscope
