// Tests that whatever the format does not describe is refused, with its place; see
// tests/data/bad-scenes.txt.

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/build.h"
#include "core/base/error.h"
#include "core/format/scene_json.h"
#include "tests/support/scene_samples.h"

namespace maskscope {
namespace {

struct BadScene {
    std::string sample, pointer, value, line;
};

std::vector<BadScene> bad_scenes() {
    std::ifstream file(source_folder() + "/tests/data/bad-scenes.txt");
    std::vector<BadScene> scenes;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("#")) continue;
        BadScene scene;
        std::istringstream fields(line);
        std::getline(fields, scene.sample, '|');
        std::getline(fields, scene.pointer, '|');
        std::getline(fields, scene.value, '|');
        std::getline(fields, scene.line);
        scenes.push_back(scene);
    }
    return scenes;
}

std::string line_of(const std::string& json) {
    try {
        read_scene(json, ".");
        return "nothing is wrong";
    } catch (const InputError& error) {
        return at_file("scene.json", error).what();
    }
}

TEST(BadScene, EachIsRefusedAtItsPlace) {
    const auto scenes = bad_scenes();
    ASSERT_GE(scenes.size(), 150U);
    for (const BadScene& bad : scenes)
        EXPECT_EQ(line_of(test::changed(bad.sample, bad.pointer, bad.value)),
                  "scene.json: " + bad.line)
            << bad.sample << " " << bad.pointer << " " << bad.value;
}

// Calls visit() for each place.
void for_each_place(const Json& json, const std::string& place,
                    const std::function<void(const std::string&)>& visit) {
    if (!place.empty()) visit(place);
    if (!json.is_structured()) return;
    for (const auto& item : json.items())
        for_each_place(item.value(), place + "/" + item.key(), visit);
}

// A value of another type is refused at its place or directly below it.
TEST(BadScene, NothingTakesNullOrTrue) {
    for (const char* name : test::sample_names)
        for_each_place(parse_json(write_scene(read_scene(test::sample(name), "."))), "",
                       [&](const std::string& place) {
                           for (const char* value : {"null", "true"}) {
                               const auto line = line_of(test::changed(name, place, value));
                               EXPECT_TRUE(line.starts_with("scene.json: /")) << place << line;
                           }
                       });
}

// A key that is missing is optional, or its name is reported; nothing crashes.
TEST(BadScene, MissingKeysArePointedAtThemselves) {
    for (const char* key : {"maskscope", "sequences", "inputs", "variants"})
        EXPECT_EQ(line_of(test::changed("embedding", std::string("/") + key, "")),
                  std::string("scene.json: /") + key + ": missing key");
}

TEST(BadScene, MoreThanFourLayersInAll) {
    const auto layers = [](int count) {
        std::string inputs = R"({"kind": "embedding", "seed": 1, "heads": 1, "d_k": 1, "d_v": 1})";
        for (int k = 1; k < count; ++k)
            inputs = R"({"kind": "output", "of": {"inputs": )" + inputs +
                     R"(, "variant": {"name": "v"}}})";
        return test::changed("output", "/inputs", inputs);
    };
    EXPECT_EQ(line_of(layers(4)), "nothing is wrong");
    EXPECT_EQ(line_of(layers(5)),
              "scene.json: /inputs/of/inputs/of/inputs/of/inputs/of: more than 4 layers");
}

TEST(BadScene, LayersAreCountedOverBothBranches) {
    const std::string plain = R"({"kind": "embedding", "seed": 1, "heads": 1, "d_k": 1, "d_v": 1})";
    const auto above = [](const std::string& inputs) {
        return R"({"inputs": )" + inputs + R"(, "variant": {"name": "v"}})";
    };
    const std::string two = above(R"({"kind": "output", "of": )" + above(plain) + "}");
    const auto both = [&](const std::string& of, const std::string& keys) {
        return test::changed("decoder", "/inputs",
                             R"({"kind": "output", "of": )" + of + R"(, "keys": )" + keys + "}");
    };
    EXPECT_EQ(line_of(both(two, above(plain))), "nothing is wrong");
    EXPECT_EQ(line_of(both(two, two)), "scene.json: /inputs/keys/inputs/of: more than 4 layers");
}

TEST(BadScene, TwentySevenVariants) {
    std::string variants = R"({"name": "v"})";
    for (int k = 1; k < 26; ++k) variants += R"(, {"name": "v"})";
    EXPECT_EQ(line_of(test::changed("embedding", "/variants", "[" + variants + "]")),
              "nothing is wrong");
    EXPECT_EQ(
        line_of(test::changed("embedding", "/variants", "[{\"name\": \"v\"}, " + variants + "]")),
        "scene.json: /variants: expected 1 to 26 variants, got 27");
}

// Every prefix of a valid file is refused. The file with any byte replaced is refused or read,
// without a crash.
TEST(BadScene, TruncatedAndFlippedTexts) {
    for (const char* name : test::sample_names) {
        const std::string text = test::sample(name);
        for (std::size_t k = 0; k < text.size(); ++k) {
            EXPECT_THROW(read_scene(text.substr(0, k), "."), InputError) << k;
            for (const char byte : {'\0', '"', '9', '\xff', ']'}) {
                std::string flipped = text;
                flipped[k] = byte;
                line_of(flipped);
            }
        }
    }
}

}  // namespace
}  // namespace maskscope
