#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "app/panels/complete.h"
#include "app/panels/words.h"

namespace maskscope {
namespace {

namespace fs = std::filesystem;

// A folder of the test's own, gone with it.
class Folder {
public:
    Folder() {
        std::string pattern = (fs::temp_directory_path() / "maskscope-XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    const fs::path& path() const { return path_; }
    void file(const std::string& name) const { std::ofstream(path_ / name) << "x"; }
    void folder(const std::string& name) const { fs::create_directory(path_ / name); }

private:
    fs::path path_;
};

TEST(CompletePath, GoesAsFarAsTheCandidatesAgree) {
    const Folder folder;
    folder.file("lecture-1.json");
    folder.file("lecture-2.json");
    folder.folder("figures");
    EXPECT_EQ(complete_path("lec", folder.path()).text, "lecture-");
    EXPECT_EQ(complete_path("lec", folder.path()).names.size(), 2u);
    EXPECT_EQ(complete_path("fi", folder.path()).text, "figures/");
    EXPECT_EQ(complete_path("lecture-2", folder.path()).text, "lecture-2.json");
    EXPECT_EQ(complete_path("figures/", folder.path()).names.size(), 0u);
}

TEST(CompletePath, LeavesWhatHasNoCandidate) {
    const Folder folder;
    EXPECT_EQ(complete_path("nothing/here", folder.path()).text, "nothing/here");
    EXPECT_TRUE(complete_path("nothing/here", folder.path()).names.empty());
    EXPECT_EQ(complete_path("", folder.path()).text, "");
}

TEST(CompletePath, HidesNamesWithADotUntilItIsTyped) {
    const Folder folder;
    folder.file(".hidden");
    EXPECT_TRUE(complete_path("", folder.path()).names.empty());
    EXPECT_EQ(complete_path(".h", folder.path()).text, ".hidden");
}

TEST(CompletePath, NeverCutsACharacterInHalf) {
    const Folder folder;
    folder.file("für");  // ü and ö differ in their second byte alone
    folder.file("för");
    EXPECT_EQ(complete_path("f", folder.path()).text, "f");
}

TEST(CompletePath, TakesAbsolutePathsAsTheyAre) {
    const Folder folder;
    folder.file("scene.json");
    const std::string typed = (folder.path() / "sc").string();
    EXPECT_EQ(complete_path(typed, "/").text, (folder.path() / "scene.json").string());
    EXPECT_EQ(typed_path("a.json", folder.path()), folder.path() / "a.json");
    EXPECT_EQ(typed_path("/a.json", folder.path()), "/a.json");
}

TEST(Words, ReadBackTheValuesTheyWrite) {
    for (const BlockedValue& value :
         {BlockedValue{}, BlockedValue{ValueKind::lowest, 0}, BlockedValue{ValueKind::number, -1e9},
          BlockedValue{ValueKind::number, -1e4}, BlockedValue{ValueKind::number, 0.1},
          BlockedValue{ValueKind::number, -123456.75}}) {
        BlockedValue read{ValueKind::number, 77};
        EXPECT_TRUE(read_value(words(value), read)) << words(value);
        EXPECT_EQ(read, value) << words(value);
    }
    EXPECT_EQ(words(BlockedValue{ValueKind::number, -1e9}), "−1e9");
}

TEST(Words, ReadBackTheScalesTheyWrite) {
    for (const Scale& scale : {Scale{}, Scale{ScaleKind::sqrt_n_k, 1}, Scale{ScaleKind::none, 1},
                               Scale{ScaleKind::number, 0.125}}) {
        Scale read{ScaleKind::number, 77};
        EXPECT_TRUE(read_scale(words(scale), read)) << words(scale);
        EXPECT_EQ(read, scale) << words(scale);
    }
}

TEST(Words, RefuseWhatIsNoNumber) {
    BlockedValue value{ValueKind::number, 77};
    Scale scale;
    double number = 0;
    for (const char* text : {"", "minus", "nan", "1e999", "0x10", "1 2", "1,5", "--1", "inf"}) {
        EXPECT_FALSE(read_value(text, value)) << text;
        EXPECT_FALSE(read_scale(text, scale)) << text;
        EXPECT_FALSE(read_number(text, number)) << text;
    }
    EXPECT_EQ(value.number, 77) << "what is refused changes nothing";
}

TEST(Words, SummariseAsTheBenchDoes) {
    Variant variant;
    EXPECT_EQ(summary(variant), "value −∞ · float32");
    variant.mask.apply = Apply::multiply_weights;
    EXPECT_EQ(summary(variant), "0 or 1 · not renormalised");
    MaskLayer layer;
    EXPECT_EQ(summary(layer), "top left");
    layer.kind = LayerKind::blocked;
    layer.cells = std::vector<Cell>{};
    EXPECT_EQ(summary(layer), "0 cells");
    layer.cells = std::vector<Cell>{{0, 1}};
    layer.columns = std::vector<Index>{2, 3};
    EXPECT_EQ(summary(layer), "1 cell, 2 columns");
}

}  // namespace
}  // namespace maskscope
