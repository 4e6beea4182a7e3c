// Tests scenes whose arrays are in tensor files.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "core/base/error.h"
#include "core/base/matrix.h"
#include "core/format/scene_json.h"
#include "core/tensors/tensor_file.h"
#include "tests/support/folder.h"
#include "tests/support/scene_samples.h"

namespace maskscope {
namespace {

namespace fs = std::filesystem;

// Writes scores.npy [1, 2, 2, 2] with an infinity and a NaN, in a folder of its own.
class SceneFiles : public testing::Test {
protected:
    void SetUp() override {
        Stage stage(1, 2, 2, 2, true);
        const double infinite = std::numeric_limits<double>::infinity();
        Matrix head(2, 2);
        head << 1, infinite, std::nan(""), 4;
        for (Index h = 0; h < 2; ++h) stage.set_head(0, h, head);
        std::ofstream(folder / "scores.npy", std::ios::binary) << npy_bytes(stage);
    }

    std::string line_of(const std::string& json) const {
        try {
            read_scene(json, folder);
            return "nothing is wrong";
        } catch (const InputError& error) {
            return at_file("s", error).what();
        }
    }

    Folder folder;
    const std::string text = test::changed("scores", "/inputs/scores", "\"scores.npy\"");
};

TEST_F(SceneFiles, TheNameIsWrittenAndTheNumbersAreRead) {
    const Scene scene = read_scene(text, folder);
    const Array& scores = std::get<ScoresInputs>(scene.inputs).scores;
    EXPECT_EQ(scores.axes, (std::vector<Index>{1, 2, 2, 2}));
    EXPECT_TRUE(std::isnan((*scores.values)[2]));
    const std::string written = write_scene(scene);
    EXPECT_NE(written.find("\"scores\": \"scores.npy\""), std::string::npos);
    EXPECT_EQ(read_scene(written, folder), scene);
    EXPECT_NO_THROW(check_scene(scene));
}

TEST_F(SceneFiles, ABrokenFileIsAnErrorAtTheArrayThatNamesIt) {
    fs::resize_file(folder / "scores.npy", 100);
    EXPECT_TRUE(line_of(text).starts_with("s: /inputs/scores: ")) << line_of(text);
    for (const char* name : {"\"gone.npy\"", "\"../scores.npy\"", "\"/scores.npy\"", "\".\"",
                             "\"scores.txt\"", "\"scores.npz:q\""}) {
        const std::string line = line_of(test::changed("scores", "/inputs/values", name));
        EXPECT_TRUE(line.starts_with("s: /inputs/values: ")) << line;
    }
}

TEST_F(SceneFiles, AFileOfAnotherShapeIsRefused) {
    EXPECT_EQ(line_of(test::changed("weights", "/inputs/values", "\"scores.npy\"")),
              "s: /inputs/values: expected an array [1, 1, 2, d_v], got [1, 2, 2, 2]");
}

TEST_F(SceneFiles, AFieldMayNameAnotherFile) {
    const Scene scene = with_fields(read_scene(test::sample("scores"), folder),
                                    {{"/inputs/scores", "\"scores.npy\""}}, folder);
    EXPECT_EQ(scene.inputs, read_scene(text, folder).inputs);
}

}  // namespace
}  // namespace maskscope
