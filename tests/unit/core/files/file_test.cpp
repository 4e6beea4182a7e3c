// Tests that files are read and replaced completely or not at all.

#include "core/files/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "core/base/error.h"
#include "tests/support/folder.h"

namespace maskscope {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
protected:
    std::size_t entries() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
    }
    static mode_t mode_of(const fs::path& path) {
        struct stat status {};
        return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
    }

    Folder folder;
};

std::string input_error(const fs::path& path, std::size_t limit = 100) {
    try {
        read_file(path, limit);
    } catch (const InputError& error) {
        EXPECT_EQ(error.place, "");
        return error.what();
    }
    return "none";
}

std::string work_error(const fs::path& path, std::string_view bytes = "new") {
    try {
        replace_file(path, bytes);
    } catch (const WorkError& error) {
        return error.what();
    }
    return "none";
}

TEST_F(Files, WhatIsWrittenIsRead) {
    const std::string bytes("a\0\n\xff", 4);
    replace_file(folder / "a", bytes);
    EXPECT_EQ(read_file(folder / "a"), bytes);
    replace_file(folder / "a", "");
    EXPECT_EQ(read_file(folder / "a"), "");
    EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, WhatIsNoRegularFileIsNamed) {
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_EQ(input_error(folder / "missing"), "No such file or directory");
    EXPECT_EQ(input_error(folder), "is a directory");
    EXPECT_EQ(input_error(folder / "pipe"), "is not a regular file");
    EXPECT_EQ(input_error("/dev/zero"), "is not a regular file");
    EXPECT_EQ(input_error(""), "No such file or directory");
}

TEST_F(Files, TheLimitIsTheLastSizeThatIsRead) {
    replace_file(folder / "a", std::string(100, 'x'));
    EXPECT_EQ(input_error(folder / "a", 100), "none");
    EXPECT_EQ(input_error(folder / "a", 99), "is larger than 99 bytes");
}

TEST_F(Files, ALinkIsFollowedAndStays) {
    fs::create_directory(folder / "below");
    replace_file(folder / "below/a", "old");
    fs::create_symlink("below/a", folder / "link");
    fs::create_symlink("link", folder / "link of link");
    replace_file(folder / "link of link", "new");
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(read_file(folder / "below/a"), "new");
}

TEST_F(Files, ALinkToNowhereMakesTheFile) {
    fs::create_symlink("later", folder / "link");
    replace_file(folder / "link", "new");
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(read_file(folder / "later"), "new");
}

TEST_F(Files, LinksInACircleAreRefused) {
    fs::create_symlink("b", folder / "a");
    fs::create_symlink("a", folder / "b");
    EXPECT_EQ(work_error(folder / "a"), "Too many levels of symbolic links");
}

TEST_F(Files, PermissionsAreKeptAndNewFilesFollowTheUmask) {
    replace_file(folder / "a", "old");
    const mode_t umask_now = ::umask(0);
    ::umask(umask_now);
    EXPECT_EQ(mode_of(folder / "a"), 0666 & ~umask_now);
    for (const mode_t mode : {0600U, 0640U, 0755U}) {
        ASSERT_EQ(::chmod((folder / "a").c_str(), mode), 0);
        replace_file(folder / "a", "new");
        EXPECT_EQ(mode_of(folder / "a"), mode);
    }
}

