#include "app/session/files/path_completion.h"
#include "tests/unit/app/session/session_parts.h"

namespace maskscope {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> texts(const std::vector<PathCandidate>& candidates) {
    std::vector<std::string> all;
    for (const PathCandidate& candidate : candidates) all.push_back(candidate.text);
    return all;
}

class Paths : public testing::Test {
protected:
    Paths() {
        fs::create_directory(folder / "lectures");
        for (const char* name : {"lesson.json", "lens.json", "notes.txt", ".hidden.json"})
            write_bytes(folder / name, "");
        write_bytes(folder / "lectures/one.json", "");
    }
    Folder folder;
    std::string at = folder.path().string() + "/";
};

TEST_F(Paths, AreCompletedByWhatIsThere) {
    using Texts = std::vector<std::string>;
    EXPECT_EQ(texts(path_candidates(at, {".json"})),
              (Texts{at + "lectures/", at + "lens.json", at + "lesson.json"}));
    EXPECT_EQ(texts(path_candidates(at + "n")), (Texts{at + "notes.txt"}));
    EXPECT_EQ(texts(path_candidates(at + "n", {".json"})), Texts());
    EXPECT_EQ(texts(path_candidates(at + ".")), (Texts{at + ".hidden.json"}));
    EXPECT_EQ(texts(path_candidates(at + "lectures/")), (Texts{at + "lectures/one.json"}));
    EXPECT_EQ(path_candidates(at, {}, 2).size(), 2U);
}

TEST_F(Paths, ThatAreNotThereCompleteToNothing) {
    EXPECT_TRUE(path_candidates(at + "nowhere/").empty());
    EXPECT_TRUE(path_candidates(at + "notes.txt/").empty());
    EXPECT_TRUE(path_candidates(std::string("a\0b/", 4)).empty());
    EXPECT_EQ(completed_path("typed", {}), "typed");
}

TEST_F(Paths, GoAsFarAsAllCandidatesAgree) {
    EXPECT_EQ(completed_path(at + "l", path_candidates(at + "l")), at + "le");
    EXPECT_EQ(completed_path(at + "les", path_candidates(at + "les")), at + "lesson.json");
    // é and è begin with the same byte: half a character is not a character.
    EXPECT_EQ(completed_path("", {{"é", false}, {"è", false}}), "");
}

TEST_F(Paths, BeginAtHomeWithATilde) {
    const char* home = std::getenv("HOME");
    ASSERT_NE(home, nullptr);
    EXPECT_EQ(typed_path("~"), home);
    EXPECT_EQ(typed_path("~/x.json"), fs::path(home) / "x.json");
    EXPECT_EQ(typed_path("a~b"), "a~b");
    EXPECT_EQ(texts(path_candidates("~")), (std::vector<std::string>{"~/"}));
}

}  // namespace
}  // namespace maskscope
