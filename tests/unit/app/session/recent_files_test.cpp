#include "app/session/files/state_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <fstream>

#include "core/files/descriptor.h"
#include "tests/unit/app/session/session_parts.h"

namespace maskscope {
namespace {

namespace fs = std::filesystem;

class RecentFiles : public ::testing::Test {
protected:
    fs::path file(const std::string& name) {
        std::ofstream(folder / name) << "x";
        return folder / name;
    }

    const Folder temporary;
    const fs::path folder = temporary.path();
};

TEST_F(RecentFiles, TheNewestIsFirstAndEachStandsOnce) {
    const fs::path state = folder / "deep/state", a = file("a.json"), b = file("b c \u00e9.json");
    EXPECT_TRUE(recent_files(state).empty());
    remember_file(state, a);
    remember_file(state, b);
    remember_file(state, a);
    EXPECT_EQ(recent_files(state), (std::vector<fs::path>{a, b}));
}

TEST_F(RecentFiles, KeepsTenThatStillExist) {
    for (int k = 0; k < 12; ++k) remember_file(folder, file("file" + std::to_string(k)));
    EXPECT_EQ(recent_files(folder).size(), 10U);
    EXPECT_EQ(recent_files(folder).front(), folder / "file11");
    fs::remove(folder / "file11");
    EXPECT_EQ(recent_files(folder).size(), 9U);
}

// A window that a debugger stopped, or a backup, holds the lock.
TEST_F(RecentFiles, ALongHeldLockBlocksNoWindow) {
    const Descriptor lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY));
    ASSERT_EQ(::flock(lock.number(), LOCK_EX), 0);
    const auto begun = std::chrono::steady_clock::now();
    for (const char* name : {"a", "b", "c", "d"}) remember_file(folder, file(name));
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(2));
    EXPECT_EQ(recent_files(folder).size(), 4U);
}

TEST_F(RecentFiles, NothingIsDoneWhereNothingCanBeWritten) {
    remember_file({}, file("a"));
    remember_file("/proc/nowhere", file("a"));
    remember_file(folder / "state", folder / "line\nbreak");
    EXPECT_TRUE(recent_files("/proc/nowhere").empty());
    EXPECT_FALSE(fs::exists(folder / "state"));
}

}  // namespace
}  // namespace maskscope