TEST_F(Files, WhatCannotBeReplacedStays) {
    replace_file(folder / "file", "old");
    EXPECT_EQ(work_error(folder / "file/below"), "Not a directory");
    EXPECT_EQ(work_error(folder / "missing/below"), "No such file or directory");
    EXPECT_EQ(work_error(folder), "is a directory");
    EXPECT_EQ(work_error("/dev/full"), "is not a regular file");
    EXPECT_EQ(read_file(folder / "file"), "old");
    EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, ADiskThatIsFullLeavesTheOldBytesAndNothingElse) {
    replace_file(folder / "a", "old");
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{1000, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const std::string error = work_error(folder / "a", std::string(5000, 'x'));
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(error, "File too large");
    EXPECT_EQ(read_file(folder / "a"), "old");
    EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, ANewFileReplacesNone) {
    write_new_file(folder / "a", "old");
    EXPECT_THROW(write_new_file(folder / "a", "new"), WorkError);
    sync_files(folder);
    EXPECT_EQ(read_file(folder / "a"), "old");
    EXPECT_THROW(sync_files(folder / "a"), WorkError);
}

TEST_F(Files, WhatIsAddedReplacesNone) {
    const auto error_of_adding = [&](const char* name) -> std::string {
        try {
            replace_file(folder / name, "new", {.only_new = true});
            return "none";
        } catch (const WorkError& error) {
            return error.what();
        }
    };
    replace_file(folder / "a", "old");
    EXPECT_EQ(error_of_adding("a"), "already exists");
    EXPECT_EQ(error_of_adding("b"), "none");
    EXPECT_EQ(error_of_adding("missing/b"), "No such file or directory");
    EXPECT_EQ(read_file(folder / "a"), "old");
    EXPECT_EQ(read_file(folder / "b"), "new");
    const auto another_comes = [&] { std::ofstream(folder / "c") << "theirs"; };
    EXPECT_THROW(replace_file(folder / "c", "new", {.only_new = true, .before = another_comes}),
                 WorkError);
    EXPECT_EQ(read_file(folder / "c"), "theirs");
    EXPECT_EQ(entries(), 3U);
}

TEST_F(Files, WhatAKilledRunLeftIsRemovedAndNothingElse) {
    const auto put = [&](const std::string& name) {
        std::ofstream(folder.path() / name) << "x";
        return folder.path() / name;
    };
    const fs::path left = put(".maskscope-12-3"), notes = put(".maskscope-notes"),
                   in_use = put(".maskscope-13-0");
    fs::create_directories(folder.path() / ".maskscope-14-0" / "variant-0");
    fs::create_directories(folder.path() / ".maskscope-15-0" / "old-1");
    const int lock = ::open(in_use.c_str(), O_RDONLY);
    ASSERT_EQ(::flock(lock, LOCK_EX), 0);
    replace_file(folder.path() / "written", "bytes");
    EXPECT_FALSE(fs::exists(left));
    EXPECT_FALSE(fs::exists(folder.path() / ".maskscope-14-0"));
    EXPECT_TRUE(fs::exists(notes));
    EXPECT_TRUE(fs::exists(in_use)) << "another run writes it";
    EXPECT_TRUE(fs::exists(folder.path() / ".maskscope-15-0/old-1")) << "another program's file";
    ::close(lock);
    remove_leftovers(folder.path());
    EXPECT_FALSE(fs::exists(in_use));
    EXPECT_EQ(entries(), 3U);
}

TEST_F(Files, AStagingFolderIsItsOwnAndGoes) {
    {
        const StagingFolder one(folder.path()), other(folder.path());
        EXPECT_NE(one.path(), other.path());
        std::ofstream(one.path() / "x") << "x";
        remove_leftovers(folder.path());
        EXPECT_EQ(entries(), 2U) << "both are in use";
    }
    EXPECT_EQ(entries(), 0U);
}

TEST_F(Files, FoldersThatWereMadeGoUnlessTheyAreKept) {
    { const MadeFolders made(folder / "a/b/"); }
    EXPECT_EQ(entries(), 0U);
    MadeFolders(folder / "a/b/").keep();
    {
        const MadeFolders made(folder / "a/c/d");
        std::ofstream(folder / "a/c/x") << "x";
    }
    EXPECT_TRUE(fs::exists(folder / "a/b"));
    EXPECT_TRUE(fs::exists(folder / "a/c/x")) << "another program's file";
    EXPECT_FALSE(fs::exists(folder / "a/c/d"));
}

TEST_F(Files, ASignalWaitsUntilMadeFoldersAreGone) {
    const auto end = [&] {
        finish_files_on_signals();
        const MadeFolders made(folder / "a/b");
        std::raise(SIGTERM);
    };
    EXPECT_EXIT(end(), testing::KilledBySignal(SIGTERM), "");
    EXPECT_EQ(entries(), 0U);
}

// Another program may replace the file before the write is finished.
TEST_F(Files, TheStampIsThatOfWhatWasWritten) {
    std::optional<FileStamp> mine, theirs;
    const auto write_mine = [&](bool with_theirs) {
        const auto replaced = [&](const FileStamp& stamp) {
            if (with_theirs) replace_file(folder / "a", "more");
            mine = stamp;
        };
        replace_file(folder / "a", "mine", {.replaced = replaced});
        theirs = stamp_of(folder / "a");
    };
    write_mine(true);
    EXPECT_NE(mine, theirs);
    write_mine(false);
    EXPECT_EQ(mine, theirs);
}

TEST_F(Files, APrivateFileIsItsOwnersAlone) {
    const fs::path path = folder.path() / "recent";
    replace_file(path, "a", {.readers = Readers::owner});
    EXPECT_EQ(mode_of(path), 0600U);
    fs::permissions(path, fs::perms(0644));
    replace_file(path, "b", {.readers = Readers::owner});
    EXPECT_EQ(mode_of(path), 0600U);
}

}  // namespace
}  // namespace maskscope
