// Untrusted names cannot lead to another folder: not through "..", through a link, or through a
// link that appears meanwhile.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "core/base/error.h"
#include "core/files/file.h"
#include "core/files/input_file.h"
#include "tests/support/folder.h"

namespace maskscope {
namespace {

namespace fs = std::filesystem;

class Places : public ::testing::Test {
protected:
    Places() {
        fs::create_directory(inside);
        fs::create_directory(outside);
    }
    std::string error_of(const fs::path& file) {
        try {
            std::vector<fs::path> made;
            replace_file(make_place_below(inside, file, made), "theirs");
            return "none";
        } catch (const Error& error) {
            return error.what();
        }
    }

    Folder folder;
    const fs::path inside = folder / "inside", outside = folder / "outside";
};

TEST_F(Places, FoldersAreMadeAndTold) {
    std::vector<fs::path> made;
    replace_file(make_place_below(inside, "a/b/c.npy", made), "bytes");
    EXPECT_EQ(read_file(inside / "a/b/c.npy"), "bytes");
    EXPECT_EQ(made, (std::vector<fs::path>{"a", "a/b"}));
    EXPECT_TRUE(place_below(inside, "a/b/other.npy"));
    EXPECT_FALSE(place_below(inside, "a/other/c.npy"));
    EXPECT_EQ(InputFile(*place_below(inside, "a/b/c.npy")).size(), 5U);
}

TEST_F(Places, NoLinkBelowTheRootIsFollowed) {
    fs::create_directory_symlink("../outside", inside / "sub");
    fs::create_directories(inside / "deep");
    fs::create_directory_symlink(outside, inside / "deep/sub");
    fs::create_symlink("../outside/q.npy", inside / "q.npy");
    const auto refusal = [&](const char* file, const char* link) {
        return (inside / file).string() + ": " + (inside / link).string() +
               " is a symbolic link, which is not followed. Choose another folder";
    };
    EXPECT_EQ(error_of("sub/q.npy"), refusal("sub/q.npy", "sub"));
    EXPECT_EQ(error_of("sub/new/q.npy"), refusal("sub/new/q.npy", "sub"));
    EXPECT_EQ(error_of("deep/sub/q.npy"), refusal("deep/sub/q.npy", "deep/sub"));
    EXPECT_EQ(error_of("q.npy"), "is not a regular file");
    for (const char* file :
         {"../outside/q.npy", "deep/../../outside/q.npy", "/tmp/q.npy", "..", ""})
        EXPECT_NE(error_of(file), "none") << file;
    EXPECT_TRUE(fs::is_empty(outside));
}

TEST_F(Places, TheRootMayBeALink) {
    fs::create_directory_symlink("inside", folder / "root");
    std::vector<fs::path> made;
    replace_file(make_place_below(folder / "root", "a/q.npy", made), "bytes");
    EXPECT_EQ(read_file(inside / "a/q.npy"), "bytes");
}

// Another thread replaces the folder by a link and back, again and again.
TEST_F(Places, ALinkThatComesMeanwhileIsNotFollowed) {
    fs::create_directory(inside / "sub");
    fs::create_directory_symlink(outside, inside / "link");
    std::atomic<bool> ends = false;
    std::thread other([&] {
        while (!ends)
            ::renameat2(AT_FDCWD, (inside / "sub").c_str(), AT_FDCWD, (inside / "link").c_str(),
                        RENAME_EXCHANGE);
    });
    int refused = 0, written = 0;
    for (int k = 0; k < 2000; ++k) ++(error_of("sub/q.npy") == "none" ? written : refused);
    ends = true;
    other.join();
    EXPECT_TRUE(fs::is_empty(outside)) << written << " written, " << refused << " refused";
}

// --- removing a folder

TEST_F(Places, AFolderGoesWithTwoDescriptorsHoweverDeepItIs) {
    fs::path deep = inside;
    for (int k = 0; k < 200; ++k) deep /= "d";
    fs::create_directories(deep);
    fs::create_directory(inside / "d/e");
    for (const fs::path& in : {deep, inside, inside / "d/e"}) std::ofstream(in / "x") << "x";
    std::ofstream(outside / "mine") << "x";
    fs::create_directory_symlink(outside, inside / "d/link");
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    const int lowest = ::dup(0);
    ::close(lowest);
    const rlimit two{static_cast<rlim_t>(lowest) + 2, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &two), 0);
    remove_folder(inside);
    ::setrlimit(RLIMIT_NOFILE, &before);
    EXPECT_FALSE(fs::exists(inside));
    EXPECT_TRUE(fs::exists(outside / "mine"));
}

TEST_F(Places, AStagingFolderGoesWhenNoMoreFilesMayBeOpen) {
    std::vector<Descriptor> all;
    {
        const StagingFolder staging(inside);
        fs::create_directories(staging.path() / "new/variant-0");
        std::ofstream(staging.path() / "new/variant-0/x.npy") << "x";
        while (all.emplace_back(::dup(0)).is_open()) {}
    }
    all.emplace_back(::dup(0));  // one descriptor is left, but removing the folder takes two
    EXPECT_THROW(StagingFolder{inside}, WorkError);
    all.clear();
    EXPECT_TRUE(fs::is_empty(inside));
}

}  // namespace
}  // namespace maskscope
